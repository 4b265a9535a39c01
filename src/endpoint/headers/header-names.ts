// Which headers may be set by whom: one table for arguments, domain files, `--header` lines, documents and `forward:`; also parameters
// that have the effect of such a header.
import type { Effect } from '../model.ts';

/**
 * framing: the HTTP client writes it, hop by hop. content: follows from the body and from what we can read. credential:
 * identifies the gateway. route: servers and proxies take host, scheme or path from it instead of from the request. method: servers
 * carry out this method instead of the one that was sent. The others matter only in requests of a caller. proof: identifies the
 * caller. proxy: between the caller and a proxy. mcp: of MCP itself. origin: shows where a request came from or goes to. page: of a
 * browser. request: depends on that single request.
 */
type Kind =
  | 'framing'
  | 'content'
  | 'credential'
  | 'route'
  | 'method'
  | 'proof'
  | 'proxy'
  | 'mcp'
  | 'origin'
  | 'page'
  | 'request';

/** A name may be of several kinds; `*` stands for any ending. */
const NAMES: Readonly<Record<Kind, string>> = {
  framing: `connection content-length expect host http2-settings keep-alive proxy-connection set-cookie te trailer
    transfer-encoding upgrade`,
  content: 'accept-encoding content-encoding content-type',
  credential: 'authorization cookie proxy-authorization',
  route: `forwarded x-forwarded-host x-forwarded-path x-forwarded-port x-forwarded-prefix x-forwarded-proto
    x-forwarded-scheme x-forwarded-server x-forwarded-uri x-host x-original-host x-original-uri x-original-url
    x-rewrite-uri x-rewrite-url`,
  method: 'x-forwarded-method x-http-method x-http-method-override x-method-override x-original-method',
  proof: 'authentication-info authorization cookie cookie2 dpop set-cookie set-cookie2 ticket www-authenticate',
  proxy: 'proxy-*',
  mcp: 'last-event-* mcp-*',
  origin: `cf-connecting-ip client-ip fastly-client-ip true-client-ip via x-client-ip x-cluster-client-ip x-forwarded
    x-forwarded-* x-original-* x-real-ip x-rewrite-*`,
  page: 'access-control-* origin referer sec-*',
  request: 'accept accept-charset alt-used content-* date if-* priority range soapaction te x-amz-*',
};

const KINDS = new Map(
  (Object.keys(NAMES) as Kind[]).map((kind) => {
    const names = NAMES[kind].split(/\s+/);
    const prefixes = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
    return [kind, { names: new Set(names), prefixes }] as const;
  }),
);

/** Query, form and body members that frameworks (Rails, Laravel, Symfony, Express) read as the method. */
const METHOD_PARAMETERS = new Set(['_method', '__method', '_http_method', '_httpmethod', 'http_method_override']);

const SECRET = /(?:^|-)(?:token|secret|password|(?:api|access|auth|private)-?key|apikey|key|session|jwt|signature)$/;

/** Parts of the names of headers in which proxies and identity providers identify the caller. */
const PROOF = /(?:^|-)(?:remote-user|client-cert|assertion|credentials?|jwt|session|sid|oidc|iap|saml|userinfo)(?:-|$)/;

export const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
export const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

/** The name as servers see it: CGI does not distinguish `X_Http_Method` and `X-Http-Method`. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}

export function isOfKind(name: string, ...kinds: readonly Kind[]): boolean {
  const plain = plainName(name);
  return kinds.some((kind) => {
    const { names, prefixes } = KINDS.get(kind)!;
    if (names.has(plain) || prefixes.some((prefix) => plain.startsWith(prefix))) return true;
    return kind === 'proof' && PROOF.test(plain);
  });
}

/**
 * Why a header must not be set. `malformed`: no header has such a name. `framing`: the HTTP client writes it. `reserved`: no argument
 * may set it, in a read also because it would override the method.
 */
export type HeaderFault = 'malformed' | 'framing' | 'reserved';

/** The one rule about who may set which header: configuration (a domain file or a `--header` line), or an argument of an operation. */
export function headerFault(name: string, setBy: 'configuration' | Effect): HeaderFault | undefined {
  if (!HEADER_NAME.test(name)) return 'malformed';
  if (isOfKind(name, 'framing')) return 'framing';
  if (setBy === 'configuration') return undefined;
  const isReserved = isOfKind(name, 'content', 'credential', 'route') || (setBy === 'read' && isOfKind(name, 'method'));
  return isReserved ? 'reserved' : undefined;
}

/** Whether an argument may set a header of this name in an operation of this effect. Does not check for malformed names. */
export function isArgumentHeader(name: string, effect: Effect): boolean {
  const fault = headerFault(name, effect);
  return fault === undefined || fault === 'malformed';
}

/** Whether a domain file or a `--header` line may set a header of this name. Does not check for malformed names. */
export function isConfigurableHeader(name: string): boolean {
  return headerFault(name, 'configuration') !== 'framing';
}

/** Whether a header of this name carries a secret by its nature. */
export function isSecretHeader(name: string): boolean {
  return isOfKind(name, 'credential') || SECRET.test(name.toLowerCase());
}

/** Whether a query, form or body member of this name makes a server carry out another method. */
export function isMethodParameter(name: string): boolean {
  const bare = name.toLowerCase().replace(/\[.*$/s, '');
  return METHOD_PARAMETERS.has(bare) || isOfKind(bare, 'method');
}

/** What follows `Basic ` in the header (RFC 7617). */
export function basicToken(username = '', password = ''): string {
  return Buffer.from(`${username}:${password}`).toString('base64');
}
