// Which credentials a request carries: the first alternative whose secrets are all set. A credential belongs to its endpoint:
// what it adds to a request goes to that endpoint's origin only. (Secrets that fetch a token go to the server that issues it.)
import type { Endpoint } from '../endpoint/model';
import type { Credential } from '../endpoint/credential';
import { alternativesOf, basicToken, destinationOf, isAboutFile, unsetVariables } from './secrets';
import { emptyMap } from '../endpoint/untrusted';
import { GatewayError, ToolError } from '../errors';
import { checkHeaderValue, encode } from '../endpoint/wire-text';

/** What a request gets added. Values are secret: never print one. */
export interface Proof {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: string;
  readonly cookie: string;
  /** Fields of the body; absent where there are none. */
  readonly body?: Readonly<Record<string, string>>;
}

export type OAuthCredential = Extract<Credential, { kind: 'oauth2' }>;
/** Credentials whose token is fetched while running. */
export type TokenCredential = Extract<Credential, { kind: 'oauth2' | 'login' | 'token_exchange' }>;
export type AssertionCredential = Extract<Credential, { kind: 'assertion' }>;
/** Credentials whose proof is known only when a call is made. */
export type LiveCredential = TokenCredential | AssertionCredential;

/** The alternative that will be used, or the variables that are missing in each, and where they would go. */
export type Choice =
  | { readonly kind: 'none' }
  | { readonly kind: 'chosen'; readonly credentials: readonly Credential[] }
  | {
      readonly kind: 'missing';
      readonly alternatives: readonly (readonly string[])[];
      readonly origins: readonly string[];
    };

export function chooseCredentials(endpoint: Endpoint): Choice {
  const security = alternativesOf(endpoint.security);
  const alternatives = security.filter((alternative) => alternative.length > 0);
  const credentials = alternatives.find((alternative) => alternative.flatMap(unsetVariables).length === 0);
  if (credentials !== undefined) return { kind: 'chosen', credentials };
  // Nothing is asked for, or anonymous is fine.
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
  { alternatives, origins }: Extract<Choice, { kind: 'missing' }>,
): GatewayError {
  const variables = [...new Set(alternatives.map((names) => names.join(' and ')))].join(', or ');
  const to = `(it goes to ${origins.join(' and ')})`;
  const fix = alternatives.flat().some(isAboutFile)
    ? `Provide ${variables} ${to} and restart the gateway.`
    : `Set ${variables} in the environment of the gateway ${to} and restart it.`;
  return new GatewayError(
    'MISSING_CREDENTIAL',
    `${tool} needs a credential that is not configured; nothing was sent. ${fix} Changing the arguments does not help.`,
    { tool, variables: [...new Set(alternatives.flat())] },
  );
}

/** Turns credentials into what the request gets. `token` answers for those whose token is fetched or signed. */
export function buildProof(
  tool: string,
  credentials: readonly Credential[],
  token: (credential: LiveCredential) => string,
): Proof {
  return placeCredentials(credentials, (credential, place) => {
    const value = proofText(credential, token);
    if (value === '') return '';
    const text = (place.prefix ?? '') + value;
    if (place.in === 'header') return printable(tool, credential, text);
    return place.in === 'body' || place.field === undefined ? text : encode(text);
  });
}

function proofText(credential: Credential, token: (credential: LiveCredential) => string): string {
  switch (credential.kind) {
    case 'apiKey':
    case 'bearer':
      return credential.secret.value ?? '';
    case 'basic':
      return basicToken(credential.username.value, credential.password.value);
    case 'oauth2':
    case 'login':
    case 'token_exchange':
    case 'assertion':
      return token(credential);
    case 'awsSigv4':
      return '';
  }
}

/** Where a credential stands in a request. Without a field: the text is a whole Cookie header. */
export interface ProofPlace {
  readonly in: 'header' | 'query' | 'cookie' | 'body';
  readonly field?: string;
  readonly prefix?: string;
}

const AUTHORIZATION = { in: 'header', field: 'authorization' } as const;

function placeOf(credential: Credential): ProofPlace {
  if (credential.kind === 'apiKey' || credential.kind === 'assertion') return credential;
  if (credential.kind === 'login') return credential.send.in === 'cookies' ? { in: 'cookie' } : credential.send;
  return { ...AUTHORIZATION, prefix: credential.kind === 'basic' ? 'Basic ' : 'Bearer ' };
}

/** Where credentials stand in a request; `textOf` says what stands there. */
export function placeCredentials(
  credentials: readonly Credential[],
  textOf: (credential: Credential, place: ProofPlace) => string,
): Proof {
  const headers: Record<string, string> = {};
  const query: string[] = [];
  const cookies: string[] = [];
  let body: Record<string, string> | undefined;
  for (const credential of credentials) {
    const place = placeOf(credential);
    const text = textOf(credential, place);
    // A signature is computed from the finished request, later.
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
