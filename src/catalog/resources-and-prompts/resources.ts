// What clients can read: declared resources, every domain's description and OpenAPI document, GET endpoints exposed as
// resources or templates, and what code registers.

import type { ExecutionContext } from '../../call/execution-context.ts';
import type { Outcome } from '../../call/outcome.ts';
import type { Args, Domain } from '../../endpoint/model.ts';
import { once } from '../../endpoint/untrusted.ts';
import { GatewayError } from '../../errors.ts';
import { ResourceConverter } from '../../model/converters.ts';
import { Resource, type ResourceInit } from '../../model/resource.ts';
import type { WireResource } from '../../model/wire.ts';
import { indexEntries } from '../maps.ts';
import type { Registry } from '../registry.ts';
import type { CatalogOperation } from '../tree.ts';
import { toOpenApi } from './openapi-document.ts';
import { toResource, toTemplate } from './operation-resource.ts';

export type ResourceContents =
  | { readonly uri: string; readonly mimeType?: string; readonly text: string }
  | { readonly uri: string; readonly mimeType?: string; readonly blob: string };

/** The result of `resources/read`. */
export interface ReadOutcome {
  readonly contents: readonly ResourceContents[];
  /** The same for all callers until a restart, so clients may cache it. */
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

/** In the model, a template is a resource whose URI has variables. */
export interface TemplateEntry<Definition = TemplateDefinition> {
  readonly definition: Definition;
  /** The template's variables in this URI, or undefined if it does not match. */
  readonly match: (uri: string) => Args | undefined;
  readonly read: (context: ExecutionContext, args: Args, uri: string) => Promise<ReadOutcome>;
  /** Values to complete a variable with. */
  readonly values: Readonly<Record<string, readonly string[]>>;
}

export interface ResourceTable {
  readonly resources: ReadonlyMap<string, ResourceEntry<Resource>>;
  readonly templates: readonly TemplateEntry<Resource>[];
}

export function buildResourceTable(
  domains: readonly Domain[],
  { operations, readable }: Pick<Registry, 'operations' | 'readable'>,
  native: { readonly resources?: readonly ResourceEntry[]; readonly templates?: readonly TemplateEntry[] } = {},
): ResourceTable {
  // A template without variables is a resource: clients would not know what to fill in.
  const isFixed = ({ endpoint }: CatalogOperation) => endpoint.args.length === 0;
  const byId = new Map([...operations, ...readable].map((operation) => [operation.endpoint.id, operation]));
  const entries = [
    ...domains.flatMap((domain) =>
      resourcesOf(
        domain,
        domain.endpoints.flatMap(({ id }) => byId.get(id) ?? []),
      ),
    ),
    ...readable.filter(isFixed).map(toResource),
    ...(native.resources ?? []).map(toModelResource),
  ];
  const templates = readable.filter((operation) => !isFixed(operation)).map(toTemplate);
  return Object.freeze({
    resources: indexEntries(
      entries,
      ({ definition }) => definition.uri,
      (uri) => new GatewayError('BAD_CONFIG', `Two resources have the URI ${uri}; change one of them.`),
    ),
    templates: Object.freeze([...templates, ...(native.templates ?? []).map(toModelTemplate)]),
  });
}

function toModelResource(entry: ResourceEntry): ResourceEntry<Resource> {
  const definition = new ResourceConverter().convertTo(entry.definition).freeze();
  return Object.freeze({ definition, read: (context: ExecutionContext) => entry.read(context) });
}

function toModelTemplate(entry: TemplateEntry): TemplateEntry<Resource> {
  const { uriTemplate: uri, ...rest } = entry.definition;
  return Object.freeze({
    definition: new ResourceConverter().convertTo({ ...rest, uri }).freeze(),
    match: (candidate: string) => entry.match(candidate),
    read: (context: ExecutionContext, args: Args, candidate: string) => entry.read(context, args, candidate),
    values: entry.values,
  });
}

/** Finds what reads this URI: the resource itself, otherwise the most specific template that matches. */
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

function resourcesOf(domain: Domain, operations: readonly CatalogOperation[]): ResourceEntry<Resource>[] {
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
    fixedResource(about, () => describeDomain(domain, operations)),
    fixedResource(openapi, () => document?.text ?? toOpenApi(domain, operations)),
    ...domain.resources.map(({ text, ...init }) => fixedResource(init, () => text)),
  ];
}

/** Its text is built by the first read. */
function fixedResource(
  init: ResourceInit & { readonly mimeType: string },
  text: () => string,
): ResourceEntry<Resource> {
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
