// Reads a YAML or JSON domain file as data, and remembers on which line each field stands; writes entries into one, with
// comments and everything else left as they are.
import { isDeepStrictEqual } from 'node:util';
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, stringify, type YAMLMap } from 'yaml';
import { isObject } from '../endpoint/is-object.ts';
import { GatewayError } from '../errors.ts';

export interface ReadYaml {
  readonly value: unknown;
  /** Line of the field at this path, or of the nearest field around it. */
  readonly lineOf: (path: readonly (string | number)[]) => number | undefined;
}

/** Parses what a person wrote: duplicate keys, tabs and broken indentation are mistakes with a line number. */
export function parseYaml(text: string, file: string): ReadYaml {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true, merge: true });
  const first = document.errors[0];
  if (first !== undefined) {
    const { line, col } = lines.linePos(first.pos[0]);
    throw new GatewayError(
      'BAD_DOMAIN',
      `${file}:${line}: ${sentence(first.message)}${fix(first.code)} (column ${col})`,
      { file, line },
    );
  }
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new GatewayError('BAD_DOMAIN', `${file}: ${sentence((error as Error).message)}; write it out`, { file });
  }
  return { value, lineOf: (path) => lineAt(document.contents, path, lines) };
}

function lineAt(root: Node | null, path: readonly (string | number)[], lines: LineCounter): number | undefined {
  let at: Node | null | undefined = root;
  let offset = root?.range?.[0];
  for (const part of path) {
    if (isMap(at)) {
      const pair = at.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
      if (pair === undefined) break;
      offset = (pair.key as Node).range?.[0] ?? offset;
      at = pair.value as Node | null;
    } else if (isSeq(at) && typeof part === 'number') {
      at = at.items[part] as Node | undefined;
      offset = at?.range?.[0] ?? offset;
    } else break;
    if (isAlias(at)) break;
  }
  return offset === undefined ? undefined : lines.linePos(offset).line;
}

function fix(code: string): string {
  if (code === 'DUPLICATE_KEY') return '; remove one of them';
  if (code === 'TAB_AS_INDENT') return '; use blanks';
  return code === 'BAD_INDENT' || code.startsWith('BLOCK_') ? '; check the indentation here and in the next line' : '';
}

function sentence(message: string): string {
  // The parser descends by calling itself, and says so when it cannot go on.
  if (message.includes('call stack')) return 'lists or maps are nested too deeply here; flatten them';
  return message.replace(/\s+/g, ' ').replace(/[.:]$/, '');
}

/** Something to write into a domain file. */
export interface Entry {
  /** Keys from the top. A list stands for one key: the names it may have there, the one to write first. */
  readonly path: readonly (string | readonly string[])[];
  readonly value: unknown;
}

/** Lines of YAML that say it, one per top-level key, as a domain file reads them: `operations: { a: { effect: read } }`. */
export function renderEntries(entries: readonly Entry[]): string[] {
  const { text } = withEntries('{}', 'entries', entries);
  const whole = JSON.parse(text) as Record<string, unknown>;
  const flow = { collectionStyle: 'flow', lineWidth: 0 } as const;
  return Object.entries(whole).map(
    ([key, value]) => `${stringify(key, flow).trim()}: ${stringify(value, flow).trim()}`,
  );
}

/** The text with the entries in it, and those whose place is taken: what a person wrote is never changed. */
export function withEntries(
  text: string,
  file: string,
  entries: readonly Entry[],
): { readonly text: string; readonly refused: readonly Entry[] } {
  parseYaml(text, file);
  const document = parseDocument(text, { merge: true });
  const refused: Entry[] = [];
  /** By the map in the file, or the pair that has none yet: what is new in it. */
  const additions = new Map<Holder, Record<string, unknown>>();
  for (const entry of entries) if (!addEntry(document.contents, entry, additions)) refused.push(entry);
  if (additions.size === 0) return { text, refused };
  if (/^\s*\{/.test(text)) return { text: writeJson(document.toJS(), additions, document.contents), refused };
  const step = /^[^\s#-][^\n]*:[ \t]*\n( {1,8})[^\s#-]/m.exec(text)?.[1]?.length ?? 2;
  const edits = [...additions].flatMap(([holder, value]) => toEdits(text, holder, value, step));
  return { text: applyEdits(text, edits), refused };
}

type Pair = YAMLMap['items'][number];
/** A pair whose value is nothing or `{}` gets one. */
type Holder = YAMLMap | Pair;

/** Notes what of an entry is not in the file yet; false where something else stands in its place. */
function addEntry(root: unknown, { path, value }: Entry, additions: Map<Holder, Record<string, unknown>>): boolean {
  let holder: Holder | undefined = isMap(root) ? root : undefined;
  let depth = 0;
  for (; isMap(holder) && depth < path.length; depth++) {
    const names = [path[depth]!].flat();
    const pair: Pair | undefined = holder.items.find(({ key }) => isScalar(key) && names.includes(String(key.value)));
    if (pair === undefined) break;
    const inner: unknown = pair.value;
    if (depth === path.length - 1) return isScalar(inner) && inner.value === value;
    const isOpen: boolean =
      inner === null || (isScalar(inner) && inner.value === null) || (isMap(inner) && inner.items.length === 0);
    if (!isOpen && !isMap(inner)) return false;
    holder = isOpen ? pair : (inner as YAMLMap);
  }
  if (holder === undefined) return false;
  let target = additions.get(holder) ?? {};
  additions.set(holder, target);
  const keys = path.slice(depth).map((names) => [names].flat()[0] ?? '');
  for (const key of keys.slice(0, -1)) {
    const next = target[key] ?? {};
    if (!isObject(next)) return false;
    target[key] = next;
    target = next as Record<string, unknown>;
  }
  const last = keys.at(-1) ?? '';
  if (Object.hasOwn(target, last)) return isDeepStrictEqual(target[last], value);
  target[last] = value;
  return true;
}

interface Edit {
  readonly at: number;
  /** Characters taken away. */
  readonly gone: number;
  readonly text: string;
}

function toEdits(text: string, holder: Holder, value: Record<string, unknown>, step: number): Edit[] {
  if (isMap(holder)) {
    const last = holder.items.at(-1)!;
    const end = endOf(last.value ?? last.key);
    if (holder.flow) return [{ at: end, gone: 0, text: `, ${toFlow(value)}` }];
    return [{ at: lineEnd(text, end), gone: 0, text: toBlock(value, columnOf(text, holder.items[0]!.key)) }];
  }
  const key = holder.key as Node;
  const braces = isMap(holder.value) ? (holder.value.range ?? undefined) : undefined;
  const end = braces?.[1] ?? key.range![1];
  return [
    ...(braces === undefined ? [] : [{ at: key.range![1] + 1, gone: braces[1] - key.range![1] - 1, text: '' }]),
    { at: lineEnd(text, end), gone: 0, text: toBlock(value, columnOf(text, key) + step) },
  ];
}

/** `a: { b: c }` without the braces around it. */
function toFlow(value: Record<string, unknown>): string {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0 })
    .trim()
    .replace(/^\{ | \}$/g, '');
}

function toBlock(value: Record<string, unknown>, indent: number): string {
  const lines = stringify(value, { lineWidth: 0 }).trimEnd().split('\n');
  return lines.map((line) => `\n${' '.repeat(indent)}${line}`).join('');
}

/** Behind the last character of what stands there, comments and empty lines after it not included. */
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

/** A block of text ends behind its line break already. */
function lineEnd(text: string, at: number): number {
  if (at > 0 && text[at - 1] === '\n') return at - 1;
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  let out = text;
  for (const { at, gone, text: added } of [...edits].sort((a, b) => b.at - a.at))
    out = out.slice(0, at) + added + out.slice(at + gone);
  return out.endsWith('\n') ? out : `${out}\n`;
}

function writeJson(value: unknown, additions: ReadonlyMap<Holder, Record<string, unknown>>, root: unknown): string {
  const merge = (node: unknown, plain: unknown): unknown => {
    if (!isMap(node) || !isObject(plain)) return plain;
    const inner = node.items.map((pair) => {
      const key = String((pair.key as { value?: unknown }).value);
      return [key, additions.get(pair) ?? merge(pair.value, plain[key])];
    });
    return { ...Object.fromEntries(inner), ...additions.get(node) };
  };
  return `${JSON.stringify(merge(root, value), null, 2)}\n`;
}
