// Credentials that tell an API who is really calling, as a domain file declares them.

import { type CallerText, parseCallerText } from '../../../endpoint/caller/caller-text.ts';
import { HEADER_NAME, isArgumentHeader, isConfigurableHeader } from '../../../endpoint/headers/header-names.ts';
import { isObject } from '../../../endpoint/is-object.ts';
import type { Problem } from '../../../endpoint/problems.ts';
import type { AssertionClaim, Credential, Secret } from '../../../endpoint/credential';
import { omitUndefined } from '../../../endpoint/untrusted.ts';
import type { CredentialDefinition } from '../definition-types.ts';

type Of<Kind> = Extract<CredentialDefinition, { kind: Kind }>;

const TYPE_NAMES = 'urn:ietf:params:oauth:token-type:';

export function buildExchange(
  name: string,
  declaration: Of<'token_exchange'>,
  secret: (variable?: string) => Secret,
  problems: Problem[],
): Credential {
  const { audience, resource, subjectTokenType = 'access_token', requestedTokenType } = declaration;
  if (audience === undefined && resource === undefined) {
    const message =
      'is missing: name the API that the new token is for, as the authorization server calls it (or set resource)';
    problems.push({ path: ['credentials', name, 'audience'], message });
  }
  return {
    kind: 'token_exchange',
    name,
    tokenUrl: declaration.tokenUrl,
    clientId: secret(declaration.clientIdEnv),
    clientSecret: secret(declaration.clientSecretEnv),
    scopes: declaration.scopes ?? [],
    audience: [audience ?? []].flat(),
    resource: [resource ?? []].flat(),
    subjectTokenType: TYPE_NAMES + subjectTokenType,
    ...omitUndefined({ requestedTokenType: requestedTokenType && TYPE_NAMES + requestedTokenType }),
  };
}

const DEFAULT_LIFETIME_S = 60;
const MAX_CLAIMS = 32;
/** Claims that the gateway sets itself. */
const OWN_CLAIMS = new Set(['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti']);

export function buildAssertion(name: string, declaration: Of<'assertion'>, problems: Problem[]): Credential {
  const say = (message: string, ...path: string[]) => problems.push({ path: ['credentials', name, ...path], message });
  const { audience, header, subject = `\${principal.id}`, lifetimeSeconds = DEFAULT_LIFETIME_S } = declaration;
  if (header !== undefined) refuseHeader(header, say);
  const entries = Object.entries(declaration.claims ?? {});
  if (entries.length > MAX_CLAIMS) say(`has ${entries.length} claims; at most ${MAX_CLAIMS} are allowed`, 'claims');
  const claims = entries.slice(0, MAX_CLAIMS).map(([claim, value]): AssertionClaim => {
    if (OWN_CLAIMS.has(claim))
      say(`${claim} is written by the gateway${claim === 'sub' ? '; set subject instead' : ''}`, 'claims', claim);
    return { name: claim, ...readClaim(value, (message) => say(message, 'claims', claim)) };
  });
  return {
    kind: 'assertion',
    name,
    in: 'header',
    field: header ?? 'Authorization',
    ...(header === undefined && { prefix: 'Bearer ' }),
    ...omitUndefined({ audience }),
    subject: readText(subject, (message) => say(message, 'subject')) ?? { shown: subject, parts: [subject] },
    lifetimeS: lifetimeSeconds,
    claims,
  };
}

function refuseHeader(header: string, say: (message: string, ...path: string[]) => void): void {
  const isFree = header.toLowerCase() === 'authorization' || isArgumentHeader(header, 'read');
  if (!HEADER_NAME.test(header) || !isConfigurableHeader(header) || !isFree)
    say(`${header} cannot carry an assertion; name another header, such as X-Caller`, 'header');
}

/** Placeholders are filled in only in texts at the top level; inside a list or object they would be sent as they are. */
function readClaim(value: unknown, say: (message: string) => void): { text: CallerText } | { value: unknown } {
  if (typeof value === 'string') {
    const text = readText(value, say);
    return text === undefined ? { value } : { text };
  }
  if (holdsTemplate(value)) say(`has \${…} inside a list or an object; use a separate claim for it`);
  return { value };
}

/** Undefined where there is nothing to fill in. */
function readText(text: string, say: (message: string) => void): CallerText | undefined {
  const reading = parseCallerText(text, { withTool: true });
  if (reading !== undefined && 'problem' in reading) {
    say(reading.problem);
    return undefined;
  }
  const parts = reading?.text.parts ?? [text];
  if (parts.some((part) => typeof part === 'string' && part.includes(`\${`)))
    say(
      `has a \${…} that is not known here; use \${principal.id}, \${principal.sub}, \${principal.claims.<name>} or \${tool}`,
    );
  return reading?.text;
}

const MAX_DEPTH = 8;

function holdsTemplate(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return value.includes(`\${`);
  if (depth > MAX_DEPTH || !(isObject(value) || Array.isArray(value))) return false;
  return Object.values(value).some((inner) => holdsTemplate(inner, depth + 1));
}
