// Which proof a request carries. The first alternative whose secrets are all there is taken; a credential lives in the
// endpoint that carries it and goes to that endpoint's origin only.
import type { Credential, Endpoint } from '../../endpoint/model.ts';
import { basicToken, destinationOf, unsetVariables } from '../../endpoint/secrets.ts';
import { emptyMap } from '../../endpoint/untrusted.ts';
import { GatewayError } from '../../errors.ts';
import { checkHeaderValue, encode } from './wire-text.ts';

/** What a request gets added. Values are secret: never print one. */
export interface Proof {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: string;
  readonly cookie: string;
  /** Fields of the body; absent where there are none. */
  readonly body?: Readonly<Record<string, string>>;
}

export type OAuthCredential = Extract<Credential, { kind: 'oauth2' }>;

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
  const alternatives = endpoint.security.filter((alternative) => alternative.length > 0);
  const credentials = alternatives.find((alternative) => alternative.flatMap(unsetVariables).length === 0);
  if (credentials !== undefined) return { kind: 'chosen', credentials };
  // Nothing is asked for, or anonymous is fine.
  if (alternatives.length === 0 || alternatives.length < endpoint.security.length) return { kind: 'none' };
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
  return new GatewayError(
    'MISSING_CREDENTIAL',
    `${tool} needs a credential that is not configured; nothing was sent. Set ${variables} in the environment of the gateway (it goes to ${origins.join(' and ')}) and restart it. Changing the arguments does not help.`,
    { tool, variables: [...new Set(alternatives.flat())] },
  );
}

/** Turns credentials into what the request gets. `token` answers for the OAuth2 ones. */
export function buildProof(
  tool: string,
  credentials: readonly Credential[],
  token: (credential: OAuthCredential) => string,
): Proof {
  return placeCredentials(credentials, (credential) => {
    switch (credential.kind) {
      case 'apiKey': {
        const value = (credential.prefix ?? '') + (credential.secret.value ?? '');
        if (credential.in === 'body') return value;
        return credential.in === 'header' ? printable(tool, credential, value) : encode(value);
      }
      case 'bearer':
        return printable(tool, credential, `Bearer ${credential.secret.value ?? ''}`);
      case 'basic':
        return `Basic ${basicToken(credential.username.value, credential.password.value)}`;
      case 'oauth2':
        return printable(tool, credential, `Bearer ${token(credential)}`);
      case 'awsSigv4':
        return '';
    }
  });
}

/** Where credentials stand in a request; `textOf` says what stands there. */
export function placeCredentials(
  credentials: readonly Credential[],
  textOf: (credential: Credential) => string,
): Proof {
  const headers: Record<string, string> = {};
  const query: string[] = [];
  const cookies: string[] = [];
  let body: Record<string, string> | undefined;
  for (const credential of credentials) {
    const text = textOf(credential);
    // A signature is made of the whole request, once that is there.
    if (text === '') continue;
    if (credential.kind !== 'apiKey') headers.authorization = text;
    else if (credential.in === 'header') headers[credential.field.toLowerCase()] = text;
    else if (credential.in === 'body') {
      body ??= emptyMap();
      body[credential.field] = text;
    } else (credential.in === 'query' ? query : cookies).push(`${encode(credential.field)}=${text}`);
  }
  return { headers, query: query.join('&'), cookie: cookies.join('; '), ...(body && { body }) };
}

/** A stray newline at the end of a pasted secret is the usual cause; the message must not show the value. */
function printable(tool: string, credential: Credential, value: string): string {
  try {
    return checkHeaderValue(value);
  } catch {
    throw new GatewayError(
      'MISSING_CREDENTIAL',
      `${tool}: the credential ${credential.name} holds characters no header can carry (often a line break at its end); nothing was sent. Correct the variable and restart the gateway.`,
      { tool },
    );
  }
}
