// How an HTTP request is refused: counted, logged, answered with an error, and its connection closed.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ERRORS } from '../errors.ts';
import { writeError } from '../protocol/wire/jsonrpc.ts';
import { JSON_TYPE } from './http-sender.ts';
import { mcpPathOf } from './mcp-path.ts';
import { stopRequests } from './node-internals.ts';
import { type Refusals, reasonOf } from './refusals.ts';
import type { Refusal, RequestChecks } from './request-checks.ts';

export type RefuseRequest = (request: IncomingMessage, response: ServerResponse, refusal: Refusal) => void;

export const BUSY: Refusal = {
  status: 503,
  message: 'Too many requests are under way; try again in a moment.',
  headers: { 'retry-after': '1' },
};
export const INTERNAL_ERROR: Refusal = { status: 500, message: 'Internal error; the gateway’s log says more.' };

export function createRefuseRequest(checks: RequestChecks, refusals: Refusals): RefuseRequest {
  return (request, response, { status, message, headers, reason = reasonOf(status), caller, why, details }) => {
    stopRequests(request.socket);
    const { address: remote } = checks.resolveClient(request);
    const path = mcpPathOf(request.url ?? '');
    if (reason !== undefined)
      refusals.note({ transport: 'http', reason, status, remote, principal: caller, path, why, details });
    writeRefusal(response, status, message, { ...checks.corsHeaders(request), ...headers });
  };
}

function writeRefusal(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>>,
): void {
  if (response.headersSent) return;
  const { code } = status < 500 ? ERRORS.INVALID_REQUEST : ERRORS.INTERNAL;
  const body = writeError(undefined, code, message);
  response.writeHead(status, {
    'content-type': JSON_TYPE,
    'content-length': Buffer.byteLength(body),
    // The rest of the request is not read: without `close`, the client would continue to send it.
    connection: 'close',
    ...headers,
  });
  response.end(body);
}

/** The status of errors with which node's parser or its timeout ends a request. */
const STATUS_OF_ERROR: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Counts a request that node could not parse. Node answers it itself, unless an answer has already begun. */
export function noteParserError(
  refusals: Refusals,
  { code = '' }: NodeJS.ErrnoException,
  remote: string | undefined,
): void {
  const status = STATUS_OF_ERROR[code] ?? (code.startsWith('HPE_') ? 400 : undefined);
  const reason = status && reasonOf(status);
  if (reason) refusals.note({ transport: 'http', reason, status, remote });
}
