// Headers of a domain file and of the command line. Plain ones are sent as they are. Those that carry a secret become
// credentials: they are sent to the API alone and, if operator-headers.ts allows it, with the request for its document; they are
// redacted everywhere, and reported by name if their variable is unset.
import { namesCaller, parseCallerText } from '../caller/caller-text.ts';
import type { Credential, Secret } from '../credential.ts';
import {
  type Environment,
  expand,
  findUnreadable,
  isFromSecretSource,
  lookupSecret,
  needsVariables,
} from '../environment.ts';
import type { CallerHeader } from '../model.ts';
import type { Problem } from '../problems.ts';
import { isSecretField } from '../secret-names.ts';
import { HEADER_NAME, HEADER_VALUE, isArgumentHeader, isConfigurableHeader, isSecretHeader } from './header-names.ts';

/** A header with a secret, as a credential of the kind `apiKey`. */
export interface HeaderCredential extends Credential {
  readonly kind: 'apiKey';
  readonly in: 'header';
  readonly field: string;
  readonly secret: Secret;
  readonly prefix?: string;
}

export interface HeaderPlan {
  readonly headers: Readonly<Record<string, string>>;
  readonly credentials: readonly HeaderCredential[];
  /** Headers that identify the caller to the API: `X-User: ${principal.sub}`. */
  readonly callerHeaders: readonly CallerHeader[];
}

/** `Name: value` lines that are meant for one origin. */
export interface OriginHeaders {
  readonly origin: string;
  readonly lines: readonly string[];
}

/** A `Name: value` line in its two parts; a line without a colon has no name. */
export function splitHeaderLine(line: string): { readonly name: string; readonly value: string } {
  const colon = line.indexOf(':');
  return { name: line.slice(0, Math.max(colon, 0)).trim(), value: line.slice(colon + 1).trim() };
}

/** Begins the name of every credential that was made from a header. */
const OF_HEADER = 'header ';

/** Whether a credential of this name was made from a header, and not declared by a file or document. */
export function isHeaderCredential(name: string): boolean {
  return name.startsWith(OF_HEADER);
}

/** The lines, if they are for this origin. */
export function linesFor(headers: OriginHeaders | undefined, origin: string | undefined): readonly string[] {
  return headers !== undefined && headers.origin === origin ? headers.lines : [];
}

/** Fills in variables and separates secret headers. Problems are collected. */
export function readHeaders(
  templates: Readonly<Record<string, string>>,
  env: Environment,
  path: readonly string[],
  problems: Problem[],
): HeaderPlan {
  const headers: Record<string, string> = {};
  const credentials: HeaderCredential[] = [];
  const callerHeaders: CallerHeader[] = [];
  for (const [name, template] of Object.entries(templates)) {
    if (namesCaller(template)) {
      const header = readCallerHeader(name, template, env);
      if ('problem' in header) problems.push({ path: [...path, name], message: header.problem });
      else callerHeaders.push(header);
      continue;
    }
    const { text, missing, variables, problem } = readHeader(name, template, env);
    const report = (message: string) => problems.push({ path: [...path, name], message });
    // If a variable is empty or has an empty default, the call that needs the header reports the name of the variable.
    const isSecret =
      isSecretHeader(name) || variables.some((one) => isSecretField(one.name) || isFromSecretSource(env, one.name));
    const gap = isSecret && !template.includes('${') ? findGap(name, text) : undefined;
    if (problem !== undefined || gap !== undefined) report(problem ?? gap!);
    else if (isSecret) credentials.push(toCredential(name, template, text, missing, env));
    else if (missing.length > 0) report(needsVariables(missing));
    else headers[name] = text.trim();
  }
  return { headers, credentials, callerHeaders };
}

/** Fills in variables of the environment now; the caller is filled in at every call. Secrets are refused here. */
function readCallerHeader(name: string, template: string, env: Environment): CallerHeader | { problem: string } {
  if (!isArgumentHeader(name, 'read'))
    return { problem: 'cannot carry the identity of the caller; choose another header' };
  const reading = parseCallerText(template.trim());
  if (reading === undefined) return { problem: `has a \${principal… without a closing }` };
  if ('problem' in reading) return reading;
  const parts: (typeof reading.text.parts)[number][] = [];
  for (const part of reading.text.parts) {
    const { text, missing, variables } = expand(typeof part === 'string' ? part : (part.fallback ?? ''), env);
    if (missing.length > 0) return { problem: needsVariables(missing) };
    const isSecret = (variable: string) => isSecretField(variable) || isFromSecretSource(env, variable);
    if (variables.some((variable) => isSecretHeader(name) || isSecret(variable.name)))
      return { problem: 'contains both a secret and the identity of the caller; send the secret in a separate header' };
    if (text.includes(`\${`)) return { problem: `has a \${ that is not closed, or one inside another` };
    if (!HEADER_VALUE.test(text)) return { problem: 'may hold only printable ASCII' };
    parts.push(typeof part === 'string' ? text : part);
  }
  return { name: name.toLowerCase(), from: 'principal', text: { shown: reading.text.shown, parts } };
}

/** `Name: value` lines of a command line. All of them count as secrets, and an unset variable is a mistake: in a domain file
 * it would be a credential that is still missing. */
export function readHeaderLines(lines: readonly string[], env: Environment, problems: Problem[]): HeaderCredential[] {
  return lines.flatMap((line) => {
    const { name, value: template } = splitHeaderLine(line);
    const report = (message: string) => {
      problems.push({ path: ['headers', ...(HEADER_NAME.test(name) ? [name] : [])], message });
      return [];
    };
    if (!HEADER_NAME.test(name)) return report('a header is written `Name: value`');
    const { text, missing, problem } = readHeader(name, template, env);
    if (problem !== undefined) return report(problem);
    if (missing.length > 0) return report(needsVariables(missing));
    const gap = findGap(name, text);
    return gap === undefined ? [toCredential(name, template, text, missing, env)] : report(gap);
  });
}

function readHeader(name: string, template: string, env: Environment) {
  const { text, missing, variables } = expand(template, env);
  // In single quotes a shell does not expand $NAME, and we expand only ${NAME}: the API would get the variable's name.
  const bare = /(?:^|\s)\$([A-Z_][A-Z0-9_]{0,80})$/.exec(template.trim())?.[1];
  const problem = !isConfigurableHeader(name)
    ? 'is written by the HTTP client and cannot be set'
    : namesCaller(template)
      ? 'identifies the caller, which only the headers of a domain file can do'
      : bare !== undefined
        ? `would send the text $${bare}; write \${${bare}} to have the variable filled in`
        : HEADER_VALUE.test(text)
          ? findUnreadable(template)
          : 'may hold only printable ASCII';
  return { text, missing, variables, problem };
}

const SCHEME_ALONE = /^(?:apikey|api-key|basic|bearer|digest|key|token)$/i;

/** Reports `Bearer` without a token: most often a shell has expanded an unset variable. */
function findGap(name: string, text: string): string | undefined {
  const value = text.trim();
  const scheme = SCHEME_ALONE.test(value) && isSecretHeader(name) ? value : undefined;
  if (value !== '' && scheme === undefined) return undefined;
  const place = scheme === undefined ? 'has no value' : `has nothing after "${scheme}"`;
  const example = `${name}: ${scheme === undefined ? '' : `${scheme} `}\${TOKEN}`;
  return `${place}; write '${example}' with the variable's name and set the variable`;
}

function toCredential(
  name: string,
  template: string,
  text: string,
  [missing]: readonly string[],
  env: Environment,
): HeaderCredential {
  // `Bearer ${TOKEN}`: the token alone is the secret, and redaction searches texts for it
  const prefix = /^[^$]*(?=\$\{)/.exec(template)?.[0] ?? /^\S+ (?=\S)/.exec(text)?.[0] ?? '';
  const variable = expand(template, env).variables[0]?.name ?? OF_HEADER + name;
  return {
    kind: 'apiKey',
    name: OF_HEADER + name,
    in: 'header',
    field: name,
    secret: missing === undefined ? { variable, value: text.slice(prefix.length).trim() } : lookupSecret(env, missing),
    ...(prefix === '' ? {} : { prefix }),
  };
}
