// A login as data: the request with its `${VARIABLE}`s filled in, and the secrets in it.
import type { Secret } from '../../endpoint/credential.ts';
import { type Environment, expand, lookup, lookupSecret } from '../../endpoint/environment.ts';
import { isObject } from '../../endpoint/is-object.ts';
import { isSecretField, snakeWords } from '../../endpoint/secret-names.ts';

/** The request of a login, its secrets filled in: never print more of it than method and URL. */
export interface LoginRequest {
  readonly method: string;
  /** Absolute, without query. It may contain secrets: for sending only. */
  readonly url: string;
  /** The same for people and models, as it was written: `${VARIABLE}` stands where a secret would. */
  readonly shown: string;
  /** Encoded, without `?`. */
  readonly query: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** Texts may contain `${VARIABLE}` and `${VARIABLE:-default}`. */
export interface LoginTemplate {
  readonly method?: string | undefined;
  /** Put before `url` without filling in variables: it may come from a document. */
  readonly base?: string;
  /** Absolute with `base`; a query of its own is kept. */
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  /** Sent as JSON. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  /** Sent urlencoded. */
  readonly form?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Parts from a document, in which no variables are filled in: it must not be able to read ours. Its URL replaces `url`, its
   * fields follow those of `form`.
   */
  readonly literal?: { readonly url: string; readonly form: Readonly<Record<string, string>> };
}

/** Fields that name the user or the place of the login. Variables in all other fields are secrets. */
const NAMES =
  /^(?:user|user_?name|user_?id|e_?mail|email_?address|mail|login|log_?in_?name|name|account|account_?id|tenant|tenant_?id|realm|domain|organi[sz]ation|org|company|database|db|grant_?type|scope|scopes|client_?id|audience|identity|identifier|mode|host)$/;
/** The part of an address that names a host; it may begin with a variable. */
const HOST = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:\$\{[^}]*\}|\$(?!\{)|[^/?#$])*/i;
/** Used in place of a field name; no field has such a name. */
const IN_HOST = '//';
const BEHIND_HOST = '/';
/** A variable after the host is a secret, unless it is named like one of these or like a field in NAMES. */
const PLACES = /^(?:url|uri|base|path|prefix|region|version|stage|env|environment|shop|store|site|project)$/;

/** Whether a variable in this field is no secret. */
function isNameAt(field: string, variable: string): boolean {
  if (field === IN_HOST) return !isSecretField(variable) && !/_key$/i.test(variable);
  if (field !== BEHIND_HOST) return NAMES.test(snakeWords(field));
  // `SHOP_TENANT_ID` ends like `tenant_id`.
  const words = snakeWords(variable).split('_').slice(-3);
  const ends = words.map((_, index) => words.slice(index).join('_'));
  return !isSecretField(variable) && ends.some((end) => NAMES.test(end) || PLACES.test(end));
}

function splitQuery(url: string): [address: string, query: string] {
  const [, address = '', query = ''] = /^([^?#]*)(?:\?([^#]*))?/.exec(url) ?? [];
  return [address, query];
}

export function fillLogin(template: LoginTemplate, env: Environment): { request: LoginRequest; secrets: Secret[] } {
  const secrets = new Map<string, Secret>();
  const fill = (text: string, field: string): string => {
    const { text: content, variables } = expand(text, env);
    for (const { name, value } of variables) {
      // A default is written in the file, so it is no secret.
      const isDefault = value !== undefined && lookup(env, name) === undefined;
      const isName = isDefault || isNameAt(field, name);
      const before = secrets.get(name);
      // One that is a name in one place and a password in another is a password.
      if (before !== undefined && before.isName !== true) continue;
      const { problem } = value === undefined ? lookupSecret(env, name) : {};
      secrets.set(name, {
        variable: name,
        value: value ?? before?.value,
        ...(isName ? { isName } : {}),
        ...(problem !== undefined && { problem }),
      });
    }
    return content;
  };
  const fillAll = (value: unknown, field: string): unknown => {
    if (typeof value === 'string') return fill(value, field);
    if (Array.isArray(value)) return value.map((item) => fillAll(item, field));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fillAll(inner, key)]));
  };
  const toPairs = (fields: Readonly<Record<string, unknown>> = {}): string =>
    new URLSearchParams(
      Object.entries(fields).map(([key, value]): [string, string] => [key, String(fillAll(value, key))]),
    ).toString();

  const { method = 'POST', body, form, literal } = template;
  const { base = '', url: pattern = '' } = template;
  const host = HOST.exec(pattern)?.[0] ?? '';
  const url = literal?.url ?? base + fill(host, IN_HOST) + fill(pattern.slice(host.length), BEHIND_HOST);
  const [address, ownQuery] = splitQuery(url);
  const literalPairs = new URLSearchParams(literal?.form).toString();
  const headers: Record<string, string> = { accept: 'application/json' };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (form !== undefined) headers['content-type'] = 'application/x-www-form-urlencoded';
  for (const [name, text] of Object.entries(template.headers ?? {})) headers[name.toLowerCase()] = fill(text, name);
  return {
    request: {
      method: method.toUpperCase(),
      url: address,
      shown: splitQuery(literal?.url ?? base + pattern)[0],
      query: joinPairs(ownQuery, toPairs(template.query)),
      headers,
      body:
        body !== undefined
          ? JSON.stringify(fillAll(body, ''))
          : form !== undefined
            ? joinPairs(toPairs(form), literalPairs)
            : null,
    },
    secrets: [...secrets.values()],
  };
}

function joinPairs(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('&');
}
