// Loads one domain file: reads and checks it, and builds its domain, with its document if it has one.
import { embeddedName, resolveBaseUrl } from '../endpoint/environment.ts';
import type { Domain } from '../endpoint/model.ts';
import { omitUndefined } from '../endpoint/untrusted.ts';
import { buildDomain } from './definition/build-domain.ts';
import type { DomainDefinition } from './definition/definition-types.ts';
import type { DocumentOptions } from './document-import.ts';
import type { SourceFile } from './files/domain-files.ts';
import type { Library } from './files/load-module.ts';
import { type DomainFile, readDomainFile } from './files/read-domain-file.ts';

/** Options of the command line, the same for every file. */
type Settings = Omit<DocumentOptions, 'source' | 'kind' | 'embedded' | 'positionOf'>;

interface EmbeddedApis {
  readonly embedded?: (name: string) => string | Promise<string>;
  readonly library?: Library;
  /** URLs of embedded APIs by name. */
  readonly running: Map<string, string>;
}

export async function loadDomainFile(source: SourceFile, settings: Settings, apis: EmbeddedApis): Promise<Domain> {
  const build = async ({ definition, file, kind, positionOf }: DomainFile) => {
    await startEmbedded(definition, settings, apis);
    const addressOf = (api: string) => apis.running.get(api);
    const about = { ...settings, source: file, kind, embedded: addressOf, ...omitUndefined({ positionOf }) };
    if (definition.openapi === undefined) return buildDomain(definition, about);
    const { buildDocumentDomain } = await import('./openapi-domain.ts');
    return buildDocumentDomain(definition, about);
  };
  return readDomainFile(source, build, apis.library);
}

/** Starts each embedded API (`embedded:…`) that the definition's base URLs name, once. */
async function startEmbedded(
  definition: DomainDefinition,
  { baseUrl, env }: Settings,
  { embedded, running }: EmbeddedApis,
): Promise<void> {
  if (embedded === undefined) return;
  const own = Object.values(definition.endpoints ?? {}).map((endpoint) => endpoint.baseUrl);
  for (const base of [baseUrl ?? definition.baseUrl, ...own]) {
    const resolution = base === undefined ? undefined : resolveBaseUrl(base, env);
    const name = resolution !== undefined && 'url' in resolution ? embeddedName(resolution.url) : undefined;
    if (name !== undefined && !running.has(name)) running.set(name, await embedded(name));
  }
}
