// What clients can read: declared resources, every domain's description and OpenAPI document, and GET endpoints exposed
// as resource templates. Templates read through the operation itself: the same golden path as a call.
import type { Outcome } from '../endpoint/content.ts';
import type { Args, Domain, Endpoint } from '../endpoint/model.ts';
import { GatewayError } from '../errors.ts';
import type { WireResource } from '../model/wire.ts';
import type { Call } from '../orchestration/call.ts';
import { toFailure } from '../orchestration/failure.ts';
import type { Operation } from './operation.ts';
import { compileUriTemplate } from './uri-template.ts';

export type ResourceContents =
  | { readonly uri: string; readonly mimeType?: string; readonly text: string }
  | { readonly uri: string; readonly mimeType?: string; readonly blob: string };

export interface ReadOutcome {
  readonly contents: readonly ResourceContents[];
  readonly inputRequired?: Outcome['inputRequired'];
}

export interface ResourceEntry {
  readonly definition: WireResource;
  readonly read: (call: Call) => Promise<ReadOutcome>;
}

export interface TemplateDefinition extends Omit<WireResource, 'uri' | 'size'> {
  readonly uriTemplate: string;
}

export interface TemplateEntry {
  readonly definition: TemplateDefinition;
  /** The template's variables in this URI, or undefined when it does not fit. */
  readonly match: (uri: string) => Args | undefined;
  readonly read: (call: Call, args: Args, uri: string) => Promise<ReadOutcome>;
  /** Values to complete a variable with. */
  readonly values: Readonly<Record<string, readonly string[]>>;
}

export interface ResourceTable {
  readonly resources: ReadonlyMap<string, ResourceEntry>;
  readonly templates: readonly TemplateEntry[];
}

export interface NativeResources {
  readonly resources?: readonly ResourceEntry[];
  readonly templates?: readonly TemplateEntry[];
}

export function buildResources(
  domains: readonly Domain[],
  operations: readonly Operation[],
  native: NativeResources = {},
): ResourceTable {
  const entries = [...domains.flatMap(ofDomain), ...(native.resources ?? [])];
  const resources = new Map<string, ResourceEntry>();
  for (const entry of entries) {
    const { uri } = entry.definition;
    if (resources.has(uri))
      throw new GatewayError('BAD_CONFIG', `Two resources have the URI ${uri}; change one of them.`);
    resources.set(uri, entry);
  }
  const readable = operations.filter(({ endpoint }) => endpoint.expose !== 'tool' && endpoint.effect === 'read');
  return Object.freeze({
    resources,
    templates: Object.freeze([...readable.map(toTemplate), ...(native.templates ?? [])]),
  });
}

function ofDomain(domain: Domain): ResourceEntry[] {
  const base = `landbridge://domains/${domain.name}`;
  const about = fixed(
    {
      uri: base,
      name: domain.name,
      title: domain.title,
      description: `About the API ${domain.title}`,
      mimeType: 'text/markdown',
    },
    describeDomain(domain),
  );
  const declared = domain.resources.map(({ text, ...definition }) => fixed(definition, text));
  const { document } = domain;
  if (!document) return [about, ...declared];
  const openapi = fixed(
    {
      uri: `${base}/openapi`,
      name: `${domain.name}_openapi`,
      title: `${domain.title}: OpenAPI document`,
      mimeType: document.mimeType,
    },
    document.text,
  );
  return [about, openapi, ...declared];
}

function fixed(definition: WireResource, text: string): ResourceEntry {
  const { uri, mimeType } = definition;
  const outcome: ReadOutcome = { contents: [{ uri, ...(mimeType !== undefined && { mimeType }), text }] };
  return Object.freeze({ definition, read: async () => outcome });
}

function describeDomain(domain: Domain): string {
  const rows = domain.endpoints.map(
    ({ toolName, method, path, effect, summary }) => `- \`${toolName}\` ${method} ${path} (${effect}): ${summary}`,
  );
  return [`# ${domain.title}`, domain.description, `## Operations`, ...rows].filter((part) => part !== '').join('\n\n');
}

/** `tasks://tasks/{id}{?page}`: the domain as scheme, the path, and the other arguments as query. */
export function toUriTemplate(endpoint: Endpoint): string {
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

function toTemplate(operation: Operation): TemplateEntry {
  const { endpoint } = operation;
  const uriTemplate = toUriTemplate(endpoint);
  const template = compileUriTemplate(uriTemplate);
  return Object.freeze({
    definition: {
      uriTemplate,
      name: endpoint.toolName,
      ...(endpoint.title !== undefined && { title: endpoint.title }),
      description: endpoint.summary,
    },
    match: template.match,
    get values() {
      return enumValues(endpoint);
    },
    read: async (call: Call, args: Args, uri: string) => {
      const outcome = await operation.run({ ...call, tool: endpoint.toolName }, args).catch(toFailure);
      return toContents(uri, outcome);
    },
  });
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
    const status = outcome.upstream?.status;
    if (status === 404 || status === 410) throw new GatewayError('RESOURCE_NOT_FOUND', message, { uri });
    if (outcome.failure === 'validation') throw new GatewayError('INVALID_PARAMS', message, { uri });
    throw new GatewayError('INTERNAL', message, { uri, failure_mode: outcome.failure ?? 'upstream_error' });
  }
  return {
    contents: outcome.content.map((block): ResourceContents => {
      if (block.type === 'image' || block.type === 'audio') return { uri, mimeType: block.mimeType, blob: block.data };
      if (block.type === 'resource') return { ...block.resource, uri };
      return { uri, text: block.type === 'text' ? block.text : block.uri };
    }),
  };
}
