// Who may talk to POST /mcp at all: Host and Origin (DNS rebinding, cross-site requests), media type, encoding.
// Each check returns what to refuse with; nothing here writes, so nothing can go on after a refusal by mistake.
import type { IncomingMessage } from 'node:http';
import { isLoopback } from './listen.ts';

export interface AdmissionOptions {
  readonly host: string;
  /** Host names besides loopback ones, without port. Empty on a non-loopback bind: any. */
  readonly allowedHosts: readonly string[];
  /** Whole origins of web pages that may call, e.g. https://app.example. */
  readonly allowedOrigins: readonly string[];
}

export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface Admission {
  check(request: IncomingMessage): Refusal | undefined;
  checkSource(request: IncomingMessage): Refusal | undefined;
  /** For what any web page may read. */
  checkHost(request: IncomingMessage): Refusal | undefined;
  corsHeaders(request: IncomingMessage): Readonly<Record<string, string>> | undefined;
}

export function createAdmission(options: AdmissionOptions): Admission {
  const local = isLoopback(options.host);
  const hosts = new Set(options.allowedHosts.map((host) => host.toLowerCase()));
  const origins = new Set(options.allowedOrigins.map((origin) => origin.toLowerCase()));
  const anyHost = !local && hosts.size === 0;
  // Most requests repeat the Host of the last one.
  let lastGoodHost: string | undefined;

  const checkHost = ({ headers: { host } }: IncomingMessage): Refusal | undefined => {
    if (!anyHost && (host === undefined || host !== lastGoodHost)) {
      const name = hostNameOf(host);
      if (name === undefined || !((local && isLoopback(name)) || hosts.has(name))) {
        return {
          status: 403,
          message: 'Forbidden: this Host is not served here. Start with --allowed-host to allow it.',
        };
      }
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
    return { status: 403, message: 'Forbidden: this Origin may not call. Start with --allowed-origin to allow it.' };
  };

  return {
    checkSource,
    checkHost,
    check(request) {
      const refusal = checkSource(request);
      if (refusal) return refusal;
      const { 'content-type': type, 'content-encoding': encoding } = request.headers;
      // Compared exactly: "text/plain; a=application/json" needs no preflight, so it must not pass for JSON.
      if (type !== 'application/json' && type?.split(';', 1)[0]?.trim().toLowerCase() !== 'application/json') {
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

function hostNameOf(host: string | undefined): string | undefined {
  if (host === undefined) return undefined;
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(:\d{1,5})?$/i.exec(host);
  return match?.[1]?.toLowerCase();
}

function isLoopbackOrigin(origin: string): boolean {
  const match = /^https?:\/\/(\[::1\]|[a-z0-9.-]+)(:\d{1,5})?$/i.exec(origin);
  return match?.[1] !== undefined && isLoopback(match[1].toLowerCase());
}
