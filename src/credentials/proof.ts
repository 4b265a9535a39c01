// Adds credentials to a request: those of the first alternative whose secrets are all set. A credential belongs to its
// endpoint: what it adds to a request goes to that endpoint's origin only. (Secrets that fetch a token go to the server
// that issues it.)
import type { AssertionSigner } from '../call/assertion-signer.ts';
import type { Principal } from '../call/caller.ts';
import type { ExecutionContext } from '../call/execution-context.ts';
import type { Credential } from '../endpoint/credential.ts';
import type { Endpoint } from '../endpoint/model.ts';
import { emptyMap } from '../endpoint/untrusted.ts';
import { checkHeaderValue, encode } from '../endpoint/wire-text.ts';
import { GatewayError, ToolError } from '../errors.ts';
import type { CredentialPlace, SignableRequest, TokenProof } from './credential-kind.ts';
import { credentialKind } from './kind-table.ts';
import { alternativesOf, destinationOf, isAboutSource, unsetVariables } from './secrets.ts';
import { type CallerToken, readCallerToken } from './tokens/caller-token.ts';

/** What credentials add to a request. Values are secret: never print one. */
export interface Proof {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: string;
  readonly cookie: string;
  /** Fields of the body; absent if there are none. */
  readonly body?: Readonly<Record<string, string>>;
}

/** The alternative that will be used, or the missing variables of each alternative and the origins that would see them. */
export type CredentialChoice =
  | { readonly kind: 'none' }
  | { readonly kind: 'chosen'; readonly credentials: readonly Credential[] }
  | {
      readonly kind: 'missing';
      readonly alternatives: readonly (readonly string[])[];
      readonly origins: readonly string[];
    };

export function chooseCredentials(endpoint: Endpoint): CredentialChoice {
  const security = alternativesOf(endpoint.security);
  const alternatives = security.filter((alternative) => alternative.length > 0);
  const credentials = alternatives.find((alternative) => alternative.flatMap(unsetVariables).length === 0);
  if (credentials !== undefined) return { kind: 'chosen', credentials };
  // No credential is required, or anonymous is fine.
  if (alternatives.length === 0 || alternatives.length < security.length) return { kind: 'none' };
  const waiting = alternatives.flat().filter((credential) => unsetVariables(credential).length > 0);
  return {
    kind: 'missing',
    alternatives: alternatives.map((alternative) => [...new Set(alternative.flatMap(unsetVariables))]),
    origins: [...new Set(waiting.map((credential) => destinationOf(credential, endpoint.baseUrl)))],
  };
}

export function missingCredential(
  tool: string,
  { alternatives, origins }: Extract<CredentialChoice, { kind: 'missing' }>,
): GatewayError {
  const variables = [...new Set(alternatives.map((names) => names.join(' and ')))].join(', or ');
  const to = `(it goes to ${origins.join(' and ')})`;
  const fix = alternatives.flat().some(isAboutSource)
    ? `Provide ${variables} ${to} and restart the gateway.`
    : `Set ${variables} in the environment of the gateway ${to} and restart it.`;
  return new GatewayError(
    'MISSING_CREDENTIAL',
    `${tool} needs a credential that is not configured; nothing was sent. ${fix} Changing the arguments does not help.`,
    { tool, variables: [...new Set(alternatives.flat())] },
  );
}

/** The credentials of an endpoint by when their values are known. */
export interface ProofPlan {
  readonly credentials: readonly Credential[];
  /** Their tokens are fetched before a call. */
  readonly tokens: readonly Credential[];
  /** They are signed for every call. */
  readonly assertions: readonly Credential[];
  /** It signs the finished request. */
  readonly signature: Credential | undefined;
}

/** Throws if one of the credentials must not be sent to this origin. */
export function planProof(credentials: readonly Credential[], origin: string, tool: string): ProofPlan {
  const ofType = (type: string) => credentials.filter((credential) => credentialKind(credential).proof.type === type);
  const tokens = ofType('token');
  for (const credential of tokens) tokenProofOf(credential).checkOrigin?.(credential, origin, tool);
  return { credentials, tokens, assertions: ofType('assertion'), signature: ofType('signature')[0] };
}

/** Whether its token is fetched from a server. */
export function isTokenCredential(credential: Credential): boolean {
  return credentialKind(credential).proof.type === 'token';
}

/** How its tokens are fetched and renewed; only for credentials that have one. */
export function tokenProofOf(credential: Credential): TokenProof<Credential> {
  const { proof } = credentialKind(credential);
  if (proof.type !== 'token') throw new TypeError(`A credential of kind ${credential.kind} has no token.`);
  return proof;
}

/** The caller's own token if the credential exchanges it; throws for callers without one. */
export function callerTokenFor(credential: Credential, principal: Principal, tool: string): CallerToken | undefined {
  return tokenProofOf(credential).isPerCaller ? readCallerToken(principal, tool) : undefined;
}

/** Whether calls need a key with which the gateway signs assertions. */
export function needsSigner(credential: Credential): boolean {
  return credentialKind(credential).proof.type === 'assertion';
}

/** An assertion for one call. */
export function signAssertion(
  credential: Credential,
  signer: AssertionSigner | undefined,
  context: ExecutionContext,
  apiOrigin: string,
): Promise<string> {
  const { proof } = credentialKind(credential);
  if (proof.type !== 'assertion') throw new TypeError(`A credential of kind ${credential.kind} is no assertion.`);
  return proof.sign(credential, signer, context, apiOrigin);
}

/** Whether it signs requests, with their date. */
export function isSignature(credential: Credential): boolean {
  return credentialKind(credential).proof.type === 'signature';
}

/** The request with its signature. The gateway's other headers may still be rewritten on the way. */
export function signRequest<Request extends SignableRequest>(
  request: Request,
  credential: Credential,
  at: Date = new Date(),
): Request {
  const { proof } = credentialKind(credential);
  return proof.type === 'signature' ? proof.sign(request, credential, at) : request;
}

/** The same credential with another secret; undefined if a wrong one could do harm, such as lock an account. */
export function withValue(credential: Credential, value: string): Credential | undefined {
  const { proof } = credentialKind(credential);
  return proof.type === 'static' ? proof.withValue?.(credential, value) : undefined;
}

/**
 * Turns credentials into what the request gets. `liveText` returns the text of those whose value is fetched or signed
 * for a call.
 */
export function buildProof(
  tool: string,
  credentials: readonly Credential[],
  liveText: (credential: Credential) => string = () => '',
): Proof {
  return placeCredentials(credentials, (credential, place) => {
    const { proof } = credentialKind(credential);
    // A signature is computed later, from the finished request.
    const value =
      proof.type === 'static' ? proof.value(credential) : proof.type === 'signature' ? '' : liveText(credential);
    if (value === '') return '';
    const text = (place.prefix ?? '') + value;
    if (place.in === 'header') return printable(tool, credential, text);
    return place.in === 'body' || place.field === undefined ? text : encode(text);
  });
}

const REDACTED = '[redacted]';

/** The same for people, without secrets. */
export function buildRedactedProof(credentials: readonly Credential[]): Proof {
  return placeCredentials(credentials, (credential, { in: where, prefix = '' }) => {
    const { proof } = credentialKind(credential);
    if (proof.type === 'signature') return proof.placeholder;
    return where === 'header' ? prefix + REDACTED : REDACTED;
  });
}

/** Where credentials stand in a request; `textOf` returns the text for each, '' for nothing. */
function placeCredentials(
  credentials: readonly Credential[],
  textOf: (credential: Credential, place: CredentialPlace) => string,
): Proof {
  const headers: Record<string, string> = {};
  const query: string[] = [];
  const cookies: string[] = [];
  let body: Record<string, string> | undefined;
  for (const credential of credentials) {
    const place = credentialPlace(credential);
    const text = textOf(credential, place);
    if (text === '') continue;
    const { in: where, field } = place;
    if (field === undefined) cookies.push(text);
    else if (where === 'header') headers[field.toLowerCase()] = text;
    else if (where === 'body') {
      body ??= emptyMap();
      body[field] = text;
    } else (where === 'query' ? query : cookies).push(`${encode(field)}=${text}`);
  }
  return { headers, query: query.join('&'), cookie: cookies.join('; '), ...(body && { body }) };
}

/** Where a credential stands in a request. */
export function credentialPlace(credential: Credential): CredentialPlace {
  return credentialKind(credential).place(credential);
}

/** A stray newline at the end of a pasted secret is the usual cause; the message must not show the value. */
function printable(tool: string, credential: Credential, value: string): string {
  try {
    return checkHeaderValue(value);
  } catch {
    throw new ToolError(
      'MISSING_CREDENTIAL',
      tool,
      `the credential ${credential.name} holds characters no header can carry (often a line break at its end); nothing was sent. Correct the variable and restart the gateway.`,
      { tool },
    );
  }
}
