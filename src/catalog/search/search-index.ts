// The search index over all operations: built on the first search, a slice at a time, and kept for good.
import { setImmediate as breathe } from 'node:timers/promises';
import type { Endpoint } from '../../endpoint/model.ts';
import { firstSentence, toPlainText } from '../../endpoint/plain-text.ts';
import { literalSegments } from '../grouped/grouping.ts';
import type { CatalogOperation } from '../tree.ts';
import { type Verb, verbOfWord } from './deeds.ts';
import { isPlural, toLongStems, toStems } from './search-words.ts';

/** What ranking looks at, prepared once. */
export interface Entry {
  readonly id: number;
  readonly operation: CatalogOperation;
  /** Stems of the name and the summary: what the operation says it is. */
  readonly head: readonly string[];
  /** Words of the last literal segment of the path: what the operation acts on. */
  readonly target: readonly string[];
  readonly verbs: ReadonlySet<Verb>;
}

/** Where a word stands, the more telling the later, and how strongly it is said there. */
const FIELDS = { resource: 0.25, text: 0.28, argument: 0.5, tag: 0.6, about: 0.65, path: 0.95, head: 1 };
type Field = keyof typeof FIELDS;
const NAMES = Object.keys(FIELDS) as Field[];
const STRENGTHS = Object.values(FIELDS);
const place = (field: Field): number => NAMES.indexOf(field);

export interface Index {
  readonly entries: readonly Entry[];
  /** Calls back with every entry that has the stem, and how strongly. */
  readonly eachEntry: (stemmed: string, visit: (id: number, strength: number) => void) => void;
  /** True when some operation has this stem in its name, summary or path. */
  readonly knows: (stemmed: string) => boolean;
  /** The stems of names, summaries, paths, tags and arguments. */
  readonly words: ReadonlySet<string>;
  /** How telling a stem is: rare ones tell more. */
  readonly weight: (stemmed: string) => number;
}

/** Operations between two chances for other requests: a few milliseconds of work. */
const SLICE = 20;
const MAX_ARGUMENTS = 60;
const MAX_TEXT = 2_000;
/** So many operations may be about one thing; more only share an address. */
const MAX_SIBLINGS = 8;

/** Gives way to other requests after every slice; what comes out does not depend on it. */
export async function buildIndex(operations: readonly CatalogOperation[]): Promise<Index> {
  const entries: Entry[] = [];
  const counts = new Map<string, number>();
  const words = new Set<string>();
  /** For each stem the entries that have it, the entry's number and the field in one. */
  const postings = new Map<string, number[]>();
  const siblings = new Map<string, { id: number; stems: Iterable<string> }[]>();
  const post = (stemmed: string, id: number, field: number) => {
    const places = postings.get(stemmed);
    const packed = id * STRENGTHS.length + field;
    if (places) places.push(packed);
    else postings.set(stemmed, [packed]);
  };
  for (const [id, operation] of operations.entries()) {
    if (id % SLICE === SLICE - 1) await breathe();
    const { entry, fields, resource } = toEntry(operation, id);
    entries.push(entry);
    for (const [stemmed, field] of fields) {
      post(stemmed, id, field);
      if (field >= place('path')) counts.set(stemmed, (counts.get(stemmed) ?? 0) + 1);
      if (field >= place('argument') && field !== place('about')) words.add(stemmed);
    }
    const others = siblings.get(resource);
    if (others) others.push({ id, stems: fields.keys() });
    else siblings.set(resource, [{ id, stems: fields.keys() }]);
  }
  // What one operation says of a thing holds, weakly, for the others on it.
  let turn = 0;
  for (const group of siblings.values()) {
    if (++turn % SLICE === 0) await breathe();
    if (group.length < 2 || group.length > MAX_SIBLINGS) continue;
    const shared = new Set(group.flatMap(({ stems }) => [...stems]));
    for (const stemmed of shared) for (const { id } of group) post(stemmed, id, place('resource'));
  }
  return {
    entries,
    eachEntry: (stemmed, visit) => {
      for (const packed of postings.get(stemmed) ?? []) {
        visit(Math.floor(packed / STRENGTHS.length), STRENGTHS[packed % STRENGTHS.length]!);
      }
    },
    knows: (stemmed) => counts.has(stemmed),
    words,
    weight: (stemmed) => Math.log(1 + entries.length / (1 + (counts.get(stemmed) ?? 0))),
  };
}

function toEntry(operation: CatalogOperation, id: number) {
  const { endpoint } = operation;
  const segments = literalSegments(endpoint.path);
  const target = segments.at(-1) ?? '';
  // A summary made from method and path says nothing more than they do.
  const summary = endpoint.summary.replace(`(${endpoint.method} ${endpoint.path})`, '');
  const text = toPlainText((endpoint.description ?? '').slice(0, MAX_TEXT));
  // An action cut to length ends in a hash, which is no word of anybody's.
  const head = [...new Set([endpoint.source.operationId ?? endpoint.action, summary].flatMap(toStems))];
  const fields = new Map<string, number>();
  const add = (field: Field, stems: readonly string[]) => {
    for (const stemmed of stems) fields.set(stemmed, Math.max(place(field), fields.get(stemmed) ?? 0));
  };
  add('text', toLongStems(text));
  add(
    'argument',
    endpoint.args.slice(0, MAX_ARGUMENTS).flatMap(({ key }) => toStems(key)),
  );
  add('tag', endpoint.tags.flatMap(toStems));
  add('about', toStems(firstSentence(text)));
  add('path', segments.flatMap(toStems));
  add('head', head);
  const entry: Entry = { id, operation, head, target: toStems(target), verbs: verbsOf(endpoint, target) };
  return { entry, fields, resource: `${endpoint.domain} ${segments.join('/')}` };
}

/** What an operation does: its method and path say most, its own first word may say it better. */
function verbsOf({ method, path, summary, effect }: Endpoint, target: string): ReadonlySet<Verb> {
  const endsInVariable = /\}\/?$/.test(path);
  const first = verbOfWord(toStems(summary)[0] ?? '');
  const verbs = new Set<Verb>(first ? [first] : []);
  // A collection ends in a plural, or says so.
  const givesMany = !endsInVariable && (isPlural(target) || /\b(?:lists?|all|search|find)\b/i.test(summary));
  if (method === 'DELETE' || (method === 'POST' && effect === 'destructive')) verbs.add('delete');
  else if (effect === 'read') verbs.add(givesMany ? 'list' : 'get');
  else if (method === 'PUT' || method === 'PATCH') verbs.add('update');
  else if (first === undefined) verbs.add(endsInVariable ? 'update' : 'create');
  else if (isPlural(target) && !endsInVariable) verbs.add('create');
  if (effect !== 'read' && method === 'POST') verbs.add('act');
  return verbs;
}
