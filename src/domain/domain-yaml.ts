// Reads a YAML or JSON domain file as data, and remembers on which line each field stands; writes entries into one, with
// comments and everything else left as they are.
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  stringify,
  type YAMLMap,
} from 'yaml';
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

/** One line of YAML that says it, as a domain file reads it: `operations: { "POST /a": { effect: read } }`. */
export function renderEntry({ path, value }: Entry): string {
  const [first = '', ...rest] = path.map((names) => [names].flat()[0] ?? '');
  const inner = rest.reduceRight<unknown>((below, key) => ({ [key]: below }), value);
  const flow = { collectionStyle: 'flow', lineWidth: 0 } as const;
  return `${stringify(first, flow).trim()}: ${stringify(inner, flow).trim()}`;
}

/** The text with the entries in it, and those that do not fit what stands there. What is there already changes nothing. */
export function withEntries(
  text: string,
  file: string,
  entries: readonly Entry[],
): { readonly text: string; readonly refused: readonly Entry[] } {
  parseYaml(text, file);
  const document = parseDocument(text, { uniqueKeys: true, merge: true });
  const refused: Entry[] = [];
  let changed = false;
  for (const entry of entries) {
    const outcome = writeEntry(document, entry);
    if (outcome === 'refused') refused.push(entry);
    changed ||= outcome === 'written';
  }
  if (!changed) return { text, refused };
  const isJson = /^\s*\{/.test(text);
  return { text: isJson ? `${JSON.stringify(document.toJS(), null, 2)}\n` : document.toString(formOf(text)), refused };
}

/** How the author writes, so that what is not changed looks the same. */
function formOf(text: string): { indent: number; indentSeq: boolean; lineWidth: 0; flowCollectionPadding: boolean } {
  const indent = /^[^\s#-][^\n]*:[ \t]*\n( {1,8})[^\s#-]/m.exec(text)?.[1]?.length ?? 2;
  const indentSeq = !/^( *)[^\s#][^\n]*:[ \t]*\n\1- /m.test(text);
  return { indent, indentSeq, lineWidth: 0, flowCollectionPadding: !/[{[][^\s\]}]/.test(text) };
}

function writeEntry(document: Document, { path, value }: Entry): 'written' | 'there' | 'refused' {
  let map: unknown = document.contents;
  const last = path.length - 1;
  for (const [index, part] of path.entries()) {
    if (!isMap(map)) return 'refused';
    const names = [part].flat();
    const pair = map.items.find(({ key }) => names.includes(isScalar(key) ? String(key.value) : String(key)));
    const holder: YAMLMap = map;
    // `{}` would hold the rest of the file in one line.
    if (holder.items.length === 0) holder.flow = false;
    if (index < last) {
      const isEmpty = pair === undefined || pair.value === null || (isScalar(pair.value) && pair.value.value === null);
      if (isEmpty) holder.set(pair?.key ?? names[0], document.createNode({}));
      map = isEmpty ? holder.get(pair?.key ?? names[0], true) : pair.value;
      continue;
    }
    if (pair !== undefined && isScalar(pair.value) && pair.value.value === value) return 'there';
    holder.set(pair?.key ?? names[0], document.createNode(value));
  }
  return 'written';
}
