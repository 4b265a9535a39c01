// Credentials as a domain file declares them, with their secrets taken from the environment.
import type { CredentialDefinition } from './definition.ts';
import { type Environment, lookup } from './environment.ts';
import type { Credential, Secret } from './model.ts';

export function buildCredential(name: string, given: CredentialDefinition, env: Environment): Credential {
  const secret = (variable: string): Secret => ({ variable, value: lookup(env, variable) });
  switch (given.kind) {
    case 'apiKey':
      return {
        kind: 'apiKey',
        name,
        in: given.in ?? 'header',
        field: given.field,
        secret: secret(given.env),
        ...(given.prefix === undefined ? {} : { prefix: given.prefix }),
      };
    case 'bearer':
      return { kind: 'bearer', name, secret: secret(given.env) };
    case 'basic':
      return { kind: 'basic', name, username: secret(given.usernameEnv), password: secret(given.passwordEnv) };
    case 'oauth2':
      return {
        kind: 'oauth2',
        name,
        tokenUrl: given.tokenUrl,
        clientId: secret(given.clientIdEnv),
        clientSecret: secret(given.clientSecretEnv),
        scopes: given.scopes ?? [],
      };
  }
}

/** Variables a credential waits for. */
export function unsetVariables(credential: Credential): string[] {
  const secrets =
    credential.kind === 'basic'
      ? [credential.username, credential.password]
      : credential.kind === 'oauth2'
        ? [credential.clientId, credential.clientSecret]
        : [credential.secret];
  return secrets.filter((secret) => secret.value === undefined).map((secret) => secret.variable);
}
