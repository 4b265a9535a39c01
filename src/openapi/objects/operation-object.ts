// Operation Object → one Endpoint.
// https://spec.openapis.org/oas/v3.2.0.html#operation-object
//
// What is cheap is read at once, so that an operation which cannot work is known at start;
// schemas, examples and long texts are built when somebody asks.
import { type Baseline, effectOf, IDEMPOTENT, READS } from '../../endpoint/conventions/effect.ts';
import { HEADER_NAME } from '../../endpoint/headers/header-names.ts';
import { DEFAULT_LIMITS, type Endpoint, type JsonSchema, type ResponsePlan } from '../../endpoint/model.ts';
import { toPlainLines, toPlainText, toSummary } from '../../endpoint/plain-text.ts';
import { type Node, omitUndefined, once, textAt } from '../../endpoint/untrusted.ts';
import { exampleCalls } from '../../schema/example-calls.ts';
import { loosenFormats } from '../../schema/loosen-formats.ts';
import type { DetectPagination } from '../detect-pagination.ts';
import type { OperationInfo } from '../import-options.ts';
import { findLeftOut } from '../left-out.ts';
import type { Definition } from '../schema/convert-schema.ts';
import { buildInputSchema } from '../schema/input-schema.ts';
import type { SchemaBuilder } from '../schema/schema-builder.ts';
import type { Variants } from '../schema/variants.ts';
import { OperationProblem, type Place } from '../source/resolve.ts';
import { buildExamples, readExamples } from './example.ts';
import { type RequestContext, readRequest, takesStatement } from './operation-request.ts';
import type { Operation } from './paths.ts';
import { type Answer, mediaTypesOf, readAnswer } from './response.ts';
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

interface Naming {
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
  const { path, plan, body, schemes } = request;
  const server = context.servers.forOperation(pathItem.value, node);
  const answer = readAnswer(place, mediaTypesOf(context.root, node, 'produces'), context.resolver);
  const keys = plan.args.map((arg) => arg.key);
  const pagination = context.detectPagination(keys, READS.has(method), answer.schema);
  const plain = context.responsePlan(answer);
  const longText = extension.description ?? textAt(node, 'description') ?? textAt(pathItem.value, 'description');
  const shortText = extension.summary ?? textAt(node, 'summary') ?? textAt(pathItem.value, 'summary');
  const title = extension.title ?? shortText;

  const summary = once(
    () => (shortText && toSummary(shortText)) || (longText && toSummary(longText)) || plainSummary(info, naming.action),
  );
  const description = once(() => toPlainLines(longText ?? '') || undefined);
  // The calls ask for the schema as the document has it.
  let inputSchema: JsonSchema | undefined;
  const outputSchema = once(() => buildOutputSchema(answer.schema, context.builder));
  const examples = once(() => [...extension.examples, ...buildExamples(endpoint)].slice(0, 3));
  const provenance = once(() =>
    omitUndefined<Record<string, string>>({
      name: naming.from,
      ...explainTexts(endpoint, extension, node, { summary: shortText, description: longText }),
      effect: effectReason,
      'base URL': server.from,
      operationId: info.operationId,
    }),
  );

  const endpoint: Writable<Endpoint> = {
    id: `${context.domain}.${naming.action}`,
    domain: context.domain,
    action: naming.action,
    toolName: naming.toolName,
    get summary() {
      return summary();
    },
    get description() {
      // Undefined where there is none; the property is optional, a getter cannot be.
      return description() as string;
    },
    tags: extension.tags ?? info.tags,
    effect,
    effectReason,
    idempotent: extension.idempotent ?? IDEMPOTENT.has(method),
    deprecated: info.deprecated,
    method,
    path,
    baseUrl: server.url,
    headers: NO_HEADERS,
    args: plan.args,
    fixed: plan.fixed,
    get inputSchema() {
      if (inputSchema === undefined) {
        inputSchema = buildInputSchema(plan.arguments, body, plan.fixed, context);
        inputSchema = loosenFormats(inputSchema, exampleCalls(endpoint));
      }
      return inputSchema;
    },
    get outputSchema() {
      return outputSchema();
    },
    security: context.security.forOperation(
      { node, method, path, baseUrl: server.url, pointer: `${pointer}/security` },
      schemes,
    ),
    response: extension.response === undefined ? plain : { ...plain, ...extension.response },
    limits: extension.timeoutMs === undefined ? DEFAULT_LIMITS : { ...DEFAULT_LIMITS, timeoutMs: extension.timeoutMs },
    get examples() {
      return examples();
    },
    documentExamples: once(() => readExamples(plan.arguments, body, context.resolver)),
    leftOut: once(() => findLeftOut(operation, request, endpoint, answer.mediaTypes, context)),
    expose: extension.expose ?? 'tool',
    source: omitUndefined({ kind: 'openapi', file: context.label, pointer, operationId: info.operationId }),
    get provenance() {
      return provenance();
    },
  };
  if (title) endpoint.title = toSummary(title, 100).replace(/\.$/, '');
  if (server.publicOnly === true) endpoint.publicOnly = true;
  if (extension.guard !== undefined) endpoint.guard = extension.guard;
  if (body) endpoint.body = body.plan;
  if (plan.withheld.length > 0) endpoint.withheld = plan.withheld;
  if (pagination !== undefined) endpoint.pagination = pagination;
  return Object.freeze(endpoint);
}

function refuseUnusable({ info: { method }, pointer, problem }: Operation): void {
  if (problem !== undefined) throw new OperationProblem(pointer, problem);
  if (!HEADER_NAME.test(method) || method.length > MAX_METHOD_CHARS || method === 'CONNECT') {
    throw new OperationProblem(pointer, `${JSON.stringify(method)} is not a method a request can have`);
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

/**
 * For operations without a word of text: `Unban user from guild (DELETE /guilds/{guild_id}/bans/{user_id}).` The words are
 * those of the name, which is cleaned of what a generator wrote into the operationId.
 */
function plainSummary({ method, path, operationId }: OperationInfo, action: string): string {
  const request = `${method} ${toPlainText(path)}`;
  const words = operationId === undefined ? '' : action.replaceAll('_', ' ');
  return /[a-z]{2}/.test(words) ? `${words[0]!.toUpperCase()}${words.slice(1)} (${request}).` : request;
}

function buildOutputSchema(schema: Place | undefined, builder: SchemaBuilder): JsonSchema | undefined {
  if (!schema) return undefined;
  const uses = new Set<Definition>();
  const answer = builder.convert(schema, 'response', uses);
  const $defs = builder.definitions(uses, 'response');
  return $defs && typeof answer !== 'boolean' ? { ...answer, $defs } : answer;
}

/** Where each text came from that a model reads. */
function explainTexts(
  endpoint: Endpoint,
  extension: OperationExtension,
  node: Node,
  texts: Readonly<Record<'summary' | 'description', string | undefined>>,
): { readonly summary: string; readonly description: string } {
  const source = (word: 'description' | 'summary') => {
    if (extension[word] !== undefined) return `${word} of x-mcp`;
    return `${word} of the ${textAt(node, word) === undefined ? 'path' : 'operation'}`;
  };
  // Text of which nothing can be seen was not taken.
  const summary =
    texts.summary && toSummary(texts.summary)
      ? source('summary')
      : texts.description && toSummary(texts.description)
        ? `first sentence of the ${source('description')}`
        : `made from ${endpoint.source.operationId === undefined ? '' : 'operationId, '}method and path`;
  return { summary, description: endpoint.description === undefined ? summary : source('description') };
}
