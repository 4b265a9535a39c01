// A short-lived JWT about the caller, which the gateway signs for every call.

import type { ExecutionContext } from '../../call/execution-context.ts';
import {
  type CallerText,
  type FilledText,
  fillCallerText,
  fillValue,
  parseCallerText,
} from '../../endpoint/caller/caller-text.ts';
import type { Credential } from '../../endpoint/credential.ts';
import { HEADER_NAME, isArgumentHeader, isConfigurableHeader } from '../../endpoint/headers/header-names.ts';
import { isObject } from '../../endpoint/is-object.ts';
import { omitUndefined } from '../../endpoint/untrusted.ts';
import { GatewayError, ToolError } from '../../errors.ts';
import { unknownCaller } from '../caller-headers.ts';
import type { AssertionProof, BuildContext, CredentialKind, ShapeTools } from '../credential-kind.ts';

/** A claim of an assertion: fixed, or built from facts about the caller. */
type AssertionClaim = { readonly name: string } & ({ readonly value: unknown } | { readonly text: CallerText });

export interface AssertionCredential extends Credential {
  readonly kind: 'assertion';
  readonly in: 'header';
  /** The header that carries it. */
  readonly field: string;
  readonly prefix?: string;
  /** undefined: the origin of the API. */
  readonly audience?: string;
  readonly subject: CallerText;
  readonly lifetimeS: number;
  readonly claims: readonly AssertionClaim[];
}

const DEFAULT_LIFETIME_S = 60;
const MAX_CLAIMS = 32;
/** Most servers accept no larger header. */
const MAX_CHARS = 7_000;
/** Claims that the gateway sets itself. */
const OWN_CLAIMS = new Set(['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti']);

const CALLER =
  '`\u0024{principal.id}`, `\u0024{principal.sub}`, `\u0024{principal.claims.email}` and `\u0024{tool}` are replaced';

const shape = ({ z, about, closed, headerName, text, withDefault }: ShapeTools) =>
  closed({
    kind: about(
      z.literal('assertion'),
      'Sends a short-lived JWT about the caller. This gateway signs it with the keys of `assertions` in landbridge.yaml. The API verifies it with `/.well-known/jwks.json`.',
      'assertion',
    ),
    audience: about(text, withDefault('The audience (`aud`).', 'the origin of the API'), 'orders-api').exactOptional(),
    subject: about(
      text,
      withDefault(`The subject (\`sub\`). ${CALLER}.`, '`\u0024{principal.id}`, which is different for every caller'),
      '\u0024{principal.sub}',
    ).exactOptional(),
    lifetimeSeconds: about(
      z.int().min(10).max(600),
      withDefault('Seconds for which the JWT is valid. Every call gets a new one.', DEFAULT_LIFETIME_S),
      30,
    ).exactOptional(),
    header: about(
      headerName('must be the name of a header, such as X-Caller'),
      withDefault('The header that carries the JWT as its value.', '`Authorization`, after `Bearer`'),
      'X-Caller',
    ).exactOptional(),
    claims: about(
      z.record(text, z.unknown()),
      `More claims: fixed values, and texts in which ${CALLER}. A text that is one claim and nothing else keeps the type of the claim.`,
      { email: '\u0024{principal.claims.email}', gateway: 'landbridge' },
    ).exactOptional(),
  }).meta({ id: 'assertion' });

export const assertion: CredentialKind<AssertionCredential, typeof shape> = {
  shape,
  variableFields: [],
  requiredFields: [],
  build(name, definition, { say }) {
    const { audience, header, subject = `\${principal.id}`, lifetimeSeconds = DEFAULT_LIFETIME_S } = definition;
    if (header !== undefined) checkHeader(header, say);
    const entries = Object.entries(definition.claims ?? {});
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
  },
  isOnlyInDomainFiles: true,
  secrets: () => [],
  // A new one is signed for every call, and added to the redactor of that call.
  hiddenTexts: () => [],
  place: (credential) => credential,
  proof: { type: 'assertion', sign, statementOf },
  identifiesCaller: true,
  callerTexts: ({ subject, claims }) => [subject, ...claims.flatMap((claim) => ('text' in claim ? claim.text : []))],
  describe: ({ field, prefix = '' }) => `${field}: ${prefix}…, a JWT about the caller, signed by this gateway`,
  bannerLines: ({ field }, destination) => [`${field}: assertion about the caller → ${destination}`],
  tokenSource: () => 'this gateway (a signed assertion about the caller)',
};

function checkHeader(header: string, say: BuildContext['say']): void {
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
  if (hasPlaceholder(value)) say(`has \${…} inside a list or an object; use a separate claim for it`);
  return { value };
}

/** Undefined if there is nothing to fill in. */
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

function hasPlaceholder(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return value.includes(`\${`);
  if (depth > MAX_DEPTH || !(isObject(value) || Array.isArray(value))) return false;
  return Object.values(value).some((inner) => hasPlaceholder(inner, depth + 1));
}

/** Signed anew for every call, so that an API can refuse a `jti` it has seen before. */
async function sign(
  ...[credential, signer, context, apiOrigin]: Parameters<AssertionProof<AssertionCredential>['sign']>
): Promise<string> {
  const { label: tool } = context;
  const { name, audience = apiOrigin, lifetimeS } = credential;
  if (signer === undefined)
    throw new GatewayError(
      'MISSING_CREDENTIAL',
      `${tool} needs the assertion ${name}, but this gateway has no key to sign it with; nothing was sent. Name one under assertions: in landbridge.yaml and restart. Changing the arguments does not help.`,
      { tool },
    );
  const jwt = await signer.sign({ ...statementOf(credential, context), audience, lifetimeS });
  if (jwt.length <= MAX_CHARS) return jwt;
  throw new ToolError(
    'MISSING_CREDENTIAL',
    tool,
    `the assertion ${name} about this caller has ${jwt.length} characters, but a header may have at most ${MAX_CHARS}; nothing was sent. Choose fewer claims in the domain file.`,
    { tool },
  );
}

/** The statement about this caller; throws if the caller lacks a value in it. */
function statementOf(
  { name, subject, claims: entries }: AssertionCredential,
  { principal, label: tool }: ExecutionContext,
): { readonly subject: string; readonly claims: Record<string, unknown> } {
  const take = <Value>(filling: FilledText<Value>): Value => {
    if ('value' in filling) return filling.value;
    throw unknownCaller(tool, `its assertion ${name} identifies the caller`, filling.problem);
  };
  const claims: Record<string, unknown> = {};
  for (const claim of entries)
    claims[claim.name] = 'text' in claim ? take(fillValue(claim.text, principal, tool)) : claim.value;
  return { subject: take(fillCallerText(subject, principal, tool)), claims };
}
