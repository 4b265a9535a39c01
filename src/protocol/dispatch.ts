// The methods both eras share, once the envelope is understood: lists from canned bytes, everything else through the
// adapter.
import type { Adapter, Table } from '../adapter/adapter.ts';
import type { RequestFacts } from '../call/execution-context.ts';
import type { Registry } from '../catalog/registry.ts';
import type { PromptOutcome, PromptTable } from '../catalog/resources-and-prompts/prompts.ts';
import { findResource, type ReadOutcome, type ResourceTable } from '../catalog/resources-and-prompts/resources.ts';
import { isObject } from '../endpoint/is-object.ts';
import type { Args } from '../endpoint/model.ts';
import { GatewayError } from '../errors.ts';
import { complete } from './completion.ts';
import type { Version } from './eras.ts';
import type { Reply } from './sender.ts';
import type { Canned, ListMethod } from './wire/canned.ts';
import {
  checkMirroredArguments,
  findMirroredArguments,
  type Headers,
  type MirroredArgument,
} from './wire/header-checks.ts';
import type { Params, RequestMessage } from './wire/jsonrpc.ts';
import { ok, unavailable } from './wire/reply.ts';
import type { Caching, ResultWriter } from './wire/results.ts';
import type { SharedResult } from './wire/shared-result.ts';

export interface DispatchParts {
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
  look(method: string, version: Version, params: Params | undefined): string | SharedResult | undefined;
  /** Whether a call of this method goes through the adapter. */
  performs(method: string): boolean;
  /** `mirroredIn`: modern HTTP only, the headers that must agree with the arguments. */
  perform(request: RequestFacts, message: RequestMessage, version: Version, mirroredIn?: Headers): Promise<Reply>;
}

/** For fresh answers of an API: how long they are valid, and for whom else, is not known. */
const UNCACHED: Caching = { ttlMs: 0, cacheScope: 'private' };

type Perform = Dispatch['perform'];

export function createDispatch(parts: DispatchParts): Dispatch {
  const { resources, prompts, canned, writer } = parts;
  const offersResources = resources.resources.size + resources.templates.length > 0;
  const offersPrompts = prompts.size > 0;
  const lists = new Set<string>([
    'tools/list',
    ...(offersResources ? ['resources/list', 'resources/templates/list'] : []),
    ...(offersPrompts ? ['prompts/list'] : []),
  ]);
  const completes = offersPrompts || resources.templates.length > 0;
  const performers = new Map<string, Perform>([
    ['tools/call', createToolCall(parts)],
    ...(offersResources ? [['resources/read', createResourceRead(parts)] as const] : []),
    ...(offersPrompts ? [['prompts/get', createPromptGet(parts)] as const] : []),
  ]);

  return {
    look(method, version, params) {
      if (lists.has(method)) return canned.list(method as ListMethod, version, params?.cursor);
      if (method !== 'completion/complete' || !completes) return undefined;
      return writer.writeObject({ completion: complete(params, prompts, resources) }, version);
    },
    performs: (method) => performers.has(method),
    perform: (request, message, version, mirroredIn) =>
      performers.get(message.method)!(request, message, version, mirroredIn),
  };
}

function createToolCall({ registry, adapter, writer }: DispatchParts): Perform {
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

function createResourceRead({ resources, adapter, writer, caching }: DispatchParts): Perform {
  const table: Table<ReadOutcome> = {
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

function createPromptGet({ prompts, adapter, writer }: DispatchParts): Perform {
  const table: Table<PromptOutcome> = {
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
    return ok(message, writer.writeObject(object as Params, version));
  };
}

function parseName(params: Params | undefined, key: 'name' | 'uri'): string {
  const name = params?.[key];
  if (typeof name === 'string' && name.trim() !== '') return name;
  throw new GatewayError('INVALID_PARAMS', `Invalid params: "${key}" must be a string that is not blank.`);
}

function parseArguments(params: Params | undefined): Args {
  const args = params?.arguments;
  if (args === undefined) return {};
  if (isObject(args)) return args;
  throw new GatewayError('INVALID_PARAMS', 'Invalid params: "arguments" must be an object.');
}
