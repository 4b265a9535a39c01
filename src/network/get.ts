// Fetches documents with the proxy and certificates of their domain. The body is a stream, decompressed.
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { bareHost } from '../endpoint/address.ts';
import type { Connection } from '../endpoint/model.ts';
import { dial, planWay } from './dial.ts';
import type { ProxyRules } from './proxy-rules.ts';
import { refusedBy, unreachableProxy } from './tunnel.ts';

/** By which way documents are fetched. */
export interface Reach {
  readonly proxies?: ProxyRules;
  readonly connection?: Connection | undefined;
}

export interface Got {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Readable;
}

const CONNECT_TIMEOUT_MS = 10_000;
const CHECKED = { rejectUnauthorized: true, minVersion: 'TLSv1.2' } as const;

export async function get(
  url: URL,
  { headers, signal, reach }: { headers: Readonly<Record<string, string>>; signal: AbortSignal; reach: Reach },
): Promise<Got> {
  const way = planWay(url.origin, { ...reach, timeoutMs: CONNECT_TIMEOUT_MS });
  const { proxy } = way;
  if (proxy === undefined && reach.connection === undefined) return fetchPlainly(url, headers, signal);
  const own = { 'accept-encoding': 'gzip, br', ...headers, host: url.host };
  const path = url.pathname + url.search;
  if (proxy !== undefined && url.protocol === 'http:') {
    const { authorization } = proxy;
    const toProxy = { ...own, ...(authorization !== undefined && { 'proxy-authorization': authorization }) };
    const answer = await ask(new URL(proxy.url), { path: url.origin + path, headers: toProxy, signal }).catch(
      (error) => {
        throw signal.aborted ? error : unreachableProxy(proxy, codeOf(error));
      },
    );
    if (answer.status === 407) {
      answer.body.destroy();
      throw refusedBy(proxy, answer.status);
    }
    return answer;
  }
  return ask(url, {
    path,
    headers: own,
    signal,
    createConnection: (_options, onSocket) => {
      orAborted(dial(way), signal).then(
        (socket) => onSocket(null, socket),
        (error: Error) => onSocket(error, undefined as never),
      );
      return undefined;
    },
  });
}

/** Without proxy and certificates: Node's own fetch, which tracing tools and tests can observe. */
async function fetchPlainly(url: URL, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Got> {
  const response = await fetch(url, { headers, redirect: 'manual', signal }).catch((error: Error) => {
    throw error.cause ?? error;
  });
  const body = response.body === null ? Readable.from([]) : Readable.fromWeb(response.body as ReadableStream);
  return { status: response.status, headers: Object.fromEntries(response.headers), body };
}

/** A socket that comes too late is closed. */
function orAborted(dialling: Promise<Socket>, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(new Error('aborted'));
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    dialling.then((socket) => {
      signal.removeEventListener('abort', leave);
      if (signal.aborted) socket.destroy();
      else resolve(socket);
    }, reject);
  });
}

function ask(url: URL, options: RequestOptions): Promise<Got> {
  // A socket from createConnection has finished TLS already.
  const isOurs = options.createConnection !== undefined;
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const { hostname: host, port } = url;
    const place = { host: bareHost(host), ...(port !== '' && { port: Number(port) }) };
    const request = send(
      { ...place, ...options, method: 'GET', ...(!isOurs && { agent: false, ...CHECKED }) },
      (answer) => {
        const { statusCode: status = 0, headers } = answer;
        resolve({ status, headers, body: unpack(answer) });
      },
    );
    request.once('error', reject);
    request.end();
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
  // Errors of either stream show up in the last one.
  return unpacker === undefined ? answer : pipeline(answer, unpacker, () => {});
}

function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
