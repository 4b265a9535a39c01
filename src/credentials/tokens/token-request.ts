// What all servers that issue tokens have in common: where a secret may be sent, the request, and how they refuse.
import { maySeeSecrets } from '../../endpoint/address.ts';
import type { Credential } from '../../endpoint/credential.ts';
import { escapeHiddenCharacters } from '../../endpoint/hidden.ts';
import type { EndpointLimits, UpstreamConnection } from '../../endpoint/model.ts';
import type { Redactor } from '../../endpoint/redaction/redact.ts';
import { GatewayError, NoTokenError, ToolError } from '../../errors.ts';
import type { CallSpan } from '../../tracing/call-span.ts';
import type { Cookie } from '../login/set-cookie.ts';
import type { CallerToken } from './caller-token.ts';

/** A token from a server. `cookies`: those that a login has set, instead of a token. */
export interface IssuedToken {
  readonly token: string;
  readonly cookies?: readonly Cookie[];
  /** undefined: neither the answer nor the token says how long it is valid. */
  readonly lifetimeS: number | undefined;
}

/** A token that a call needs: the credential, the caller and the destination of the call. */
export interface TokenRequest<C extends Credential = Credential> {
  readonly credential: C;
  /** The token that is exchanged; undefined for credentials that are the same for all callers. */
  readonly callerToken?: CallerToken | undefined;
  readonly tool: string;
  readonly apiOrigin: string;
  /** The connection settings of that call's requests. A client certificate is sent to the API's own origin only. */
  readonly connection?: UpstreamConnection | undefined;
  /** The step of the call's trace in which the token is fetched. */
  readonly span?: CallSpan | undefined;
}

/** A request to a server that issues tokens. */
export interface TokenHttpRequest {
  readonly method: string;
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  /** Without query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly limits: EndpointLimits;
  /** Repeating it changes nothing. */
  readonly isRead: true;
  readonly connection: UpstreamConnection | undefined;
  readonly publicOnly: boolean;
}

export interface TokenHttpResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** How tokens are fetched. The executor builds one from its sender: kinds of credentials send nothing by themselves. */
export interface TokenClient {
  send(
    request: TokenHttpRequest,
    options: { readonly label: string; readonly signal: AbortSignal; readonly deadline: number },
    span: CallSpan | undefined,
  ): Promise<TokenHttpResponse>;
  /** Extracts the description of the problem from an error answer, as for answers of APIs. */
  readProblem(answer: unknown): { readonly title?: string; readonly detail?: string };
  /** Seconds to wait before another attempt. */
  retryAfter(response: TokenHttpResponse): number | undefined;
  readonly userAgent: string;
  readonly redact: Redactor;
}

const TOKEN_LIMITS: EndpointLimits = Object.freeze({ timeoutMs: 10_000, maxResponseBytes: 256 * 1024 });
const MAX_REASON_CHARS = 200;

export function checkAddress(address: string, what: string, { tool, apiOrigin }: TokenRequest): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !maySeeSecrets(url, apiOrigin)) {
    throw new ToolError(
      'MISSING_CREDENTIAL',
      tool,
      `${what} must be an https URL; secrets are sent nowhere else. Correct it in the domain file.`,
      { tool },
    );
  }
  return url;
}

/** One HTTP request for a token. */
export async function sendTokenRequest(
  { send, userAgent }: TokenClient,
  {
    method,
    url,
    headers,
    body,
    publicOnly = false,
  }: Pick<TokenHttpRequest, 'method' | 'headers' | 'body'> & {
    readonly url: URL;
    readonly publicOnly?: boolean | undefined;
  },
  { tool, connection, span }: TokenRequest,
): Promise<TokenHttpResponse> {
  const request: TokenHttpRequest = {
    method,
    origin: url.origin,
    path: url.pathname + url.search,
    url: url.origin + url.pathname,
    headers: { 'user-agent': userAgent, ...headers },
    body,
    limits: TOKEN_LIMITS,
    isRead: true,
    connection,
    publicOnly,
  };
  // All calls that wait for the token share this request, so it continues if one of their callers disconnects.
  const options = {
    label: tool,
    signal: new AbortController().signal,
    deadline: performance.now() + TOKEN_LIMITS.timeoutMs,
  };
  try {
    return await send(request, options, span);
  } catch (error) {
    const isBad = error instanceof GatewayError && (error.code === 'TOO_LARGE' || error.code === 'BAD_RESPONSE');
    const why = error instanceof GatewayError ? reasonFor(error) : 'it could not be reached.';
    throw new NoTokenError(
      isBad ? 'BAD_RESPONSE' : 'UNREACHABLE',
      tool,
      `no access token could be fetched from ${url.origin}: ${why}\nThe call was not made.`,
      { tool, origin: url.origin },
      error,
    );
  }
}

/** The reason, worded for a request for a token: the usual advice to ask for less does not apply. */
function reasonFor(error: GatewayError): string {
  const { code } = error;
  if (code === 'TOO_LARGE')
    return `its answer is larger than ${TOKEN_LIMITS.maxResponseBytes} bytes, too large for an answer with a token. Check its address in the domain file.`;
  if (code === 'TIMEOUT') return `it did not answer within ${TOKEN_LIMITS.timeoutMs / 1000} s.`;
  return error instanceof ToolError ? error.why : error.message;
}

/** The body as JSON; undefined if it is not JSON. */
export function jsonOf({ body }: TokenHttpResponse): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Words for the error about a refused request. */
export interface RefusalWords {
  readonly refused: string;
  /** What to check when the secrets were refused. */
  readonly check: string;
  readonly variables: readonly string[];
  /** The server that got the request, and the field of the domain file with its address, for redirects. */
  readonly server: 'login' | 'token URL';
  readonly addressField: 'url' | 'tokenUrl';
}

/** Throws unless the answer is a success. */
export function checkIssued(
  response: TokenHttpResponse,
  url: URL,
  { tool, credential }: TokenRequest,
  words: RefusalWords,
  client: TokenClient,
  redact: (text: string) => string = client.redact,
): void {
  const { status } = response;
  if (status >= 200 && status < 300) return;
  const { origin } = url;
  if (status >= 300 && status < 400) throw redirectBlocked(response, url, tool, credential.name, words, redact);
  if (status >= 500) {
    throw new ToolError(
      'UNREACHABLE',
      tool,
      `${origin} could not issue an access token (status ${status}). The call was not made; try again later.`,
      { tool, origin },
    );
  }
  if (status === 429) {
    const seconds = client.retryAfter(response);
    throw new ToolError(
      'RATE_LIMITED',
      tool,
      `${origin} accepts no more logins for now (status 429). The call was not made; try again ${seconds === undefined ? 'later' : `in ${seconds} s`}.`,
      { tool, origin, status, ...(seconds !== undefined && { retry_after_seconds: seconds }) },
    );
  }
  // The server's description of the problem, without secrets.
  const { title, detail } = client.readProblem(jsonOf(response));
  const reason = redact([title, detail].filter(Boolean).join(': '));
  throw new ToolError(
    'MISSING_CREDENTIAL',
    tool,
    `${origin} ${words.refused} (${status}${reason === '' ? '' : ` ${escapeHiddenCharacters(reason.slice(0, MAX_REASON_CHARS))}`}). The call was not made. ${words.check} Changing the arguments does not help.`,
    { tool, status, variables: words.variables },
  );
}

/** A redirect is not followed, because the secrets would be sent along. The error names the new address for the domain file. */
function redirectBlocked(
  { status, headers }: TokenHttpResponse,
  url: URL,
  tool: string,
  name: string,
  { server, addressField }: RefusalWords,
  redact: (text: string) => string,
): GatewayError {
  const what = server === 'login' ? `the login ${name}` : `the token URL of ${name}`;
  const location = String(headers.location ?? '');
  const target = location !== '' && URL.canParse(location, url.href) ? new URL(location, url.href) : undefined;
  const address = target && escapeHiddenCharacters(redact(target.origin + target.pathname)).slice(0, MAX_REASON_CHARS);
  const fix =
    address === undefined
      ? `The answer names no new address; check the address in credentials.${name} of the domain file.`
      : `If that address is right, write ${addressField}: ${address} in credentials.${name} of the domain file.`;
  return new ToolError(
    'REDIRECT_BLOCKED',
    tool,
    `${what} at ${url.origin} has moved${address === undefined ? '' : ` to ${address}`} (${status}). The redirect was not followed, so that no secret is sent there, and the call was not made. ${fix}`,
    { tool, status, ...(address !== undefined && { location: address }) },
  );
}
