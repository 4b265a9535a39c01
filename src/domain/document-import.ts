// Reads the OpenAPI document of a domain file: which operations, at which base URL, with which credentials.
import { dirname, join } from 'node:path';
import { embeddedName, expand, resolveBaseUrl } from '../endpoint/environment.ts';
import { isSecretHeader } from '../endpoint/header-fields.ts';
import type { Domain } from '../endpoint/model.ts';
import type { Problem } from '../endpoint/problems.ts';
import { GatewayError } from '../errors.ts';
import type { CredentialSource } from '../openapi/import-options.ts';
import { type BuildOptions, DefinitionError } from './definition/build-domain.ts';
import type { DomainDefinition } from './definition/definition-types.ts';
import { buildSelection } from './select-operations.ts';

export interface DocumentOptions extends BuildOptions {
  readonly source: string;
  /** A folder `$ref`s may reach where the file names none itself. */
  readonly refsRoot?: string;
  readonly onProgress?: (text: string) => void;
}

/** Imports the document a definition names, with everything the file says about reading it. */
export async function importFor(
  definition: DomainDefinition,
  prefix: string,
  options: DocumentOptions,
  problems: Problem[],
): Promise<{ domain: Domain; unused: string[] }> {
  const selection = buildSelection(definition.include, definition.exclude);
  const baseUrl = readBaseUrl(definition, options, problems);
  const serverVariables = readServerVariables(definition, options, problems);
  const secretHeaders = Object.entries(definition.headers ?? {}).filter(([name]) => isSecretHeader(name));
  const refsRoot = definition.refsRoot === undefined ? options.refsRoot : beside(options.source, definition.refsRoot);
  const headers = [...secretHeaders.map(([name, value]) => `${name}: ${value}`), ...(options.headers ?? [])];
  if (problems.length > 0) throw new DefinitionError(options.source, problems);
  const { importDocument } = await import('../openapi/import-document.ts');
  try {
    const domain = await importDocument(beside(options.source, definition.openapi!), {
      name: definition.name,
      namedByOperator: true,
      env: options.env,
      select: selection.select,
      credentials: sourcesOf(definition.credentials),
      ...(prefix === '' ? {} : { prefix: `${prefix}_` }),
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(serverVariables === undefined ? {} : { serverVariables }),
      ...(refsRoot === undefined ? {} : { refsRoot }),
      ...(headers.length === 0 ? {} : { headers }),
      ...(options.headersFor === undefined ? {} : { headersFor: options.headersFor }),
      ...(definition.overlays === undefined
        ? {}
        : { overlays: definition.overlays.map((overlay) => beside(options.source, overlay)) }),
      ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
    });
    return { domain, unused: selection.unused() };
  } catch (error) {
    if (!(error instanceof GatewayError) || (error.code !== 'BAD_DOCUMENT' && error.code !== 'BAD_CONFIG')) throw error;
    throw new DefinitionError(options.source, [{ path: ['openapi'], message: error.message }]);
  }
}

/** Paths in a domain file are relative to the file. */
function beside(file: string, path: string): string {
  return /^https?:\/\//i.test(path) || path.startsWith('/') ? path : join(dirname(file), path);
}

function readBaseUrl(definition: DomainDefinition, options: DocumentOptions, problems: Problem[]): string | undefined {
  const given = options.baseUrl ?? definition.baseUrl;
  if (given === undefined) return undefined;
  const resolved = resolveBaseUrl(given, options.env);
  if ('problem' in resolved) {
    problems.push({ path: ['baseUrl'], message: resolved.problem });
    return undefined;
  }
  const name = embeddedName(resolved.url);
  if (name === undefined) return resolved.url;
  const url = options.embedded?.(name);
  if (url === undefined)
    problems.push({
      path: ['baseUrl'],
      message: `names the embedded API "${name}", which is not running here; give a real URL`,
    });
  return url;
}

function readServerVariables(
  { serverVariables }: DomainDefinition,
  { env }: DocumentOptions,
  problems: Problem[],
): Record<string, string> | undefined {
  if (serverVariables === undefined) return undefined;
  const filled = Object.entries(serverVariables).map(([name, value]): [string, string] => {
    const { text, missing } = expand(value, env);
    if (missing.length > 0)
      problems.push({
        path: ['serverVariables', name],
        message: `needs the environment variable ${missing.join(' and ')}; set it, or write \${${missing[0]}:-default}`,
      });
    return [name, text];
  });
  return Object.fromEntries(filled);
}

/** The variables of each credential; what kind it is, the document knows. */
function sourcesOf(credentials: DomainDefinition['credentials']): Record<string, CredentialSource> {
  const sources: Record<string, CredentialSource> = {};
  for (const [name, given] of Object.entries(credentials ?? {})) {
    const { kind: _, in: __, field: ___, prefix: ____, ...source } = given as Record<string, unknown>;
    sources[name] = source;
  }
  return sources;
}
