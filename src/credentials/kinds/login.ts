// A login: a request with the operator's secrets, whose answer has a token or sets cookies. login/ has the request, its answer and
// the logins of documents.
import { isWebUrl, originOf } from '../../endpoint/address.ts';
import { namesCaller } from '../../endpoint/caller/caller-text.ts';
import type { Credential, Secret } from '../../endpoint/credential.ts';
import { expand, findUnreadable, needsVariables } from '../../endpoint/environment.ts';
import { isConfigurableHeader, isSecretHeader } from '../../endpoint/headers/header-names.ts';
import { isSecretField } from '../../endpoint/secret-names.ts';
import { omitUndefined } from '../../endpoint/untrusted.ts';
import { ToolError } from '../../errors.ts';
import {
  type BuildContext,
  type CredentialKind,
  type CredentialPlace,
  type DefinitionOf,
  hiddenText,
  type ShapeTools,
} from '../credential-kind.ts';
import { logIn } from '../login/log-in.ts';
import { fillLogin, type LoginRequest } from '../login/login-request.ts';

/** Where a login's answer contains the token; undefined: at any of the usual places. */
type TokenPlace = { readonly in: 'body'; readonly at: string } | { readonly in: 'header'; readonly field: string };

/** How long a token is valid: a dot path of the answer, or a fixed time. undefined: what the answer or the token itself says. */
export type TokenLifetime =
  | { readonly at: string; readonly unit?: 'seconds' | 'milliseconds' }
  | { readonly seconds: number };

/** How a token is sent. `cookies`: those the login has set. */
type TokenCarrier =
  | { readonly in: 'header' | 'query' | 'cookie'; readonly field: string; readonly prefix?: string }
  | { readonly in: 'cookies' };

export interface LoginCredential extends Credential {
  readonly kind: 'login';
  readonly request: LoginRequest;
  /** Every variable of the request. */
  readonly secrets: readonly Secret[];
  /** Chosen by a document from the network: must not lead to a private address. */
  readonly publicOnly?: boolean;
  readonly token?: TokenPlace;
  readonly lifetime?: TokenLifetime;
  readonly send: TokenCarrier;
  /** Statuses with which the API says that a token is no longer valid. */
  readonly renewOn: readonly number[];
  /** The password flow of a document's scheme: a domain file names its variables. */
  readonly isScheme?: true;
}

export function isLogin(credential: Credential): credential is LoginCredential {
  return credential.kind === 'login';
}

function shape({ z, about, closed, FILLED, headerName, inAnyCase, text, withDefault }: ShapeTools) {
  const header = headerName('must be the name of a header, such as X-Auth-Token');
  const scalar = z.union([z.string(), z.number(), z.boolean()]);
  const place = z.union([
    text,
    closed({ header: about(header, 'The header of the answer that has the token.', 'X-Auth-Token') }),
  ]);
  const lifetime = z.union([
    text,
    closed({
      at: about(text, 'The dot path of the lifetime in the answer.', 'data.expires'),
      unit: about(z.enum(['seconds', 'milliseconds']), 'The unit of the number.', 'milliseconds').exactOptional(),
    }),
    closed({
      seconds: about(z.int().min(1).max(86_400), 'The lifetime in seconds, if the answer does not have it.', 900),
    }),
  ]);
  const prefix = about(
    z.string(),
    'Text that is sent before the token, with the space at its end.',
    'Token ',
  ).exactOptional();
  const send = z.union([
    z.enum(['bearer', 'cookies']),
    closed({ header: about(header, 'The header that carries the token.', 'X-Auth-Token'), prefix }),
    closed({ query: about(text, 'The query parameter that carries the token.', 'access_token') }),
    closed({ cookie: about(text, 'The cookie that carries the token.', 'session') }),
  ]);
  return closed({
    kind: about(
      z.literal('login'),
      'Gets a token from a login request. The token is renewed before it expires, and when the API refuses it.',
      'login',
    ),
    method: about(
      z.string().regex(inAnyCase(['GET', 'POST', 'PUT', 'PATCH']), 'must be GET, POST, PUT or PATCH'),
      withDefault('The method of the login.', '`POST`'),
      'POST',
    ).exactOptional(),
    path: about(
      z.string().regex(/^\/[^?#\s]*$/, 'must start with / and hold no ?, # or blank; parameters go into query'),
      'The path of the login, below `baseUrl`.',
      '/auth/login',
    ).exactOptional(),
    url: about(
      text,
      `Instead of \`path\`: the URL of a login at another address. ${FILLED}.`,
      'https://id.example/token',
    ).exactOptional(),
    headers: about(z.record(header, z.string()), `Headers of the login. ${FILLED}.`, {
      'X-Tenant': 'acme',
    }).exactOptional(),
    query: about(z.record(z.string(), scalar), `Query parameters of the login. ${FILLED}.`, {
      tenant: 'acme',
    }).exactOptional(),
    body: about(z.record(z.string(), z.unknown()), `The JSON body of the login. ${FILLED}.`, {
      email: '\u0024{SHOP_EMAIL}',
      password: '\u0024{SHOP_PASSWORD}',
    }).exactOptional(),
    form: about(
      z.record(z.string(), scalar),
      `Instead of \`body\`: fields of the login, sent as an HTML form sends them. ${FILLED}.`,
      { username: '\u0024{SHOP_USER}', password: '\u0024{SHOP_PASSWORD}' },
    ).exactOptional(),
    token: about(
      place,
      withDefault(
        'Where the token is in the answer: a dot path, or `{ header: X-Auth-Token }`.',
        'the usual places (`access_token`, `token`, `data.access_token` …)',
      ),
      'data.access_token',
    ).exactOptional(),
    lifetime: about(
      lifetime,
      withDefault(
        'How long the token is valid: a dot path of the answer, `{ at: data.expires, unit: milliseconds }` or `{ seconds: 900 }`.',
        'what the answer (`expires_in`, `expires` …) or the token itself (a JWT) says, or else one hour',
      ),
      'data.expires',
    ).exactOptional(),
    send: about(
      send,
      withDefault(
        'How the token is sent: `bearer`, `{ header: X-Auth-Token, prefix: "Token " }`, `{ query: token }`, `{ cookie: session }`, or `cookies` for the cookies that the login sets.',
        '`bearer`',
      ),
      'bearer',
    ).exactOptional(),
    renewOn: about(
      z
        .array(z.union([z.literal(401), z.literal(403), z.literal(419), z.literal(440)]))
        .min(1)
        .readonly(),
      withDefault('The statuses with which the API says that the token is no longer valid.', [401]),
      [401, 403],
    ).exactOptional(),
  }).meta({ id: 'login' });
}

type LoginDefinition = DefinitionOf<typeof shape>;

export const login: CredentialKind<LoginCredential, typeof shape> = {
  shape,
  // The fields of a document's password flow; a login of a domain file has its variables in its texts.
  variableFields: ['usernameEnv', 'passwordEnv', 'clientIdEnv', 'clientSecretEnv'],
  requiredFields: [],
  build,
  isOnlyInDomainFiles: true,
  isLastInReference: true,
  secrets: ({ secrets }) => secrets,
  hiddenTexts: ({ secrets }) => secrets.filter(({ isName }) => !isName).flatMap(hiddenText),
  place: ({ send }): CredentialPlace => (send.in === 'cookies' ? { in: 'cookie' } : send),
  destination: ({ request }) => request.url,
  proof: {
    type: 'token',
    defaultLifetimeS: 3_600,
    // Logins are few, because accounts get locked.
    maxReplacements: 1,
    mayRepeatWrites: true,
    renewOn: ({ renewOn }) => renewOn,
    cacheKey: ({ request, token, lifetime, send, publicOnly = false }) => [request, token, lifetime, send, publicOnly],
    fetch: logIn,
    checkOrigin,
  },
  describe: ({ send, request }) => `${describeCarrier(send)} from ${request.method} ${request.shown}`,
  tokenSource: ({ request }) => `${request.method} ${request.shown}`,
  issuingRequest: ({ request }) => `${request.method} ${request.url}`,
  documentTokenUrl({ isScheme, request: { shown, query } }) {
    if (isScheme !== true) return undefined;
    return query === '' ? shown : `${shown}?${query}`;
  },
  isDeclaredInFull: ({ isScheme }) => !isScheme,
};

function describeCarrier(send: TokenCarrier): string {
  if (send.in === 'cookies') return 'the cookies';
  const word = send.prefix?.trim() ?? '';
  if (send.in !== 'header') return `${send.in} ${send.field}, a token`;
  return `${send.field}${word === '' ? '' : `: ${word}`}, a token`;
}

/** Throws if cookies of the login would be sent to another origin than the one that has set them. */
function checkOrigin({ name, send, request }: LoginCredential, origin: string, tool: string): void {
  if (send.in !== 'cookies') return;
  const home = originOf(request.url);
  // If it is not a URL, the login itself fails with that message, and sets no cookie.
  if (home === undefined || home === origin) return;
  throw new ToolError(
    'MISSING_CREDENTIAL',
    tool,
    `the cookies of the login ${name} belong to ${home} and are sent nowhere else; the call was not made. Give this operation its own credential (security) in the domain file.`,
    { tool },
  );
}

function build(name: string, definition: LoginDefinition, { env, home, say }: BuildContext): LoginCredential {
  const { method, path, url: address, headers: own, query, body, form } = definition;
  const url = address ?? path ?? '';
  const origin = checkAddress(definition, { env, home, say });
  if (body !== undefined && form !== undefined) say('cannot be combined with body; keep one of them', 'form');
  if (/^get$/i.test(method ?? '') && (body ?? form) !== undefined)
    say('is GET, which has no body: move the fields to query, or leave method out', 'method');
  refuseSecrets({ path, url: address, query, body, form, headers: own }, [], say);
  for (const field of Object.keys(own ?? {}))
    if (!isConfigurableHeader(field)) say(`${field} is written by the HTTP client and cannot be set`, 'headers');
  const isHome = origin === originOf(home.url ?? '');
  const headers = { ...(isHome ? home.headers : {}), ...own };
  const { request, secrets } = fillLogin(
    // A missing base URL is reported elsewhere.
    { ...(address === undefined && { base: home.url ?? '' }), url, method, headers, query, body, form },
    env,
  );
  const send = toCarrier(definition.send ?? 'bearer');
  if (send.in === 'cookies' && !isHome && home.url !== undefined)
    say(
      'cookies are only sent to the origin that set them, and this login has another origin than the API; send its token instead',
      'send',
    );
  return {
    kind: 'login',
    name,
    request,
    secrets,
    send,
    renewOn: definition.renewOn ?? [401],
    ...omitUndefined({ token: toPlace(definition.token), lifetime: toLifetime(definition.lifetime) }),
  };
}

/** The origin of a login; reports what is wrong with its address. */
function checkAddress(
  { path, url }: LoginDefinition,
  { env, home, say }: Pick<BuildContext, 'env' | 'home' | 'say'>,
): string | undefined {
  if (path !== undefined && url !== undefined) say('cannot be combined with path; keep one of them', 'url');
  if (url !== undefined) {
    const { text, missing } = expand(url, env);
    if (missing.length > 0) say(needsVariables(missing), 'url');
    else if (!URL.canParse(text) || !isWebUrl(new URL(text)))
      say('must be an absolute http(s) URL; a path below the base URL is written as path: /auth/login', 'url');
    else if (new URL(text).username !== '')
      say('must hold no user name or password; put them into body or form', 'url');
    return originOf(text);
  }
  if (path === undefined) say('is missing: give the path of the login below the base URL, such as /auth/login', 'path');
  return originOf(home.url ?? '');
}

const MAX_DEPTH = 8;
const SAME_FOR_ALL =
  'identifies the caller, but a login is the same for all callers; use headers, assertion or token_exchange to identify the caller to the API';

/** Refuses secrets written out in the file: domain files are committed. */
function refuseSecrets(value: unknown, path: readonly string[], say: BuildContext['say'], depth = 0): void {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
  for (const [key, inner] of Object.entries(value)) {
    const at = [...path, key];
    const problem = typeof inner === 'string' ? findUnreadable(inner) : undefined;
    if (typeof inner !== 'string') refuseSecrets(inner, at, say, depth + 1);
    else if (namesCaller(inner)) say(SAME_FOR_ALL, ...at);
    else if (problem !== undefined) say(problem, ...at);
    else if (
      depth > 0 &&
      (isSecretField(key) || (path[0] === 'headers' && isSecretHeader(key))) &&
      inner !== '' &&
      !/\$\{[A-Za-z_]/.test(inner)
    )
      say(
        `looks like a secret by its name, and a domain file must not contain secrets: write \${VARIABLE} and set that variable`,
        ...at,
      );
  }
}

function toPlace(token: LoginDefinition['token']): TokenPlace | undefined {
  if (token === undefined) return undefined;
  return typeof token === 'string' ? { in: 'body', at: toPath(token) } : { in: 'header', field: token.header };
}

function toLifetime(lifetime: LoginDefinition['lifetime']): TokenLifetime | undefined {
  if (typeof lifetime === 'string') return { at: toPath(lifetime) };
  return lifetime !== undefined && 'at' in lifetime ? { ...lifetime, at: toPath(lifetime.at) } : lifetime;
}

/** Accepts JSONPath as well: `$.data.token` means `data.token`. */
function toPath(path: string): string {
  return path.replace(/^\$\./, '');
}

function toCarrier(send: NonNullable<LoginDefinition['send']>): TokenCarrier {
  if (send === 'cookies') return { in: 'cookies' };
  if (send === 'bearer') return { in: 'header', field: 'Authorization', prefix: 'Bearer ' };
  if ('query' in send) return { in: 'query', field: send.query };
  if ('cookie' in send) return { in: 'cookie', field: send.cookie };
  return { in: 'header', field: send.header, ...omitUndefined({ prefix: send.prefix }) };
}
