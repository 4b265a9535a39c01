// A request message and its sender → the facts from which the adapter makes an ExecutionContext.
import { randomBytes } from 'node:crypto';
import type { Client } from '../call/caller.ts';
import type { RequestFacts } from '../call/execution-context.ts';
import { isObject } from '../endpoint/is-object.ts';
import { GatewayError } from '../errors.ts';
import type { SecondRound } from './questions/asking.ts';
import type { Sender } from './sender.ts';
import type { Headers } from './wire/header-checks.ts';
import type { MessageParams, RequestMessage } from './wire/jsonrpc.ts';
import { parseTrace } from './wire/trace.ts';

// The log's id of a request, unique across restarts and replicas and cheap to make. The client's own id is a JsonRpcId.
const RUN = randomBytes(6).toString('base64url');
let count = 0;

export function parseSecondRound(params: MessageParams | undefined): SecondRound {
  const answers = params?.inputResponses;
  const requestState = params?.requestState;
  if (answers !== undefined && !isObject(answers))
    throw new GatewayError('INVALID_PARAMS', '"inputResponses" must be an object.');
  if (requestState !== undefined && typeof requestState !== 'string')
    throw new GatewayError('INVALID_PARAMS', '"requestState" must be a string.');
  return { answers, requestState };
}

export function buildRequestFacts(
  { method, params, span }: RequestMessage,
  { principal, transport, remote, data, headers }: Sender,
  client: Client,
  signal: AbortSignal,
  { answers, requestState }: SecondRound,
  { profile, forward }: { readonly profile: string; readonly forward: readonly string[] },
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
    trace: span === undefined ? parseTrace(params?._meta as MessageParams | undefined) : span.headers,
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
