// A GET endpoint as a resource, or as a resource template if it has arguments. Reading it runs the operation in the same way as a
// call.
import type { ExecutionContext } from '../../call/execution-context.ts';
import type { Outcome } from '../../call/outcome.ts';
import type { Args, Endpoint } from '../../endpoint/model.ts';
import { GatewayError } from '../../errors.ts';
import { Resource } from '../../model/resource.ts';
import { toFailure } from '../../orchestration/failure.ts';
import type { CatalogOperation } from '../tree.ts';
import type { ReadOutcome, ResourceContents, ResourceEntry, TemplateEntry } from './resources.ts';

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
  // A scheme may not contain underscores (RFC 3986, 3.1).
  return `${endpoint.domain.replaceAll('_', '-')}://${path}${others.length > 0 ? `{?${others.join(',')}}` : ''}`;
}

export function toTemplate(operation: CatalogOperation): TemplateEntry<Resource> {
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

export function toResource(operation: CatalogOperation): ResourceEntry<Resource> {
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
    // The caller chose the URI, so an argument that does not fit is an error in the URI.
    if (error instanceof GatewayError && error.code === 'VALIDATION')
      throw new GatewayError('INVALID_PARAMS', error.message, { uri }, error);
    return toContents(uri, toFailure(context, error));
  }
}

/** `{?tags}` writes a list as `tags=a,b` (RFC 6570, 3.2.8); numbers and booleans are read by the validator. */
function splitLists({ inputSchema }: Endpoint, args: Args): Args {
  const { properties = {} } = inputSchema as { properties?: Record<string, { type?: unknown } | undefined> };
  const values: Record<string, unknown> = Object.create(null);
  for (const [key, value] of Object.entries(args)) {
    const isList = Object.hasOwn(properties, key) && properties[key]?.type === 'array';
    values[key] = isList && typeof value === 'string' ? value.split(',') : value;
  }
  return values;
}

/** Values to complete arguments with: those of their enums. */
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
  // A text beside a file is for the reader of a tool's answer. The resource is only the file.
  const files = outcome.content.filter(({ type }) => type !== 'text');
  return {
    contents: (files.length > 0 ? files : outcome.content).map((block): ResourceContents => {
      if (block.type === 'image' || block.type === 'audio') return { uri, mimeType: block.mimeType, blob: block.data };
      if (block.type === 'resource') return { ...block.resource, uri };
      return { uri, text: block.type === 'text' ? block.text : block.uri };
    }),
  };
}

type Part = { readonly literal: string } | { readonly variable: string };

const MAX_URI = 8_192;

/**
 * The variables of a template in a URI, or undefined if the URI does not match. Templates use two parts of RFC 6570: `{name}` for one path
 * segment and `{?a,b}` for a query. Matching walks over segments: no pattern from outside becomes a regular expression.
 */
function compileUriTemplate(template: string): (uri: string) => Args | undefined {
  const query = /\{\?([^{}]*)\}$/.exec(template);
  const parts = toParts(query ? template.slice(0, query.index) : template);
  const names = new Set(query?.[1]?.split(','));
  return (uri) => {
    if (uri.length > MAX_URI) return undefined;
    const mark = query ? uri.indexOf('?') : -1;
    const variables = matchParts(parts, mark === -1 ? uri : uri.slice(0, mark));
    if (!variables || mark === -1) return variables;
    for (const [name, value] of new URLSearchParams(uri.slice(mark + 1))) {
      // Refuses unknown names and second values.
      if (name === '' || !names.has(name) || name in variables) return undefined;
      variables[name] = value;
    }
    return variables;
  };
}

function toParts(template: string): readonly Part[] {
  return template
    .split(/(\{[^{}]+\})/)
    .filter((piece) => piece !== '')
    .map((piece) => (piece.startsWith('{') ? { variable: piece.slice(1, -1) } : { literal: piece }));
}

/** A variable runs up to the next literal's first appearance and never crosses a slash. */
function matchParts(parts: readonly Part[], text: string): Record<string, unknown> | undefined {
  const variables: Record<string, unknown> = Object.create(null);
  let at = 0;
  for (const [index, part] of parts.entries()) {
    if ('literal' in part) {
      if (!text.startsWith(part.literal, at)) return undefined;
      at += part.literal.length;
      continue;
    }
    const next = parts[index + 1];
    const end = next && 'literal' in next ? text.indexOf(next.literal, at) : text.length;
    const raw = end === -1 ? '' : text.slice(at, end);
    if (raw === '' || raw.includes('/')) return undefined;
    try {
      variables[part.variable] = decodeURIComponent(raw);
    } catch {
      return undefined;
    }
    at = end;
  }
  return at === text.length ? variables : undefined;
}
