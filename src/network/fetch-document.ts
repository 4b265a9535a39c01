// Fetches documents with the proxy and certificates of their domain. The body is a stream, decompressed.
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { bareHost } from '../endpoint/address.ts';
import type { UpstreamConnection } from '../endpoint/model.ts';
import { dial, planRoute } from './dial.ts';
import type { ProxyRules } from './proxy-rules.ts';
import { proxyRefusal, proxyUnreachable } from './tunnel.ts';

/** The proxies and certificates with which documents are fetched. */
export interface FetchRoute {
  readonly proxies?: ProxyRules;
  readonly connection?: UpstreamConnection | undefined;
}

export interface FetchedDocument {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Readable;
}

const CONNECT_TIMEOUT_MS = 10_000;
const VERIFIED_TLS = { rejectUnauthorized: true, minVersion: 'TLSv1.2' } as const;

export async function fetchDocument(
  url: URL,
  { headers, signal, reach }: { headers: Readonly<Record<string, string>>; signal: AbortSignal; reach: FetchRoute },
): Promise<FetchedDocument> {
  const route = planRoute(url.origin, { ...reach, timeoutMs: CONNECT_TIMEOUT_MS });
  const { proxy } = route;
  if (proxy === undefined && reach.connection === undefined) return fetchWithNode(url, headers, signal);
  const requestHeaders = { 'accept-encoding': 'gzip, br', ...headers, host: url.host };
  const path = url.pathname + url.search;
  if (proxy !== undefined && url.protocol === 'http:') {
    const { authorization } = proxy;
    const proxyHeaders = {
      ...requestHeaders,
      ...(authorization !== undefined && { 'proxy-authorization': authorization }),
    };
    const answer = await send(new URL(proxy.url), { path: url.origin + path, headers: proxyHeaders, signal }).catch(
      (error) => {
        throw signal.aborted ? error : proxyUnreachable(proxy, codeOf(error));
      },
    );
    if (answer.status === 407) {
      answer.body.destroy();
      throw proxyRefusal(proxy, answer.status);
    }
    return answer;
  }
  return send(url, {
    path,
    headers: requestHeaders,
    signal,
    createConnection: (_options, onSocket) => {
      orAborted(dial(route), signal).then(
        (socket) => onSocket(null, socket),
        (error: Error) => onSocket(error, undefined as never),
      );
      return undefined;
    },
  });
}

/** Without proxy and certificates, Node's own fetch is used: tracing tools and tests can observe it. */
async function fetchWithNode(
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<FetchedDocument> {
  const response = await fetch(url, { headers, redirect: 'manual', signal }).catch((error: Error) => {
    throw error.cause ?? error;
  });
  const body = response.body === null ? Readable.from([]) : Readable.fromWeb(response.body as ReadableStream);
  return { status: response.status, headers: Object.fromEntries(response.headers), body };
}

/** Rejects when the signal aborts; a socket that is connected after that is closed. */
function orAborted(dialing: Promise<Socket>, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new Error('aborted'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    dialing.then((socket) => {
      signal.removeEventListener('abort', abort);
      if (signal.aborted) socket.destroy();
      else resolve(socket);
    }, reject);
  });
}

function send(url: URL, options: RequestOptions): Promise<FetchedDocument> {
  // A socket from createConnection has already finished TLS.
  const isConnected = options.createConnection !== undefined;
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const { hostname: host, port } = url;
    const place = { host: bareHost(host), ...(port !== '' && { port: Number(port) }) };
    const outgoing = request(
      { ...place, ...options, method: 'GET', ...(!isConnected && { agent: false, ...VERIFIED_TLS }) },
      (answer) => {
        const { statusCode: status = 0, headers } = answer;
        resolve({ status, headers, body: unpack(answer) });
      },
    );
    outgoing.once('error', reject);
    outgoing.end();
  });
}

function unpack(answer: IncomingMessage): Readable {
  const encoding = answer.headers['content-encoding']?.trim().toLowerCase();
  const unpacker =
    encoding === 'gzip' || encoding === 'x-gzip'
      ? createGunzip()
      : encoding === 'br'
        ? createBrotliDecompress()
        : encoding === 'deflate'
          ? createInflate()
          : undefined;
  // An error of either stream is reported by the last one.
  return unpacker === undefined ? answer : pipeline(answer, unpacker, () => {});
}

function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
