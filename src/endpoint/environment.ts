// Fills in references to the environment: `${VARIABLE}`, `${VARIABLE:-default}`, `${file:/run/secrets/x}`, and base URLs. The
// environment is always a parameter: commands pass process.env to read-config.ts.

import { isWebUrl } from './address.ts';
import type { Secret } from './credential.ts';
import { trimEnd } from './plain-text.ts';
import { isVariable, MARKS, type SourceValue, sourceOf } from './sources/sources.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** An absolute http(s) URL as env text, or a variable with a default. `embedded:tasks` is the sample API of this package. */
export type BaseUrl = string | { readonly env: string; readonly default?: string };

export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** A variable, or a name from another source, such as `file:` and a path. */
const OPENING = new RegExp(String.raw`\$\{([A-Za-z_][A-Za-z0-9_]*|(?:${MARKS})[^{}]{1,300}?)(:-|\})`, 'g');

/** The prefix of every variable whose name was chosen by a document. */
export const DOCUMENT_PREFIX = 'LANDBRIDGE_CRED_';
const EMBEDDED = /^embedded:([a-z][a-z0-9_-]{0,31})$/;

/** A reference to a variable or file in a text, and its position. */
interface Reference {
  readonly name: string;
  readonly fallback: string | undefined;
  readonly start: number;
  readonly end: number;
}

/** The references of a text, from left to right. They do not nest: a default extends to the next `}`. */
export function findReferences(text: string): readonly Reference[] {
  const references: Reference[] = [];
  for (const { 0: opening, 1: name, 2: mark, index } of text.matchAll(OPENING)) {
    if (index < (references.at(-1)?.end ?? 0)) continue;
    const start = index + opening.length;
    const end = mark === '}' ? start - 1 : text.indexOf('}', start);
    if (end < 0) break;
    references.push({
      name: name!,
      fallback: mark === '}' ? undefined : text.slice(start, end),
      start: index,
      end: end + 1,
    });
  }
  return references;
}

/** The text with every reference replaced. */
export function replaceReferences(text: string, replace: (reference: Reference) => string): string {
  let out = '';
  let at = 0;
  for (const reference of findReferences(text)) {
    out += text.slice(at, reference.start) + replace(reference);
    at = reference.end;
  }
  return out + text.slice(at);
}

/** The text with every variable filled in, all variables, and the names of those that are unset and have no default. */
export function expand(
  text: string,
  env: Environment,
): { text: string; missing: string[]; variables: { name: string; value: string | undefined }[] } {
  const missing: string[] = [];
  const variables: { name: string; value: string | undefined }[] = [];
  const result = replaceReferences(text, ({ name, fallback }) => {
    const value = problemOf(name) === undefined ? (lookup(env, name) ?? fallback) : undefined;
    variables.push({ name, value });
    if (value === undefined) missing.push(name);
    return value ?? '';
  });
  return { text: result, missing, variables };
}

/** Why a name can never be read, such as a file with a relative path. */
function problemOf(name: string): string | undefined {
  const { source, rest } = sourceOf(name);
  return source.findProblem?.(rest);
}

/** A problem if the text has a reference that can never be filled in; undefined otherwise. */
export function findUnreadable(text: string): string | undefined {
  const unreadable = expand(text, {}).missing.filter((name) => problemOf(name) !== undefined);
  return unreadable.length === 0 ? undefined : needsVariables(unreadable);
}

/** What is wrong with a text that has unset variables, as the end of a sentence. */
export function needsVariables(missing: readonly string[]): string {
  const fix = `write \${${missing[0]}:-default}`;
  for (const name of missing) {
    const problem = problemOf(name);
    if (problem !== undefined) return `has \${${name}}, ${problem}`;
  }
  if (!missing.every(isVariable)) return `needs ${missing.join(' and ')}, which cannot be read; ${fix}`;
  return `needs the environment variable ${missing.join(' and ')}; set it, or ${fix}`;
}

/** The value of a variable, or of the file or other source that the name refers to. */
export function lookup(env: Environment, name: string): string | undefined {
  const value = read(env, name);
  return value !== undefined && 'text' in value ? value.text : undefined;
}

function read(env: Environment, name: string): SourceValue | undefined {
  const { source, rest } = sourceOf(name);
  return source.read(rest, env);
}

/** Why a source has no value, to follow the name in a sentence; undefined if nothing names such a source. */
export function sourceProblem(env: Environment, name: string): string | undefined {
  const value = read(env, name);
  return value !== undefined && 'problem' in value ? value.problem : undefined;
}

/** Whether a value is read from a file or another source of secrets; then it counts as a secret, whatever its name. */
export function isFromSecretSource(env: Environment, name: string): boolean {
  const value = read(env, name);
  return value !== undefined && ('problem' in value || value.isSecret === true);
}

/** A secret by the name of its variable or file. */
export function lookupSecret(env: Environment, variable: string): Secret {
  const value = read(env, variable);
  if (value === undefined) return { variable, value };
  return 'text' in value ? { variable, value: value.text } : { variable, value: undefined, problem: value.problem };
}

/** Without a trailing slash. `isRoot`: exactly the root of the host, even if the document's server has a path. */
export type ResolvedUrl = { readonly url: string; readonly isRoot?: boolean };

/** The base URL as configured, variables filled in, or a sentence saying what is wrong with it. */
export function resolveBaseUrl(base: BaseUrl, env: Environment): ResolvedUrl | { problem: string } {
  const value = typeof base === 'string' ? base : (lookup(env, base.env) ?? base.default);
  if (value === undefined && typeof base !== 'string') {
    return { problem: `is not known: set the environment variable ${base.env}, or write a default` };
  }
  const { text, missing } = expand(value as string, env);
  if (missing.length > 0) return { problem: needsVariables(missing) };
  if (EMBEDDED.test(text)) return { url: text };
  const from = typeof base !== 'string' && lookup(env, base.env) !== undefined ? ` (from ${base.env})` : '';
  if (!URL.canParse(text)) {
    const fix = withScheme(text);
    const what = fix === undefined ? 'an absolute URL such as https://api.example.com/v1' : 'an absolute URL';
    return {
      problem: `must be ${what}; got ${JSON.stringify(text)}${from}${fix === undefined ? '' : `; write ${fix}`}`,
    };
  }
  const url = new URL(text);
  if (!isWebUrl(url)) {
    const fix = withScheme(text);
    const got = fix === undefined ? `got ${url.protocol}//${from}` : `write ${fix}${from}`;
    return { problem: `must start with http:// or https://; ${got}` };
  }
  if (url.username !== '' || url.password !== '')
    return { problem: `must hold no user name or password${from}; declare a credential instead` };
  if (url.search !== '' || url.hash !== '')
    return { problem: `must hold no ? or #${from}; use fixed values for query parameters` };
  return { url: trimEnd(`${url.origin}${url.pathname}`, '/'), ...(isRoot(text) ? { isRoot: true } : {}) };
}

/** `localhost:4711` as it was meant. */
export function withScheme(text: string): string | undefined {
  const host = /^([a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::\d{1,5})?(?:\/[\w.~/-]*)?$/i.exec(text)?.[1];
  if (host === undefined || !(text.includes(':') || host.includes('.') || host === 'localhost')) return undefined;
  return `${/^localhost$|^[\d.]+$/i.test(host) ? 'http' : 'https'}://${text}`;
}

/** `https://host/.` means the root. A plain trailing slash does not: browsers and URL parsers add one on their own. */
export function isRoot(url: string): boolean {
  return /^[a-z]+:\/\/[^/]+\/\.\/?$/i.test(url.trim());
}

/** The name in `embedded:name`; such an API runs inside the gateway's own process. */
export function embeddedName(url: string): string | undefined {
  return EMBEDDED.exec(url)?.[1];
}

/** An environment that adds the name of each variable that is read to `names`. */
export function recordLookups(env: Environment, names: Set<string>): Environment {
  return new Proxy(env, {
    get: (target, name) => {
      if (typeof name === 'string') names.add(name);
      return Reflect.get(target, name) as string | undefined;
    },
  });
}
