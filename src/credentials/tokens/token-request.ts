// What all servers that issue tokens have in common: where a secret may be sent, the request, and how they refuse.
import { maySeeSecrets } from '../../endpoint/address';
import { visible } from '../../endpoint/hidden';
import type { Connection, EndpointLimits } from '../../endpoint/model';
import type { Redactor } from '../../endpoint/redaction/redact';
import { GatewayError, NoTokenError, ToolError } from '../../errors';
import type { CallSpan } from '../../tracing/call-span';
import { extractProblem, retryAfter } from '../../executor/answer/api-problem';
import type { Subject } from './caller-token';
import type { WireRequest } from '../../executor/request/build-request';
import type { TokenCredential } from '../proof';
import type { RawResponse, Send } from '../../executor/send';
import { sendTraced } from '../../executor/traced-send';
import type { Cookie } from '../login/set-cookie';

/** What was handed out. `cookies`: what a login has set, instead of a token. */
export interface Issued {
  readonly token: string;
  readonly cookies?: readonly Cookie[];
  /** undefined: nobody says how long it is good. */
  readonly lifetimeS: number | undefined;
}

/** A token that is wanted: by which credential, for whose call, and where that call goes. */
export interface Wish<Kind extends TokenCredential = TokenCredential> {
  readonly credential: Kind;
  /** Whose token is exchanged; undefined for credentials that are the same for everybody. */
  readonly subject?: Subject | undefined;
  readonly tool: string;
  readonly apiOrigin: string;
  /** How the requests of that call travel; a client certificate stays with the API's own origin. */
  readonly connection?: Connection | undefined;
  /** What asking for it is recorded under, where calls are traced. */
  readonly span?: CallSpan | undefined;
}

export interface Issuer {
  readonly send: Send;
  readonly userAgent: string;
  readonly redact: Redactor;
}

const TOKEN_LIMITS: EndpointLimits = Object.freeze({ timeoutMs: 10_000, maxResponseBytes: 256 * 1024 });
const MAX_REASON_CHARS = 200;

export function checkAddress(address: string, what: string, { tool, apiOrigin }: Wish): URL {
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

type IssueRequest = Pick<WireRequest, 'method' | 'headers' | 'body'> & { readonly url: URL };

/** One request for a token. `what` names in an error what could not be fetched. */
export async function askIssuer(
  { send, userAgent }: Issuer,
  { method, url, headers, body }: IssueRequest,
  { credential, tool, connection, span }: Wish,
): Promise<RawResponse> {
  const request: WireRequest = {
    method,
    origin: url.origin,
    path: url.pathname + url.search,
    url: url.origin + url.pathname,
    headers: { 'user-agent': userAgent, ...headers },
    body,
    limits: TOKEN_LIMITS,
    isRead: true,
    connection,
    publicOnly: 'publicOnly' in credential && credential.publicOnly === true,
  };
  // Shared by every call that waits for the token, so it goes on if a single caller leaves.
  const errand = {
    label: tool,
    signal: new AbortController().signal,
    deadline: performance.now() + TOKEN_LIMITS.timeoutMs,
  };
  try {
    return await (span === undefined ? send(request, errand) : sendTraced(send, request, errand, span));
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

/** The body as JSON, or undefined where it is none. */
export function jsonOf({ body }: RawResponse): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Throws unless the answer is a success. `check` says what to look at when the secrets were refused. */
export function checkIssued(
  raw: RawResponse,
  url: URL,
  wish: Wish,
  words: { readonly refused: string; readonly check: string; readonly variables: readonly string[] },
  redact: (text: string) => string,
): void {
  const { tool } = wish;
  const { status } = raw;
  if (status >= 200 && status < 300) return;
  const { origin } = url;
  if (status >= 300 && status < 400) throw hasMoved(raw, url, wish, redact);
  if (status >= 500) {
    throw new ToolError(
      'UNREACHABLE',
      tool,
      `${origin} could not issue an access token (status ${status}). The call was not made; try again later.`,
      { tool, origin },
    );
  }
  if (status === 429) {
    const seconds = retryAfter(status, raw.headers);
    throw new ToolError(
      'RATE_LIMITED',
      tool,
      `${origin} accepts no more logins for now (status 429). The call was not made; try again ${seconds === undefined ? 'later' : `in ${seconds} s`}.`,
      { tool, origin, status, ...(seconds !== undefined && { retry_after_seconds: seconds }) },
    );
  }
  throw new ToolError(
    'MISSING_CREDENTIAL',
    tool,
    `${origin} ${words.refused} (${status}${reasonOf(raw, redact)}). The call was not made. ${words.check} Changing the arguments does not help.`,
    { tool, status, variables: words.variables },
  );
}

/** A redirect is not followed, because the secrets would be sent along. The error names the new address for the domain file. */
function hasMoved(raw: RawResponse, url: URL, wish: Wish, redact: (text: string) => string): GatewayError {
  const { credential, tool } = wish;
  const { name } = credential;
  const location = String(raw.headers.location ?? '');
  const target = location !== '' && URL.canParse(location, url.href) ? new URL(location, url.href) : undefined;
  const address = target && visible(redact(target.origin + target.pathname)).slice(0, MAX_REASON_CHARS);
  const field = credential.kind === 'login' && credential.isScheme !== true ? 'url' : 'tokenUrl';
  const what = credential.kind === 'login' ? `the login ${name}` : `the token URL of ${name}`;
  const fix =
    address === undefined
      ? `The answer names no new address; check the address in credentials.${name} of the domain file.`
      : `If that address is right, write ${field}: ${address} in credentials.${name} of the domain file.`;
  return new ToolError(
    'REDIRECT_BLOCKED',
    tool,
    `${what} at ${url.origin} has moved${address === undefined ? '' : ` to ${address}`} (${raw.status}). The redirect was not followed, so that no secret is sent there, and the call was not made. ${fix}`,
    { tool, status: raw.status, ...(address !== undefined && { location: address }) },
  );
}

/** What the server says is wrong, without secrets. */
function reasonOf(raw: RawResponse, redact: (text: string) => string): string {
  const { title, detail } = extractProblem(jsonOf(raw), '');
  const reason = redact([title, detail].filter(Boolean).join(': '));
  return reason === '' ? '' : ` ${visible(reason.slice(0, MAX_REASON_CHARS))}`;
}
