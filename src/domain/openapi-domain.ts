// A domain file with `openapi:` as a Domain: the document is imported, then what the file says is laid over it.

import type { Domain, Endpoint } from '../endpoint/model.ts';
import type { Problem } from '../endpoint/problems.ts';
import type { CurationContext } from './curation/curate.ts';
import { curateAll, keysOf } from './curation/curate-operations.ts';
import { buildDomain, DefinitionError } from './definition/build-domain.ts';
import type { DomainDefinition } from './definition/definition-types.ts';
import { readPinned } from './definition/uses.ts';
import { adviseOrigins, unusedCredentials, withDomainFields } from './document-fields.ts';
import { type DocumentOptions, importFor } from './document-import.ts';
import { pickDefined } from './pick-defined.ts';

/** The importer cuts actions so that the prefix always fits; it leaves this much for it, the `_` included. */
const MAX_PREFIX = 24;

export async function buildDocumentDomain(definition: DomainDefinition, options: DocumentOptions): Promise<Domain> {
  const problems: Problem[] = [];
  const prefix = definition.prefix ?? definition.name;
  if (prefix.length >= MAX_PREFIX) {
    const message = `must be shorter than ${MAX_PREFIX} for an imported document; set a short one`;
    throw new DefinitionError(options.source, [{ path: ['prefix'], message }]);
  }
  const reading = await importFor(definition, prefix, options, problems);
  const { domain: imported, unused } = reading;
  const context: CurationContext = { prefix, file: options.source, env: options.env, problems };
  const shared = withDomainFields(reading, definition, context);
  const curated = curateAll(shared, definition, context);
  const own = buildOwn(definition, imported, options);
  const endpoints = [...curated, ...own.endpoints];
  checkActions(endpoints, problems);
  if (endpoints.length === 0 && imported.quarantined.length === 0) {
    const message = `leaves no operation${unused.length > 0 ? `; none has ${unused.join(', ')}` : ''}`;
    problems.push({ path: [definition.include === undefined ? 'openapi' : 'include'], message });
  }
  const pinned = choosePinned(definition, imported, endpoints, curated, problems);
  if (problems.length > 0) throw new DefinitionError(options.source, problems);
  const exposure = definition.exposure ?? imported.exposure;
  return Object.freeze({
    ...imported,
    name: definition.name,
    title: definition.title ?? imported.title,
    description: definition.description ?? imported.description,
    endpoints,
    guard: { ...imported.guard, ...definition.guard },
    ...pickDefined({ exposure, confirm: definition.confirm }),
    pinned,
    prompts: own.prompts,
    resources: own.resources,
    warnings: [
      ...imported.warnings,
      ...own.warnings,
      ...unusedCredentials(endpoints, definition, options.source),
      ...adviseOrigins(endpoints, options.source),
      ...unused.map((what) => `${options.source}: include: no operation has ${what}.`),
    ],
    source: options.source,
  });
}

/** Hand-written endpoints, prompts and resources of the same file. */
function buildOwn(definition: DomainDefinition, imported: Domain, options: DocumentOptions): Domain {
  const {
    openapi,
    importedFrom,
    overlays,
    refsRoot,
    lenient,
    server,
    serverVariables,
    include,
    exclude,
    operations,
    pinned,
    ...rest
  } = definition;
  const { credentials, headers, security, baseUrl, ...plain } = rest;
  // without endpoints of its own there is nothing that headers and credentials would be for
  if (definition.endpoints === undefined) return buildDomain({ ...plain, endpoints: {} }, options);
  const home = baseUrl ?? imported.endpoints[0]?.baseUrl;
  const kinds = Object.entries(credentials ?? {}).filter(([, credential]) => 'kind' in credential);
  return buildDomain({ ...rest, credentials: Object.fromEntries(kinds), ...pickDefined({ baseUrl: home }) }, options);
}

function checkActions(endpoints: readonly Endpoint[], problems: Problem[]): void {
  const byAction = new Map<string, Endpoint>();
  for (const endpoint of endpoints) {
    const other = byAction.get(endpoint.action);
    if (other !== undefined) {
      const isImported = endpoint.source.kind === 'openapi';
      const path = isImported ? ['operations', keysOf(endpoint)[0]!] : ['endpoints', endpoint.action];
      const message = `the name "${endpoint.action}" is taken by ${other.method} ${other.path}; choose another`;
      problems.push({ path, message });
    }
    byAction.set(endpoint.action, endpoint);
  }
}

/** What the file pins by name, what its `operations` or the document say of each operation, and its own endpoints. */
function choosePinned(
  definition: DomainDefinition,
  imported: Domain,
  endpoints: readonly Endpoint[],
  curated: readonly Endpoint[],
  problems: Problem[],
): string[] {
  const pinned = new Set(readPinned(definition, endpoints, problems, keysOf));
  for (const [position, endpoint] of curated.entries()) {
    const original = imported.endpoints[position]!;
    const choice = keysOf(original)
      .map((key) => definition.operations?.[key]?.pinned)
      .find((value) => value !== undefined);
    if (choice ?? imported.pinned.includes(original.toolName)) pinned.add(endpoint.toolName);
  }
  return [...pinned];
}
