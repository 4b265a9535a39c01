// How an HTTP request is refused: counted, logged, answered, and the last one on its connection.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ERRORS } from '../../errors.ts';
import { writeError } from '../../protocol/wire/jsonrpc.ts';
import type { Admission, Refusal } from '../admission.ts';
import { JSON_TYPE } from '../http-sender.ts';
import { mcpPathOf } from '../mcp-path.ts';
import { stopRequests } from '../node-http/parser-stop.ts';
import { type Refusals, reasonOf } from './refusals.ts';

export type Refuse = (request: IncomingMessage, response: ServerResponse, refusal: Refusal) => void;

export const BUSY: Refusal = {
  status: 503,
  message: 'Too many requests are under way; try again in a moment.',
  headers: { 'retry-after': '1' },
};
export const BROKEN: Refusal = { status: 500, message: 'Internal error; the gateway’s log says more.' };

export function createRefuse(admission: Admission, refusals: Refusals): Refuse {
  return (request, response, { status, message, headers, reason = reasonOf(status), caller, why, details }) => {
    stopRequests(request.socket);
    const { address: remote } = admission.visitorOf(request);
    const path = mcpPathOf(request.url ?? '');
    if (reason !== undefined)
      refusals.note({ transport: 'http', reason, status, remote, principal: caller, path, why, details });
    writeRefusal(response, status, message, { ...admission.corsHeaders(request), ...headers });
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
    // The rest of the request is not wanted: without `close` the client would go on sending it.
    connection: 'close',
    ...headers,
  });
  response.end(body);
}

/** Errors with which node's parser or its timeout ends a request. */
const STATUS_OF_ERROR: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Node answers these itself, unless an answer has already begun. */
export function noteBadBytes(
  refusals: Refusals,
  { code = '' }: NodeJS.ErrnoException,
  remote: string | undefined,
): void {
  const status = STATUS_OF_ERROR[code] ?? (code.startsWith('HPE_') ? 400 : undefined);
  const reason = status && reasonOf(status);
  if (reason) refusals.note({ transport: 'http', reason, status, remote });
}
