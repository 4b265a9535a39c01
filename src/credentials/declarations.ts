// Credentials as a domain file declares them become credentials with their secrets.
import { dirname } from 'node:path';
import type { Credential } from '../endpoint/credential.ts';
import { type Environment, lookupSecret } from '../endpoint/environment.ts';
import type { Endpoint } from '../endpoint/model.ts';
import type { Problem } from '../endpoint/problems.ts';
import { hint } from '../endpoint/suggest.ts';
import type { BuildContext, CredentialHome, CredentialKind } from './credential-kind.ts';
import { CREDENTIAL_KINDS, type CredentialDefinition, type KindName } from './kind-table.ts';
import { otherFields, withVariableNames } from './secret-fields.ts';
import { alternativesOf, isAboutSource, unsetVariables } from './secrets.ts';
import type { SchemeDefinition } from './shapes.ts';

type Declarations = Readonly<Record<string, CredentialDefinition | SchemeDefinition>>;

/** The kind that a declaration names, if it names one. */
function kindNamed(declaration: { readonly kind?: unknown }): CredentialKind | undefined {
  const name = String(declaration.kind);
  return Object.hasOwn(CREDENTIAL_KINDS, name) ? CREDENTIAL_KINDS[name as KindName] : undefined;
}

/**
 * The credentials of a domain file with every secret named as a variable is, and with what the environment adds. Paths are
 * relative to the domain file.
 */
export function nameSecrets(
  declarations: Declarations | undefined,
  { env, source = '' }: { readonly env: Environment; readonly source?: string },
  problems: Problem[],
): Declarations | undefined {
  if (declarations === undefined) return undefined;
  const folder = dirname(source);
  const entries = Object.entries(declarations).map(([name, declaration]) => {
    const say = (field: string, message: string) => problems.push({ path: ['credentials', name, field], message });
    const plain = withVariableNames(declaration, folder, say);
    const kind = kindNamed(plain);
    const complete = kind?.complete?.(plain, env, say) ?? plain;
    for (const field of kind?.requiredFields ?? [])
      if (complete[field] === undefined)
        say(field, `is missing: name the variable that holds it, or ${otherFields(field)}`);
    return [name, complete] as const;
  });
  return Object.fromEntries(entries) as Declarations;
}

/** The credentials by name. One without a kind is a mistake here: only an imported document could say what kind it is. */
export function buildDeclaredCredentials(
  declarations: Declarations | undefined,
  env: Environment,
  home: CredentialHome,
  problems: Problem[],
): Map<string, Credential> {
  const credentials = new Map<string, Credential>();
  for (const [name, declaration] of Object.entries(declarations ?? {})) {
    const kind = kindNamed(declaration as { kind?: unknown });
    const say = (message: string, ...path: string[]) =>
      problems.push({ path: ['credentials', name, ...path], message });
    // nameSecrets() has reported missing variables already.
    const context: BuildContext = { env, home, say, secret: (variable = '') => lookupSecret(env, variable) };
    if (kind !== undefined) credentials.set(name, kind.build(name, declaration, context));
    else say(`is missing: give ${listKinds()}`, 'kind');
  }
  return credentials;
}

function listKinds(): string {
  const names = Object.keys(CREDENTIAL_KINDS);
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
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

/** Adds the proofs to every alternative. */
export function withProofs(security: Endpoint['security'], proofs: readonly Credential[]): Endpoint['security'] {
  if (proofs.length === 0) return security;
  return security.length === 0 ? [proofs] : security.map((alternative) => [...alternative, ...proofs]);
}

/** Warnings at start about credentials whose variables are not set. */
export function missingCredentials(endpoints: readonly Endpoint[]): string[] {
  /** The alternatives in words → the variables in them. */
  const waiting = new Map<string, ReadonlySet<string>>();
  for (const { security } of endpoints) {
    const unset = alternativesOf(security).map((set) => [...new Set(set.flatMap(unsetVariables))]);
    if (unset.length === 0 || unset.some((names) => names.length === 0)) continue;
    const words = [...new Set(unset.map((names) => names.join(' and ')))].join(', or ');
    waiting.set(words, new Set(unset.flat()));
  }
  return [...waiting].map(([words, names]) => {
    if ([...names].some(isAboutSource))
      return `The secret in ${words} cannot be read; calls that need it will be refused.`;
    return names.size === 1
      ? `The environment variable ${words} is not set; calls that need it will be refused.`
      : `The environment variables ${words} are not set; calls that need them will be refused.`;
  });
}
