// Reads a YAML or JSON file that a person wrote, with the position of each field.
import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import type { Document, LineCounter, Node } from 'yaml';
import type { Problem } from '../../endpoint/problems.ts';
import type { ErrorCode } from '../../errors.ts';
import { type FilePosition, MistakesError, type PositionOf, toMistakes } from './mistakes.ts';

export interface ReadYaml {
  readonly value: unknown;
  readonly positionOf: PositionOf;
}

let library: typeof Yaml | undefined;
/** Loaded with the first file: 72 modules, 29 ms and 8 MB that a gateway of JSON documents does not need. */
const yaml = (): typeof Yaml => (library ??= createRequire(import.meta.url)('yaml') as typeof Yaml);

/** Parses what a person wrote: duplicate keys, tabs and broken indentation are mistakes with a place. */
export function parseYaml(text: string, file: string, code: ErrorCode = 'BAD_DOMAIN'): ReadYaml {
  const { LineCounter, parseDocument } = yaml();
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true, merge: true });
  const syntaxError = document.errors.find((error) => error.code !== 'DUPLICATE_KEY');
  if (syntaxError !== undefined) {
    const [at] = syntaxError.pos;
    const open = syntaxError.code === 'MISSING_CHAR' ? findOpenQuote(document, at) : undefined;
    const message = open === undefined ? explainSyntax(syntaxError, text) : explainQuote(text[open]!);
    throw new MistakesError(code, [{ file, ...positionAt(open ?? at, lines), message }]);
  }
  if (document.errors.length > 0) throw new MistakesError(code, listDuplicates(document, file, lines));
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new MistakesError(code, [{ file, message: `${sentence((error as Error).message)}; write it out` }]);
  }
  return { value, positionOf: (path) => findPosition(document.contents, path, lines) };
}

function listDuplicates(document: Document.Parsed, file: string, lines: LineCounter) {
  const { isPair, isScalar, visit } = yaml();
  const problems: Problem[] = [];
  const positions = new Map<Problem['path'], FilePosition>();
  visit(document, {
    Map: (_, map, ancestors) => {
      const firstLines = new Map<string, number>();
      for (const { key } of map.items) {
        if (!isScalar(key) || key.range == null) continue;
        const name = String(key.value);
        const position = positionAt(key.range[0], lines);
        const first = firstLines.get(name);
        if (first === undefined) firstLines.set(name, position.line);
        else if (name !== '<<') {
          const around = ancestors.flatMap((node) =>
            isPair(node) && isScalar(node.key) ? [String(node.key.value)] : [],
          );
          const path = [...around, name];
          positions.set(path, position);
          problems.push({ path, message: `is already defined in line ${first}; remove one of them` });
        }
      }
    },
  });
  return toMistakes(file, problems, (path) => positions.get(path));
}

function positionAt(offset: number, lines: LineCounter): FilePosition {
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

function findPosition(
  root: Node | null,
  path: readonly (string | number)[],
  lines: LineCounter,
): FilePosition | undefined {
  const { isAlias, isMap, isScalar, isSeq } = yaml();
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
  return offset === undefined ? undefined : positionAt(offset, lines);
}

/** Where the quoted text begins that is still open at this offset: the parser reports its end, which may be many lines below. */
function findOpenQuote(document: Document.Parsed, at: number): number | undefined {
  let start: number | undefined;
  yaml().visit(document, {
    Scalar: (_, { type, range }) => {
      if (type?.startsWith('QUOTE') && range != null && range[0] <= at) start = Math.max(start ?? 0, range[0]);
    },
  });
  return start;
}

function explainQuote(quote: string): string {
  return `the text that begins here with ${quote} has no closing ${quote}; add it at the end of the text`;
}

function explainSyntax({ code, message, pos }: Yaml.YAMLParseError, text: string): string {
  const line = text.slice(pos[0]).split('\n', 1)[0]!;
  // `description: Finds events: all of them`. A value cannot begin a map on the line of its key.
  if ((code === 'BLOCK_AS_IMPLICIT_KEY' || code === 'BLOCK_IN_FLOW') && /^[^\s"'[{].*:(?:\s|$)/.test(line))
    return 'the text contains ": ", which begins a new field; put the text in quotes';
  return `${sentence(message)}${fix(code)}`;
}

function fix(code: string): string {
  if (code === 'TAB_AS_INDENT') return '; use spaces';
  return code === 'BAD_INDENT' || code.startsWith('BLOCK_') ? '; check the indentation here and in the next line' : '';
}

function sentence(message: string): string {
  // The parser is recursive: deep nesting overflows the stack.
  if (message.includes('call stack')) return 'lists or maps are nested too deeply here; flatten them';
  return message.replace(/\s+/g, ' ').replace(/[.:]$/, '');
}
