// Headers of a domain file. Plain ones are sent as they are; those that prove who we are become credentials, so that
// they are bound to one origin, redacted everywhere and missed by name when their variable is unset.
import { type Environment, expand } from './environment.ts';
import type { Credential } from './model.ts';
import type { Problem } from './problems.ts';

export interface ReadHeaders {
  readonly headers: Readonly<Record<string, string>>;
  readonly credentials: readonly Credential[];
}

/** `Name: value` lines that are meant for one origin. */
export interface HeadersFor {
  readonly origin: string;
  readonly lines: readonly string[];
}

/** The lines, if that is the origin they are for. */
export function linesFor(given: HeadersFor | undefined, origin: string | undefined): readonly string[] {
  return given !== undefined && given.origin === origin ? given.lines : [];
}

const SECRET =
  /^(?:(?:proxy-)?authorization|cookie)$|(?:^|-)(?:token|secret|password|(?:api|access|auth|private)-?key|apikey|key|session|jwt|signature)$/i;
const OURS = new Set(
  'connection content-length expect host keep-alive te trailer transfer-encoding upgrade'.split(' '),
);

/** Whether a header of this name carries a secret by its nature. */
export function isSecretHeader(name: string): boolean {
  return SECRET.test(name);
}

/** Fills in variables and sets secret headers apart; `secret: true` treats all as such. Problems are collected. */
export function readHeaders(
  given: Readonly<Record<string, string>>,
  env: Environment,
  path: readonly string[],
  problems: Problem[],
  secret = false,
): ReadHeaders {
  const headers: Record<string, string> = {};
  const credentials: Credential[] = [];
  for (const [name, value] of Object.entries(given)) {
    const say = (message: string) => problems.push({ path: [...path, name], message });
    if (OURS.has(name.toLowerCase())) {
      say('is written by the HTTP client and cannot be set');
      continue;
    }
    const { text, missing } = expand(value, env);
    if (!/^[\t\x20-\x7e]*$/.test(text)) say('may hold only printable ASCII');
    if (secret || isSecretHeader(name)) credentials.push(toCredential(name, value, text, missing));
    else if (missing.length > 0)
      say(`needs the environment variable ${missing.join(' and ')}; set it, or write \${${missing[0]}:-default}`);
    else headers[name] = text.trim();
  }
  return { headers, credentials };
}

function toCredential(name: string, template: string, text: string, missing: readonly string[]): Credential {
  // `Bearer ${TOKEN}`: the token alone is the secret, and what is looked for when texts are redacted
  const prefix = /^[^$]*(?=\$\{)/.exec(template)?.[0] ?? /^\S+ (?=\S)/.exec(text)?.[0] ?? '';
  const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)/.exec(template)?.[1] ?? `header ${name}`;
  return {
    kind: 'apiKey',
    name: `header ${name}`,
    in: 'header',
    field: name,
    secret: {
      variable: missing[0] ?? variable,
      value: missing.length > 0 ? undefined : text.slice(prefix.length).trim(),
    },
    ...(prefix === '' ? {} : { prefix }),
  };
}

/** `Name: value` lines of a command line as a record; a line without a colon is a problem. */
export function parseHeaderLines(lines: readonly string[], problems: Problem[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*(.*)$/s.exec(line.trim());
    if (match === null) problems.push({ path: [], message: 'a header is written `Name: value`' });
    else headers[match[1]!] = match[2]!;
  }
  return headers;
}
