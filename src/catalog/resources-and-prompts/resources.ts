// What clients can read: declared resources, every domain's description and OpenAPI document, and GET endpoints exposed
// as resource templates. Templates read through the operation itself: the same golden path as a call.

import type { ExecutionContext } from '../../call/execution-context.ts';
import type { Outcome } from '../../call/outcome.ts';
import type { Args, Domain, Endpoint } from '../../endpoint/model.ts';
import { GatewayError } from '../../errors.ts';
import { once } from '../../model/base.ts';
import { ResourceConverter } from '../../model/converters.ts';
import { Resource, type ResourceInit } from '../../model/resource.ts';
import type { WireResource } from '../../model/wire.ts';
import { toFailure } from '../../orchestration/failure.ts';
import { indexEntries } from '../frozen-map.ts';
import type { Registry } from '../registry.ts';
import type { CatalogOperation } from '../tree.ts';
import { toOpenApi } from './openapi-document.ts';
import { compileUriTemplate } from './uri-template.ts';

export type ResourceContents =
  | { readonly uri: string; readonly mimeType?: string; readonly text: string }
  | { readonly uri: string; readonly mimeType?: string; readonly blob: string };

export interface ReadOutcome {
  readonly contents: readonly ResourceContents[];
  /** The same for everybody until a restart: clients may keep it. */
  readonly fixed?: boolean;
  readonly inputRequired?: Outcome['inputRequired'];
}

/** A resource as code registers it, defined as MCP 2026-07-28 lists it; a gateway serves the same with the model's Resource. */
export interface ResourceEntry<Definition = WireResource> {
  readonly definition: Definition;
  readonly read: (context: ExecutionContext) => Promise<ReadOutcome>;
}

export interface TemplateDefinition extends Omit<WireResource, 'uri' | 'size'> {
  readonly uriTemplate: string;
}

/** In the model a template is a resource whose URI has holes. */
export interface TemplateEntry<Definition = TemplateDefinition> {
  readonly definition: Definition;
  /** The template's variables in this URI, or undefined when it does not fit. */
  readonly match: (uri: string) => Args | undefined;
  readonly read: (context: ExecutionContext, args: Args, uri: string) => Promise<ReadOutcome>;
  /** Values to complete a variable with. */
  readonly values: Readonly<Record<string, readonly string[]>>;
}

export interface ResourceTable {
  readonly resources: ReadonlyMap<string, ResourceEntry<Resource>>;
  readonly templates: readonly TemplateEntry<Resource>[];
}

export function buildResources(
  domains: readonly Domain[],
  { operations, readable }: Pick<Registry, 'operations' | 'readable'>,
  native: { readonly resources?: readonly ResourceEntry[]; readonly templates?: readonly TemplateEntry[] } = {},
): ResourceTable {
  // A template without variables is a resource: clients would not know what to fill in.
  const isFixed = ({ endpoint }: CatalogOperation) => endpoint.args.length === 0;
  const byId = new Map([...operations, ...readable].map((operation) => [operation.endpoint.id, operation]));
  const entries = [
    ...domains.flatMap((domain) =>
      ofDomain(
        domain,
        domain.endpoints.flatMap(({ id }) => byId.get(id) ?? []),
      ),
    ),
    ...readable.filter(isFixed).map(toResource),
    ...(native.resources ?? []).map(toServedResource),
  ];
  const templates = readable.filter((operation) => !isFixed(operation)).map(toTemplate);
  return Object.freeze({
    resources: indexEntries(
      entries,
      ({ definition }) => definition.uri,
      (uri) => new GatewayError('BAD_CONFIG', `Two resources have the URI ${uri}; change one of them.`),
    ),
    templates: Object.freeze([...templates, ...(native.templates ?? []).map(toServedTemplate)]),
  });
}

function toServedResource(entry: ResourceEntry): ResourceEntry<Resource> {
  const definition = new ResourceConverter().convertTo(entry.definition).freeze();
  return Object.freeze({ definition, read: (context: ExecutionContext) => entry.read(context) });
}

function toServedTemplate(entry: TemplateEntry): TemplateEntry<Resource> {
  const { uriTemplate: uri, ...rest } = entry.definition;
  return Object.freeze({
    definition: new ResourceConverter().convertTo({ ...rest, uri }).freeze(),
    match: (candidate: string) => entry.match(candidate),
    read: (context: ExecutionContext, args: Args, candidate: string) => entry.read(context, args, candidate),
    values: entry.values,
  });
}

/** What reads this URI: the resource itself, else the template that leaves the least open. */
export function findResource(
  { resources, templates }: ResourceTable,
  uri: string,
): ((context: ExecutionContext) => Promise<ReadOutcome>) | undefined {
  const exact = resources.get(uri);
  if (exact) return (context) => exact.read(context);
  let best: { readonly template: TemplateEntry<Resource>; readonly args: Args; readonly literal: number } | undefined;
  for (const template of templates) {
    const args = template.match(uri);
    if (!args) continue;
    const literal = template.definition.uri.replace(/\{[^{}]*\}/g, '').length;
    if (!best || literal > best.literal) best = { template, args, literal };
  }
  const match = best;
  return match && ((context) => match.template.read(context, match.args, uri));
}

function ofDomain(domain: Domain, operations: readonly CatalogOperation[]): ResourceEntry<Resource>[] {
  const { name, title, document } = domain;
  const uri = `landbridge://domains/${name}`;
  const about = { uri, name, title, description: `About the API ${title}`, mimeType: 'text/markdown' };
  const openapi = {
    uri: `${uri}/openapi`,
    name: `${name}_openapi`,
    title: `${title}: OpenAPI document`,
    mimeType: document?.mimeType ?? 'application/json',
  };
  return [
    fixed(about, () => describeDomain(domain, operations)),
    fixed(openapi, () => document?.text ?? toOpenApi(domain, operations)),
    ...domain.resources.map(({ text, ...declared }) => fixed(declared, () => text)),
  ];
}

/** The text is made when somebody reads it, once. */
function fixed(init: ResourceInit & { readonly mimeType: string }, text: () => string): ResourceEntry<Resource> {
  const { uri, mimeType } = init;
  const outcome = once((): ReadOutcome => ({ contents: [{ uri, mimeType, text: text() }], fixed: true }));
  return Object.freeze({ definition: new Resource(init).freeze(), read: async () => outcome() });
}

function describeDomain(domain: Domain, operations: readonly CatalogOperation[]): string {
  const rows = operations.map(
    ({ name, endpoint: { method, path, effect, summary } }) =>
      `- \`${name}\` ${method} ${path} (${effect}): ${summary}`,
  );
  return [`# ${domain.title}`, domain.description, `## Operations`, ...rows].filter((part) => part !== '').join('\n\n');
}

/** `tasks://tasks/{id}{?page}`: the domain as scheme, the path, and the other arguments as query. */
function toUriTemplate(endpoint: Endpoint): string {
  const inPath = new Map<string, string>();
  const others: string[] = [];
  for (const arg of endpoint.args) {
    const path = arg.to.find((target) => target.in === 'path');
    if (path?.in === 'path') inPath.set(path.name, arg.key);
    else others.push(arg.key);
  }
  const path = endpoint.path.replace(/^\/+/, '').replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    const key = inPath.get(name);
    return key === undefined ? whole : `{${key}}`;
  });
  // A scheme may not carry underscores (RFC 3986, 3.1).
  return `${endpoint.domain.replaceAll('_', '-')}://${path}${others.length > 0 ? `{?${others.join(',')}}` : ''}`;
}

function toTemplate(operation: CatalogOperation): TemplateEntry<Resource> {
  const { endpoint } = operation;
  const definition = describe(operation);
  return Object.freeze({
    definition,
    match: compileUriTemplate(definition.uri),
    get values() {
      return enumValues(endpoint);
    },
    read: (context: ExecutionContext, args: Args, uri: string) =>
      read(operation, context, splitLists(endpoint, args), uri),
  });
}

function toResource(operation: CatalogOperation): ResourceEntry<Resource> {
  const definition = describe(operation);
  return Object.freeze({
    definition,
    read: (context: ExecutionContext) => read(operation, context, {}, definition.uri),
  });
}

function describe({ name, endpoint }: CatalogOperation): Resource {
  const { title, summary: description } = endpoint;
  return new Resource({ uri: toUriTemplate(endpoint), name, title, description }).freeze();
}

async function read(
  operation: CatalogOperation,
  request: ExecutionContext,
  args: Args,
  uri: string,
): Promise<ReadOutcome> {
  const context = request.withAction(operation.name, operation.name);
  try {
    return toContents(uri, await operation.run(context, args));
  } catch (error) {
    // What the URI holds is the caller's: an argument that does not fit is a wrong URI.
    if (error instanceof GatewayError && error.code === 'VALIDATION')
      throw new GatewayError('INVALID_PARAMS', error.message, { uri }, error);
    return toContents(uri, toFailure(context, error));
  }
}

/** `{?tags}` writes a list as `tags=a,b` (RFC 6570, 3.2.8); numbers and booleans are read by the validator. */
function splitLists({ inputSchema }: Endpoint, args: Args): Args {
  const { properties = {} } = inputSchema as { properties?: Record<string, { type?: unknown } | undefined> };
  const split: Record<string, unknown> = Object.create(null);
  for (const [key, value] of Object.entries(args)) {
    const isList = Object.hasOwn(properties, key) && properties[key]?.type === 'array';
    split[key] = isList && typeof value === 'string' ? value.split(',') : value;
  }
  return split;
}

/** Enumerated arguments complete themselves. */
function enumValues(endpoint: Endpoint): Readonly<Record<string, readonly string[]>> {
  const { properties = {} } = endpoint.inputSchema as { properties?: Record<string, { enum?: unknown[] }> };
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([, schema]) => Array.isArray(schema?.enum))
      .map(([key, schema]) => [key, (schema.enum as unknown[]).map(String)]),
  );
}

/** resources/read has no isError: what cannot be read is an error of the request. */
function toContents(uri: string, outcome: Outcome): ReadOutcome {
  if (outcome.inputRequired) return { contents: [], inputRequired: outcome.inputRequired };
  if (outcome.isError) {
    const message = outcome.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    const { status, failure_mode } = (outcome.structured ?? {}) as Readonly<Record<string, unknown>>;
    if (status === 404 || status === 410) throw new GatewayError('RESOURCE_NOT_FOUND', message, { uri });
    throw new GatewayError('INTERNAL', message, { uri, failure_mode: failure_mode ?? 'upstream_error' });
  }
  return {
    contents: outcome.content.map((block): ResourceContents => {
      if (block.type === 'image' || block.type === 'audio') return { uri, mimeType: block.mimeType, blob: block.data };
      if (block.type === 'resource') return { ...block.resource, uri };
      return { uri, text: block.type === 'text' ? block.text : block.uri };
    }),
  };
}
