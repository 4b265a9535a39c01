// The search index over all operations: built on the first search, a slice at a time, and kept for good.
import { setImmediate as breathe } from 'node:timers/promises';
import MiniSearch from 'minisearch';
import type { Endpoint } from '../../endpoint/model.ts';
import { firstSentence, toPlainText } from '../../endpoint/plain-text.ts';
import { literalSegments } from '../grouped/grouping.ts';
import type { CatalogOperation } from '../tree.ts';
import { toStems } from './search-words.ts';
import { type Verb, verbOfWord } from './vocabulary.ts';

/** What ranking looks at, prepared once. */
export interface Entry {
  readonly id: number;
  readonly operation: CatalogOperation;
  /** Stems of the name and the summary: what the operation says it is. */
  readonly head: ReadonlySet<string>;
  readonly path: ReadonlySet<string>;
  /** The last literal word of the path: what the operation acts on. */
  readonly target: string | undefined;
  /** Stems of its tags, the first sentence of its description and its arguments. */
  readonly more: ReadonlySet<string>;
  readonly verbs: ReadonlySet<Verb>;
}

export interface Index {
  readonly entries: readonly Entry[];
  readonly mini: MiniSearch<Entry>;
  /** True when some operation has this stem in its name, summary or path. */
  readonly knows: (stemmed: string) => boolean;
  /** How telling a stem is: rare ones tell more. */
  readonly weight: (stemmed: string) => number;
}

/** Operations between two chances for other requests: a few milliseconds of work. */
const SLICE = 20;
const MAX_ARGUMENTS = 60;

/** Gives way to other requests after every slice; what comes out does not depend on it. */
export async function buildIndex(operations: readonly CatalogOperation[]): Promise<Index> {
  const entries: Entry[] = [];
  const counts = new Map<string, number>();
  const mini = new MiniSearch<Entry>({
    fields: ['head', 'path', 'more'],
    stringifyField: (stems) => (stems instanceof Set ? [...stems].join(' ') : String(stems)),
    tokenize: (text) => text.split(' '),
    processTerm: (term) => (term === '' ? null : term),
  });
  for (const [id, operation] of operations.entries()) {
    if (id % SLICE === SLICE - 1) await breathe();
    const entry = toEntry(operation, id);
    entries.push(entry);
    mini.add(entry);
    for (const word of new Set([...entry.head, ...entry.path])) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return {
    entries,
    mini,
    knows: (stemmed) => counts.has(stemmed),
    weight: (stemmed) => Math.log(1 + entries.length / (1 + (counts.get(stemmed) ?? 0))),
  };
}

function toEntry(operation: CatalogOperation, id: number): Entry {
  const { endpoint } = operation;
  const segments = literalSegments(endpoint.path);
  const names = endpoint.args.slice(0, MAX_ARGUMENTS).map(({ key }) => key);
  const about = firstSentence(toPlainText(endpoint.description ?? ''));
  return {
    id,
    operation,
    // An action cut to length ends in a hash, which is no word of anybody's.
    head: new Set([endpoint.source.operationId ?? endpoint.action, endpoint.summary].flatMap(toStems)),
    path: new Set(segments.flatMap(toStems)),
    target: toStems(segments.at(-1) ?? '').at(-1),
    more: new Set([...endpoint.tags, about, ...names].flatMap(toStems)),
    verbs: verbsOf(endpoint, segments.at(-1) ?? ''),
  };
}

/** What an operation does: its method and path say most, its own first word may say it better. */
function verbsOf({ method, path, summary, effect }: Endpoint, target: string): ReadonlySet<Verb> {
  const endsInVariable = /\}\/?$/.test(path);
  const first = verbOfWord(toStems(summary)[0] ?? '');
  const verbs = new Set<Verb>(first ? [first] : []);
  // A collection ends in a plural, or says so.
  const givesMany = !endsInVariable && (isPlural(target) || /\b(?:lists?|all|search|find)\b/i.test(summary));
  if (method === 'DELETE') verbs.add('delete');
  else if (effect === 'read') verbs.add(givesMany ? 'list' : 'get');
  else if (method === 'PUT' || method === 'PATCH') verbs.add('update');
  else if (first === undefined) verbs.add(endsInVariable ? 'update' : 'create');
  if (effect !== 'read' && method !== 'DELETE') verbs.add('act');
  return verbs;
}

export function isPlural(word: string): boolean {
  return word.length > 3 && /[^siu]s$/i.test(word);
}
