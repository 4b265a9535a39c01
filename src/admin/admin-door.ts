// Who may use the admin listener: no web page under a name of its own (DNS rebinding), nobody without the token where there is
// one. Where there is none, whoever is on another machine may look and change nothing: a log that is silent hides what comes next.
import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createHostCheck } from '../transport/door/hosts.ts';
import { addressOf } from '../transport/door/visitor.ts';
import { isLoopback } from '../transport/listen.ts';

export interface AdminDoorOptions {
  readonly host: string;
  readonly allowedHosts: readonly string[];
  /** Asked for where it is set. */
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
  message: 'This Host is not served here. Use an address of this machine, or name the host in admin.allowedHosts.',
};
const WEB_PAGE: AdminRefusal = {
  status: 403,
  reason: 'origin',
  message: 'No web page may use this listener: send the request without Origin.',
};
const FROM_AFAR: AdminRefusal = {
  status: 403,
  reason: 'unauthorized',
  message:
    'From another machine nothing is changed without a token: set admin.token, or send this on the machine itself.',
};
const NO_TOKEN: AdminRefusal = {
  status: 401,
  reason: 'unauthorized',
  message: 'Send the token of admin.token as "Authorization: Bearer <token>".',
  headers: { 'www-authenticate': 'Bearer realm="landbridge admin"' },
};

/** Undefined: let in. */
export function createAdminDoor({ host, allowedHosts, token }: AdminDoorOptions) {
  const isServed = createHostCheck({ host, allowedHosts });
  const wanted = token === undefined ? undefined : digest(token);
  const checkStranger = ({ headers, method, socket }: IncomingMessage): AdminRefusal | undefined => {
    if (!isServed(headers.host)) return WRONG_HOST;
    return isLooking(method) || isLoopback(addressOf(socket) ?? '') ? undefined : FROM_AFAR;
  };
  return (request: IncomingMessage): AdminRefusal | undefined => {
    const { headers } = request;
    // Browsers send it with everything that could change something, or be read by a page.
    if (headers.origin !== undefined) return WEB_PAGE;
    if (wanted === undefined) return checkStranger(request);
    // Whoever has the token is no page that was lured here, whatever name it used.
    const shown = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
    return shown !== undefined && timingSafeEqual(digest(shown), wanted) ? undefined : NO_TOKEN;
  };
}

function isLooking(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Of one length, so that comparing tells nothing. */
function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
