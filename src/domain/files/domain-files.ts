// Finds the files of a path, and distinguishes domain files (modules or data) from OpenAPI documents.

import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { isWebAddress } from '../../endpoint/address.ts';
import { GatewayError } from '../../errors.ts';

export type FileKind = 'module' | 'data' | 'document';

export interface SourceFile {
  readonly kind: FileKind;
  /** As the person wrote it: for messages, and to open. */
  readonly file: string;
  /** Text of a data file. */
  readonly text?: string;
}

const MODULES = new Set(['.ts', '.mts', '.js', '.mjs']);
const DATA = new Set(['.yaml', '.yml', '.json']);
/** Domain files are written by hand, so a larger file is taken for an OpenAPI document. */
const MAX_DOMAIN_FILE_BYTES = 1024 * 1024;
const MAX_FILES = 1_000;

/** A version number after `openapi:` or `swagger:` marks an OpenAPI document. In a domain file, a path follows. */
const DOCUMENT =
  /(?:^\uFEFF?|[\n{,])[ \t]*["']?(?:openapi|swagger)["']?\s*:\s*["']?\d+\.\d+(?:\.\d+)?(?:-[a-z]+\.?\d*)?["']?\s*(?:[,}#\r\n]|$)/;

/** The domain files of folders, sorted by name. Each file, URL and `-` (stdin) is one source. */
export async function findFiles(paths: readonly string[]): Promise<SourceFile[]> {
  const sources: SourceFile[] = [];
  for (const path of paths) {
    if (path === '-' || isWebAddress(path)) {
      sources.push({ kind: 'document', file: path });
      continue;
    }
    const about = await stat(path).catch((error: NodeJS.ErrnoException) => {
      throw new GatewayError('BAD_DOMAIN', `${path}: ${describeFileError(error)}`, { file: path });
    });
    if (!about.isDirectory()) sources.push(await classify(path));
    else for (const name of await listFolder(path)) sources.push(await classify(join(path, name)));
  }
  return sources;
}

async function listFolder(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    throw new GatewayError('BAD_DOMAIN', `${path}: ${describeFileError(error)}`, { file: path }, error);
  });
  const names = entries
    .filter((entry) => !entry.isDirectory() && isDomainName(entry.name))
    .map((entry) => entry.name)
    .sort();
  if (names.length === 0) {
    throw new GatewayError(
      'BAD_DOMAIN',
      `${path}: holds no domain files (*.ts, *.js, *.mjs, *.yaml, *.yml, *.json); add one`,
      { file: path },
    );
  }
  if (names.length > MAX_FILES)
    throw new GatewayError('BAD_DOMAIN', `${path}: holds more than ${MAX_FILES} files; is it the right folder?`, {
      file: path,
    });
  return names;
}

function isDomainName(name: string): boolean {
  if (name.startsWith('.') || /\.d\.m?ts$/.test(name)) return false;
  return MODULES.has(extname(name)) || DATA.has(extname(name));
}

async function classify(file: string): Promise<SourceFile> {
  const extension = extname(basename(file)).toLowerCase();
  if (MODULES.has(extension)) return { kind: 'module', file };
  try {
    if ((await stat(file)).size > MAX_DOMAIN_FILE_BYTES) return { kind: 'document', file };
    const text = await readFile(file, 'utf8');
    return DOCUMENT.test(text) ? { kind: 'document', file } : { kind: 'data', file, text };
  } catch (error) {
    throw new GatewayError(
      'BAD_DOMAIN',
      `${file}: ${describeFileError(error as NodeJS.ErrnoException)}`,
      { file },
      error,
    );
  }
}

/** Why a file cannot be read, as the end of a sentence. */
export function describeFileError(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return 'there is no such file or folder; check the path';
  if (error.code === 'EACCES' || error.code === 'EPERM') return 'may not be read; check its permissions';
  if (error.code === 'EISDIR') return 'is a folder, not a file';
  return `cannot be read (${error.code ?? error.message})`;
}
