// What an operator says about an authorization server, and what of it cannot be meant. Everything is checked before anything
// listens: a setting that is wrong must not show as a token refused at night.
import type { CallLimits } from '../../endpoint/model.ts';
import { GatewayError } from '../../errors.ts';
import { isSafeAddress } from './authorization-server.ts';
import { isScope, type ScopeSettings } from './scope-rules.ts';

export interface IssuerSettings extends ScopeSettings {
  readonly issuer: string;
  readonly audience?: string | readonly string[] | undefined;
  readonly jwksUri?: string | undefined;
  readonly algorithms?: readonly string[] | undefined;
  readonly types?: readonly string[] | undefined;
  readonly clockSkewSeconds?: number | undefined;
  readonly jwksMaxAgeSeconds?: number | undefined;
  readonly introspection?: IntrospectionSettings | undefined;
  readonly principal?: string | undefined;
  readonly limits?: CallLimits | undefined;
  readonly stepUp?: boolean | undefined;
}

interface IntrospectionSettings {
  readonly url?: string | undefined;
  readonly clientIdEnv: string;
  readonly clientSecretEnv: string;
  readonly cacheSeconds?: number | undefined;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Throws with every problem there is, each with its place. */
export function checkIssuers(
  issuers: readonly IssuerSettings[],
  profiles: ReadonlySet<string>,
  variables: Variables,
): void {
  const problems = issuers.flatMap((settings, index) =>
    problemsOf(settings, issuers.slice(0, index), profiles, variables).map(
      (problem) => `auth.oauth[${index}].${problem}`,
    ),
  );
  if (problems.length > 0) throw new GatewayError('BAD_CONFIG', problems.join('\n'));
}

function problemsOf(
  settings: IssuerSettings,
  earlier: readonly IssuerSettings[],
  profiles: ReadonlySet<string>,
  variables: Variables,
): string[] {
  const { issuer, introspection, audience, algorithms, types } = settings;
  const unsafe = (
    [
      ['issuer', issuer],
      ['jwksUri', settings.jwksUri],
      ['introspection.url', introspection?.url],
    ] as const
  ).filter(([, url]) => url !== undefined && !isSafeAddress(new URL(url)));
  const { search, hash, username, password } = new URL(issuer);
  const empty = (
    [
      ['audience', audience],
      ['algorithms', algorithms],
      ['types', types],
    ] as const
  ).filter(([, list]) => list?.length === 0);
  return [
    ...unsafe.map(
      ([field, url]) => `${field}: ${url} must be an https URL: what comes from there decides who is let in.`,
    ),
    ...(search || hash || username || password || issuer.includes('|')
      ? ['issuer: must have no query, fragment, login or "|".']
      : []),
    ...(earlier.some((other) => other.issuer === issuer)
      ? [`issuer: ${issuer} is named twice; write one entry with all of its audiences and scopes.`]
      : []),
    ...empty.map(([field]) => `${field}: an empty list accepts nobody; remove it for the default.`),
    ...variableProblems(introspection, variables),
    ...scopeProblems(settings),
    ...Object.keys(settings.profiles ?? {})
      .filter((profile) => !profiles.has(profile))
      .map((profile) => `profiles.${profile}: there is no such profile; ${listProfiles(profiles)}.`),
  ];
}

function variableProblems(introspection: IntrospectionSettings | undefined, variables: Variables): string[] {
  if (introspection === undefined) return [];
  const fields = ['clientIdEnv', 'clientSecretEnv'] as const;
  return fields
    .filter((field) => !variables[introspection[field]])
    .map((field) => `introspection.${field}: the variable ${introspection[field]} is not set.`);
}

function scopeProblems({ scopes, implies = {}, profiles = {} }: ScopeSettings): string[] {
  const lists = [
    ...Object.entries(scopes ?? {}).map(([effect, list]) => [`scopes.${effect}`, list ?? []] as const),
    ...Object.entries(profiles).map(([profile, list]) => [`profiles.${profile}`, list] as const),
    ...Object.entries(implies).map(([scope, list]) => [`implies.${scope}`, [scope, ...list]] as const),
  ];
  const isForNobody = scopes !== undefined && Object.values(scopes).every((list) => (list ?? []).length === 0);
  return [
    ...lists.flatMap(([place, list]) =>
      list
        .filter((scope) => !isScope(scope))
        .map((scope) => `${place}: ${JSON.stringify(scope)} is no scope: write each as an item of its own.`),
    ),
    ...lists
      .filter(([, list]) => list.includes('offline_access'))
      .map(([place]) => `${place}: offline_access is about refresh tokens and allows nothing; name another scope.`),
    ...(isForNobody ? ['scopes: they allow nobody anything; name at least one scope, or remove scopes.'] : []),
    ...Object.entries(profiles)
      .filter(([, list]) => list.length === 0)
      .map(([profile]) => `profiles.${profile}: an empty list lets nobody in; name a scope, or remove it.`),
  ];
}

function listProfiles(profiles: ReadonlySet<string>): string {
  return profiles.size === 0 ? 'no profiles are served' : `there are ${[...profiles].join(', ')}`;
}
