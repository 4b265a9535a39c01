// Which domain file an update is about: the one that is named, that came from the same place, or the only one that was imported.

import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import type { Config } from '../../config/read-config.ts';
import { findFiles } from '../../domain/files/domain-files.ts';
import { isWebAddress } from '../../endpoint/address.ts';
import { omitUndefined } from '../../endpoint/untrusted.ts';
import { GatewayError, usageError } from '../../errors.ts';
import { importDocument } from '../../openapi/import-document.ts';
import type { Io } from '../io.ts';
import type { ImportFlags } from './import.ts';

/** The domain file that is meant, and the new document where one is named. */
export async function chooseDomainFile(
  { stdin }: Io,
  source: string | undefined,
  { name, out = '.' }: ImportFlags,
  config: Config,
): Promise<{ file: string; document?: string }> {
  const isDomainFile = source !== undefined && existsSync(source) && (await findFiles([source]))[0]?.kind === 'data';
  if (isDomainFile) return { file: source };
  const document = omitUndefined({ document: source });
  const folder = join(out, 'domains');
  if (name !== undefined) return { file: fileCalled(folder, name), ...document };
  const candidates = await listImported(folder);
  const same = candidates.filter(({ from }) => source !== undefined && isSameSource(from, source, folder));
  if (same.length === 1) return { file: same[0]!.file, ...document };
  if (source !== undefined) {
    const { name: title } = await importDocument(source, { env: config.env, headers: config.headers, stdin });
    return { file: fileCalled(folder, title), ...document };
  }
  if (candidates.length === 1) return { file: candidates[0]!.file };
  const message =
    candidates.length === 0
      ? `No domain file in ${folder} says where its document comes from (importedFrom). Name the document: landbridge import --update <document> --name <domain>.`
      : `Several domain files say where their document comes from (importedFrom). Name one: landbridge import --update ${candidates.map(({ file }) => file).join(', or ')}.`;
  throw usageError(message);
}

function fileCalled(folder: string, name: string): string {
  const file = ['.yaml', '.yml', '.json'].map((end) => join(folder, name + end)).find((path) => existsSync(path));
  if (file !== undefined) return file;
  const message = `There is no ${join(folder, `${name}.yaml`)} to update. Name the domain file with --name, or leave out --update to import the document as a new one.`;
  throw new GatewayError('BAD_CONFIG', message);
}

async function listImported(folder: string): Promise<{ file: string; from: string }[]> {
  const names = await readdir(folder).catch((): string[] => []);
  const files: { file: string; from: string }[] = [];
  for (const name of names.sort()) {
    if (!['.yaml', '.yml', '.json'].includes(extname(name))) continue;
    const file = join(folder, name);
    const line = /^importedFrom:[ \t]*(\S[^\r\n]*)$/m.exec(await readFile(file, 'utf8'))?.[1];
    if (line !== undefined) files.push({ file, from: line.trim().replace(/^(["'])(.*)\1$/, '$2') });
  }
  return files;
}

export function isSameSource(from: string, source: string, folder: string): boolean {
  return from === source || (!isWebAddress(source) && resolve(folder, from) === resolve(source));
}
