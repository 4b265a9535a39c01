// The methods that both eras share, once the envelope has been checked: lists from prepared text, completions, and calls through the
// adapter.
import type { Adapter, CallTable } from '../adapter/adapter.ts';
import type { RequestFacts } from '../call/execution-context.ts';
import type { Registry } from '../catalog/registry.ts';
import type { PromptOutcome, PromptTable } from '../catalog/resources-and-prompts/prompts.ts';
import { findResource, type ReadOutcome, type ResourceTable } from '../catalog/resources-and-prompts/resources.ts';
import { isObject } from '../endpoint/is-object.ts';
import type { Args } from '../endpoint/model.ts';
import { GatewayError } from '../errors.ts';
import type { Version } from './eras.ts';
import type { Reply } from './sender.ts';
import type { Canned, ListMethod } from './wire/canned.ts';
import {
  checkMirroredArguments,
  findMirroredArguments,
  type Headers,
  type MirroredArgument,
} from './wire/header-checks.ts';
import type { MessageParams, RequestMessage } from './wire/jsonrpc.ts';
import { ok, unavailable } from './wire/replies.ts';
import type { Caching, ResultWriter, SharedResult } from './wire/results.ts';

export interface DispatchOptions {
  readonly registry: Registry;
  readonly resources: ResourceTable;
  readonly prompts: PromptTable;
  readonly adapter: Adapter;
  readonly canned: Canned;
  readonly writer: ResultWriter;
  readonly caching: Caching;
}

export interface Dispatch {
  /** The result of a method that needs no call; undefined for other methods. */
  lookUp(method: string, version: Version, params: MessageParams | undefined): string | SharedResult | undefined;
  /** Whether `perform` handles this method. */
  performs(method: string): boolean;
  /** Calls the adapter. `mirroredIn`: modern HTTP only, the headers that must agree with the arguments. */
  perform(request: RequestFacts, message: RequestMessage, version: Version, mirroredIn?: Headers): Promise<Reply>;
}

/** For answers of an API: the gateway does not know how long they stay valid, or which other callers may get them. */
const UNCACHED: Caching = { ttlMs: 0, cacheScope: 'private' };

type Perform = Dispatch['perform'];

export function createDispatch(options: DispatchOptions): Dispatch {
  const { resources, prompts, canned, writer } = options;
  const offersResources = resources.resources.size + resources.templates.length > 0;
  const offersPrompts = prompts.size > 0;
  const lists = new Set<string>([
    'tools/list',
    ...(offersResources ? ['resources/list', 'resources/templates/list'] : []),
    ...(offersPrompts ? ['prompts/list'] : []),
  ]);
  const completes = offersPrompts || resources.templates.length > 0;
  const performers = new Map<string, Perform>([
    ['tools/call', createToolCall(options)],
    ...(offersResources ? [['resources/read', createResourceRead(options)] as const] : []),
    ...(offersPrompts ? [['prompts/get', createPromptGet(options)] as const] : []),
  ]);

  return {
    lookUp(method, version, params) {
      if (lists.has(method)) return canned.list(method as ListMethod, version, params?.cursor);
      if (method !== 'completion/complete' || !completes) return undefined;
      return writer.writeObject({ completion: complete(params, prompts, resources) }, version);
    },
    performs: (method) => performers.has(method),
    perform: (request, message, version, mirroredIn) =>
      performers.get(message.method)!(request, message, version, mirroredIn),
  };
}

function createToolCall({ registry, adapter, writer }: DispatchOptions): Perform {
  const mirrors = new Map<string, readonly MirroredArgument[]>();
  for (const [name, { tool }] of registry.tools) {
    const headers = findMirroredArguments(tool.inputSchema);
    if (headers.length > 0) mirrors.set(name, headers);
  }
  return async (request, message, version, mirroredIn) => {
    const name = parseName(message.params, 'name');
    const args = parseArguments(message.params);
    const headers = mirrors.get(name);
    if (headers && mirroredIn) checkMirroredArguments(mirroredIn, args, headers);
    const outcome = await adapter.callTool(request, name, args);
    const reply = ok(message, writer.writeOutcome(outcome, version));
    return outcome.isUnavailable ? unavailable(reply) : reply;
  };
}

function createResourceRead({ resources, adapter, writer, caching }: DispatchOptions): Perform {
  const table: CallTable<ReadOutcome> = {
    find: (uri) => findResource(resources, uri),
    missing: (uri) =>
      new GatewayError(
        'RESOURCE_NOT_FOUND',
        `There is no resource ${uri.slice(0, 500)}; resources/list and resources/templates/list show what there is.`,
        { uri: uri.slice(0, 500) },
      ),
  };
  return async (request, message, version) => {
    const uri = parseName(message.params, 'uri');
    const { contents, fixed, inputRequired } = await adapter.perform(request, uri, {}, table);
    const text = inputRequired
      ? writer.writeObject({ ...inputRequired, resultType: 'input_required' }, version)
      : writer.writeObject({ contents }, version, fixed ? caching : UNCACHED);
    return ok(message, text);
  };
}

function createPromptGet({ prompts, adapter, writer }: DispatchOptions): Perform {
  const table: CallTable<PromptOutcome> = {
    find: (name) => prompts.get(name)?.get,
    missing: (name) =>
      new GatewayError(
        'INVALID_PARAMS',
        `There is no prompt "${name.slice(0, 100)}"; prompts/list shows what there is.`,
        {
          prompt: name.slice(0, 100),
        },
      ),
  };
  return async (request, message, version) => {
    const name = parseName(message.params, 'name');
    const args = parseArguments(message.params);
    const { inputRequired, ...result } = await adapter.perform(request, name, args, table);
    const object = inputRequired ? { ...inputRequired, resultType: 'input_required' } : result;
    return ok(message, writer.writeObject(object as MessageParams, version));
  };
}

function parseName(params: MessageParams | undefined, key: 'name' | 'uri'): string {
  const name = params?.[key];
  if (typeof name === 'string' && name.trim() !== '') return name;
  throw new GatewayError('INVALID_PARAMS', `Invalid params: "${key}" must be a string that is not blank.`);
}

function parseArguments(params: MessageParams | undefined): Args {
  const args = params?.arguments;
  if (args === undefined) return {};
  if (isObject(args)) return args;
  throw new GatewayError('INVALID_PARAMS', 'Invalid params: "arguments" must be an object.');
}

const MAX_COMPLETIONS = 100;

interface Completion {
  readonly values: readonly string[];
  readonly total: number;
  readonly hasMore: boolean;
}

/** completion/complete: enumerated and declared values of prompt arguments and template variables. */
function complete(params: MessageParams | undefined, prompts: PromptTable, resources: ResourceTable): Completion {
  const { ref, argument } = (params ?? {}) as { ref?: Record<string, unknown>; argument?: Record<string, unknown> };
  const { name, value } = argument ?? {};
  if (typeof name !== 'string' || typeof value !== 'string') {
    throw new GatewayError('INVALID_PARAMS', 'Invalid params: "argument" must have a name and a value, both strings.');
  }
  const valuesByName = valuesOf(ref, prompts, resources);
  const prefix = value.toLowerCase();
  const values = (Object.hasOwn(valuesByName, name) ? (valuesByName[name] ?? []) : []).filter((item) =>
    item.toLowerCase().startsWith(prefix),
  );
  return { values: values.slice(0, MAX_COMPLETIONS), total: values.length, hasMore: values.length > MAX_COMPLETIONS };
}

function valuesOf(
  ref: Record<string, unknown> | undefined,
  prompts: PromptTable,
  { templates, resources }: ResourceTable,
): Readonly<Record<string, readonly string[]>> {
  if (ref?.type === 'ref/prompt') {
    const name = toName(ref.name);
    const prompt = prompts.get(name);
    if (prompt) return prompt.values;
    throw new GatewayError('INVALID_PARAMS', `There is no prompt "${name}", so its arguments cannot be completed.`);
  }
  if (ref?.type === 'ref/resource') {
    const uri = toName(ref.uri);
    const template = templates.find(({ definition }) => definition.uri === uri);
    if (template) return template.values;
    if (resources.has(uri)) return {};
    throw new GatewayError(
      'INVALID_PARAMS',
      `There is no resource template ${uri}, so its variables cannot be completed.`,
    );
  }
  throw new GatewayError(
    'INVALID_PARAMS',
    'Invalid params: "ref" must be {"type":"ref/prompt","name":…} or {"type":"ref/resource","uri":…}.',
  );
}

/** Does not call String(): an object of a caller may have a toString that throws. */
function toName(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new GatewayError(
    'INVALID_PARAMS',
    'Invalid params: "ref" must name a prompt, or a resource template by its uri.',
  );
}
