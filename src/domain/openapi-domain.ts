// Builds the Domain of a domain file with `openapi:`: imports the document, then applies the file to it.
import type { Domain, Endpoint } from '../endpoint/model.ts';
import type { Problem } from '../endpoint/problems.ts';
import { omitUndefined } from '../endpoint/untrusted.ts';
import { type CurationContext, curateOperations, operationNamesOf, toOperationKey } from './curation/curate.ts';
import { buildDomain, DefinitionError } from './definition/build-domain.ts';
import { readPinned } from './definition/declared-names.ts';
import { DOCUMENT_KEYS } from './definition/definition-schema.ts';
import type { DomainDefinition } from './definition/definition-types.ts';
import {
  adviseOrigins,
  adviseTokenUrls,
  unusedCredentials,
  warnOtherOrigins,
  withDomainFields,
} from './document-fields.ts';
import { type DocumentOptions, importForFile } from './document-import.ts';
import { pointTo } from './files/mistakes.ts';

/** The importer cuts actions so that the prefix always fits: it leaves this many characters for it, including the `_`. */
const MAX_PREFIX = 24;

export async function buildDocumentDomain(definition: DomainDefinition, options: DocumentOptions): Promise<Domain> {
  const problems: Problem[] = [];
  const prefix = definition.prefix ?? definition.name;
  if (prefix.length >= MAX_PREFIX) {
    const message = `must be shorter than ${MAX_PREFIX} for an imported document; set a short one`;
    throw new DefinitionError(options.source, [{ path: ['prefix'], message }]);
  }
  const reading = await importForFile(definition, prefix, options, problems);
  const { domain: base, unused, warnings } = reading;
  const context: CurationContext = { prefix, file: options.source, env: options.env, problems };
  const drafts = withDomainFields(reading, definition, context);
  if (definition.endpoints === undefined) refuseEmpty(base, definition, unused, options.source);
  const variants = curateOperations(drafts, definition, context);
  const own = buildHandWritten(definition, base, options);
  const endpoints = [...variants, ...own.endpoints];
  problems.push(...listClashes(variants, base.endpoints, own.endpoints, definition));
  const pinned = choosePinned(definition, base, endpoints, variants, problems);
  if (problems.length > 0) throw new DefinitionError(options.source, problems);
  const exposure = definition.exposure ?? base.exposure;
  return Object.freeze({
    ...base,
    name: definition.name,
    title: definition.title ?? base.title,
    description: definition.description ?? base.description,
    endpoints,
    guard: { ...base.guard, ...definition.guard },
    ...omitUndefined({ exposure, confirm: definition.confirm, limits: definition.limits }),
    pinned,
    prompts: own.prompts,
    resources: own.resources,
    warnings: [
      ...base.warnings,
      ...new Set([...own.warnings, ...warnings.map((words) => `${options.source}: ${words}`)]),
      ...unusedCredentials(endpoints, definition, options.source),
      ...adviseOrigins(endpoints, options.source),
      ...warnOtherOrigins(endpoints, options.source),
      ...[...adviseTokenUrls(endpoints, definition), ...unused].map(
        ({ path, message }) => `${pointTo(options.source, path, options.positionOf)}: ${message}`,
      ),
    ],
    source: options.source,
  });
}

/** If no operation is left, `include` or `exclude` is the mistake to report. */
function refuseEmpty(base: Domain, definition: DomainDefinition, leftovers: readonly Problem[], source: string): void {
  if (base.endpoints.length > 0 || base.quarantined.length > 0) return;
  const key = definition.include ? 'include' : definition.exclude ? 'exclude' : 'openapi';
  const inInclude = leftovers.filter(({ path }) => path[0] === 'include');
  const message = `leaves no operation${key === 'openapi' ? ': the document has none' : '; change the filter'}`;
  throw new DefinitionError(source, inInclude.length > 0 ? inInclude : [{ path: [key], message }]);
}

/** Fields that do not apply to the endpoints of the file itself. Pinned operations are chosen among all operations. */
const NOT_FOR_ENDPOINTS: ReadonlySet<string> = new Set(['openapi', 'pinned', ...DOCUMENT_KEYS]);

/** Hand-written endpoints, prompts and resources of the same file. */
function buildHandWritten(definition: DomainDefinition, base: Domain, options: DocumentOptions): Domain {
  const fields = Object.entries(definition).filter(([key]) => !NOT_FOR_ENDPOINTS.has(key));
  const rest = Object.fromEntries(fields) as DomainDefinition;
  const { credentials, headers, security, baseUrl, tls, proxy, ...plain } = rest;
  // Without hand-written endpoints nothing uses these fields, so they are not checked a second time.
  if (definition.endpoints === undefined) return buildDomain({ ...plain, endpoints: {} }, options);
  const home = baseUrl ?? base.endpoints[0]?.baseUrl;
  const kinds = Object.entries(credentials ?? {}).filter(([, credential]) => 'kind' in credential);
  return buildDomain({ ...rest, credentials: Object.fromEntries(kinds), ...omitUndefined({ baseUrl: home }) }, options);
}

/** The operations that the file pins by name, and those that its `operations` or the document pin. */
function choosePinned(
  definition: DomainDefinition,
  base: Domain,
  endpoints: readonly Endpoint[],
  variants: readonly Endpoint[],
  problems: Problem[],
): string[] {
  const pinned = new Set(readPinned(definition, endpoints, problems, operationNamesOf));
  for (const [position, endpoint] of variants.entries()) {
    const original = base.endpoints[position]!;
    const choice = operationNamesOf(original)
      .map((key) => definition.operations?.[key]?.pinned)
      .find((value) => value !== undefined);
    if (choice ?? base.pinned.includes(original.toolName)) pinned.add(endpoint.toolName);
  }
  return [...pinned];
}

/** An operation, and the place in the file that names it; undefined if the document names it. */
interface Named {
  readonly endpoint: Endpoint;
  readonly path: readonly string[] | undefined;
}

/**
 * Operations with the same name, and where the file names them. `variants` are the operations of the document in the order of
 * `originals`, `own` those written by hand.
 */
function listClashes(
  variants: readonly Endpoint[],
  originals: readonly Endpoint[],
  own: readonly Endpoint[],
  { operations = {} }: DomainDefinition,
): Problem[] {
  const keys = new Map(Object.keys(operations).map((key) => [toOperationKey(key), key]));
  const all: Named[] = [
    ...variants.map((endpoint, position) => {
      const original = originals[position] ?? endpoint;
      const key =
        endpoint.action === original.action ? undefined : operationNamesOf(original).find((name) => keys.has(name));
      return { endpoint, path: key === undefined ? undefined : ['operations', keys.get(key)!, 'name'] };
    }),
    ...own.map((endpoint) => ({ endpoint, path: ['endpoints', endpoint.action] })),
  ];
  const byAction = new Map<string, Named>();
  return all.flatMap((later) => {
    const { action } = later.endpoint;
    const earlier = byAction.get(action);
    byAction.set(action, earlier ?? later);
    return earlier === undefined ? [] : [toProblem(action, earlier, later)];
  });
}

/** Reported at the operation that the file names; at the later one if it names both. */
function toProblem(action: string, earlier: Named, later: Named): Problem {
  const [one, other] = later.path === undefined ? [earlier, later] : [later, earlier];
  const fix =
    other.path === undefined
      ? `choose another name, or name the other operation too: operations: { ${JSON.stringify(operationNamesOf(other.endpoint)[0])}: { name: … } }`
      : 'choose another name for one of them';
  return {
    path: one.path ?? ['operations', operationNamesOf(one.endpoint)[0]!],
    message: `gives ${describeOperation(one)} the name "${action}", which ${describeOperation(other)} also has; ${fix}`,
    ...(other.path !== undefined && { other: other.path }),
  };
}

function describeOperation({ endpoint: { method, path, source } }: Named): string {
  return `${method} ${path}${source.operationId === undefined ? '' : ` (${source.operationId})`}`;
}
