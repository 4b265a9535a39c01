// Writes entries into a YAML or JSON domain file. Comments and everything else stay as they are.
import { isDeepStrictEqual } from 'node:util';
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  stringify,
  visit,
  type YAMLMap,
} from 'yaml';
import { isObject } from '../endpoint/is-object.ts';
import { emptyMap, own, parseJsonObject } from '../endpoint/untrusted.ts';
import { parseYaml, type ReadYaml } from './files/parse-yaml.ts';

/** An entry to write into a domain file. */
export interface YamlEntry {
  /** Keys from the top. A list is one key with several possible names, the one to write first. */
  readonly path: readonly (string | readonly string[])[];
  readonly value: unknown;
}

/** Entries as lines of YAML, one per top-level key: `operations: { a: { effect: read } }`. */
export function renderEntries(entries: readonly YamlEntry[]): string[] {
  const { text } = withEntries('{}', 'entries', entries);
  const whole = JSON.parse(text) as Record<string, unknown>;
  const flow = { collectionStyle: 'flow', lineWidth: 0 } as const;
  return Object.entries(whole).map(
    ([key, value]) => `${stringify(key, flow).trim()}: ${stringify(value, flow).trim()}`,
  );
}

interface EditedText {
  /** Unchanged if nothing is written. */
  readonly text: string;
  /** Entries whose place has another value: what a person wrote is never changed. */
  readonly refused: readonly YamlEntry[];
  /** Lines of the draft that would have another meaning; then the text is unchanged. */
  readonly wrongLines?: readonly string[];
}

/** The text with the entries added and nothing else changed. */
export function withEntries(text: string, file: string, entries: readonly YamlEntry[]): EditedText {
  const { value } = parseYaml(text, file);
  const document = parseDocument(text, { merge: true });
  const finder = createFinder(document);
  const additions = new Map<EntryHolder, Addition>();
  const rest = entries.filter((entry) => !addEntry(document.contents, value, entry, additions, finder));
  if (additions.size === 0) return { text, refused: rest };
  const target = withAdditions(value, [...additions.values()]);
  const draft = parseJsonObject(text) ? `${JSON.stringify(target, null, 2)}\n` : applyEdits(text, additions);
  const wrongLines = linesThatDiffer(draft, target);
  return wrongLines.length === 0 ? { text: draft, refused: rest } : { text, refused: entries, wrongLines };
}

type Pair = YAMLMap['items'][number];
/** A map that gets more entries, or a pair that gets a value because its own is nothing or `{}`. */
type EntryHolder = YAMLMap | Pair;

/** The new entries of one holder. */
interface Addition {
  /** Keys from the top to the holder, as the file has them. */
  readonly at: readonly string[];
  /** The holder is a pair between braces. */
  readonly inFlow: boolean;
  readonly value: Record<string, unknown>;
}

interface Finder {
  readonly pairAt: (map: YAMLMap, names: readonly string[]) => Pair | undefined;
  /** Whether an alias refers to this node: an entry added here would appear in both places. */
  readonly isShared: (node: unknown) => boolean;
}

function createFinder(document: Document.Parsed): Finder {
  const anchors = new Set<string>();
  visit(document, { Alias: (_, { source }) => void anchors.add(source) });
  const byMap = new Map<YAMLMap, Map<string, Pair>>();
  return {
    pairAt: (map, names) => {
      let pairs = byMap.get(map);
      if (!pairs) {
        pairs = new Map();
        for (const pair of map.items) if (isScalar(pair.key)) pairs.set(String(pair.key.value), pair);
        byMap.set(map, pairs);
      }
      const name = names.find((one) => pairs.has(one));
      return name === undefined ? undefined : pairs.get(name);
    },
    isShared: (node) => isMap(node) && node.anchor !== undefined && anchors.has(node.anchor),
  };
}

/** Records the missing part of an entry; false if the file has another value there. */
function addEntry(
  root: unknown,
  whole: unknown,
  { path, value }: YamlEntry,
  additions: Map<EntryHolder, Addition>,
  { pairAt, isShared }: Finder,
): boolean {
  let holder: EntryHolder | undefined = isMap(root) ? root : undefined;
  let inFlow = false;
  let plain = whole;
  const at: string[] = [];
  while (isMap(holder) && at.length < path.length) {
    if (isShared(holder)) return false;
    const names = [path[at.length]!].flat();
    const pair = pairAt(holder, names);
    // Entries from a merge key are not among the map's own pairs.
    const name: string | undefined = pair ? String((pair.key as { value?: unknown }).value) : ownName(plain, names);
    if (name === undefined) break;
    plain = own(plain, name);
    if (at.length === path.length - 1) return isDeepStrictEqual(plain, value);
    const inner: unknown = pair?.value;
    const isOpen = plain === null || (isMap(inner) && inner.items.length === 0);
    if (pair === undefined || isAlias(inner) || isShared(inner) || (!isOpen && !isMap(inner))) return false;
    inFlow = holder.flow === true;
    at.push(name);
    holder = isOpen ? pair : (inner as YAMLMap);
  }
  if (holder === undefined) return false;
  const addition: Addition = additions.get(holder) ?? { at, inFlow, value: emptyMap() };
  if (!addTo(addition.value, path.slice(at.length), value)) return false;
  additions.set(holder, addition);
  return true;
}

function addTo(target: Record<string, unknown>, path: YamlEntry['path'], value: unknown): boolean {
  const names = [path[0] ?? ''].flat();
  const name = ownName(target, names);
  if (path.length < 2) {
    if (name !== undefined) return isDeepStrictEqual(target[name], value);
    target[names[0] ?? ''] = value;
    return true;
  }
  const inner = name === undefined ? emptyMap<unknown>() : target[name];
  if (!isObject(inner) || !addTo(inner, path.slice(1), value)) return false;
  target[name ?? names[0] ?? ''] = inner;
  return true;
}

function ownName(value: unknown, names: readonly string[]): string | undefined {
  return isObject(value) ? names.find((name) => Object.hasOwn(value, name)) : undefined;
}

/** The value that the file should have afterwards. */
function withAdditions(value: unknown, additions: readonly Addition[], depth = 0): unknown {
  const members = new Map(isObject(value) ? Object.entries(value) : []);
  const inside = new Map<string, Addition[]>();
  for (const addition of additions) {
    const key = addition.at[depth];
    if (key === undefined) for (const [name, inner] of Object.entries(addition.value)) members.set(name, inner);
    else if (!inside.get(key)?.push(addition)) inside.set(key, [addition]);
  }
  for (const [key, list] of inside) members.set(key, withAdditions(members.get(key), list, depth + 1));
  return Object.fromEntries(members);
}

const MAX_WRONG_LINES = 10;

/** Lines in which the draft differs from the intended value. */
function linesThatDiffer(draft: string, target: unknown): readonly string[] {
  let reading: ReadYaml;
  try {
    reading = parseYaml(draft, 'draft');
  } catch (error) {
    return [(error as Error).message];
  }
  const lines = draft.split('\n');
  const paths: string[][] = [];
  findDifferences(reading.value, target, [], paths);
  const numbers = new Set(paths.map((path) => reading.positionOf(path)?.line ?? 1));
  return [...numbers].map((line) => `line ${line}: ${(lines[line - 1] ?? '').trim()}`);
}

function findDifferences(value: unknown, other: unknown, path: readonly string[], paths: string[][]): void {
  if (paths.length === MAX_WRONG_LINES || Object.is(value, other)) return;
  const areBoth = (isObject(value) && isObject(other)) || (Array.isArray(value) && Array.isArray(other));
  if (!areBoth) {
    paths.push([...path]);
    return;
  }
  for (const key of new Set([...Object.keys(value), ...Object.keys(other)]))
    findDifferences(own(value, key), own(other, key), [...path, key], paths);
}

interface Edit {
  readonly at: number;
  /** Number of removed characters. */
  readonly removed: number;
  readonly text: string;
  /** Keys around it. */
  readonly depth: number;
}

/** The spaces by which the first inner map of the file is indented. */
function findIndent(text: string): number {
  const lines = text.split(/\r?\n/);
  const at = lines.findIndex(
    (line, index) =>
      /^[^\s#-]/.test(line) && line.trimEnd().endsWith(':') && /^ {1,8}[^\s#-]/.test(lines[index + 1] ?? ''),
  );
  return at === -1 ? 2 : lines[at + 1]!.search(/\S/);
}

/** At the same position, deeper insertions come first: an inner map ends before the outer one. */
function applyEdits(text: string, additions: ReadonlyMap<EntryHolder, Addition>): string {
  const step = findIndent(text);
  const lineBreak = text.includes('\r\n') ? '\r\n' : '\n';
  const edits = [...additions].flatMap(([holder, addition]) => toEdits(text, holder, addition, step, lineBreak));
  edits.sort((a, b) => a.at - b.at || b.depth - a.depth);
  let end = 0;
  const parts: string[] = [];
  for (const { at, removed, text: insertion } of edits) {
    parts.push(text.slice(end, at), insertion);
    end = at + removed;
  }
  const out = `${parts.join('')}${text.slice(end)}`;
  return out.endsWith('\n') ? out : `${out}${lineBreak}`;
}

function toEdits(text: string, holder: EntryHolder, addition: Addition, step: number, lineBreak: string): Edit[] {
  const { at: keys, inFlow, value } = addition;
  const depth = keys.length;
  const insert = (at: number, insertion: string): Edit => ({ at, removed: 0, text: insertion, depth });
  const block = (indent: number) =>
    toBlock(value)
      .map((line) => `${lineBreak}${' '.repeat(indent)}${line}`)
      .join('');
  if (isMap(holder)) {
    const last = holder.items.at(-1);
    const end = last === undefined ? holder.range![0] + 1 : endOf(last.value ?? last.key);
    if (holder.flow) return [insert(end, last === undefined ? ` ${toFlow(value)} ` : `, ${toFlow(value)}`)];
    return [insert(lineEnd(text, end), block(columnOf(text, holder.items[0]!.key)))];
  }
  const key = holder.key as Node;
  const inner = holder.value as Node | null;
  const [start, end] = inner?.range ?? [key.range![1], key.range![1]];
  const source = text.slice(start, end);
  if (isMap(inner) && (inFlow || source.includes('#'))) return [insert(start + 1, ` ${toFlow(value)} `)];
  const flow = `{ ${toFlow(value)} }`;
  const blank = text[start - 1] === ':' ? ' ' : '';
  if (inFlow) return [{ at: start, removed: end - start, text: `${inner ? blank : ': '}${flow}`, depth }];
  let from = start;
  while (from > key.range![1] && (text[from - 1] === ' ' || text[from - 1] === '\t')) from--;
  const place = lineEnd(text, Math.max(end, key.range![1]));
  const opening = insert(place, block(columnOf(text, key) + step));
  return source === '' ? [opening] : [{ at: from, removed: end - from, text: '', depth }, opening];
}

/** `a: { b: c }` without the braces around it. */
function toFlow(value: Record<string, unknown>): string {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0 })
    .trim()
    .replace(/^\{ | \}$/g, '');
}

function toBlock(value: Record<string, unknown>): string[] {
  return stringify(value, { lineWidth: 0 }).trimEnd().split('\n');
}

/** The end of a node without trailing comments and empty lines. */
function endOf(node: unknown): number {
  if ((isMap(node) && !node.flow) || (isSeq(node) && !node.flow)) {
    const last: unknown = node.items.at(-1);
    if (last !== undefined) return endOf(isMap(node) ? ((last as Pair).value ?? (last as Pair).key) : last);
  }
  return (node as Node).range?.[1] ?? 0;
}

function columnOf(text: string, key: unknown): number {
  const at = (key as Node).range?.[0] ?? 0;
  return at - (text.lastIndexOf('\n', at - 1) + 1);
}

/** The end of the line at this position. A block of text already ends after its line break. */
function lineEnd(text: string, at: number): number {
  const next = at > 0 && text[at - 1] === '\n' ? at - 1 : text.indexOf('\n', at);
  if (next < 0) return text.length;
  return text[next - 1] === '\r' ? next - 1 : next;
}
