// Which requests may use POST /mcp at all: Host and Origin (DNS rebinding, cross-site requests), media type, encoding. Each check
// returns the refusal and writes no answer, so that no request can continue after a refusal by mistake.

import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../endpoint/address.ts';
import { toEssence } from '../endpoint/media-type.ts';
import { type ClientResolver, createClientResolver } from './client-address.ts';
import { createHostCheck, type HostOptions } from './host-check.ts';
import type { BasePathOptions } from './mcp-path.ts';
import type { RefusalReason } from './refusals.ts';

export interface RequestCheckOptions extends HostOptions, BasePathOptions {
  /** Origins of web pages that may call, such as https://app.example. */
  readonly allowedOrigins: readonly string[];
  /** Addresses and ranges of proxies whose `Forwarded` and `X-Forwarded-*` headers are trusted. Default: none. */
  readonly trustedProxies?: readonly string[] | undefined;
}

export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The reason it is counted under. Default: that of its status. */
  readonly reason?: RefusalReason | undefined;
  /** The principal that was refused, if known. */
  readonly caller?: string | undefined;
  /** For the log only, never for the caller: the reason, one of a few fixed texts. */
  readonly why?: string | undefined;
  /** For the log only: text from the client, which must have been cut (cutDetail). */
  readonly details?: Readonly<Record<string, string>> | undefined;
}

const MAX_DETAIL_CHARS = 200;

/** Limits text from a client to what a log line may have of it. */
export function cutDetail(text: string): string {
  return text.length > MAX_DETAIL_CHARS ? `${text.slice(0, MAX_DETAIL_CHARS)}…` : text;
}

export interface RequestChecks {
  check(request: IncomingMessage): Refusal | undefined;
  checkSource(request: IncomingMessage): Refusal | undefined;
  /** Host only: for documents that any web page may read. */
  checkHost(request: IncomingMessage): Refusal | undefined;
  corsHeaders(request: IncomingMessage): Readonly<Record<string, string>> | undefined;
  readonly resolveClient: ClientResolver;
}

const WRONG_HOST: Refusal = {
  status: 403,
  message:
    'Forbidden: this Host is not served here; the log names it. Add it to allowedHosts in landbridge.yaml (--allowed-host), or set publicUrl (--public-url) to the URL that clients use.',
  reason: 'host',
};
const WRONG_ORIGIN: Refusal = {
  status: 403,
  message:
    'Forbidden: this Origin may not call; the log names it. Add it to allowedOrigins in landbridge.yaml (--allowed-origin).',
  reason: 'origin',
};
const TWO_HOSTS: Refusal = { status: 400, message: 'Bad request: send one Host header.', reason: 'host' };

export function createRequestChecks(options: RequestCheckOptions): RequestChecks {
  const local = isLoopback(options.host);
  const origins = new Set(options.allowedOrigins.map((origin) => origin.toLowerCase()));
  const isServed = createHostCheck(options);
  const resolveClient = createClientResolver(options.trustedProxies);
  // Most requests repeat the Host of the previous one.
  let lastGoodHost: string | undefined;

  const checkHost = (request: IncomingMessage): Refusal | undefined => {
    const { host, problem } = resolveClient(request);
    if (problem !== undefined) return { status: 400, message: `Bad request: ${problem}`, reason: 'forwarded' };
    if (countHosts(request) > 1) return TWO_HOSTS;
    if (host === undefined || host !== lastGoodHost) {
      if (!isServed(host)) return { ...WRONG_HOST, details: { host: cutDetail(host ?? '') } };
      lastGoodHost = host;
    }
    return undefined;
  };

  const checkSource = (request: IncomingMessage): Refusal | undefined => {
    const refusal = checkHost(request);
    if (refusal) return refusal;
    const { origin } = request.headers;
    if (origin === undefined) return undefined;
    if (origins.has(origin.toLowerCase()) || (local && isLoopbackOrigin(origin))) return undefined;
    return { ...WRONG_ORIGIN, details: { origin: cutDetail(origin) } };
  };

  return {
    checkSource,
    checkHost,
    resolveClient,
    check(request) {
      const refusal = checkSource(request);
      if (refusal) return refusal;
      const { 'content-type': type, 'content-encoding': encoding } = request.headers;
      // Compared exactly: "text/plain; a=application/json" needs no preflight, so it must not pass for JSON.
      if (type !== 'application/json' && toEssence(type ?? '') !== 'application/json') {
        return { status: 415, message: 'Unsupported media type: send "Content-Type: application/json".' };
      }
      if (encoding !== undefined && encoding !== 'identity') {
        return { status: 415, message: 'Unsupported content encoding: send the body uncompressed.' };
      }
      return undefined;
    },
    corsHeaders({ headers: { origin } }) {
      if (origin === undefined || !origins.has(origin.toLowerCase())) return undefined;
      return {
        'access-control-allow-origin': origin,
        'access-control-expose-headers': 'Mcp-Session-Id, WWW-Authenticate',
        vary: 'Origin',
      };
    },
  };
}

/** Node keeps the first of several Host headers; a proxy in front may have used another. */
function countHosts({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count;
}

function isLoopbackOrigin(origin: string): boolean {
  const match = /^https?:\/\/(\[::1\]|[a-z0-9.-]+)(:\d{1,5})?$/i.exec(origin);
  return match?.[1] !== undefined && isLoopback(match[1].toLowerCase());
}
