// The search index over all operations. It is built in steps, when the gateway listens or by the first search, and kept.
import type { Verb } from '../../endpoint/conventions/lexicon.ts';
import type { Endpoint } from '../../endpoint/model.ts';
import { firstSentence, toPlainText } from '../../endpoint/plain-text.ts';
import { inSteps } from '../../event-loop/turns.ts';
import { literalSegments } from '../grouped/grouping.ts';
import type { CatalogOperation } from '../tree.ts';
import { isPlural, toLongStems, toStems } from './search-words.ts';
import { verbOfWord } from './verbs.ts';

/** An operation, with what ranking needs of it. */
export interface IndexEntry {
  readonly id: number;
  readonly operation: CatalogOperation;
  /** Stems of the name and the summary: what the operation is called. */
  readonly head: readonly string[];
  /** Words of the last literal segment of the path: what the operation acts on. */
  readonly target: readonly string[];
  readonly verbs: ReadonlySet<Verb>;
}

/** An operation while the index is built. */
interface IndexedOperation {
  readonly entry: IndexEntry;
  /** For each stem, the strongest field it occurs in. */
  readonly fields: ReadonlyMap<string, number>;
  /** Domain and literal segments of the path: the same for all operations on one resource. */
  readonly resource: string;
}

/** The fields of an operation from weak to strong, and how much a word in each of them counts. */
const FIELDS = { resource: 0.25, text: 0.28, argument: 0.5, tag: 0.6, about: 0.65, path: 0.95, head: 1 };
type Field = keyof typeof FIELDS;
const NAMES = Object.keys(FIELDS) as Field[];
const STRENGTHS = Object.values(FIELDS);
const place = (field: Field): number => NAMES.indexOf(field);
const [RESOURCE, ARGUMENT, ABOUT, PATH] = (['resource', 'argument', 'about', 'path'] as const).map(place) as [
  number,
  number,
  number,
  number,
];

export interface SearchIndex {
  readonly entries: readonly IndexEntry[];
  /** Calls back with every entry that has the stem, and how strongly. */
  readonly eachEntry: (stem: string, visit: (id: number, strength: number) => void) => void;
  /** True when some operation has this stem in its name, summary or path. */
  readonly knows: (stem: string) => boolean;
  /** The stems of names, summaries, paths, tags and arguments. */
  readonly words: ReadonlySet<string>;
  /** The weight of a stem in a head: high if it is rare, low if it is a verb. */
  readonly weight: (stem: string) => number;
  /** The weight of all stems of an entry's head. */
  readonly headWeights: Float64Array;
}

const MAX_ARGUMENTS = 60;
const MAX_TEXT = 2_000;
/** If more operations share a path, they are not about one resource. */
const MAX_SIBLINGS = 8;

/** Yields to other requests every few milliseconds. */
export function buildIndex(operations: readonly CatalogOperation[]): Promise<SearchIndex> {
  return inSteps(indexOperations(operations));
}

/** A step is an operation, or the operations on one resource. */
function* indexOperations(operations: readonly CatalogOperation[]): Generator<void, SearchIndex> {
  const entries: IndexEntry[] = [];
  const counts = new Map<string, number>();
  const words = new Set<string>();
  /** For each stem, the entries that contain it: the entry's number and the field, packed into one number. */
  const postings = new Map<string, number[]>();
  const siblings = new Map<string, IndexedOperation[]>();
  const post = (stem: string, id: number, field: number) => {
    const places = postings.get(stem);
    const code = id * STRENGTHS.length + field;
    if (places) places.push(code);
    else postings.set(stem, [code]);
  };
  for (const [id, operation] of operations.entries()) {
    const item = toIndexed(operation, id);
    const { entry, fields, resource } = item;
    entries.push(entry);
    for (const [stem, field] of fields) {
      post(stem, id, field);
      if (field >= PATH) counts.set(stem, (counts.get(stem) ?? 0) + 1);
      if (field >= ARGUMENT && field !== ABOUT) words.add(stem);
    }
    const others = siblings.get(resource);
    if (others) others.push(item);
    else siblings.set(resource, [item]);
    yield;
  }
  // Words of one operation also count, weakly, for the other operations on the same resource.
  for (const group of siblings.values()) {
    if (group.length < 2 || group.length > MAX_SIBLINGS) continue;
    const groupStems = new Set<string>();
    for (const { fields } of group) for (const stem of fields.keys()) groupStems.add(stem);
    for (const stem of groupStems) for (const { entry } of group) post(stem, entry.id, RESOURCE);
    yield;
  }
  const weights = new Map<string, number>();
  const weight = (stem: string): number => {
    const before = weights.get(stem);
    if (before !== undefined) return before;
    const rarity = Math.log(1 + entries.length / (1 + (counts.get(stem) ?? 0)));
    const value = rarity * (verbOfWord(stem) === undefined ? 1 : 0.3);
    weights.set(stem, value);
    return value;
  };
  const headWeights = new Float64Array(entries.length);
  for (const { id, head } of entries) {
    headWeights[id] = head.reduce((total, stem) => total + weight(stem), 0);
    if (id % 100 === 99) yield;
  }
  return {
    entries,
    eachEntry: (stem, visit) => {
      for (const code of postings.get(stem) ?? []) {
        visit(Math.floor(code / STRENGTHS.length), STRENGTHS[code % STRENGTHS.length]!);
      }
    },
    knows: (stem) => counts.has(stem),
    words,
    weight,
    headWeights,
  };
}

function toIndexed(operation: CatalogOperation, id: number): IndexedOperation {
  const { endpoint } = operation;
  const segments = literalSegments(endpoint.path);
  const target = segments.at(-1) ?? '';
  // A summary made from method and path adds nothing to them.
  const summary = endpoint.summary.replace(`(${endpoint.method} ${endpoint.path})`, '');
  const text = toPlainText((endpoint.description ?? '').slice(0, MAX_TEXT));
  // The operationId is preferred, because an action that was cut to length ends in a hash.
  const head = [...new Set([endpoint.source.operationId ?? endpoint.action, summary].flatMap(toStems))];
  const fields = new Map<string, number>();
  const add = (field: Field, stems: readonly string[]) => {
    // Called for the weakest field first, so that the strongest one wins.
    const at = place(field);
    for (const stem of stems) fields.set(stem, at);
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
  const entry: IndexEntry = { id, operation, head, target: toStems(target), verbs: verbsOf(endpoint, target) };
  return { entry, fields, resource: `${endpoint.domain} ${segments.join('/')}` };
}

/** What an operation does, by its method and path and by the first word of its summary. */
function verbsOf({ method, path, summary, effect }: Endpoint, target: string): ReadonlySet<Verb> {
  const endsInVariable = /\}\/?$/.test(path);
  const first = verbOfWord(toStems(summary)[0] ?? '');
  const verbs = new Set<Verb>(first ? [first] : []);
  // A collection ends in a plural, or its summary mentions many things.
  const returnsMany = !endsInVariable && (isPlural(target) || /\b(?:lists?|all|search|find)\b/i.test(summary));
  if (method === 'DELETE' || (method === 'POST' && effect === 'destructive')) verbs.add('delete');
  else if (effect === 'read') verbs.add(returnsMany ? 'list' : 'get');
  else if (method === 'PUT' || method === 'PATCH') verbs.add('update');
  else if (first === undefined) verbs.add(endsInVariable ? 'update' : 'create');
  else if (isPlural(target) && !endsInVariable) verbs.add('create');
  if (effect !== 'read' && method === 'POST') verbs.add('act');
  return verbs;
}
