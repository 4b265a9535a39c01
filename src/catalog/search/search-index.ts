// The search index over all operations: built on the first search, a slice at a time, and kept for good.
import { setImmediate as breathe } from 'node:timers/promises';
import MiniSearch from 'minisearch';
import { firstSentence, toPlainText } from '../../endpoint/plain-text.ts';
import { literalSegments } from '../grouped/grouping.ts';
import type { CatalogOperation } from '../tree.ts';
import { toStems } from './search-words.ts';
import { type Verb, verbsOf } from './verbs.ts';

type Stems = ReadonlySet<string>;

/** What ranking looks at, prepared once. */
export interface Entry {
  readonly id: number;
  readonly operation: CatalogOperation;
  /** Stems of the name and the summary: what the operation says it is. */
  readonly head: Stems;
  readonly path: Stems;
  /** The last literal word of the path: what the operation acts on. */
  readonly target: string;
  readonly tags: Stems;
  readonly text: Stems;
  readonly args: Stems;
  readonly verbs: ReadonlySet<Verb>;
}

export interface Index {
  readonly entries: readonly Entry[];
  readonly mini: MiniSearch;
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
  const mini = new MiniSearch({
    fields: ['name', 'summary', 'path', 'tags', 'text', 'args'],
    tokenize: (text) => text.split(' '),
    processTerm: (term) => (term === '' ? null : term),
  });
  for (const [id, operation] of operations.entries()) {
    if (id % SLICE === SLICE - 1) await breathe();
    const entry = toEntry(operation, id);
    entries.push(entry);
    for (const word of new Set([...entry.head, ...entry.path])) counts.set(word, (counts.get(word) ?? 0) + 1);
    mini.add({
      id,
      name: toStems(operation.name).join(' '),
      summary: toStems(operation.endpoint.summary).join(' '),
      path: [...entry.path].join(' '),
      tags: [...entry.tags].join(' '),
      text: [...entry.text].join(' '),
      args: [...entry.args].join(' '),
    });
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
  return {
    id,
    operation,
    // An action cut to length ends in a hash, which is no word of anybody's.
    head: new Set([...toStems(endpoint.source.operationId ?? endpoint.action), ...toStems(endpoint.summary)]),
    path: new Set(segments.flatMap(toStems)),
    target: toStems(segments.at(-1) ?? '').at(-1) ?? '',
    tags: new Set(endpoint.tags.flatMap(toStems)),
    text: new Set(toStems(firstSentence(toPlainText(endpoint.description ?? '')))),
    args: new Set(endpoint.args.slice(0, MAX_ARGUMENTS).flatMap(({ key }) => toStems(key))),
    verbs: verbsOf(endpoint),
  };
}
