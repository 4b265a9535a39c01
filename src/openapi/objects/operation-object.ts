// Operation Object → one Endpoint.
// https://spec.openapis.org/oas/v3.2.0.html#operation-object
//
// The request of an operation is read at the start, so that an operation that cannot work is left out then. Its answer, schemas,
// examples and long texts are read on first use.
import { type Baseline, effectOf, IDEMPOTENT } from '../../endpoint/conventions/effect.ts';
import { HEADER_NAME } from '../../endpoint/headers/header-names.ts';
import { DEFAULT_LIMITS, type Endpoint, type ResponsePlan } from '../../endpoint/model.ts';
import { type Node, omitUndefined, textAt } from '../../endpoint/untrusted.ts';
import type { DetectPagination } from '../detect-pagination.ts';
import { LATE, LATE_PROPERTIES, LateFields } from '../late/late-fields.ts';
import type { SchemaBuilder } from '../schema/schema-builder.ts';
import type { Variants } from '../schema/variants.ts';
import { OperationProblem } from '../source/resolve.ts';
import { type RequestContext, readRequest, takesStatement } from './operation-request.ts';
import type { Operation } from './paths.ts';
import type { Answer } from './response.ts';
import type { Security } from './security-requirement.ts';
import type { Servers } from './server.ts';
import type { OperationExtension } from './x-mcp.ts';

export interface ImportContext extends RequestContext {
  readonly domain: string;
  readonly builder: SchemaBuilder;
  readonly variants: Variants;
  readonly servers: Servers;
  readonly security: Security;
  readonly responsePlan: (answer: Answer) => ResponsePlan;
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

/** Throws OperationProblem when the operation cannot work. */
export function buildEndpoint(
  operation: Operation,
  naming: Naming,
  baseline: Baseline,
  extension: OperationExtension,
  context: ImportContext,
): Endpoint {
  refuseUnusable(operation);
  const { info, place, pathItem, pointer } = operation;
  const { method } = info;
  const node = place.value as Node;
  const effect = extension.effect ?? baseline.effect;
  const effectReason = extension.effect === undefined ? baseline.from : 'x-mcp';
  const request = readRequest(operation, effect, context);
  const { path, schemes } = request;
  const server = context.servers.forOperation(pathItem.value, node);
  const longText = extension.description ?? textAt(node, 'description') ?? textAt(pathItem.value, 'description');
  const shortText = extension.summary ?? textAt(node, 'summary') ?? textAt(pathItem.value, 'summary');
  const late = new LateFields(
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
      idempotent: extension.idempotent ?? IDEMPOTENT.has(method),
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
        extension.timeoutMs === undefined ? DEFAULT_LIMITS : { ...DEFAULT_LIMITS, timeoutMs: extension.timeoutMs },
      documentExamples: () => late.documentExamples,
      leftOut: () => late.leftOut,
      prepareOutput: () => late.prepareOutput(),
      expose: extension.expose ?? 'tool',
      source: omitUndefined({ kind: 'openapi', file: context.label, pointer, operationId: info.operationId }),
    } as unknown as Writable<Endpoint>,
    LATE_PROPERTIES,
  );
  Object.defineProperty(endpoint, LATE, { value: late });
  late.endpoint = endpoint;
  if (server.publicOnly === true) endpoint.publicOnly = true;
  if (extension.guard !== undefined) endpoint.guard = extension.guard;
  return Object.freeze(endpoint);
}

function refuseUnusable({ info: { method }, pointer, problem }: Operation): void {
  if (problem !== undefined) throw new OperationProblem(pointer, problem);
  if (!HEADER_NAME.test(method) || method.length > MAX_METHOD_CHARS || method === 'CONNECT') {
    throw new OperationProblem(pointer, `${JSON.stringify(method)} is not a method that a request can have`);
  }
}

/** What it does by its method and names, before anybody says more. */
export function effectOfOperation(operation: Operation, context: RequestContext): Baseline {
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
