// Credentials as a domain file declares them, with their secrets taken from the environment.

import { maySeeSecrets, originOf } from '../endpoint/address';
import { type Environment, readSecret } from '../endpoint/environment';
import { HEADER_NAME, isConfigurableHeader } from '../endpoint/headers/header-names';
import type { Endpoint } from '../endpoint/model';
import type { Problem } from '../endpoint/problems';
import type { Credential, Secret } from '../endpoint/credential';
import { alternativesOf, isAboutFile, readPassword, unsetVariables } from './secrets';
import { hint } from '../endpoint/suggest';
import { omitUndefined } from '../endpoint/untrusted';
import type { CredentialDefinition, DomainDefinition } from '../domain/definition/definition-types';
import { buildAssertion, buildExchange } from '../domain/definition/credentials/caller-credential-plan';
import { buildLogin, type LoginHome } from './kinds/login';

/** The credentials by name. One without a kind is a mistake here: only an imported document could tell what it is. */
export function buildCredentials(
  declarations: DomainDefinition['credentials'],
  env: Environment,
  home: LoginHome,
  problems: Problem[],
): Map<string, Credential> {
  const credentials = new Map<string, Credential>();
  for (const [name, definition] of Object.entries(declarations ?? {})) {
    if ('kind' in definition) credentials.set(name, buildCredential(name, definition, env, home, problems));
    else {
      const message = 'is missing: give apiKey, bearer, basic, login, oauth2, token_exchange, assertion or awsSigv4';
      problems.push({ path: ['credentials', name, 'kind'], message });
    }
  }
  return credentials;
}

/** Refuses names that cannot be sent as a header or cookie: every call would fail. */
function refuseField(
  name: string,
  { in: where = 'header', field }: Extract<CredentialDefinition, { kind: 'apiKey' }>,
  problems: Problem[],
): void {
  const say = (message: string) => problems.push({ path: ['credentials', name, 'field'], message });
  if (where === 'query') return;
  if (!HEADER_NAME.test(field))
    say(`${JSON.stringify(field)} is not the name of a ${where}; write it without spaces, such as X-API-Key`);
  else if (where === 'header' && !isConfigurableHeader(field))
    say(`${field} is written by the HTTP client and cannot be set; name the header that carries the key`);
}

function buildCredential(
  name: string,
  declaration: CredentialDefinition,
  env: Environment,
  home: LoginHome,
  problems: Problem[],
): Credential {
  // nameSecrets() has reported missing variables already.
  const secret = (variable = ''): Secret => readSecret(env, variable);
  if (declaration.kind === 'oauth2' || declaration.kind === 'token_exchange') {
    const { tokenUrl } = declaration;
    // Without a base URL in the file, the imported document decides where the API is: then the check happens at the call.
    const isSafe =
      URL.canParse(tokenUrl) && (home.url === undefined || maySeeSecrets(new URL(tokenUrl), originOf(home.url)));
    if (!isSafe) {
      const message = 'must be an https URL: the client id and secret are sent there';
      problems.push({ path: ['credentials', name, 'tokenUrl'], message });
    }
  }
  switch (declaration.kind) {
    case 'apiKey':
      refuseField(name, declaration, problems);
      return {
        kind: 'apiKey',
        name,
        in: declaration.in ?? 'header',
        field: declaration.field,
        secret: secret(declaration.env),
        ...omitUndefined({ prefix: declaration.prefix }),
      };
    case 'bearer':
      return { kind: 'bearer', name, secret: secret(declaration.env) };
    case 'basic':
      return {
        kind: 'basic',
        name,
        username: secret(declaration.usernameEnv),
        password: readPassword(declaration.passwordEnv, env),
      };
    case 'login':
      return buildLogin(name, declaration, env, home, problems);
    case 'oauth2':
      return {
        kind: 'oauth2',
        name,
        tokenUrl: declaration.tokenUrl,
        clientId: secret(declaration.clientIdEnv),
        clientSecret: secret(declaration.clientSecretEnv),
        scopes: declaration.scopes ?? [],
      };
    case 'token_exchange':
      return buildExchange(name, declaration, secret, problems);
    case 'assertion':
      return buildAssertion(name, declaration, problems);
    case 'awsSigv4':
      return {
        kind: 'awsSigv4',
        name,
        accessKeyId: secret(declaration.accessKeyIdEnv),
        secretAccessKey: secret(declaration.secretAccessKeyEnv),
        ...(declaration.sessionTokenEnv === undefined ? {} : { sessionToken: secret(declaration.sessionTokenEnv) }),
        region: declaration.region ?? '',
        service: declaration.service,
      };
  }
}

/** With one credential the choice is clear; with several the file has to make it. */
export function defaultSecurity(credentials: ReadonlyMap<string, Credential>, problems: Problem[]): string[][] {
  const names = [...credentials.keys()];
  const message = `is missing: list which of ${names.join(', ')} a request needs, e.g. [[${names[0]}]]`;
  if (names.length > 1) problems.push({ path: ['security'], message });
  return names.map((name) => [name]);
}

/** The alternatives with credentials in place of their names. */
export function readSecurity(
  alternatives: readonly (readonly string[])[],
  credentials: ReadonlyMap<string, Credential>,
  path: (string | number)[],
  problems: Problem[],
): Endpoint['security'] {
  return alternatives.map((set, index) =>
    set.flatMap((name) => {
      const credential = credentials.get(name);
      if (credential !== undefined) return credential;
      const message = `there is no credential "${name}"; ${hint(name, [...credentials.keys()])}`;
      problems.push({ path: [...path, index], message });
      return [];
    }),
  );
}

/** Adds what goes with every alternative. */
export function withProofs(security: Endpoint['security'], proofs: readonly Credential[]): Endpoint['security'] {
  if (proofs.length === 0) return security;
  return security.length === 0 ? [proofs] : security.map((alternative) => [...alternative, ...proofs]);
}

/** Warnings at start about credentials whose variables are not set. */
export function missingCredentials(endpoints: readonly Endpoint[]): string[] {
  /** Sentence part → the variables in it. */
  const waiting = new Map<string, ReadonlySet<string>>();
  for (const { security } of endpoints) {
    const unset = alternativesOf(security).map((set) => [...new Set(set.flatMap(unsetVariables))]);
    if (unset.length === 0 || unset.some((names) => names.length === 0)) continue;
    const words = [...new Set(unset.map((names) => names.join(' and ')))].join(', or ');
    waiting.set(words, new Set(unset.flat()));
  }
  return [...waiting].map(([words, names]) => {
    if ([...names].some(isAboutFile))
      return `The secret in ${words} cannot be read; calls that need it will be refused.`;
    return names.size === 1
      ? `The environment variable ${words} is not set; calls that need it will be refused.`
      : `The environment variables ${words} are not set; calls that need them will be refused.`;
  });
}
