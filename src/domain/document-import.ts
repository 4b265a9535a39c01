// Imports the OpenAPI document of a domain file: which operations, at which base URL, with which credentials.

import { dirname, join } from 'node:path';
import { buildDeclaredCredentials, nameSecrets } from '../credentials/declarations.ts';
import { unsetVariables } from '../credentials/secrets.ts';
import { isWebAddress, originOf } from '../endpoint/address.ts';
import { readForward } from '../endpoint/caller/forward-names.ts';
import type { Credential } from '../endpoint/credential.ts';
import { expand, needsVariables } from '../endpoint/environment.ts';
import { type HeaderCredential, readHeaders } from '../endpoint/headers/header-fields.ts';
import type { CallerHeader, Domain, UpstreamConnection } from '../endpoint/model.ts';
import type { Problem } from '../endpoint/problems.ts';
import { omitUndefined } from '../endpoint/untrusted.ts';
import { GatewayError } from '../errors.ts';
import type { CredentialSource } from '../openapi/import-options.ts';
import { readBaseUrl } from './definition/base-url.ts';
import { type BuildOptions, DefinitionError } from './definition/build-domain.ts';
import { refuseDuplicateHeaders } from './definition/caller-header-rules.ts';
import { buildConnection } from './definition/connection-plan.ts';
import type { DomainDefinition } from './definition/definition-types.ts';
import { compileSelection } from './select-operations.ts';

export interface DocumentOptions extends BuildOptions {
  readonly source: string;
  /** A folder `$ref`s may reach where the file names none itself. */
  readonly refsRoot?: string;
  readonly onProgress?: (text: string) => void;
}

export interface Imported {
  readonly domain: Domain;
  /** Plain headers of the file; the secret ones are among the credentials of the domain already. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers that identify the caller to the API. */
  readonly callerHeaders: readonly CallerHeader[];
  /** Credentials that the file defines completely, by name. */
  readonly credentials: ReadonlyMap<string, Credential>;
  /** `tls` and `proxy` of the file, if any. */
  readonly connection?: UpstreamConnection;
  /** Warnings at start. */
  readonly warnings: readonly string[];
  /** Values of `include` and `exclude` that match no operation. */
  readonly unused: readonly Problem[];
}

/** Imports the document that a definition names, with the file's settings for it. */
export async function importForFile(
  definition: DomainDefinition,
  prefix: string,
  options: DocumentOptions,
  problems: Problem[],
): Promise<Imported> {
  const selection = compileSelection(definition.include, definition.exclude);
  const base = readBaseUrl([definition.baseUrl], options);
  if (base !== undefined && 'problem' in base) problems.push({ path: ['baseUrl'], message: base.problem });
  const serverVariables = readServerVariables(definition, options, problems);
  // Without an address nothing can be imported. With a wrong header, a local document is still imported, so that all mistakes are
  // reported at once.
  const addressProblems = problems.length;
  const plan = readHeaders(definition.headers ?? {}, options.env, ['headers'], problems);
  const { headers, credentials } = plan;
  const forward = readForward(definition.forward ?? [], problems);
  const callerHeaders = [...plan.callerHeaders, ...forward];
  const url = base !== undefined && 'url' in base ? base.url : undefined;
  const { connection, warnings } = buildConnection(definition, { ...options, url }, problems);
  const definitions = nameSecrets(definition.credentials, options, problems);
  const document = resolveBeside(options.source, definition.openapi!);
  const refsRoot =
    definition.refsRoot === undefined ? options.refsRoot : resolveBeside(options.source, definition.refsRoot);
  const isFetchedWith = base === undefined || !('url' in base) || originOf(base.url) === originOf(document);
  if (isWebAddress(document) && isFetchedWith) refuseUnsetHeaders(credentials, problems);
  if (addressProblems > 0 || (isWebAddress(document) && problems.length > 0))
    throw new DefinitionError(options.source, problems);
  let ownCredentials: ReadonlyMap<string, Credential> = new Map();
  const { importDocument } = await import('../openapi/import-document.ts');
  try {
    const domain = await importDocument(document, {
      name: definition.name,
      env: options.env,
      select: selection.select,
      credentials: sourcesOf(definitions),
      headerCredentials: credentials,
      plainHeaders: headers,
      ownCredentials: (url) => {
        const whole = Object.entries(definitions ?? {}).filter(([, one]) => 'kind' in one);
        const home = { url: url === '' ? undefined : url, headers };
        ownCredentials = buildDeclaredCredentials(Object.fromEntries(whole), options.env, home, problems);
        return ownCredentials;
      },
      ...omitUndefined({
        singleCredential: definition.security === undefined ? singleOf(definition.credentials) : undefined,
        connection,
        prefix: prefix === '' ? undefined : `${prefix}_`,
        baseUrl: base !== undefined && 'url' in base ? base.url + (base.isRoot ? '/.' : '') : undefined,
        server: definition.server,
        serverVariables,
        refsRoot,
        headers: options.headers,
        headersFor: options.headersFor,
        overlays: definition.overlays?.map((overlay) => resolveBeside(options.source, overlay)),
        onProgress: options.onProgress,
      }),
    });
    refuseDuplicateHeaders(forward, plan, ownCredentials.values(), problems);
    const leftovers = selection.unused();
    const own = { headers, callerHeaders, credentials: ownCredentials };
    return { domain, ...own, ...(connection && { connection }), warnings, unused: leftovers };
  } catch (error) {
    if (!(error instanceof GatewayError) || (error.code !== 'BAD_DOCUMENT' && error.code !== 'BAD_CONFIG')) throw error;
    const { field, overlay } = error.details;
    const path = typeof overlay === 'number' ? ['overlays', overlay] : [field === 'server' ? 'server' : 'openapi'];
    throw new DefinitionError(options.source, [{ path, message: error.message }]);
  }
}

/** Without its header, a server may answer with a document of the public operations only. The start fails instead of serving half of them. */
function refuseUnsetHeaders(credentials: readonly HeaderCredential[], problems: Problem[]): void {
  for (const credential of credentials) {
    const variables = unsetVariables(credential);
    if (variables.length === 0) continue;
    const message = `${needsVariables(variables)}; the header is needed to fetch the document`;
    problems.push({ path: ['headers', credential.field], message });
  }
}

/** Paths in a domain file are relative to the file. */
function resolveBeside(file: string, path: string): string {
  return isWebAddress(path) || path.startsWith('/') ? path : join(dirname(file), path);
}

function readServerVariables(
  { serverVariables }: DomainDefinition,
  { env }: DocumentOptions,
  problems: Problem[],
): Record<string, string> | undefined {
  if (serverVariables === undefined) return undefined;
  const values = Object.entries(serverVariables).map(([name, value]): [string, string] => {
    const { text, missing } = expand(value, env);
    if (missing.length > 0) problems.push({ path: ['serverVariables', name], message: needsVariables(missing) });
    return [name, text];
  });
  return Object.fromEntries(values);
}

/** The name of the only credential. Entries with `argument` turn a parameter back into an argument and do not count. */
function singleOf(credentials: DomainDefinition['credentials'] = {}): string | undefined {
  const names = Object.keys(credentials).filter((name) => !('argument' in credentials[name]!));
  return names.length === 1 ? names[0] : undefined;
}

/** The variables of each credential; its kind comes from the document. */
function sourcesOf(credentials: DomainDefinition['credentials']): Record<string, CredentialSource> {
  const sources: Record<string, CredentialSource> = {};
  for (const [name, credential] of Object.entries(credentials ?? {})) {
    const { kind: _, in: __, field: ___, prefix: ____, ...source } = credential as Record<string, unknown>;
    sources[name] = source;
  }
  return sources;
}
