// A request message and its sender → what the adapter makes an ExecutionContext of.
import { randomBytes } from 'node:crypto';
import type { Client } from '../call/caller.ts';
import type { RequestFacts } from '../call/execution-context.ts';
import { isObject } from '../endpoint/is-object.ts';
import { GatewayError } from '../errors.ts';
import type { SecondRound } from './asking.ts';
import type { Sender } from './sender.ts';
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

export function toRequestFacts(
  { method, params }: RequestMessage,
  { principal, transport, remote, data }: Sender,
  client: Client,
  signal: AbortSignal,
  { answers, requestState }: SecondRound,
  profile: string,
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
    trace: parseTrace(params?._meta as Params | undefined),
    progress: undefined,
    log: undefined,
    answers,
    requestState,
  };
}
