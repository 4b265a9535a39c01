// landbridge import: a document as received under openapi/, and a commented domain file beside it, ready to curate.

import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Config, type Flags, readConfig } from '../../config/read-config.ts';
import { refuseUnknownVariables } from '../../config/unknown-variables.ts';
import { readEditorSchema, schemaFileName } from '../../editor-schemas.ts';
import { isWebAddress, originsOf } from '../../endpoint/address.ts';
import { isRoot } from '../../endpoint/environment.ts';
import type { Domain, Endpoint } from '../../endpoint/model.ts';
import { GatewayError, usageError } from '../../errors.ts';
import { type ImportOptions, importDocument } from '../../openapi/import-document.ts';
import type { Io } from '../io.ts';
import { digestLines } from '../terminal/digest-lines.ts';
import { colours as pc } from '../terminal/palette.ts';
import { createProgressLine } from '../terminal/terminal.ts';
import { backUp, writeFiles } from './back-up.ts';
import { fromDomains, renderDomainFile } from './domain-file-text.ts';
import { type SafeText, writeAddress, writeHeaders } from './import-secrets.ts';
import { placeFiles, type ReceivedFile } from './place-files.ts';

export interface ImportFlags extends Flags {
  readonly name?: string;
  readonly out?: string;
  readonly force?: boolean;
  readonly update?: boolean;
  readonly verbose?: boolean;
}

/** Files named one by one before the rest is counted. */
const SHOWN_FILES = 3;

export async function runImport(io: Io, source: string | undefined, flags: ImportFlags): Promise<number> {
  const config = readConfig({ ...flags, paths: source === undefined ? [] : [source] }, io.env, 'variables');
  refuseUnknownVariables(config.unknownVariables);
  if (flags.update) {
    const { runUpdate } = await import('./update.ts');
    return runUpdate(io, source, flags, config);
  }
  if (source === undefined)
    throw usageError('Name the document: a file, a URL or - for stdin. With --update it may be left out.');
  const report = await importNew(io, source, flags, config);
  const folder = join(flags.out ?? '.', 'domains');
  io.stdout.write(flags.json ? `${JSON.stringify(report)}\n` : renderReport(report, folder, flags.verbose ?? false));
  return 0;
}

async function importNew(io: Io, source: string, flags: ImportFlags, config: Config): Promise<ImportReport> {
  const { domain, files } = await readNew(io, source, flags, config);
  const out = flags.out ?? '.';
  const document = await placeFiles(domain.name, files);
  const domainFile = join('domains', `${domain.name}.yaml`);
  const { text: headers, notes } = writeHeaders(config.headers, domain.name);
  const from = writeSource(files[0]!, domain.name, resolve(out, 'domains'));
  const text = renderDomainFile(domain, {
    document: fromDomains(document.root),
    refsRoot: fromDomains(document.refsRoot),
    importedFrom: from.text,
    headers,
    isRoot: config.baseUrl !== undefined && isRoot(config.baseUrl),
  });
  const writes = [...document.writes, [domainFile, text] as const].map(
    ([path, content]) => [resolve(out, path), content] as const,
  );
  const paths = [domainFile, ...document.writes.map(([path]) => path)].map((path) => join(out, path));
  if (!flags.force) refuseToOverwrite(paths, source, flags);
  const folder = join(out, 'openapi', domain.name);
  const old = document.writes.length > 1 ? [join(out, domainFile), folder] : paths;
  const backups: string[] = [];
  for (const path of old) backups.push(...[await backUp(path)].filter((copy) => copy !== undefined));
  // Generated, so it may be overwritten without a backup.
  const schema = [resolve(out, 'domains', schemaFileName('domain')), readEditorSchema('domain')] as const;
  await writeFiles([...writes, schema]);
  return {
    domainFile: join(out, domainFile),
    documents: paths.slice(1),
    backups,
    operations: countByEffect(domain.endpoints),
    quarantined: domain.quarantined,
    warnings: [...domain.warnings, ...notes, ...from.notes],
  };
}

/** The domain as the file that is written will load it. */
async function readNew({ stdin, stderr }: Io, source: string, flags: ImportFlags, config: Config) {
  const { env, headers, baseUrl, refsRoot } = config;
  const progress = createProgressLine(stderr);
  const files: ReceivedFile[] = [];
  const options: ImportOptions = {
    env,
    stdin,
    headers,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(refsRoot !== undefined && { refsRoot }),
    ...(flags.name !== undefined && { name: flags.name }),
    onProgress: (text) => progress.show(text),
  };
  try {
    const onFile = (uri: string, text: string) => files.push({ uri, text });
    // The domain file that is written carries the base URL, if all operations have one.
    const domain = await importDocument(source, { ...options, ownOrigin: true, onFile });
    const isSpread = originsOf(domain.endpoints).length > 1 && source !== '-';
    return { domain: isSpread ? await importDocument(source, options) : domain, files };
  } finally {
    progress.done();
  }
}

/** Where the document came from, as it is written into the domain file; nothing can be read from standard input twice. */
function writeSource({ uri }: ReceivedFile, domain: string, folder: string): SafeText<string | undefined> {
  if (isWebAddress(uri)) return writeAddress(uri, domain);
  const isFile = uri.startsWith('file:');
  return { text: isFile ? relative(folder, fileURLToPath(uri)).replaceAll('\\', '/') : undefined, notes: [] };
}

function countByEffect(endpoints: readonly Endpoint[]) {
  const counts = { total: endpoints.length, read: 0, write: 0, destructive: 0 };
  for (const { effect } of endpoints) counts[effect]++;
  return counts;
}

interface ImportReport {
  readonly domainFile: string;
  readonly documents: readonly string[];
  /** What was there before, under --force. */
  readonly backups: readonly string[];
  readonly operations: ReturnType<typeof countByEffect>;
  readonly quarantined: Domain['quarantined'];
  readonly warnings: readonly string[];
}

function renderReport(report: ImportReport, domains: string, all: boolean): string {
  const { domainFile, documents, backups, operations, quarantined, warnings } = report;
  const { total, ...effects } = operations;
  const more = documents.length - SHOWN_FILES;
  const files = all || more <= 1 ? documents : documents.slice(0, SHOWN_FILES);
  const counts = Object.entries(effects).map(([effect, count]) => `${count} ${effect}`);
  const reasons = quarantined.map(({ method, path, reason }) => `${method} ${path}: ${reason}`);
  const lines = [
    ...[domainFile, ...files].map((path) => `${pc.green('✓')} ${path}`),
    ...(files.length < documents.length ? [pc.dim(`  … and ${more} more files (--verbose lists all)`)] : []),
    ...backups.map((path) => `${pc.dim('backup:')} ${path}`),
    `${total === 1 ? '1 operation' : `${total} operations`} (${counts.join(', ')})${quarantined.length > 0 ? `, ${quarantined.length} in quarantine:` : ''}`,
    ...digestLines(reasons, pc.yellow('!'), all),
    ...digestLines(warnings, pc.yellow('!'), all),
    `Edit ${domainFile}, then: landbridge serve${domains === 'domains' ? '' : ` ${domains}`}`,
  ];
  return `${lines.join('\n')}\n`;
}

function refuseToOverwrite(paths: readonly string[], source: string, { name, out }: ImportFlags): void {
  const existing = paths.filter((path) => existsSync(path));
  if (existing.length === 0) return;
  const some = existing.slice(0, SHOWN_FILES);
  const more = existing.length - some.length;
  const flags = [...(name === undefined ? [] : [`--name ${name}`]), ...(out === undefined ? [] : [`--out ${out}`])];
  // An address may hold a secret, and is in the domain file anyway.
  const document = isWebAddress(source) ? [] : [source];
  const update = ['landbridge import --update', ...document, ...flags].join(' ');
  throw new GatewayError(
    'BAD_CONFIG',
    `${some.join(', ')}${more > 0 ? ` and ${more} more files` : ''} ${existing.length === 1 ? 'already exists' : 'already exist'}. To update the document and keep the domain file, run: ${update}. To import it again, use another --name, or --force, which overwrites both and keeps a backup.`,
  );
}
