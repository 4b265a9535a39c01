// landbridge import --update: a new version of the document under the same domain file, which stays as it is to the byte, and a
// report of what came, went and changed. What the file says about operations that went is named with its line.
import { existsSync } from 'node:fs';
import { readdir, readFile, realpath, rm } from 'node:fs/promises';
import { dirname, extname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import pc from 'picocolors';
import type { Config } from '../../config.ts';
import { keysOf } from '../../domain/curation/curate-operations.ts';
import type { DomainDefinition } from '../../domain/definition/definition-types.ts';
import { findFiles } from '../../domain/files/domain-files.ts';
import { type Mistake, MistakesError, toMistakes } from '../../domain/files/mistakes.ts';
import { type DomainFile, readDomainFile } from '../../domain/files/read-domain-file.ts';
import { loadDomains } from '../../domain/load.ts';
import { pickDefined } from '../../domain/pick-defined.ts';
import { expand, needsVariables, resolveBaseUrl } from '../../endpoint/environment.ts';
import { readHeaders } from '../../endpoint/headers/header-fields.ts';
import type { Domain, Endpoint } from '../../endpoint/model.ts';
import { type Problem, place } from '../../endpoint/problems.ts';
import { unsetVariables } from '../../endpoint/secrets.ts';
import { GatewayError } from '../../errors.ts';
import { type ImportOptions, importDocument } from '../../openapi/import-document.ts';
import { digestLines } from '../terminal/digest-lines.ts';
import { createProgress, shown } from '../terminal/terminal.ts';
import { backUp, writeFiles } from './back-up.ts';
import { compareDocuments, type DocumentChanges, labelOf, type OperationName } from './compare-documents.ts';
import type { ImportFlags } from './import.ts';
import { placeAround, type ReceivedFile } from './place-files.ts';

interface UpdateReport extends Omit<DocumentChanges, 'successors'> {
  readonly domainFile: string;
  readonly document: string;
  readonly importedFrom: string;
  /** Whether anything was written. */
  readonly updated: boolean;
  readonly backups: readonly string[];
  /** Lines of the domain file that no longer fit. */
  readonly stale: readonly Mistake[];
  readonly warnings: readonly string[];
}

export async function runUpdate(source: string | undefined, flags: ImportFlags, config: Config): Promise<void> {
  const { file, document } = await chooseFile(source, flags, config);
  const [sourceFile] = await findFiles([file]);
  const domainFile = await readDomainFile(sourceFile!, (read) => read);
  const report = await update(domainFile, document, config);
  process.stdout.write(flags.json ? `${JSON.stringify(report)}\n` : renderReport(report, flags.verbose ?? false));
  if (report.stale.length > 0) process.exitCode = 1;
}

/** The domain file that is meant, and the new document where one is named. */
async function chooseFile(
  source: string | undefined,
  { name, out = '.' }: ImportFlags,
  config: Config,
): Promise<{ file: string; document?: string }> {
  const isDomainFile = source !== undefined && existsSync(source) && (await findFiles([source]))[0]?.kind === 'data';
  if (isDomainFile) return { file: source };
  const document = pickDefined({ document: source });
  const folder = join(out, 'domains');
  if (name !== undefined) return { file: fileCalled(folder, name), ...document };
  const candidates = await listImported(folder);
  const same = candidates.filter(({ from }) => source !== undefined && isSame(from, source, folder));
  if (same.length === 1) return { file: same[0]!.file, ...document };
  if (source !== undefined) {
    const { name: title } = await importDocument(source, { env: config.env, headers: config.headers });
    return { file: fileCalled(folder, title), ...document };
  }
  if (candidates.length === 1) return { file: candidates[0]!.file };
  const message =
    candidates.length === 0
      ? `No domain file in ${folder} says where its document came from (importedFrom:); name the document: landbridge import --update <document> --name <domain>.`
      : `Several domain files say where their document came from; name one: landbridge import --update ${candidates.map(({ file }) => file).join(', or ')}.`;
  throw new GatewayError('BAD_CONFIG', message, { usage: true });
}

function fileCalled(folder: string, name: string): string {
  const file = ['.yaml', '.yml', '.json'].map((end) => join(folder, name + end)).find((path) => existsSync(path));
  if (file !== undefined) return file;
  const message = `There is no ${join(folder, `${name}.yaml`)} to update; name the domain file with --name, or leave --update out to import the document anew.`;
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

function isSame(from: string, source: string, folder: string): boolean {
  return from === source || (!/^https?:/i.test(source) && resolve(folder, from) === resolve(source));
}

async function update({ definition, file, positionOf }: DomainFile, document: string | undefined, config: Config) {
  const stop = (field: string, message: string) => {
    const line = positionOf?.([field])?.line;
    return new GatewayError('BAD_DOMAIN', `${file}${line === undefined ? '' : `:${line}`}: ${message}`);
  };
  const { openapi, importedFrom } = definition;
  if (openapi === undefined) throw stop('name', 'has no openapi: there is no document to update.');
  if (/^https?:/i.test(openapi))
    throw stop('openapi', `reads ${openapi.split('?')[0]} at every start; there is nothing to update.`);
  if (document === undefined && importedFrom === undefined)
    throw stop(
      'openapi',
      `does not say where its document came from: name it (landbridge import --update <document> --name ${definition.name}), or write importedFrom: with its address.`,
    );
  const from = document ?? fillIn(importedFrom!, file, config, stop);
  const target = await toRealPath(resolve(dirname(file), openapi));
  const options = readOptions(definition, from, file, config, stop);
  const old = await readVersion(target, options);
  const fetched = await readVersion(from, { ...options, ...pickDefined({ refsRoot: config.refsRoot }) });
  if ('problem' in fetched) throw fetched.problem;
  const folder =
    definition.refsRoot === undefined ? dirname(target) : await toRealPath(resolve(dirname(file), definition.refsRoot));
  const writes = placeAround(target, folder, fetched.files);
  const oldPaths = 'problem' in old ? [target] : old.files.map(({ uri }) => fileURLToPath(uri));
  refuseForeignFiles(
    writes.map(([path]) => path),
    oldPaths,
  );
  const staleBefore = await findStale(file, config);
  const isNew = await differs(writes, oldPaths);
  const ownFolder = await toRealPath(resolve(dirname(file), '..', 'openapi', definition.name));
  const orphans: string[] = [];
  const backups: string[] = [];
  if (isNew) {
    const copy = await backUp(oldPaths.length > 1 ? folder : target);
    if (copy !== undefined) backups.push(relative('.', copy));
    await writeFiles(writes);
    const paths = new Set(writes.map(([path]) => path));
    for (const path of oldPaths.filter((one) => !paths.has(one))) {
      // In the folder that an import makes for one document nothing is anybody else's; other parts may be shared.
      if (path.startsWith(`${ownFolder}/`)) await rm(path, { force: true });
      else orphans.push(relative('.', path));
    }
  }
  const oldEndpoints = 'problem' in old ? [] : old.domain.endpoints;
  const { successors, ...changes } = compareDocuments(oldEndpoints, fetched.domain.endpoints, curatedNames(definition));
  const lost = toMistakes(file, findLost(definition, oldEndpoints, fetched.domain.endpoints, successors), positionOf);
  // What this environment lacks, it lacked before the update as well.
  const before = new Set(staleBefore.filter(isOfEnvironment).map(({ message }) => message));
  const others = (await findStale(file, config)).filter(
    ({ field, message }) => !before.has(message) && !lost.some((one) => one.field === field),
  );
  const stale = [...lost, ...others];
  const moved =
    document !== undefined && importedFrom !== undefined && !isSame(importedFrom, document, dirname(file))
      ? [
          `${file} still says importedFrom: ${importedFrom}; change it if the next version comes from ${withoutSecrets(document)}.`,
        ]
      : [];
  const report: UpdateReport = {
    domainFile: file,
    document: relative('.', target),
    importedFrom: withoutSecrets(from),
    updated: isNew,
    backups,
    ...changes,
    stale,
    warnings: [
      ...('problem' in old
        ? [`The version before could not be read, so everything counts as new: ${old.problem.message}`]
        : []),
      ...moved,
      ...orphans.map((path) => `${path} is no part of the document any more; remove it if nothing else uses it.`),
      ...fetched.domain.quarantined.map(({ method, path, reason }) => `${method} ${path}: ${reason}`),
    ],
  };
  return report;
}

type Stop = (field: string, message: string) => GatewayError;

function fillIn(importedFrom: string, file: string, { env }: Config, stop: Stop): string {
  const { text, missing } = expand(importedFrom, env);
  if (missing.length > 0) throw stop('importedFrom', `importedFrom ${needsVariables(missing)}.`);
  return /^https?:/i.test(text) ? text : resolve(dirname(file), text);
}

/** What the file says about reading its document, as at a start; which operations it picks plays no part. */
function readOptions(
  definition: DomainDefinition,
  from: string,
  file: string,
  config: Config,
  stop: Stop,
): ImportOptions {
  const problems: Problem[] = [];
  const { headers, credentials } = readHeaders(definition.headers ?? {}, config.env, ['headers'], problems);
  const [problem] = problems;
  if (problem !== undefined) throw stop('headers', `${place(problem.path)} ${problem.message}.`);
  const unset = /^https?:/i.test(from) ? credentials.flatMap(unsetVariables) : [];
  if (unset.length > 0) throw stop('headers', `headers ${needsVariables(unset)}; the document is fetched with them.`);
  const base = definition.baseUrl === undefined ? undefined : resolveBaseUrl(definition.baseUrl, config.env);
  const prefix = definition.prefix ?? definition.name;
  const { server, serverVariables, refsRoot, overlays } = definition;
  return {
    name: definition.name,
    env: config.env,
    headers: config.headers,
    headerCredentials: credentials,
    plainHeaders: headers,
    ...pickDefined({
      prefix: prefix === '' ? undefined : `${prefix}_`,
      baseUrl: base !== undefined && 'url' in base && /^https?:/.test(base.url) ? base.url : undefined,
      server,
      serverVariables,
      refsRoot: refsRoot === undefined ? undefined : resolve(dirname(file), refsRoot),
      overlays: overlays?.map((overlay) => (/^https?:/i.test(overlay) ? overlay : resolve(dirname(file), overlay))),
    }),
  };
}

type Version = { readonly domain: Domain; readonly files: readonly ReceivedFile[] } | { readonly problem: Error };

async function readVersion(source: string, options: ImportOptions): Promise<Version> {
  const progress = createProgress();
  const files: ReceivedFile[] = [];
  try {
    const onFile = (uri: string, text: string) => files.push({ uri, text });
    const domain = await importDocument(source, { ...options, onFile, onProgress: (text) => progress.show(text) });
    return { domain, files };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { problem: error };
  } finally {
    progress.done();
  }
}

/** Documents are read by their real paths; a link on the way must not make their files look like others. */
async function toRealPath(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

/** A new part must not take the place of a file that was never this document's. */
function refuseForeignFiles(paths: readonly string[], own: readonly string[]): void {
  const foreign = paths.find((path) => !own.includes(path) && existsSync(path));
  if (foreign === undefined) return;
  const message = `The new document has a part that would overwrite ${relative('.', foreign)}, which is not its own; move that file, or import under another --name.`;
  throw new GatewayError('BAD_DOCUMENT', message);
}

async function differs(writes: readonly (readonly [string, string])[], oldPaths: readonly string[]): Promise<boolean> {
  if (writes.length !== oldPaths.length) return true;
  for (const [path, text] of writes) {
    const before = await readFile(path, 'utf8').catch(() => undefined);
    if (before !== text) return true;
  }
  return false;
}

/** Entries of `operations:` whose operation the new version has no more. */
function findLost(
  { operations = {} }: DomainDefinition,
  before: readonly Endpoint[],
  after: readonly Endpoint[],
  successors: ReadonlyMap<Endpoint, Endpoint>,
): Problem[] {
  const names = new Set(after.flatMap(keysOf));
  const byName = new Map(before.flatMap((endpoint) => keysOf(endpoint).map((key) => [key, endpoint] as const)));
  return Object.keys(operations).flatMap((key) => {
    const name = key.replace(/^[a-z]+ /, (method) => method.toUpperCase());
    const endpoint = byName.get(name);
    if (endpoint === undefined || names.has(name)) return [];
    const successor = successors.get(endpoint);
    const message =
      successor === undefined
        ? `${labelOf(endpoint)} is not in the document any more; remove the entry`
        : `is ${labelOf(successor)} now; write the entry as ${JSON.stringify(labelOf(successor))}`;
    return [{ path: ['operations', key], message }];
  });
}

/** An entry is found by any key of the operation, as at a start. */
function curatedNames({ operations = {}, prefix, name }: DomainDefinition): (endpoint: Endpoint) => string {
  const names = new Map<string, string>();
  const start = prefix ?? name;
  for (const [key, curation] of Object.entries(operations)) {
    if (curation.name === undefined) continue;
    const tool = start === '' ? curation.name : `${start}_${curation.name}`;
    names.set(
      key.replace(/^[a-z]+ /, (method) => method.toUpperCase()),
      tool,
    );
  }
  return (endpoint) => {
    const key = keysOf(endpoint).find((one) => names.has(one));
    return key === undefined ? endpoint.toolName : names.get(key)!;
  };
}

/** Variables that are set where the gateway runs, and perhaps not here. */
function isOfEnvironment({ field = '' }: Mistake): boolean {
  return /^(?:baseUrl|headers|credentials)\b/.test(field);
}

/** What is wrong with the file as it would be served now. */
async function findStale(file: string, { env, baseUrl, refsRoot }: Config): Promise<readonly Mistake[]> {
  try {
    // An API inside this process is not started for this.
    const embedded = () => 'http://127.0.0.1:9';
    await loadDomains({ paths: [file], env, embedded, ...pickDefined({ baseUrl, refsRoot }) });
    return [];
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return error instanceof MistakesError ? error.mistakes : [{ file, message: error.message }];
  }
}

/** Origin and path of an address; a path as it is. */
function withoutSecrets(source: string): string {
  if (!/^https?:/i.test(source) || !URL.canParse(source)) return relative('.', source);
  const { origin, pathname } = new URL(source);
  return origin + pathname;
}

const MAX_LISTED = 20;

function renderReport(report: UpdateReport, all: boolean): string {
  const { domainFile, document, importedFrom, updated, backups, came, went, changed, stale, warnings } = report;
  const rows = (mark: string, list: readonly (OperationName & { changes?: readonly string[] })[], what: string) => {
    if (list.length === 0) return [];
    const some = all ? list : list.slice(0, MAX_LISTED);
    const more = list.length - some.length;
    return [
      `${list.length} ${list.length === 1 ? 'operation' : 'operations'} ${what}:`,
      ...some.map(({ tool, operation, effect, changes }) =>
        shown(`  ${mark} ${tool}  ${operation}  ${changes === undefined ? `(${effect})` : changes.join('; ')}`).replace(
          /^ /,
          '  ',
        ),
      ),
      ...(more > 0 ? [pc.dim(`  … and ${more} more (--verbose lists all)`)] : []),
    ];
  };
  const quiet = came.length + went.length + changed.length === 0;
  const lines = [
    updated
      ? `${pc.green('✓')} ${document}, from ${shown(importedFrom)}`
      : `${document} is what ${shown(importedFrom)} has: nothing was written.`,
    ...backups.map((path) => `${pc.dim('before:')} ${path}`),
    ...rows(pc.green('+'), came, 'came'),
    ...rows(pc.red('-'), went, 'went'),
    ...rows(pc.yellow('~'), changed, 'changed'),
    ...(updated && quiet ? ['No operation came, went or changed.'] : []),
    ...digestLines(warnings, pc.yellow('!'), all),
    ...stale.map(({ line, field, message }) =>
      shown(
        `${pc.red('✗')} ${domainFile}${line === undefined ? '' : `:${line}`}: ${field === undefined ? '' : `${field} `}${message}`,
      ),
    ),
    stale.length === 0
      ? `${domainFile} is as it was.`
      : `${domainFile} is as it was, and does not load until ${stale.length === 1 ? 'this line is' : 'these lines are'} changed.`,
  ];
  return `${lines.join('\n')}\n`;
}
