// A login as a domain file declares it becomes a credential: where it is, what it sends, how its token travels.

import { isWebUrl, originOf } from '../../endpoint/address';
import { namesCaller } from '../../endpoint/caller/caller-text';
import { type Environment, expand, findLost, needsVariables } from '../../endpoint/environment';
import { isConfigurableHeader, isSecretHeader } from '../../endpoint/headers/header-names';
import { fillLogin, isSecretField } from '../login/login-request';
import type { Problem } from '../../endpoint/problems';
import type { Credential, TokenCarrier, TokenLifetime, TokenPlace } from '../../endpoint/credential';
import { omitUndefined } from '../../endpoint/untrusted';
import type { CredentialDefinition } from '../../domain/definition/definition-types';

type LoginDefinition = Extract<CredentialDefinition, { kind: 'login' }>;

/** What a login is relative to. */
export interface LoginHome {
  /** Base URL of the domain, where there is one. */
  readonly url: string | undefined;
  /** Plain headers of the domain: they go with every request to it. */
  readonly headers: Readonly<Record<string, string>>;
}

export function buildLogin(
  name: string,
  declaration: LoginDefinition,
  env: Environment,
  home: LoginHome,
  problems: Problem[],
): Credential {
  const say = (field: string, message: string) => problems.push({ path: ['credentials', name, field], message });
  const { method, query, body, form } = declaration;
  const url = declaration.url ?? declaration.path ?? '';
  const origin = checkAddress(declaration, env, home, say);
  if (body !== undefined && form !== undefined) say('form', 'cannot be combined with body; keep one of them');
  if (/^get$/i.test(method ?? '') && (body ?? form) !== undefined)
    say('method', 'is GET, which has no body: move the fields to query, or leave method out');
  const { path, url: address, headers: own } = declaration;
  refuseSecrets({ path, url: address, query, body, form, headers: own }, ['credentials', name], problems);
  for (const field of Object.keys(declaration.headers ?? {}))
    if (!isConfigurableHeader(field)) say('headers', `${field} is written by the HTTP client and cannot be set`);
  const isHome = origin === originOf(home.url ?? '');
  const headers = { ...(isHome ? home.headers : {}), ...declaration.headers };
  const { request, secrets } = fillLogin(
    // A missing base URL is reported elsewhere.
    { ...(declaration.url === undefined && { base: home.url ?? '' }), url, method, headers, query, body, form },
    env,
  );
  const send = toCarrier(declaration.send ?? 'bearer');
  if (send.in === 'cookies' && !isHome && home.url !== undefined)
    say(
      'send',
      'cookies are only sent to the origin that set them, and this login has another origin than the API; send its token instead',
    );
  return {
    kind: 'login',
    name,
    request,
    secrets,
    send,
    renewOn: declaration.renewOn ?? [401],
    ...omitUndefined({ token: toPlace(declaration.token), lifetime: toLifetime(declaration.lifetime) }),
  };
}

/** The origin of a login; reports what is wrong with its address. */
function checkAddress(
  { path, url }: LoginDefinition,
  env: Environment,
  home: LoginHome,
  say: (field: string, message: string) => void,
): string | undefined {
  if (path !== undefined && url !== undefined) say('url', 'cannot be combined with path; keep one of them');
  if (url !== undefined) {
    const { text, missing } = expand(url, env);
    if (missing.length > 0) say('url', needsVariables(missing));
    else if (!URL.canParse(text) || !isWebUrl(new URL(text)))
      say('url', 'must be an absolute http(s) URL; a path below the base URL is written as path: /auth/login');
    else if (new URL(text).username !== '')
      say('url', 'must hold no user name or password; put them into body or form');
    return originOf(text);
  }
  if (path === undefined) say('path', 'is missing: give the path of the login below the base URL, such as /auth/login');
  return originOf(home.url ?? '');
}

const MAX_DEPTH = 8;
const SAME_FOR_ALL =
  'identifies the caller, but a login is the same for all callers; use headers, assertion or token_exchange to identify the caller to the API';

/** Refuses secrets written out in the file: domain files are committed. */
function refuseSecrets(value: unknown, path: readonly string[], problems: Problem[], depth = 0): void {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
  for (const [key, inner] of Object.entries(value)) {
    const unfillable = typeof inner === 'string' ? findLost(inner) : undefined;
    if (typeof inner !== 'string') refuseSecrets(inner, [...path, key], problems, depth + 1);
    else if (namesCaller(inner)) problems.push({ path: [...path, key], message: SAME_FOR_ALL });
    else if (unfillable !== undefined) problems.push({ path: [...path, key], message: unfillable });
    else if (
      depth > 0 &&
      (isSecretField(key) || (path[2] === 'headers' && isSecretHeader(key))) &&
      inner !== '' &&
      !/\$\{[A-Za-z_]/.test(inner)
    ) {
      const message = `looks like a secret by its name, and a domain file must not contain secrets: write \${VARIABLE} and set that variable`;
      problems.push({ path: [...path, key], message });
    }
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

/** `$.data.token` is `data.token` to people who know JSONPath. */
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
