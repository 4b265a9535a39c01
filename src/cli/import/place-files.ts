// Where the files of a document go: openapi/<name>.yaml, or openapi/<name>/ with their layout kept.
import { dirname, extname, join, relative, resolve } from 'node:path';
import { stringify } from 'yaml';
import { GatewayError } from '../../errors.ts';
import { DEFAULT_DOCUMENT_LIMITS } from '../../openapi/source/limits.ts';
import { parseText } from '../../openapi/source/parse.ts';

/** One file of a document, as it was received. */
export interface ReceivedFile {
  readonly uri: string;
  readonly text: string;
}

/** Path and text of a file to write. */
export type Write = readonly [path: string, text: string];

/** Larger JSON documents stay JSON, which is also YAML: rewriting them would take long. */
const MAX_REWRITE_CHARS = 2_000_000;

/** One file becomes openapi/<name>.yaml; several keep their layout below openapi/<name>/. */
export async function placeFiles(
  name: string,
  files: readonly ReceivedFile[],
): Promise<{ root: string; refsRoot?: string; writes: readonly Write[] }> {
  const [first, ...others] = files;
  if (!first) throw new GatewayError('BAD_DOCUMENT', 'The document could not be read.');
  if (others.length === 0) {
    const path = join('openapi', `${name}.yaml`);
    return { root: path, writes: [[path, await asWritten(path, first.text)]] };
  }
  const paths = files.map(({ uri }) => pathOf(uri));
  const base = commonFolder(paths);
  const writes = files.map(({ text }, index): Write => [join('openapi', name, relative(base, paths[index]!)), text]);
  const root = writes[0]![0];
  // Parts beside the document's folder need the root that was allowed on the command line in the domain file too.
  const inside = writes.every(([path]) => path.startsWith(`${dirname(root)}/`));
  return { root, writes, ...(inside ? {} : { refsRoot: join('openapi', name) }) };
}

/**
 * Where a file was, with its path resolved. The document chose this address, so `%2f..%2f` in it must not lead out of the folder.
 */
function pathOf(uri: string): string {
  const { pathname } = new URL(uri);
  let path: string;
  try {
    path = decodeURIComponent(pathname);
  } catch {
    path = pathname;
  }
  return path.includes('\0') ? pathname : resolve(path);
}

function commonFolder(paths: readonly string[]): string {
  let folder = dirname(paths[0]!);
  while (!paths.every((path) => path.startsWith(folder === '/' ? '/' : `${folder}/`))) folder = dirname(folder);
  return folder;
}

/**
 * Where the files of a new version go: the document to `target`, its parts to the same relative places. None may end up outside
 * of `folder`.
 */
export async function placeAround(
  target: string,
  folder: string,
  files: readonly ReceivedFile[],
): Promise<readonly Write[]> {
  const [first, ...others] = files;
  if (!first) throw new GatewayError('BAD_DOCUMENT', 'The document could not be read.');
  if (others.length === 0) return [[target, await asWritten(target, first.text)]];
  const base = dirname(pathOf(first.uri));
  const writes = files.map(({ uri, text }): Write => [resolve(dirname(target), relative(base, pathOf(uri))), text]);
  const stray = writes.find(([path]) => !path.startsWith(`${folder}/`));
  if (stray === undefined) return [[target, first.text], ...writes.slice(1)];
  const message = `The new document has a file that would be outside of ${folder} (${relative('.', stray[0])}). Import it under another --name, or with --force.`;
  throw new GatewayError('BAD_DOCUMENT', message);
}

/** Converts between JSON and YAML to match the file name, if the document is small. */
async function asWritten(path: string, text: string): Promise<string> {
  const isJson = /^\s*\{/.test(text);
  if (text.length > MAX_REWRITE_CHARS || isJson === (extname(path) === '.json')) return text;
  const { value } = await parseText(text, path, DEFAULT_DOCUMENT_LIMITS);
  return isJson
    ? stringify(value, { lineWidth: 0, aliasDuplicateObjects: false })
    : `${JSON.stringify(value, null, 2)}\n`;
}
