// The words after `call` and `explain`: which of them is the tool, which are files, and which are arguments. Files may stand before
// or after the tool.
import { existsSync } from 'node:fs';
import { usageError } from '../errors.ts';

export interface CommandWords {
  readonly tool: string;
  /** OpenAPI documents, domain files, folders, URLs, or - for stdin. */
  readonly files: readonly string[];
  /** key=value */
  readonly pairs: readonly string[];
}

export function readWords(command: 'call' | 'explain', words: readonly string[]): CommandWords {
  const pairs = words.filter(isPair);
  const files = words.filter((word) => !isPair(word) && isPath(word));
  const names = words.filter((word) => !isPair(word) && !isPath(word));
  if (names.length < 2) return { tool: names[0] ?? refuse(command, files), files, pairs };
  // A folder may have a plain name too: if several words could be the tool, those that exist on disk are files.
  const tools = names.filter((name) => !existsSync(name));
  if (tools.length !== 1) refuse(command, files, tools.length === 0 ? names : tools);
  return { tool: tools[0]!, files: words.filter((word) => !isPair(word) && word !== tools[0]), pairs };
}

/** `GET /pets` is the name of a tool, although it has a slash. */
const METHOD_AND_PATH = /^[A-Za-z]+ \//;
const URL_OR_PATH = /^(?:https?:\/\/|\.{0,2}[\\/]|~[\\/]|[A-Za-z]:[\\/])/;
const FILE = /\.(?:ya?ml|json|[cm]?[jt]s)$/i;

function isPath(word: string): boolean {
  if (METHOD_AND_PATH.test(word)) return false;
  return word === '-' || URL_OR_PATH.test(word) || FILE.test(word) || /[\\/]/.test(word);
}

/** A URL may contain `=` in its query, and a path anywhere, but the key of an argument starts like neither. */
function isPair(word: string): boolean {
  return word.includes('=') && !URL_OR_PATH.test(word) && !METHOD_AND_PATH.test(word);
}

function refuse(command: string, files: readonly string[], names: readonly string[] = []): never {
  const example = `landbridge ${command} ${files[0] ?? './openapi.yaml'} get_pet${command === 'call' ? ' petId=7' : ''}`;
  const what =
    names.length === 0
      ? `No tool is named: give its name ${files.length === 0 ? 'and, before or after it, its files' : 'after the files'}`
      : `Several words could be the name of the tool: ${names.map((name) => `"${name}"`).join(', ')}. Give one name${command === 'call' ? ', write arguments as key=value' : ''} and write a file as ./file`;
  throw usageError(`${what}, for example: ${example}. "landbridge tools --exposure tools" lists the tools.`);
}
