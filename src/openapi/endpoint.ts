// One operation → one Endpoint. What is cheap is read at once, so that an operation which cannot work is known at start;
// schemas, examples and long texts are built when somebody asks.
import {
  type Args,
  DEFAULT_LIMITS,
  DEFAULT_RESPONSE,
  type Effect,
  type Endpoint,
  type JsonSchema,
  type ResponsePlan,
} from '../endpoint/model.ts';
import { toSnakeCase } from '../endpoint/names.ts';
import { planArguments } from './arguments.ts';
import { type BodyDraft, readBodyParameters, readRequestBody } from './body.ts';
import { buildExamples } from './examples.ts';
import { FRAMING_HEADERS, type GivenHeader, HEADER_NAME } from './headers.ts';
import { buildInputSchema } from './input-schema.ts';
import type { Limits } from './limits.ts';
import { type Node, once, own, textAt } from './node.ts';
import type { Operation } from './operations.ts';
import type { OperationInfo } from './options.ts';
import type { Parameter, ReadParameters } from './parameters.ts';
import type { Place, Resolver } from './resolve.ts';
import { detectPagination, mediaTypesOf, readAnswer } from './responses.ts';
import { OperationProblem, type ScanRequest } from './scan.ts';
import type { Definition, SchemaBuilder } from './schema.ts';
import type { Security } from './security.ts';
import type { Servers } from './servers.ts';
import type { ShapeOf } from './shape.ts';
import { readTemplate } from './template.ts';
import { cleanLine, cleanText, firstSentence } from './text.ts';
import type { Variants } from './variants.ts';
import type { OperationExtension } from './x-mcp.ts';

export interface ImportContext {
  readonly domain: string;
  readonly label: string;
  readonly root: unknown;
  readonly resolver: Resolver;
  readonly readParameters: ReadParameters;
  readonly builder: SchemaBuilder;
  readonly shapeOf: ShapeOf;
  readonly variants: Variants;
  readonly scan: ScanRequest;
  readonly servers: Servers;
  readonly security: Security;
  readonly headers: readonly GivenHeader[];
  readonly limits: Limits;
  readonly warnings: string[];
  readonly responsePlan: (mediaTypes: readonly string[]) => ResponsePlan;
}

export interface Naming {
  readonly action: string;
  readonly toolName: string;
  readonly from: string;
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY', 'TRACE']);
const METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}$/;
/** OAS: header parameters of these names are ignored; the gateway writes them. */
const OWN_HEADERS = new Set(['accept', 'content-type', 'authorization', ...FRAMING_HEADERS]);

/** Throws OperationProblem when the operation cannot work. */
export function buildEndpoint(
  operation: Operation,
  naming: Naming,
  extension: OperationExtension,
  context: ImportContext,
): Endpoint {
  const { info, place, pathItem, pointer, problem } = operation;
  const { resolver, builder, servers, security } = context;
  if (problem !== undefined) throw new OperationProblem(pointer, problem);
  if (!METHOD.test(info.method) || info.method === 'CONNECT') {
    throw new OperationProblem(pointer, `${JSON.stringify(info.method)} is not a method a request can have`);
  }
  const node = place.value as Node;
  const { parameters, bodyParameters } = context.readParameters(pathItem, place);
  const template = readTemplate(info.path, new Set(parameters.filter((p) => p.in === 'path').map((p) => p.name)));
  const { kept, schemes } = keepParameters(parameters, template, operation, context);
  const bodyContext = { resolver, shapeOf: context.shapeOf, limits: context.limits, method: info.method };
  const body: BodyDraft | undefined =
    place.document.dialect.major === 2 || (bodyParameters.length > 0 && own(node, 'requestBody') === undefined)
      ? readBodyParameters(bodyParameters, mediaTypesOf(context.root, node, 'consumes'), place, bodyContext)
      : readRequestBody(place, bodyContext);

  const given = new Set(kept.map((parameter) => (parameter.in === 'path' ? parameter.name : '')));
  const undeclared = template.variables.filter((variable) => !given.has(variable));
  if (undeclared.length > 0) {
    const names = undeclared.map((name) => `{${name}}`).join(', ');
    context.warnings.push(
      `${context.label}: ${info.method} ${info.path}: ${names} is not declared; it is taken as a string`,
    );
  }
  const plan = planArguments(kept, undeclared, body);
  if (plan.arguments.length > context.limits.maxArguments * 2) {
    throw new OperationProblem(
      pointer,
      `it takes ${plan.arguments.length} arguments; more than ${context.limits.maxArguments * 2} cannot be offered`,
    );
  }
  context.scan([...kept.map((parameter) => parameter.schema), ...(body?.schemas ?? [])]);

  const server = servers.forOperation(pathItem.value, node);
  const answer = readAnswer(place, mediaTypesOf(context.root, node, 'produces'), resolver);
  const credentials = security.forOperation(node, `${pointer}/security`, server.url, schemes);
  const effect: Effect =
    extension.effect ?? (READS.has(info.method) ? 'read' : info.method === 'DELETE' ? 'destructive' : 'write');
  const pagination = detectPagination(
    plan.args.map((arg) => arg.key),
    READS.has(info.method),
    answer.schema,
    resolver,
  );

  const said = extension.description ?? textAt(node, 'description') ?? textAt(pathItem.value, 'description');
  const short = extension.summary ?? textAt(node, 'summary') ?? textAt(pathItem.value, 'summary');
  const title = extension.title ?? short;
  const description = once(() => (said === undefined ? undefined : cleanText(said) || undefined));
  const summary = once(() => (short && firstSentence(short)) || (said && firstSentence(said)) || plainSummary(info));
  const input = once((): JsonSchema => buildInputSchema(plan.arguments, body, context));
  const output = once((): JsonSchema | undefined => buildOutputSchema(answer.schema, builder));
  const examples = once((): readonly Args[] =>
    [...extension.examples, ...buildExamples(plan.arguments, body, resolver)].slice(0, 3),
  );
  const provenance = once(() => explain(naming, extension, node, server.from, info.operationId));

  const endpoint: Endpoint = {
    id: `${context.domain}.${naming.action}`,
    domain: context.domain,
    action: naming.action,
    toolName: naming.toolName,
    ...(title ? { title: firstSentence(title, 100).replace(/\.$/, '') } : {}),
    get summary() {
      return summary();
    },
    get description() {
      return description()!;
    },
    tags: extension.tags ?? info.tags,
    effect,
    idempotent: extension.idempotent ?? (READS.has(info.method) || info.method === 'PUT' || info.method === 'DELETE'),
    deprecated: info.deprecated,
    ...(extension.guard === undefined ? {} : { guard: extension.guard }),
    method: info.method,
    path: template.path,
    baseUrl: server.url,
    headers: NO_HEADERS,
    args: plan.args,
    fixed: plan.fixed,
    ...(body ? { body: body.plan } : {}),
    get inputSchema() {
      return input();
    },
    get outputSchema() {
      return output();
    },
    security: credentials,
    response: withExtension(context.responsePlan(answer.mediaTypes), extension.response),
    ...(pagination === undefined ? {} : { pagination }),
    limits: extension.timeoutMs === undefined ? DEFAULT_LIMITS : { ...DEFAULT_LIMITS, timeoutMs: extension.timeoutMs },
    get examples() {
      return examples();
    },
    expose: extension.expose ?? 'tool',
    source: {
      kind: 'openapi',
      file: context.label,
      pointer,
      ...(info.operationId === undefined ? {} : { operationId: info.operationId }),
    },
    get provenance() {
      return provenance();
    },
  };
  return Object.freeze(endpoint);
}

/** For operations without a word of text: `Unban user from guild (DELETE /guilds/{guild_id}/bans/{user_id}).` */
function plainSummary({ method, path, operationId }: OperationInfo): string {
  const request = `${method} ${cleanLine(path)}`;
  const words = operationId === undefined ? '' : toSnakeCase(operationId).replaceAll('_', ' ');
  return /[a-z]{2}/.test(words) ? `${words[0]!.toUpperCase()}${words.slice(1)} (${request}).` : request;
}

const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({});

function withExtension(plan: ResponsePlan, extension: Partial<ResponsePlan> | undefined): ResponsePlan {
  return extension === undefined ? plan : { ...DEFAULT_RESPONSE, ...plan, ...extension };
}

/** What may be an argument: no credentials, no headers of ours, no path parameter without a place in the path. */
function keepParameters(
  parameters: readonly Parameter[],
  template: ReturnType<typeof readTemplate>,
  { pointer, info }: Operation,
  { security, headers, warnings, label }: ImportContext,
): { kept: Parameter[]; schemes: string[] } {
  const schemes: string[] = [];
  const kept: Parameter[] = [];
  const say = (what: string) => warnings.push(`${label}: ${info.method} ${info.path}: ${what}`);
  for (const parameter of parameters) {
    const lower = parameter.name.toLowerCase();
    const key = security.apiKeys.find(
      (place) =>
        place.in === parameter.in &&
        (place.in === 'header' ? place.field.toLowerCase() === lower : place.field === parameter.name),
    );
    if (key) {
      if (parameter.required) schemes.push(key.scheme);
    } else if (
      parameter.in === 'header' &&
      (OWN_HEADERS.has(lower) || headers.some((header) => header.name === lower))
    ) {
      if (FRAMING_HEADERS.has(lower)) say(`the header ${parameter.name} cannot be an argument and was left out`);
    } else if (parameter.in === 'header' && !HEADER_NAME.test(parameter.name)) {
      if (parameter.required)
        throw new OperationProblem(
          pointer,
          `it requires the header ${JSON.stringify(parameter.name)}, which is not a header name`,
        );
      say(`${JSON.stringify(parameter.name)} is not a header name; the parameter was left out`);
    } else if (template.queryVariables.has(parameter.name) && (parameter.in === 'path' || parameter.in === 'query')) {
      kept.push(inQuery(parameter, template.queryVariables.get(parameter.name)!));
    } else if (parameter.in === 'path' && !template.variables.includes(parameter.name)) {
      say(`the path parameter ${JSON.stringify(parameter.name)} has no place in the path and was left out`);
    } else kept.push(parameter);
  }
  return { kept, schemes };
}

/** A variable of a query string inside the path key is a query parameter, whatever the document calls it. */
function inQuery(parameter: Parameter, name: string): Parameter {
  const { target } = parameter;
  if (target.in === 'query') return { ...parameter, target: { ...target, name } };
  return { ...parameter, in: 'query', target: { in: 'query', name, style: 'form', explode: false } };
}

function buildOutputSchema(schema: Place | undefined, builder: SchemaBuilder): JsonSchema | undefined {
  if (!schema) return undefined;
  const uses = new Set<Definition>();
  const built = builder.convert(schema.document, schema.value, 'response', uses);
  const $defs = builder.definitions(uses, 'response');
  if (typeof built === 'boolean') return built;
  return $defs ? { ...built, $defs } : built;
}

function explain(
  naming: Naming,
  extension: OperationExtension,
  node: Node,
  serverFrom: string,
  operationId: string | undefined,
): Record<string, string> {
  const source = (word: 'description' | 'summary') =>
    extension[word] !== undefined
      ? 'x-mcp'
      : own(node, word) !== undefined
        ? `${word} of the operation`
        : 'made from method and path';
  return {
    name: naming.from,
    summary: source('summary'),
    description: source('description'),
    effect: extension.effect !== undefined ? 'x-mcp' : 'the HTTP method',
    'base URL': serverFrom,
    ...(operationId === undefined ? {} : { operationId }),
  };
}
