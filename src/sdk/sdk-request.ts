// Reads the `extra` (SDK v1) or `ctx` (SDK v2) of a request handler into the facts of an ExecutionContext.
import { z } from 'zod';
import type { Client, ReportProgress } from '../call/caller.ts';
import type { RequestFacts } from '../call/execution-context.ts';
import type { Redaction } from '../orchestration/redaction.ts';
import { askModern, canElicit, createLegacyAsk, type SecondRound } from '../protocol/questions/asking.ts';
import type { ServerLike } from './attach.ts';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
/** The SDK does not pass handlers the revision that a legacy client negotiated. */
const LEGACY = 'legacy';

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

type Extra = V1Extra & Partial<V2Context>;

const never = new AbortController().signal;

export function readSdkRequest(server: ServerLike, handlerExtra: unknown, redaction: Redaction): RequestFacts {
  const extra = (handlerExtra ?? {}) as Extra;
  const modern = extra.mcpReq;
  const auth = extra.authInfo ?? extra.http?.authInfo;
  const state = modern?.requestState?.();
  const round: SecondRound = {
    answers: modern?.inputResponses,
    requestState: typeof state === 'string' ? state : undefined,
  };
  const notify = modern?.notify ?? extra.sendNotification;
  const progressToken = (modern ?? extra)._meta?.progressToken;
  return {
    requestId: String(modern?.id ?? extra.requestId ?? 'sdk'),
    method: 'tools/call',
    principal: { id: auth?.clientId ?? 'anonymous', ...(auth?.scopes && { scopes: auth.scopes }) },
    transport: 'local',
    signal: modern?.signal ?? extra.signal ?? never,
    client: toModernClient(extra, round) ?? toLegacyClient(server, extra, redaction),
    progress: progressToken !== undefined && notify ? reportTo(notify, progressToken, redaction) : undefined,
    ...round,
  };
}

/** Whether a request is one of 2026-07-28 or later: only these contain their version. */
export function isModern(handlerExtra: unknown): boolean {
  return (handlerExtra as Extra | undefined)?.mcpReq?.envelope?.[VERSION] !== undefined;
}

function toModernClient({ mcpReq }: Extra, round: SecondRound): Client | undefined {
  const version = mcpReq?.envelope?.[VERSION];
  if (version === undefined) return undefined;
  const capabilities = asRecord(mcpReq?.envelope?.[CAPABILITIES]);
  const canAsk = canElicit(capabilities) || round.answers !== undefined;
  return {
    era: 'modern',
    takesRounds: true,
    version: String(version),
    capabilities,
    ...(canAsk && { ask: askModern }),
  };
}

function toLegacyClient(server: ServerLike, { mcpReq, sendRequest }: Extra, redaction: Redaction): Client {
  const capabilities = asRecord(server.getClientCapabilities?.());
  const client: Client = { era: 'legacy', version: LEGACY, capabilities };
  const send =
    mcpReq?.send ?? (sendRequest && ((request, options) => sendRequest(request, z.looseObject({}), options)));
  if (!send) return client;
  const request: NonNullable<Client['request']> = (method, params, signal) =>
    send({ method, params: redaction.value(asRecord(params)) }, { signal });
  return { ...client, request, ...(canElicit(capabilities) && { ask: createLegacyAsk(request) }) };
}

/** A progress report that cannot be delivered does not fail the call. */
function reportTo(
  notify: (notification: Notification) => Promise<void>,
  progressToken: string | number,
  redaction: Redaction,
): ReportProgress {
  return (progress, total, text) => {
    const message = text && redaction.text(text);
    const params = { progressToken, progress, ...(total !== undefined && { total }), ...(message && { message }) };
    notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
