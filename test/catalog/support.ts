// Endpoints, operations and calls made by hand, so that each test says only what matters to it.

import type { ExecutionContext, RequestFacts } from '../../src/call/execution-context.ts';
import type { Handler } from '../../src/call/handler.ts';
import {
  DEFAULT_ENDPOINT_LIMITS,
  DEFAULT_RESPONSE,
  type Domain,
  type Endpoint,
  type JsonSchema,
} from '../../src/endpoint/model.ts';
import { buildControls, mayAnswerJson } from '../../src/orchestration/controls.ts';
import type { Operation } from '../../src/orchestration/operation.ts';
import { createValidator } from '../../src/schema/check/validator.ts';
import { contextOf } from '../support/context.ts';

export function aCall(tool: string, more: Partial<RequestFacts> = {}): ExecutionContext {
  return contextOf({ tool, requestId: '1', principal: { id: 'tester' }, transport: 'local', ...more });
}

interface EndpointInit extends Partial<Omit<Endpoint, 'inputSchema'>> {
  readonly properties?: Record<string, JsonSchema>;
  readonly required?: readonly string[];
  readonly inputSchema?: JsonSchema;
}

export function anEndpoint(domain: string, action: string, init: EndpointInit = {}): Endpoint {
  const { properties = {}, required = [], ...more } = init;
  const effect = init.effect ?? 'read';
  return {
    id: `${domain}.${action}`,
    domain,
    action,
    toolName: action,
    summary: `${action.replaceAll('_', ' ')}.`,
    tags: [],
    effect,
    idempotent: effect !== 'write',
    deprecated: false,
    method: effect === 'read' ? 'GET' : effect === 'write' ? 'POST' : 'DELETE',
    path: `/${action}`,
    baseUrl: 'http://127.0.0.1:9',
    headers: {},
    args: Object.keys(properties).map((key) => ({ key, required: required.includes(key), to: [] })),
    fixed: [],
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
    security: [],
    response: DEFAULT_RESPONSE,
    limits: DEFAULT_ENDPOINT_LIMITS,
    examples: [],
    expose: 'tool',
    source: { kind: 'openapi', file: `${domain}.yaml` },
    ...more,
  };
}

/** An operation that validates like a real one and answers with what it was called with. */
export function anOperation(endpoint: Endpoint, run?: Handler): Operation {
  const { schemas, keys, take } = buildControls(new Set(endpoint.args.map(({ key }) => key)), {
    fields: mayAnswerJson(endpoint) ? 'advertised' : 'useless',
    token: endpoint.effect === 'destructive',
  });
  const validate = createValidator(endpoint);
  const echo: Handler = async (context, args) => ({
    content: [{ type: 'text', text: JSON.stringify({ endpoint: endpoint.id, tool: context.label, args }) }],
    isError: false,
  });
  return {
    endpoint,
    controls: schemas,
    controlNames: Object.keys(keys) as Operation['controlNames'],
    controlKeys: keys,
    run: async (context, args) =>
      (run ?? echo)(context, validate(context.label, take(context.label, args)?.args ?? args)),
  };
}

export function aDomain(name: string, endpoints: readonly Endpoint[], more: Partial<Domain> = {}): Domain {
  return {
    name,
    title: name,
    description: `The ${name} API.`,
    endpoints,
    quarantined: [],
    guard: {},
    pinned: [],
    prompts: [],
    resources: [],
    warnings: [],
    source: `${name}.yaml`,
    ...more,
  };
}

export function textOf(outcome: { readonly content: readonly unknown[] }): string {
  return (outcome.content[0] as { text: string }).text;
}
