// Serves tools on servers of the official SDK without importing it: an object with `setRequestHandler` is a Server, one that has
// such an object in `.server` is an McpServer. SDK v1 names a method by a zod schema, v2 by its name. Calls go through the adapter,
// so their answers are redacted like all others.
import { z } from 'zod';
import type { CallTable } from '../adapter/adapter.ts';
import { createAdapter } from '../adapter/adapter.ts';
import type { RequestFacts } from '../call/execution-context.ts';
import type { Outcome } from '../call/outcome.ts';
import type { ToolDefinition } from '../catalog/tool-entry.ts';
import type { Args } from '../endpoint/model.ts';
import { GatewayError, toRpcCode } from '../errors.ts';
import type { Redaction } from '../orchestration/redaction.ts';
import { parseTrace } from '../protocol/wire/trace.ts';
import { toLegacyStructured } from '../schema/output-schema.ts';
import type { CallSpan } from '../tracing/call-span.ts';
import { findTracing, type Tracing } from '../tracing/tracing.ts';
import { isModern, readSdkRequest } from './sdk-request.ts';

/** Removes the tools from the server again. */
export type Detach = () => void;

/** The options of `ToolRegistry.attachToServer()`. */
export interface AttachOptions {
  /** Adds or replaces facts about a call, for example the principal of your own authentication. */
  readonly call?: (extra: unknown) => Partial<RequestFacts>;
  /** Values that no answer may contain, beside the secrets of the REST operations. */
  readonly secrets?: readonly string[];
}

export interface ToolSource {
  readonly list: () => readonly ToolDefinition[];
  readonly tools: CallTable<Outcome>;
  readonly redaction: () => Redaction;
}

type SdkHandler = (request: unknown, extra: unknown) => unknown;

/** The methods of a server that are used. Only the first is required. */
export interface ServerLike {
  setRequestHandler(method: unknown, handler: SdkHandler): void;
  removeRequestHandler?(method: string): void;
  registerCapabilities?(capabilities: object): void;
  getClientCapabilities?(): unknown;
  readonly transport?: unknown;
  /** Not public in the SDK. If the server has it, tools that are registered already are kept. */
  readonly _requestHandlers?: Map<string, SdkHandler>;
}

interface ToolsResult {
  readonly tools?: readonly unknown[];
  readonly nextCursor?: string;
}

export function attach(target: unknown, source: ToolSource, options: AttachOptions): Detach {
  const server = resolveServer(target);
  // Only possible before connecting: a connected server has declared its capabilities already.
  if (server.transport === undefined) server.registerCapabilities?.({ tools: {} });

  const tracing = findTracing();
  // If the server cannot remove our handlers, they stay. Once detached, they behave as if the tools did not exist.
  let isAttached = true;
  const list = replaceHandler(server, 'tools/list', (before) => async (request, extra) => {
    const theirs = before ? ((await before(request, extra)) as ToolsResult) : {};
    if (!isAttached || theirs.nextCursor !== undefined) return { tools: [], ...theirs };
    return { ...theirs, tools: [...(theirs.tools ?? []), ...source.list()] };
  });
  const call = replaceHandler(server, 'tools/call', (before) => async (request, extra) => {
    const { name, arguments: args = {} } = (request as { params: { name: string; arguments?: Args } }).params;
    if (before && !(isAttached && source.tools.find(name))) return before(request, extra);
    const redaction = source.redaction();
    const span = tracing && openSpan(tracing, request, source);
    try {
      if (!isAttached) throw new GatewayError('UNKNOWN_TOOL', `Unknown tool: ${name}.`, { tool: name });
      const facts = { ...readSdkRequest(server, extra, redaction), ...options.call?.(extra), span };
      const adapter = createAdapter({ tools: source.tools, redaction, audit: () => {}, onHandlerError: () => {} });
      const perform = () => adapter.callTool(facts, name, args);
      return toResult(await (span === undefined ? perform() : span.run(perform)));
    } catch (error) {
      throw toSdkError(error, redaction, isModern(extra));
    } finally {
      span?.end();
    }
  });
  return () => {
    if (!isAttached) return;
    isAttached = false;
    list();
    call();
  };
}

/** The name is recorded only if the tool exists: clients can invent any number of names. */
function openSpan(tracing: Tracing, request: unknown, { tools }: ToolSource): CallSpan {
  const { name, _meta: meta } = (request as { params: { name: string; _meta?: Readonly<Record<string, unknown>> } })
    .params;
  const isKnown = tools.find(name) !== undefined;
  const attributes = {
    'mcp.method.name': 'tools/call',
    'gen_ai.operation.name': 'execute_tool',
    ...(isKnown && { 'gen_ai.tool.name': name }),
  };
  return tracing.open(isKnown ? `tools/call ${name}` : 'tools/call', attributes, {
    meta: parseTrace(meta),
    headers: undefined,
  });
}

function resolveServer(target: unknown): ServerLike {
  const inner = (target as { server?: unknown } | null | undefined)?.server;
  if (isServer(inner)) return inner;
  if (isServer(target)) return target;
  throw new GatewayError(
    'BAD_CONFIG',
    'attachToServer() needs an MCP Server or McpServer: an object with setRequestHandler(), or one that holds it in .server.',
  );
}

function isServer(value: unknown): value is ServerLike {
  return typeof (value as Partial<ServerLike> | null | undefined)?.setRequestHandler === 'function';
}

/** Replaces a handler. Returns a function that restores the old one, if the server allows that. */
function replaceHandler(
  server: ServerLike,
  method: string,
  build: (before: SdkHandler | undefined) => SdkHandler,
): Detach {
  const before = server._requestHandlers?.get(method);
  const handler = build(before);
  try {
    server.setRequestHandler(method, handler);
  } catch (refusal) {
    try {
      server.setRequestHandler(z.looseObject({ method: z.literal(method) }), handler);
    } catch {
      throw refusal;
    }
  }
  return () => {
    if (before) server._requestHandlers?.set(method, before);
    else server.removeRequestHandler?.(method);
  };
}

function toResult(outcome: Outcome): object {
  if (outcome.inputRequired) return { resultType: 'input_required', ...outcome.inputRequired };
  return {
    content: outcome.content,
    ...(outcome.isError && { isError: true }),
    // An object in every revision, because grouped tools declare no output schema.
    ...(outcome.structured !== undefined && { structuredContent: toLegacyStructured(undefined, outcome.structured) }),
  };
}

/** SDK servers answer with the `code` of the error that is thrown. */
function toSdkError(error: unknown, redaction: Redaction, isModernClient: boolean): Error {
  const message = redaction.text(error instanceof Error ? error.message : String(error));
  const wire = error instanceof GatewayError && {
    code: toRpcCode(error, isModernClient),
    data: redaction.value(error.details),
  };
  return Object.assign(new Error(message, { cause: error }), wire);
}
