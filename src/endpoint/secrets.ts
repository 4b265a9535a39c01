// Secrets by value: which ones the gateway holds.
import { originOf } from './address.ts';
import type { Credential, Domain, Secret } from './model.ts';

/** Every secret of these domains, as it could appear in a message. */
export function collectSecrets(domains: readonly Pick<Domain, 'endpoints'>[]): string[] {
  const visited = new Set<Credential>();
  const values = new Set<string>();
  for (const domain of domains) {
    for (const endpoint of domain.endpoints) {
      for (const alternative of endpoint.security) {
        for (const credential of alternative) {
          // Thousands of endpoints share a handful of credentials.
          if (visited.has(credential)) continue;
          visited.add(credential);
          for (const value of secretValues(credential)) values.add(value);
        }
      }
    }
  }
  return [...values];
}

/** What a credential takes from the environment. */
export function secretsIn(credential: Credential): readonly Secret[] {
  if (credential.kind === 'basic') return [credential.username, credential.password];
  return credential.kind === 'oauth2' ? [credential.clientId, credential.clientSecret] : [credential.secret];
}

/** The origin that sees its secrets: that of the API, or of the server that issues tokens. */
export function destinationOf(credential: Credential, baseUrl: string): string {
  const url = credential.kind === 'oauth2' ? credential.tokenUrl : baseUrl;
  return originOf(url) ?? 'the API';
}

/** The variables it waits for. An empty password is common (the key is the user name), any other empty secret is none. */
export function unsetVariables(credential: Credential): string[] {
  const mayBeEmpty = credential.kind === 'basic' ? credential.password : undefined;
  return secretsIn(credential)
    .filter((secret) => secret.value === undefined || (secret.value === '' && secret !== mayBeEmpty))
    .map(({ variable }) => variable);
}

/** What must not be seen of one credential. A user name is none of it, unless the API takes the key there. */
export function secretValues(credential: Credential): string[] {
  switch (credential.kind) {
    case 'apiKey':
    case 'bearer':
      return secretText(credential.secret);
    case 'basic':
      return [
        ...secretText(credential.password.value ? credential.password : credential.username),
        ...basicPair(credential),
      ];
    case 'oauth2':
      return secretText(credential.clientSecret);
  }
}

function secretText(secret: Secret): string[] {
  return secret.value === undefined || secret.value === '' ? [] : [secret.value];
}

function basicPair(credential: Extract<Credential, { kind: 'basic' }>): string[] {
  const { username, password } = credential;
  if (username.value === undefined && password.value === undefined) return [];
  return [Buffer.from(`${username.value ?? ''}:${password.value ?? ''}`).toString('base64')];
}
