// Errors while a TypeScript or JavaScript domain file is loaded, as one line: the place in the user's own files, what happened there,
// and what to do. Stack frames of the gateway, of Node and of packages are left out.
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { didYouMean } from '../../endpoint/suggest.ts';
import { PACKAGE_FOLDER } from '../../product.ts';
import type { FilePosition, Mistake } from './mistakes.ts';

interface Frame extends FilePosition {
  readonly path: string;
  readonly column: number;
  /** The name of the function; may be empty. */
  readonly name: string;
}

const MAX_STACK_LINES = 100;
const MAX_LINE_CHARS = 1_000;
const MAX_MESSAGE_CHARS = 500;
/** Callers shown beside the place itself. */
const MAX_CALLS = 3;
/** This package's own code; its `domains` are files like any other. */
const INTERNAL = ['src', 'dist'].map((folder) => fileURLToPath(new URL(`${folder}/`, PACKAGE_FOLDER)));

/** `names` are what `landbridge` exports. */
export async function explainThrow(
  error: unknown,
  path: string,
  file: string,
  names: readonly string[],
): Promise<Mistake> {
  const displayPath = (other: string) => (other === path ? file : join(dirname(file), relative(dirname(path), other)));
  const parseError = await readParseError(error);
  if (parseError !== undefined)
    return { file: displayPath(parseError.path), ...parseError.position, message: parseError.message };
  const [first, ...calls] = framesOf(error);
  const message = explain(error, names);
  if (first === undefined) return { file, message };
  const position = await usablePosition(first, missingName(error) ?? wrongCall(error));
  const callPlaces = await Promise.all(
    calls.slice(0, MAX_CALLS).map(async (call) => {
      const { line, column } = await usablePosition(call);
      return [displayPath(call.path), line, column].filter((part) => part !== undefined).join(':');
    }),
  );
  const inside = first.name === '' ? '' : `in ${first.name}`;
  const callers = callPlaces.length === 0 ? '' : `called at ${callPlaces.join(', from ')}`;
  const beside = [inside, callers].filter((part) => part !== '').join(', ');
  return { file: displayPath(first.path), ...position, message: `${message}${beside === '' ? '' : ` (${beside})`}` };
}

function explain(error: unknown, names: readonly string[]): string {
  if (!(error instanceof Error) && typeof (error as Error | undefined)?.message !== 'string')
    return `throws ${cut(JSON.stringify(error) ?? String(error))} while it is loaded; throw an Error instead`;
  const text = messageOf(error);
  const missing = /Cannot find (?:module|package) ['"]([^'"]+)['"]/.exec(text)?.[1];
  if (missing !== undefined) {
    const fix = /^[./]/.test(missing) ? 'check the path' : 'install it beside the file, or remove the import';
    return `imports "${missing}", which cannot be found; ${fix}`;
  }
  const name = missingName(error);
  if (name !== undefined) return `${name} is not defined; ${findImport(name, names)}`;
  const calledName = wrongCall(error);
  if (calledName !== undefined) {
    const fix = didYouMean(calledName, names, 'check its name in the import');
    return `${calledName} is imported, but there is no function of that name; ${fix}`;
  }
  return `failed to load: ${text === '' ? (error as Error).name : text}`;
}

function messageOf(error: unknown): string {
  return cut(String((error as { message?: unknown } | undefined)?.message ?? ''));
}

/** The name in `shop is not defined`. */
function missingName(error: unknown): string | undefined {
  return /^([\w$]{1,100}) is not defined$/.exec(messageOf(error))?.[1];
}

/** The name of an import that is not a function; the compiler writes it `(0 , _landbridge.defineDomian)`. */
function wrongCall(error: unknown): string | undefined {
  return /^\(0 , [\w$.]{1,200}\.([\w$]{1,100})\) is not a function$/.exec(messageOf(error))?.[1];
}

function findImport(name: string, names: readonly string[]): string {
  if (name === 'z') return "add: import { z } from 'zod';";
  if (names.includes(name)) return `add: import { ${name} } from 'landbridge';`;
  return didYouMean(name, names, 'declare or import it, or correct the name');
}

function cut(text: string): string {
  const line = text
    .slice(0, MAX_MESSAGE_CHARS * 2)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > MAX_MESSAGE_CHARS ? `${line.slice(0, MAX_MESSAGE_CHARS)}…` : line;
}

/** The stack frames in the user's own files, innermost first. */
function framesOf(error: unknown): Frame[] {
  const stack = String((error as { stack?: unknown } | undefined)?.stack ?? '');
  const frames: Frame[] = [];
  for (const line of stack.split('\n', MAX_STACK_LINES).map((text) => text.trim())) {
    if (!line.startsWith('at ') || line.length > MAX_LINE_CHARS) continue;
    // Frames below the loader are those of its caller, and not of the domain file.
    if (frames.length > 0 && line.includes('/jiti/')) break;
    const open = line.lastIndexOf('(');
    const place = line.slice(open < 0 ? 3 : open + 1).replace(/\)$/, '');
    const match = /^(.*?):(\d{1,9}):(\d{1,9})$/.exec(place.replace(/^async /, ''));
    const path = match?.[1]?.startsWith('file:') ? fileURLToPath(match[1]) : match?.[1];
    if (match === null || path === undefined || !isOwn(path)) continue;
    const name =
      open < 0
        ? ''
        : line
            .slice(3, open)
            .replace(/^async /, '')
            .trim();
    frames.push({ path, line: Number(match[2]), column: Number(match[3]), name: /^[\w$.]+$/.test(name) ? name : '' });
  }
  return frames;
}

function isOwn(path: string): boolean {
  if (path.startsWith('node:') || path.includes('/node_modules/') || !/^(?:\/|[A-Za-z]:)/.test(path)) return false;
  return !INTERNAL.some((folder) => path.startsWith(folder));
}

/**
 * The compiler keeps line numbers, but rewrites imports and exports: columns in those lines are wrong and are left out, unless
 * the wrong word can be found in the line.
 */
async function usablePosition({ path, line, column }: Frame, word?: string): Promise<FilePosition> {
  const lines = (await readFile(path, 'utf8').catch(() => '')).split('\n');
  const text = lines[line - 1] ?? '';
  for (const offset of word === undefined ? [] : NEAR_LINES) {
    const at = findWord(lines[line - 1 + offset] ?? '', word!, column - 1);
    if (at !== undefined) return { line: line + offset, column: at + 1 };
  }
  return /^\s*(?:import|export)\b/.test(text) || column > text.length ? { line } : { line, column };
}

/** The compiler may drop blank lines and comments before a statement. */
const NEAR_LINES = [0, 1, 2, 3];

/** Where the word is in the line, at the place nearest to `near`. */
function findWord(text: string, word: string, near: number): number | undefined {
  let best: number | undefined;
  for (let at = text.indexOf(word); at >= 0 && at < MAX_LINE_CHARS; at = text.indexOf(word, at + 1)) {
    const isWhole = !/[\w$]/.test(text[at - 1] ?? '') && !/[\w$]/.test(text[at + word.length] ?? '');
    if (isWhole && (best === undefined || Math.abs(at - near) < Math.abs(best - near))) best = at;
  }
  return best;
}

/** The compiler reports `ParseError: Unexpected token` and, in the next line, `/path/of/file.ts:2:0`. */
async function readParseError(error: unknown) {
  const text = String((error as { message?: unknown } | undefined)?.message ?? '');
  const [first = '', position = ''] = text.split('\n', 2).map((part) => part.trim());
  const parse = /^ParseError: (.*)$/.exec(first)?.[1];
  const match = /^(.*):(\d{1,9}):(\d{1,9})$/.exec(position);
  if (parse === undefined || match === null) return undefined;
  const path = match[1]!;
  const line = Number(match[2]);
  const near = (await readFile(path, 'utf8').catch(() => '')).split('\n')[line - 1]?.trim() ?? '';
  const beside =
    near === '' ? 'the file ends too early; is a bracket or brace not closed?' : `near: ${cut(near).slice(0, 80)}`;
  return {
    path,
    position: { line, column: Number(match[3]) + 1 },
    message: `does not parse: ${parse.trim()}; ${beside}`,
  };
}
