// The `extra` (SDK v1) or `ctx` (SDK v2) of a request handler as a Call.
import { z } from 'zod';
import type { Call, Client } from '../call/handler.ts';
import type { ServerLike } from './attach.ts';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

type Notification = { readonly method: string; readonly params: object };

interface V1Extra {
  readonly requestId?: string | number;
  readonly signal?: AbortSignal;
  readonly authInfo?: { readonly clientId?: string; readonly scopes?: readonly string[] };
  readonly _meta?: { readonly progressToken?: string | number };
  readonly sendRequest?: (request: Notification, schema: unknown, options: object) => Promise<unknown>;
  readonly sendNotification?: (notification: Notification) => Promise<void>;
}

interface V2Context {
  readonly mcpReq: {
    readonly id: string | number;
    readonly signal: AbortSignal;
    readonly _meta?: V1Extra['_meta'];
    readonly envelope?: Readonly<Record<string, unknown>>;
    readonly inputResponses?: Readonly<Record<string, unknown>>;
    readonly requestState?: () => unknown;
    readonly send?: (request: Notification, options: object) => Promise<unknown>;
    readonly notify?: (notification: Notification) => Promise<void>;
  };
  readonly http?: { readonly authInfo?: V1Extra['authInfo'] };
}

const never = new AbortController().signal;

export function toSdkCall(server: ServerLike, extra: unknown, tool: string): Call {
  const given = (extra ?? {}) as V1Extra & Partial<V2Context>;
  const modern = given.mcpReq;
  const auth = given.authInfo ?? given.http?.authInfo;
  const requestState = modern?.requestState?.();
  const notify = modern?.notify ?? given.sendNotification;
  const progressToken = (modern ?? given)._meta?.progressToken;
  return {
    requestId: String(modern?.id ?? given.requestId ?? ''),
    tool,
    principal: { id: auth?.clientId ?? 'anonymous', ...(auth?.scopes && { scopes: auth.scopes }) },
    transport: 'local',
    signal: modern?.signal ?? given.signal ?? never,
    client: toClient(server, given),
    ...(progressToken !== undefined && notify && { progress: reportTo(notify, progressToken) }),
    ...(modern?.inputResponses && { answers: modern.inputResponses }),
    ...(typeof requestState === 'string' && { requestState }),
  };
}

function toClient(server: ServerLike, given: V1Extra & Partial<V2Context>): Client {
  const { envelope, send } = given.mcpReq ?? {};
  if (envelope?.[VERSION] !== undefined) return { era: 'modern', capabilities: asRecord(envelope[CAPABILITIES]) };
  const ask = send
    ? (request: Notification, signal: AbortSignal) => send(request, { signal })
    : given.sendRequest &&
      ((request: Notification, signal: AbortSignal) => given.sendRequest!(request, z.looseObject({}), { signal }));
  return {
    era: 'legacy',
    capabilities: asRecord(server.getClientCapabilities?.()),
    ...(ask && { request: (method, params, signal) => ask({ method, params: asRecord(params) }, signal) }),
  };
}

/** A progress report that cannot be delivered is no reason to fail a call. */
function reportTo(notify: (notification: Notification) => Promise<void>, progressToken: string | number) {
  return (progress: number, total?: number, message?: string): void => {
    const params = { progressToken, progress, ...(total !== undefined && { total }), ...(message && { message }) };
    notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
