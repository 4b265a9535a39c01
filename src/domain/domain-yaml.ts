// Reads a YAML or JSON domain file as data, and remembers on which line each field stands.
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
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
