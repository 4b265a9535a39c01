// Headers the caller gives on the command line: `Name: value`, `${VAR}` read from the environment. They are credentials:
// their values are never shown and go to the main origin only.
import { expand } from '../../endpoint/environment.ts';
import type { Credential } from '../../endpoint/model.ts';
import { type Node, textAt } from '../../endpoint/untrusted.ts';
import { GatewayError } from '../../errors.ts';
import type { ImportOptions } from '../import-options.ts';

export interface GivenHeader {
  /** Lower case. */
  readonly name: string;
  readonly credential: Credential;
}

export const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Framing and routing belong to the connection; no caller and no argument may set them. */
export const FRAMING_HEADERS = new Set([
  'host',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'upgrade',
  'te',
  'trailer',
  'expect',
  'cookie',
  'set-cookie',
  'accept-encoding',
]);

/** Throws BAD_CONFIG for what is not a header. */
export function readHeaders(lines: readonly string[], env: ImportOptions['env']): GivenHeader[] {
  return lines.map((line) => {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trim();
    if (colon < 1 || !HEADER_NAME.test(name)) {
      throw new GatewayError(
        'BAD_CONFIG',
        `A header must be written as 'Name: value'; ${colon < 1 ? 'one has no colon' : 'one has a name no header can have'}.`,
      );
    }
    if (FRAMING_HEADERS.has(name.toLowerCase()) && name.toLowerCase() !== 'cookie') {
      throw new GatewayError('BAD_CONFIG', `The header ${name} is set by the connection itself; remove it.`);
    }
    return { name: name.toLowerCase(), credential: toCredential(name, line.slice(colon + 1).trim(), env) };
  });
}

function toCredential(name: string, template: string, env: ImportOptions['env']): Credential {
  // The word in front (`Bearer `) is no secret; kept apart, the secret alone is what gets redacted.
  const split = /^([A-Za-z][A-Za-z0-9_-]*\s+)?(\S.*)$/.exec(template);
  const prefix = split?.[1]?.includes('$') ? undefined : split?.[1];
  const body = prefix === undefined ? template : split![2]!;
  const { text, missing } = expand(body, env);
  const value = missing.length === 0 ? text : undefined;
  if (value !== undefined && !/^[\t\x20-\x7e]*$/.test(value)) {
    throw new GatewayError('BAD_CONFIG', `The value of the header ${name} holds characters no header can carry.`);
  }
  return {
    kind: 'apiKey',
    name: `header ${name}`,
    in: 'header',
    field: name,
    secret: { variable: missing[0] ?? /\$\{(\w+)/.exec(body)?.[1] ?? `header ${name}`, value },
    ...(prefix === undefined ? {} : { prefix }),
  };
}

/** Whether a given header already is what a security scheme asks for. */
export function satisfies({ name }: GivenHeader, scheme: Node | undefined): boolean {
  if (scheme?.type === 'apiKey') return scheme.in === 'header' && textAt(scheme, 'name')?.toLowerCase() === name;
  return name === 'authorization' && scheme?.type !== 'mutualTLS';
}
