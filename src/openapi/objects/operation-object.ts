// Builds one Endpoint from an Operation Object.
// https://spec.openapis.org/oas/v3.2.0.html#operation-object
//
// The request of an operation is read at the start, so that an operation that cannot work is left out then. Its answer, schemas,
// examples and long texts are read on first use.
import { type DerivedEffect, effectOf, IDEMPOTENT_METHODS } from '../../endpoint/conventions/effect.ts';
import { HEADER_NAME } from '../../endpoint/headers/header-names.ts';
import { DEFAULT_ENDPOINT_LIMITS, type Endpoint, type ResponsePlan } from '../../endpoint/model.ts';
import { type Node, omitUndefined, textAt } from '../../endpoint/untrusted.ts';
import { LAZY, LAZY_PROPERTIES, LazyFields } from '../lazy-fields.ts';
import type { DetectPagination } from '../pagination.ts';
import type { SchemaBuilder } from '../schema/schema-builder.ts';
import type { Variants } from '../schema/variants.ts';
import { OperationProblem } from '../source/resolve.ts';
import { type RequestContext, readOperationRequest, takesStatement } from './operation-request.ts';
import type { DocumentOperation } from './paths.ts';
import type { SuccessResponse } from './response.ts';
import type { Security } from './security-requirement.ts';
import type { Servers } from './server.ts';
import type { OperationExtension } from './x-mcp.ts';

export interface ImportContext extends RequestContext {
  readonly domain: string;
  readonly builder: SchemaBuilder;
  readonly variants: Variants;
  readonly servers: Servers;
  readonly security: Security;
  readonly responsePlan: (answer: SuccessResponse) => ResponsePlan;
  readonly detectPagination: DetectPagination;
}

export interface Naming {
  readonly action: string;
  readonly toolName: string;
  readonly from: string;
}

type Writable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

const MAX_METHOD_CHARS = 32;
const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({});

/** Throws OperationProblem if the operation cannot work. */
export function buildEndpoint(
  operation: DocumentOperation,
  naming: Naming,
  baseline: DerivedEffect,
  extension: OperationExtension,
  context: ImportContext,
): Endpoint {
  refuseUnusable(operation);
  const { info, place, pathItem, pointer } = operation;
  const { method } = info;
  const node = place.value as Node;
  const effect = extension.effect ?? baseline.effect;
  const effectReason = extension.effect === undefined ? baseline.from : 'x-mcp';
  const request = readOperationRequest(operation, effect, context);
  const { path, schemes } = request;
  const server = context.servers.forOperation(pathItem.value, node);
  const longText = extension.description ?? textAt(node, 'description') ?? textAt(pathItem.value, 'description');
  const shortText = extension.summary ?? textAt(node, 'summary') ?? textAt(pathItem.value, 'summary');
  const lazyFields = new LazyFields(
    { operation, naming, extension, request, server, effectReason, context },
    { title: extension.title ?? shortText, summary: shortText, description: longText },
  );
  const endpoint: Writable<Endpoint> = Object.defineProperties(
    {
      id: `${context.domain}.${naming.action}`,
      domain: context.domain,
      action: naming.action,
      toolName: naming.toolName,
      tags: extension.tags ?? info.tags,
      effect,
      effectReason,
      idempotent: extension.idempotent ?? IDEMPOTENT_METHODS.has(method),
      deprecated: info.deprecated,
      method,
      path,
      baseUrl: server.url,
      headers: NO_HEADERS,
      security: context.security.forOperation(
        { node, method, path, baseUrl: server.url, pointer: `${pointer}/security` },
        schemes,
      ),
      limits:
        extension.timeoutMs === undefined
          ? DEFAULT_ENDPOINT_LIMITS
          : { ...DEFAULT_ENDPOINT_LIMITS, timeoutMs: extension.timeoutMs },
      documentExamples: () => lazyFields.documentExamples,
      leftOut: () => lazyFields.leftOut,
      prepareOutput: () => lazyFields.prepareOutput(),
      expose: extension.expose ?? 'tool',
      source: omitUndefined({ kind: 'openapi', file: context.label, pointer, operationId: info.operationId }),
    } as unknown as Writable<Endpoint>,
    LAZY_PROPERTIES,
  );
  Object.defineProperty(endpoint, LAZY, { value: lazyFields });
  lazyFields.endpoint = endpoint;
  if (server.publicOnly === true) endpoint.publicOnly = true;
  if (extension.guard !== undefined) endpoint.guard = extension.guard;
  return Object.freeze(endpoint);
}

function refuseUnusable({ info: { method }, pointer, problem }: DocumentOperation): void {
  if (problem !== undefined) throw new OperationProblem(pointer, problem);
  if (!HEADER_NAME.test(method) || method.length > MAX_METHOD_CHARS || method === 'CONNECT') {
    throw new OperationProblem(pointer, `${JSON.stringify(method)} is not a method that a request can have`);
  }
}

/** The effect by method and names, before x-mcp. */
export function effectOfOperation(operation: DocumentOperation, context: RequestContext): DerivedEffect {
  const { info, place, pathItem } = operation;
  const words = ['summary', 'description'].map((key) => textAt(place.value, key) ?? textAt(pathItem.value, key));
  const summary = words.find((text) => text !== undefined && text !== '');
  const { method, path, operationId: name } = info;
  return effectOf({
    method,
    path,
    name,
    summary,
    description: words[1],
    takesStatement: () => takesStatement(operation, context),
  });
}
