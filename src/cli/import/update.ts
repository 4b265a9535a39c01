// landbridge import --update: replaces the document of a domain file with a new version, and reports which operations were added,
// removed and changed. The domain file itself is not touched; entries for removed operations are reported with their lines.

import { existsSync } from 'node:fs';
import { readFile, realpath, rm } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../config/read-config.ts';
import { unsetVariables } from '../../credentials/secrets.ts';
import { operationNamesOf, toOperationKey } from '../../domain/curation/curate.ts';
import { joinToolName } from '../../domain/definition/declared-names.ts';
import type { DomainDefinition } from '../../domain/definition/definition-types.ts';
import { findFiles } from '../../domain/files/domain-files.ts';
import { type Mistake, MistakesError, toMistakes } from '../../domain/files/mistakes.ts';
import { type DomainFile, readDomainFile } from '../../domain/files/read-domain-file.ts';
import { isWebAddress } from '../../endpoint/address.ts';
import { expand, needsVariables, resolveBaseUrl } from '../../endpoint/environment.ts';
import { readHeaders } from '../../endpoint/headers/header-fields.ts';
import type { Domain, Endpoint } from '../../endpoint/model.ts';
import { formatFieldPath, type Problem } from '../../endpoint/problems.ts';
import { omitUndefined } from '../../endpoint/untrusted.ts';
import { GatewayError } from '../../errors.ts';
import { type ImportOptions, importDocument } from '../../openapi/import-document.ts';
import type { Io } from '../io.ts';
import { createProgressLine } from '../terminal/terminal.ts';
import { tryLoading } from '../try-loading.ts';
import { backUp, writeFiles } from './back-up.ts';
import { chooseDomainFile, isSameSource } from './choose-domain-file.ts';
import { compareDocuments, labelOf } from './compare-documents.ts';
import type { ImportFlags } from './import.ts';
import { placeAround, type ReceivedFile } from './place-files.ts';
import { renderReport, type UpdateReport } from './update-report.ts';

export async function runUpdate(
  io: Io,
  source: string | undefined,
  flags: ImportFlags,
  config: Config,
): Promise<number> {
  const { file, document } = await chooseDomainFile(io, source, flags, config);
  const [sourceFile] = await findFiles([file]);
  const domainFile = await readDomainFile(sourceFile!, (whole) => whole);
  const report = await update(io, domainFile, document, config);
  io.stdout.write(flags.json ? `${JSON.stringify(report)}\n` : renderReport(report, flags.verbose ?? false));
  return report.stale.length > 0 ? 1 : 0;
}

async function update(
  io: Io,
  { definition, file, positionOf }: DomainFile,
  document: string | undefined,
  config: Config,
): Promise<UpdateReport> {
  const stop = (field: string, message: string) => {
    const line = positionOf?.([field])?.line;
    return new GatewayError('BAD_DOMAIN', `${file}${line === undefined ? '' : `:${line}`}: ${message}`);
  };
  const { openapi, importedFrom } = definition;
  if (openapi === undefined) throw stop('name', 'has no openapi, so there is no document to update.');
  if (isWebAddress(openapi))
    throw stop('openapi', `reads ${openapi.split('?')[0]} at every start, so there is nothing to update.`);
  if (document === undefined && importedFrom === undefined)
    throw stop(
      'openapi',
      `does not say where its document comes from. Name the document (landbridge import --update <document> --name ${definition.name}), or add importedFrom: with its address.`,
    );
  const from = document ?? fillIn(importedFrom!, file, config, stop);
  const target = await toRealPath(resolve(dirname(file), openapi));
  const options = readOptions(definition, from, file, config, stop);
  const old = await readVersion(io, target, options);
  const version = await readVersion(io, from, { ...options, ...omitUndefined({ refsRoot: config.refsRoot }) });
  if ('problem' in version) throw version.problem;
  const folder =
    definition.refsRoot === undefined ? dirname(target) : await toRealPath(resolve(dirname(file), definition.refsRoot));
  const writes = await placeAround(target, folder, version.files);
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
      // Files in the folder that an import made belong to this document alone; others may be shared.
      if (path.startsWith(`${ownFolder}/`)) await rm(path, { force: true });
      else orphans.push(relative('.', path));
    }
  }
  const oldEndpoints = 'problem' in old ? [] : old.domain.endpoints;
  const { successors, ...changes } = compareDocuments(oldEndpoints, version.domain.endpoints, curatedNames(definition));
  const orphanMistakes = toMistakes(
    file,
    findRemovedEntries(definition, oldEndpoints, version.domain.endpoints, successors),
    positionOf,
  );
  // Variables that are missing here were missing before the update, too.
  const before = new Set(staleBefore.filter(isOfEnvironment).map(({ message }) => message));
  const others = (await findStale(file, config)).filter(
    ({ field, message }) => !before.has(message) && !orphanMistakes.some((one) => one.field === field),
  );
  const stale = [...orphanMistakes, ...others];
  const moves =
    document !== undefined && importedFrom !== undefined && !isSameSource(importedFrom, document, dirname(file))
      ? [
          `${file} still says importedFrom: ${importedFrom}; change it if the next version comes from ${withoutSecrets(document)}.`,
        ]
      : [];
  return {
    domainFile: file,
    document: relative('.', target),
    importedFrom: withoutSecrets(from),
    updated: isNew,
    backups,
    ...changes,
    stale,
    warnings: [
      ...('problem' in old
        ? [`The previous version could not be read, so every operation is listed as added: ${old.problem.message}`]
        : []),
      ...moves,
      ...orphans.map((path) => `${path} is no longer part of the document; delete it if nothing else uses it.`),
      ...version.domain.quarantined.map(({ method, path, reason }) => `${method} ${path}: ${reason}`),
    ],
  };
}

type Stop = (field: string, message: string) => GatewayError;

function fillIn(importedFrom: string, file: string, { env }: Config, stop: Stop): string {
  const { text, missing } = expand(importedFrom, env);
  if (missing.length > 0) throw stop('importedFrom', `importedFrom ${needsVariables(missing)}.`);
  return isWebAddress(text) ? text : resolve(dirname(file), text);
}

/** Import options of the domain file, as at a start, but without `include` and `exclude`. */
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
  if (problem !== undefined) throw stop('headers', `${formatFieldPath(problem.path)} ${problem.message}.`);
  const unset = isWebAddress(from) ? credentials.flatMap(unsetVariables) : [];
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
    ...omitUndefined({
      prefix: prefix === '' ? undefined : `${prefix}_`,
      baseUrl: base !== undefined && 'url' in base && isWebAddress(base.url) ? base.url : undefined,
      server,
      serverVariables,
      refsRoot: refsRoot === undefined ? undefined : resolve(dirname(file), refsRoot),
      overlays: overlays?.map((overlay) => (isWebAddress(overlay) ? overlay : resolve(dirname(file), overlay))),
    }),
  };
}

type Version = { readonly domain: Domain; readonly files: readonly ReceivedFile[] } | { readonly problem: Error };

async function readVersion({ stdin, stderr }: Io, source: string, options: ImportOptions): Promise<Version> {
  const progress = createProgressLine(stderr);
  const files: ReceivedFile[] = [];
  try {
    const onFile = (uri: string, text: string) => files.push({ uri, text });
    const domain = await importDocument(source, {
      ...options,
      stdin,
      onFile,
      onProgress: (text) => progress.show(text),
    });
    return { domain, files };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { problem: error };
  } finally {
    progress.done();
  }
}

/** Documents are read by their real paths: through a symbolic link, the same file would look like another one. */
async function toRealPath(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

/** A new part must not overwrite a file that does not belong to this document. */
function refuseForeignFiles(paths: readonly string[], own: readonly string[]): void {
  const foreign = paths.find((path) => !own.includes(path) && existsSync(path));
  if (foreign === undefined) return;
  const message = `The new document has a file that would overwrite ${relative('.', foreign)}, which belongs to something else. Move that file, or import under another --name.`;
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

/** Entries of `operations:` whose operation is not in the new version. */
function findRemovedEntries(
  { operations = {} }: DomainDefinition,
  before: readonly Endpoint[],
  after: readonly Endpoint[],
  successors: ReadonlyMap<Endpoint, Endpoint>,
): Problem[] {
  const names = new Set(after.flatMap(operationNamesOf));
  const byName = new Map(
    before.flatMap((endpoint) => operationNamesOf(endpoint).map((key) => [key, endpoint] as const)),
  );
  return Object.keys(operations).flatMap((key) => {
    const name = toOperationKey(key);
    const endpoint = byName.get(name);
    if (endpoint === undefined || names.has(name)) return [];
    const successor = successors.get(endpoint);
    const message =
      successor === undefined
        ? `${labelOf(endpoint)} is no longer in the document; remove this entry`
        : `is now ${labelOf(successor)}; rename this entry to ${JSON.stringify(labelOf(successor))}`;
    return [{ path: ['operations', key], message }];
  });
}

/** An entry is found by any key of the operation, as at a start. */
function curatedNames({ operations = {}, prefix, name }: DomainDefinition): (endpoint: Endpoint) => string {
  const names = new Map<string, string>();
  for (const [key, curation] of Object.entries(operations)) {
    if (curation.name === undefined) continue;
    names.set(toOperationKey(key), joinToolName(prefix ?? name, curation.name));
  }
  return (endpoint) => {
    const key = operationNamesOf(endpoint).find((one) => names.has(one));
    return key === undefined ? endpoint.toolName : names.get(key)!;
  };
}

/** Mistakes about variables: they may be set where the gateway runs, and not here. */
function isOfEnvironment({ field = '' }: Mistake): boolean {
  return /^(?:baseUrl|headers|credentials)\b/.test(field);
}

/** The mistakes that a start with this file would report. */
async function findStale(file: string, config: Config): Promise<readonly Mistake[]> {
  try {
    await tryLoading(file, config);
    return [];
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return error instanceof MistakesError ? error.mistakes : [{ file, message: error.message }];
  }
}

/** Origin and path of an address; a path as it is. */
function withoutSecrets(source: string): string {
  if (!isWebAddress(source) || !URL.canParse(source)) return relative('.', source);
  const { origin, pathname } = new URL(source);
  return origin + pathname;
}
