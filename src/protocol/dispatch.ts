// The methods both eras share, once the envelope is understood: lists from canned bytes, everything else through the
// adapter.
import { randomBytes } from 'node:crypto';
import type { Adapter } from '../adapter/adapter.ts';
import type { Call, Client } from '../call/handler.ts';
import type { Registry } from '../catalog/registry.ts';
import type { PromptEntry } from '../catalog/resources-and-prompts/prompts.ts';
import { findResource, type ResourceTable } from '../catalog/resources-and-prompts/resources.ts';
import { isObject } from '../endpoint/is-object.ts';
import type { Args } from '../endpoint/model.ts';
import { GatewayError } from '../errors.ts';
import { complete } from './completion.ts';
import type { Version } from './eras.ts';
import type { RequestContext } from './request-context.ts';
import type { Canned, ListMethod } from './wire/canned.ts';
import {
  checkMirroredArguments,
  findMirroredArguments,
  type Headers,
  type MirroredArgument,
} from './wire/header-checks.ts';
import { type Params, type RequestId, writeNotification } from './wire/jsonrpc.ts';
import type { Caching, ResultWriter } from './wire/results.ts';
import { parseTrace } from './wire/trace.ts';

export interface DispatchParts {
  readonly registry: Registry;
  readonly resources: ResourceTable;
  readonly prompts: ReadonlyMap<string, PromptEntry>;
  readonly adapter: Adapter;
  readonly canned: Canned;
  readonly writer: ResultWriter;
  readonly caching: Caching;
}

/** What an API answered just now: nobody knows how long it holds, or for whom else. */
const UNCACHED: Caching = { ttlMs: 0, cacheScope: 'private' };

/** A request whose era is settled. */
export interface Settled {
  readonly id: RequestId;
  readonly method: string;
  readonly params: Params | undefined;
  readonly version: Version;
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly context: RequestContext;
  /** For progress; shut once the request is answered. */
  readonly send?: ((message: string) => void) | undefined;
  readonly log?: Call['log'] | undefined;
  /** Modern HTTP only: the headers that must agree with the arguments. */
  readonly mirroredIn?: Headers | undefined;
}

/** Result text; undefined when the method does not exist. */
export type Dispatch = (request: Settled) => Promise<string> | string | undefined;

export function createDispatch(parts: DispatchParts): Dispatch {
  const { registry, resources, prompts, adapter, canned, writer, caching } = parts;
  const offersResources = resources.resources.size + resources.templates.length > 0;
  const mirrored = new Map<string, readonly MirroredArgument[]>();
  for (const [name, { definition }] of registry.tools) {
    const found = findMirroredArguments(definition.inputSchema);
    if (found.length > 0) mirrored.set(name, found);
  }

  const callTool = async (request: Settled): Promise<string> => {
    const name = parseName(request.params, 'name');
    const args = parseArguments(request.params);
    const headers = mirrored.get(name);
    if (headers && request.mirroredIn) checkMirroredArguments(request.mirroredIn, args, headers);
    const outcome = await adapter.callTool(toCall(request, name), name, args);
    return writer.writeOutcome(outcome, request.version);
  };

  const readResource = async (request: Settled): Promise<string> => {
    const uri = parseName(request.params, 'uri');
    const { contents, fixed, inputRequired } = await adapter.perform(
      toCall(request, uri),
      'resources/read',
      uri,
      {},
      {
        find: (name) => findResource(resources, name),
        missing: (name) =>
          new GatewayError(
            'RESOURCE_NOT_FOUND',
            `There is no resource ${name}; resources/list and resources/templates/list show what there is.`,
            { uri: name },
          ),
      },
    );
    if (inputRequired) return writer.writeObject({ ...inputRequired, resultType: 'input_required' }, request.version);
    return writer.writeObject({ contents }, request.version, fixed ? caching : UNCACHED);
  };

  const getPrompt = async (request: Settled): Promise<string> => {
    const name = parseName(request.params, 'name');
    const { inputRequired, ...result } = await adapter.perform(
      toCall(request, name),
      'prompts/get',
      name,
      parseArguments(request.params),
      {
        find: (key) => prompts.get(key)?.get,
        missing: (key) =>
          new GatewayError('INVALID_PARAMS', `There is no prompt "${key}"; prompts/list shows what there is.`, {
            prompt: key,
          }),
      },
    );
    return writer.writeObject(
      inputRequired ? { ...inputRequired, resultType: 'input_required' } : { ...result },
      request.version,
    );
  };

  return (request) => {
    const { method, params, version } = request;
    switch (method) {
      case 'tools/call':
        return callTool(request);
      case 'tools/list':
        return canned.list(method, version, params?.cursor);
      case 'resources/list':
      case 'resources/templates/list':
        return offersResources ? canned.list(method as ListMethod, version, params?.cursor) : undefined;
      case 'resources/read':
        return offersResources ? readResource(request) : undefined;
      case 'prompts/list':
        return prompts.size > 0 ? canned.list(method, version, params?.cursor) : undefined;
      case 'prompts/get':
        return prompts.size > 0 ? getPrompt(request) : undefined;
      case 'completion/complete':
        return prompts.size + resources.templates.length > 0
          ? writer.writeObject({ completion: complete(params, prompts, resources) }, version)
          : undefined;
      default:
        return undefined;
    }
  };
}

// Unique across restarts and replicas, cheap per request.
const RUN = randomBytes(6).toString('base64url');
let count = 0;

function toCall(request: Settled, tool: string): Call {
  const { params, context, client, signal, send } = request;
  const meta = params?._meta as Readonly<Record<string, unknown>> | undefined;
  const trace = parseTrace(meta);
  const token = meta?.progressToken;
  const answers = params?.inputResponses;
  const state = params?.requestState;
  if (answers !== undefined && !isObject(answers))
    throw new GatewayError('INVALID_PARAMS', '"inputResponses" must be an object.');
  if (state !== undefined && typeof state !== 'string')
    throw new GatewayError('INVALID_PARAMS', '"requestState" must be a string.');
  return {
    requestId: `${RUN}-${(++count).toString(36)}`,
    tool,
    principal: context.principal,
    transport: context.transport,
    signal,
    client,
    ...(trace && { trace }),
    ...(send && (typeof token === 'string' || typeof token === 'number') && { progress: createProgress(token, send) }),
    ...(request.log && { log: request.log }),
    ...(answers !== undefined && { answers }),
    ...(state !== undefined && { requestState: state }),
  };
}

export function wantsProgress(params: Params | undefined): boolean {
  return (params?._meta as Params | null | undefined)?.progressToken !== undefined;
}

/** Progress must grow with every notification (S:basic/patterns/progress). */
function createProgress(
  progressToken: string | number,
  send: (message: string) => void,
): NonNullable<Call['progress']> {
  let last = Number.NEGATIVE_INFINITY;
  return (progress, total, message) => {
    if (!(progress > last)) return;
    last = progress;
    send(
      writeNotification('notifications/progress', {
        progressToken,
        progress,
        ...(total !== undefined && { total }),
        ...(message !== undefined && { message }),
      }),
    );
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
