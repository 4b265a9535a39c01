// A request message and its sender → what the adapter makes an ExecutionContext of.
import { randomBytes } from 'node:crypto';
import type { Client } from '../call/caller.ts';
import type { RequestFacts } from '../call/execution-context.ts';
import { isObject } from '../endpoint/is-object.ts';
import { GatewayError } from '../errors.ts';
import type { SecondRound } from './questions/asking.ts';
import type { Sender } from './sender.ts';
import type { Headers } from './wire/header-checks.ts';
import type { Params, RequestMessage } from './wire/jsonrpc.ts';
import { parseTrace } from './wire/trace.ts';

// Unique across restarts and replicas, cheap per request.
const RUN = randomBytes(6).toString('base64url');
let count = 0;

export function parseSecondRound(params: Params | undefined): SecondRound {
  const answers = params?.inputResponses;
  const requestState = params?.requestState;
  if (answers !== undefined && !isObject(answers))
    throw new GatewayError('INVALID_PARAMS', '"inputResponses" must be an object.');
  if (requestState !== undefined && typeof requestState !== 'string')
    throw new GatewayError('INVALID_PARAMS', '"requestState" must be a string.');
  return { answers, requestState };
}

/** What every request of one service has in common. */
export interface CallSurroundings {
  readonly profile: string;
  /** Headers that domains pass on; lower case. */
  readonly forward: readonly string[];
}

export function toRequestFacts(
  { method, params, span }: RequestMessage,
  { principal, transport, remote, data, headers }: Sender,
  client: Client,
  signal: AbortSignal,
  { answers, requestState }: SecondRound,
  { profile, forward }: CallSurroundings,
): RequestFacts {
  return {
    requestId: `${RUN}-${(++count).toString(36)}`,
    method,
    principal,
    transport,
    remote,
    client,
    signal,
    data,
    profile,
    trace: span === undefined ? parseTrace(params?._meta as Params | undefined) : span.headers,
    span,
    forwarded: forward.length === 0 || headers === undefined ? undefined : pickForwarded(headers, forward),
    progress: undefined,
    log: undefined,
    answers,
    requestState,
  };
}

function pickForwarded(headers: Headers, names: readonly string[]): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const name of names) {
    const value = headers[name];
    if (typeof value === 'string') values[name] = value;
  }
  return values;
}
