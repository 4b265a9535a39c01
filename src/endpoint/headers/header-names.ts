// What each header may be used for: one table for arguments, domain files, `--header` lines and documents; also parameters that
// have the effect of such a header.
import type { Effect } from '../model.ts';

/**
 * framing: the HTTP client writes it, hop by hop. content: follows from the body and from what we can read. credential:
 * says who we are. route: servers and proxies take host, scheme or path from it instead of from the request. method: servers
 * carry out this method instead of the one that was sent.
 */
type Kind = 'framing' | 'content' | 'credential' | 'route' | 'method';

const NAMES: Readonly<Record<Kind, string>> = {
  framing: `connection content-length expect host http2-settings keep-alive proxy-connection set-cookie te trailer
    transfer-encoding upgrade`,
  content: 'accept-encoding content-encoding content-type',
  credential: 'authorization cookie proxy-authorization',
  route: `forwarded x-forwarded-host x-forwarded-path x-forwarded-port x-forwarded-prefix x-forwarded-proto
    x-forwarded-scheme x-forwarded-server x-forwarded-uri x-host x-original-host x-original-uri x-original-url
    x-rewrite-uri x-rewrite-url`,
  method: 'x-forwarded-method x-http-method x-http-method-override x-method-override x-original-method',
};

const KINDS: ReadonlyMap<string, Kind> = new Map(
  (Object.keys(NAMES) as Kind[]).flatMap((kind) => NAMES[kind].split(/\s+/).map((name) => [name, kind] as const)),
);

/** Query, form and body members that frameworks (Rails, Laravel, Symfony, Express) read as the method. */
const METHOD_PARAMETERS = new Set(['_method', '__method', '_http_method', '_httpmethod', 'http_method_override']);

const SECRET = /(?:^|-)(?:token|secret|password|(?:api|access|auth|private)-?key|apikey|key|session|jwt|signature)$/;

export const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
export const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

/** The name as servers see it: CGI does not distinguish `X_Http_Method` and `X-Http-Method`. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}

function kindOf(name: string): Kind | undefined {
  return KINDS.get(plainName(name));
}

/** Whether an argument may set it in an operation of this effect: in a read it must not override the method. */
export function isArgumentHeader(name: string, effect: Effect): boolean {
  const kind = kindOf(name);
  return kind === undefined || (kind === 'method' && effect !== 'read');
}

/** Whether a domain file or a `--header` line may set it: everything but what the HTTP client writes. */
export function isConfigurableHeader(name: string): boolean {
  return kindOf(name) !== 'framing';
}

/** Whether a header of this name carries a secret by its nature. */
export function isSecretHeader(name: string): boolean {
  return kindOf(name) === 'credential' || SECRET.test(name.toLowerCase());
}

/** Whether a query, form or body member of this name makes a server carry out another method. */
export function isMethodParameter(name: string): boolean {
  const bare = name.toLowerCase().replace(/\[.*$/s, '');
  return METHOD_PARAMETERS.has(bare) || kindOf(bare) === 'method';
}
