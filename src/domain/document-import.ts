// Reads the OpenAPI document of a domain file: which operations, at which base URL, with which credentials.
import { dirname, join } from 'node:path';
import { expand, needsVariables } from '../endpoint/environment.ts';
import { readHeaders } from '../endpoint/headers/header-fields.ts';
import type { Domain } from '../endpoint/model.ts';
import type { Problem } from '../endpoint/problems.ts';
import { GatewayError } from '../errors.ts';
import type { CredentialSource } from '../openapi/import-options.ts';
import { readBaseUrl } from './definition/base-url.ts';
import { type BuildOptions, DefinitionError } from './definition/build-domain.ts';
import type { DomainDefinition } from './definition/definition-types.ts';
import { pickDefined } from './pick-defined.ts';
import { buildSelection } from './select-operations.ts';

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
  /** What `include` names and no operation has. */
  readonly unused: readonly string[];
}

/** Imports the document a definition names, with everything the file says about reading it. */
export async function importFor(
  definition: DomainDefinition,
  prefix: string,
  options: DocumentOptions,
  problems: Problem[],
): Promise<Imported> {
  const selection = buildSelection(definition.include, definition.exclude);
  const base = readBaseUrl([definition.baseUrl], options);
  if (base !== undefined && 'problem' in base) problems.push({ path: ['baseUrl'], message: base.problem });
  const serverVariables = readServerVariables(definition, options, problems);
  // Without an address nothing can be imported; in spite of a wrong header it can, and all mistakes are said at once.
  const isStuck = problems.length > 0;
  const { headers, credentials } = readHeaders(definition.headers ?? {}, options.env, ['headers'], problems);
  const refsRoot = definition.refsRoot === undefined ? options.refsRoot : beside(options.source, definition.refsRoot);
  if (isStuck) throw new DefinitionError(options.source, problems);
  const { importDocument } = await import('../openapi/import-document.ts');
  try {
    const domain = await importDocument(beside(options.source, definition.openapi!), {
      name: definition.name,
      env: options.env,
      select: selection.select,
      credentials: sourcesOf(definition.credentials),
      headerCredentials: credentials,
      ...pickDefined({
        prefix: prefix === '' ? undefined : `${prefix}_`,
        baseUrl: base !== undefined && 'url' in base ? base.url + (base.isRoot ? '/' : '') : undefined,
        server: definition.server,
        serverVariables,
        refsRoot,
        headers: options.headers,
        headersFor: options.headersFor,
        overlays: definition.overlays?.map((overlay) => beside(options.source, overlay)),
        onProgress: options.onProgress,
      }),
    });
    return { domain, headers, unused: selection.unused() };
  } catch (error) {
    if (!(error instanceof GatewayError) || (error.code !== 'BAD_DOCUMENT' && error.code !== 'BAD_CONFIG')) throw error;
    const field = error.details.field === 'server' ? 'server' : 'openapi';
    throw new DefinitionError(options.source, [{ path: [field], message: error.message }]);
  }
}

/** Paths in a domain file are relative to the file. */
function beside(file: string, path: string): string {
  return /^https?:\/\//i.test(path) || path.startsWith('/') ? path : join(dirname(file), path);
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

/** The variables of each credential; what kind it is, the document knows. */
function sourcesOf(credentials: DomainDefinition['credentials']): Record<string, CredentialSource> {
  const sources: Record<string, CredentialSource> = {};
  for (const [name, credential] of Object.entries(credentials ?? {})) {
    const { kind: _, in: __, field: ___, prefix: ____, ...source } = credential as Record<string, unknown>;
    sources[name] = source;
  }
  return sources;
}
