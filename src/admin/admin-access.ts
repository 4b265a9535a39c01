// Who may use the admin listener, except for /healthz and /readyz, which are open to everyone. Web pages are refused
// (DNS rebinding). If a token is configured, every request needs it. Without one, other machines may read but not
// change anything: silencing the log, for example, would hide what an attacker does next.
import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../endpoint/address.ts';
import { addressOf } from '../transport/client-address.ts';
import { createHostCheck } from '../transport/host-check.ts';

export interface AdminAccessOptions {
  readonly host: string;
  readonly allowedHosts: readonly string[];
  /** If set, every request must carry it. */
  readonly token?: string | undefined;
}

export interface AdminRefusal {
  readonly status: number;
  readonly reason: 'host' | 'origin' | 'unauthorized';
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const WRONG_HOST: AdminRefusal = {
  status: 403,
  reason: 'host',
  message: 'This Host is not served here. Use an address of this machine, or add the host to admin.allowedHosts.',
};
const WEB_PAGE: AdminRefusal = {
  status: 403,
  reason: 'origin',
  message: 'Web pages may not use this listener: send the request without Origin.',
};
const REMOTE_CHANGE: AdminRefusal = {
  status: 403,
  reason: 'unauthorized',
  message:
    'Changes from another machine need a token: set admin.token, or send this request from the machine of the gateway.',
};
const NO_TOKEN: AdminRefusal = {
  status: 401,
  reason: 'unauthorized',
  message: 'Send the token of admin.token as "Authorization: Bearer <token>".',
  headers: { 'www-authenticate': 'Bearer realm="landbridge admin"' },
};

/** The created check returns undefined if the request is allowed. */
export function createAdminCheck({ host, allowedHosts, token }: AdminAccessOptions) {
  const isServed = createHostCheck({ host, allowedHosts });
  const tokenDigest = token === undefined ? undefined : digest(token);
  const checkWithoutToken = ({ headers, method, socket }: IncomingMessage): AdminRefusal | undefined => {
    if (!isServed(headers.host)) return WRONG_HOST;
    return isReading(method) || isLoopback(addressOf(socket) ?? '') ? undefined : REMOTE_CHANGE;
  };
  return (request: IncomingMessage): AdminRefusal | undefined => {
    const { headers } = request;
    // Browsers send Origin with every request that could change something, or whose answer a page could read.
    if (headers.origin !== undefined) return WEB_PAGE;
    if (tokenDigest === undefined) return checkWithoutToken(request);
    // A request with the token does not come from a web page that uses DNS rebinding, so its Host needs no check.
    const bearer = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
    return bearer !== undefined && timingSafeEqual(digest(bearer), tokenDigest) ? undefined : NO_TOKEN;
  };
}

function isReading(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Hashed to the same length, so that the time of the comparison reveals nothing about the token. */
function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
