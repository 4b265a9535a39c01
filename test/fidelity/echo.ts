// A real REST API on loopback that remembers every request byte for byte: raw target, raw headers, body. Anything below
// /v1 is echoed; what `answers` knows by path is answered as it says; /documents/… serves OpenAPI documents.
import type { ServerResponse } from 'node:http';
import { deflateRawSync } from 'node:zlib';
import { startRecorder } from '../support/recorder.ts';

export interface Received {
  readonly method: string;
  /** Path and query exactly as they stood in the request line. */
  readonly target: string;
  /** Lower-case names; several of one name are joined by a line feed, so that a repeated header shows. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export type SuccessResponse = (request: Received, response: ServerResponse) => void;

export interface Echo {
  readonly origin: string;
  readonly port: number;
  /** What arrived since the last `take()`, documents excepted. */
  take(): Received[];
  /** Path without query → answer. */
  readonly answers: Map<string, SuccessResponse>;
  /** File name → text, served at /documents/<name>. */
  readonly documents: Map<string, string>;
  close(): Promise<void>;
}

export async function startEcho(): Promise<Echo> {
  const received: Received[] = [];
  const answers = new Map<string, SuccessResponse>();
  const documents = new Map<string, string>();
  const { origin, port, close } = await startRecorder(({ method, url, rawHeaders, body }, response) => {
    const path = url.split('?', 1)[0]!;
    const document = documents.get(path.replace(/^\/documents\//, ''));
    if (document !== undefined) {
      response.setHeader('content-type', 'application/yaml');
      response.end(document);
      return;
    }
    const request: Received = { method, target: url, headers: headersOf(rawHeaders), body };
    received.push(request);
    (answers.get(path) ?? echo)(request, response);
  });
  return { origin, port, take: () => received.splice(0), answers, documents, close };
}

function headersOf(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]!.toLowerCase();
    headers[name] = name in headers ? `${headers[name]}\n${raw[index + 1]}` : raw[index + 1]!;
  }
  return headers;
}

/** What the echo answers; a test can work it out from the request it expects. */
export function echoText(method: string, target: string): string {
  return JSON.stringify({ method, target });
}

const echo: SuccessResponse = ({ method, target }, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(method === 'HEAD' ? undefined : echoText(method, target));
};

/** Answers with this status, type and body. */
export function reply(
  status: number,
  contentType: string | undefined,
  body: string | Buffer = '',
  headers: Record<string, string> = {},
): SuccessResponse {
  return (_request, response) => {
    response.writeHead(status, { ...(contentType === undefined ? {} : { 'content-type': contentType }), ...headers });
    response.end(body);
  };
}

/** Enough of a PNG to be one. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Bytes that are no text in any encoding a gateway might try. */
export const BYTES = Buffer.concat([Buffer.from([0, 255, 254, 128, 13, 10, 45, 45]), deflateRawSync('landbridge')]);
