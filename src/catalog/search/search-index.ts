// The search index over all operations: built on the first search, kept for good.
import MiniSearch from 'minisearch';
import type { Endpoint } from '../../endpoint/model.ts';
import { firstSentence, toPlainText } from '../../endpoint/plain-text.ts';
import type { Operation } from '../../orchestration/operation.ts';
import { literalSegments } from '../grouped/grouping.ts';
import { stem, toStems } from './search-words.ts';

/** What ranking looks at, prepared once. */
export interface Entry {
  readonly id: number;
  readonly operation: Operation;
  /** Public name. */
  readonly name: string;
  /** Stems of the name and the summary: what the operation says it is. */
  readonly head: ReadonlySet<string>;
  readonly path: ReadonlySet<string>;
  /** The last literal word of the path: what the operation acts on. */
  readonly target: string;
  readonly tags: ReadonlySet<string>;
  readonly text: ReadonlySet<string>;
  readonly args: ReadonlySet<string>;
  readonly verbs: ReadonlySet<Verb>;
}

/** What a call does, as far as its method and path tell. */
export type Verb = 'get' | 'list' | 'create' | 'update' | 'delete' | 'act';

export interface Index {
  readonly entries: readonly Entry[];
  /** By public name, by id, by operationId and by `GET /path`, in lower case. */
  readonly byKey: ReadonlyMap<string, Entry>;
  readonly mini: MiniSearch;
  /** True when some operation has this stem in its name, summary or path. */
  readonly knows: (stemmed: string) => boolean;
  /** How telling a stem is: rare ones tell more. */
  readonly weight: (stemmed: string) => number;
}

const FIELDS = ['name', 'summary', 'path', 'tags', 'text', 'args'];

export function buildIndex(operations: readonly Operation[], names: ReadonlyMap<string, string>): Index {
  const entries = operations.map((operation, id) => toEntry(operation, id, names));
  const mini = new MiniSearch({
    fields: FIELDS,
    tokenize: (text) => text.split(' '),
    processTerm: (term) => (term === '' ? null : term),
  });
  const counts = new Map<string, number>();
  mini.addAll(
    entries.map((entry) => {
      const { endpoint } = entry.operation;
      for (const word of new Set([...entry.head, ...entry.path])) counts.set(word, (counts.get(word) ?? 0) + 1);
      return {
        id: entry.id,
        name: toStems(entry.name).join(' '),
        summary: toStems(endpoint.summary).join(' '),
        path: [...entry.path].join(' '),
        tags: [...entry.tags].join(' '),
        text: [...entry.text].join(' '),
        args: [...entry.args].join(' '),
      };
    }),
  );
  const total = entries.length;
  const weight = (stemmed: string) => Math.log(1 + total / (1 + (counts.get(stemmed) ?? 0)));
  return {
    entries,
    byKey: keysOf(entries),
    mini,
    knows: (stemmed) => counts.has(stemmed),
    weight,
  };
}

/** Names first: an id or operationId never hides another operation's name. */
function keysOf(entries: readonly Entry[]): Map<string, Entry> {
  const keys = new Map<string, Entry>();
  const add = (key: string | undefined, entry: Entry) => {
    const lower = key?.toLowerCase();
    if (lower !== undefined && !keys.has(lower)) keys.set(lower, entry);
  };
  for (const entry of entries) add(entry.name, entry);
  for (const entry of entries) {
    const { id, source, method, path } = entry.operation.endpoint;
    for (const key of [id, source.operationId, `${method} ${path}`]) add(key, entry);
  }
  return keys;
}

function toEntry(operation: Operation, id: number, names: ReadonlyMap<string, string>): Entry {
  const { endpoint } = operation;
  const name = names.get(endpoint.id) ?? endpoint.toolName;
  const segments = literalSegments(endpoint.path);
  return {
    id,
    operation,
    name,
    // An action cut to length ends in a hash, which is no word of anybody's.
    head: new Set([...toStems(endpoint.source.operationId ?? endpoint.action), ...toStems(endpoint.summary)]),
    path: new Set(segments.flatMap(toStems)),
    target: toStems(segments.at(-1) ?? '').at(-1) ?? '',
    tags: new Set(endpoint.tags.flatMap(toStems)),
    text: new Set(toStems(firstSentence(toPlainText(endpoint.description ?? '')).slice(0, 400))),
    args: new Set(endpoint.args.slice(0, 60).flatMap(({ key }) => toStems(key))),
    verbs: verbsOf(endpoint),
  };
}

const VERB_WORDS: Readonly<Record<string, Verb>> = Object.fromEntries(
  (
    [
      ['get', 'get retrieve read fetch show view check see preview download compare count'],
      ['list', 'list search find browse'],
      ['create', 'create add post new insert register open'],
      ['update', 'update set edit patch put replace modify rename change upgrade downgrade'],
      ['delete', 'delete remove destroy clear revoke erase'],
      [
        'act',
        'accept advance approve archive assign attach block cancel capture charge close comment confirm decline deploy ' +
          'detach disable dismiss enable execute expire finalize finish follow fork invite join kick leave lock mark merge ' +
          'migrate move mute notify pause pay pin protect publish react redeliver refund reject reopen reply request rerun ' +
          'resend reset restart restore resume revert rotate run save schedule send share star start stop submit subscribe ' +
          'suspend sync transfer trigger unblock unfollow unlock unstar unsubscribe upload validate verify void vote',
      ],
    ] as const
  ).flatMap(([verb, words]) => words.split(' ').map((word): [string, Verb] => [stem(word), verb])),
);

/** What a word asks for, where it is a verb APIs have. */
export function verbOfWord(stemmed: string): Verb | undefined {
  return Object.hasOwn(VERB_WORDS, stemmed) ? VERB_WORDS[stemmed] : undefined;
}

/** What an operation does: its method and path say most, its own first word may say it better. */
function verbsOf({ method, path, summary, effect }: Endpoint): ReadonlySet<Verb> {
  const endsInVariable = /\}\/?$/.test(path);
  const said = verbOfWord(toStems(summary)[0] ?? '');
  const verbs = new Set<Verb>(said ? [said] : []);
  if (method === 'DELETE') verbs.add('delete');
  else if (effect === 'read') verbs.add(!endsInVariable && givesMany(path, summary) ? 'list' : 'get');
  else if (method === 'PUT' || method === 'PATCH') verbs.add('update');
  else if (said === undefined) verbs.add(endsInVariable ? 'update' : 'create');
  if (effect !== 'read' && method !== 'DELETE') verbs.add('act');
  return verbs;
}

/** A collection ends in a plural, or says so. */
function givesMany(path: string, summary: string): boolean {
  return /[^siu]s$/i.test(literalSegments(path).at(-1) ?? '') || /\b(?:list|lists|all|search|find)\b/i.test(summary);
}
