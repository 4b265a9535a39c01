// The settings of an authorization server, and what can be wrong with them. They are checked before the gateway listens: otherwise
// a wrong setting would only show later, as refused tokens.
import { resolve } from 'node:path';
import { lookup, sourceProblem } from '../../endpoint/environment.ts';
import type { CallLimits } from '../../endpoint/model.ts';
import type { Problem } from '../../endpoint/problems.ts';
import { FILE_MARK } from '../../endpoint/sources/secret-file.ts';
import { editDistance, MAX_COMPARED } from '../../endpoint/suggest.ts';
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

/** Finds problems in the settings; paths begin at the list of issuers. */
export function checkIssuers(
  issuers: readonly IssuerSettings[],
  profiles: ReadonlySet<string>,
  variables: Variables,
): Problem[] {
  return issuers.flatMap((settings, index) =>
    [
      ...addressProblems(settings, issuers.slice(0, index)),
      ...listProblems(settings),
      ...variableProblems(settings.introspection, variables),
      ...scopeProblems(settings),
      ...profileProblems(settings, profiles),
    ].map(({ path, message }) => ({ path: [index, ...path], message })),
  );
}

function addressProblems({ issuer, jwksUri, introspection }: IssuerSettings, earlier: readonly IssuerSettings[]) {
  const addresses: (readonly [path: readonly string[], url: string | undefined])[] = [
    [['issuer'], issuer],
    [['jwksUri'], jwksUri],
    [['introspection', 'url'], introspection?.url],
  ];
  const problems: Problem[] = addresses
    .filter(([, url]) => url !== undefined && !isSafeAddress(new URL(url)))
    .map(([path]) => ({ path, message: 'must be an https URL, because its answers decide who may call' }));
  const { search, hash, username, password } = new URL(issuer);
  if (search || hash || username || password || issuer.includes('|'))
    problems.push({ path: ['issuer'], message: 'must have no query, fragment, login or "|"' });
  if (earlier.some((other) => other.issuer === issuer))
    problems.push({ path: ['issuer'], message: 'is named twice: write one entry with all its audiences and scopes' });
  return problems;
}

function listProblems(settings: IssuerSettings): Problem[] {
  return (['audience', 'algorithms', 'types'] as const)
    .filter((field) => settings[field]?.length === 0)
    .map((field) => ({ path: [field], message: 'an empty list accepts no token: remove it to use the default' }));
}

function variableProblems(introspection: IntrospectionSettings | undefined, variables: Variables): Problem[] {
  if (introspection === undefined) return [];
  return (['clientIdEnv', 'clientSecretEnv'] as const)
    .filter((field) => !lookup(variables, introspection[field]))
    .map((field) => {
      const name = introspection[field];
      return {
        path: ['introspection', field],
        message: explainMissing(variables, name),
      };
    });
}

function explainMissing(variables: Variables, name: string): string {
  const problem = sourceProblem(variables, name);
  if (problem === undefined)
    return `the variable ${name} is not set: the authorization server gives you its value for this gateway`;
  return name.startsWith(FILE_MARK) ? `${problem} (looked for ${resolve(name.slice(FILE_MARK.length))})` : problem;
}

function scopeProblems({ scopes, implies = {}, profiles = {} }: ScopeSettings): Problem[] {
  const lists = [
    ...Object.entries(scopes ?? {}).map(([effect, list]) => [['scopes', effect], list ?? []] as const),
    ...Object.entries(profiles).map(([profile, list]) => [['profiles', profile], list] as const),
    ...Object.entries(implies).map(
      ([scope, list]) =>
        [
          ['implies', scope],
          [scope, ...list],
        ] as const,
    ),
  ];
  const problems: Problem[] = lists.flatMap(([path, list]) =>
    list.flatMap((scope) => {
      if (scope === 'offline_access')
        return [{ path, message: 'offline_access is only for refresh tokens and allows no calls: name another scope' }];
      return isScope(scope)
        ? []
        : [{ path, message: `${JSON.stringify(scope)} is not a scope: write each scope as a separate item` }];
    }),
  );
  if (scopes !== undefined && Object.values(scopes).every((list) => (list ?? []).length === 0))
    problems.push({
      path: ['scopes'],
      message: 'the lists are empty, so no call is allowed: name at least one scope, or remove scopes',
    });
  return problems;
}

/** Further apart, two names are rarely one name with a typing mistake. */
const MAX_TYPOS = 2;

/**
 * Scopes in `implies` that look mistyped. They are warnings only: a scope that is named nowhere else may be one that includes others,
 * and a name that is close to another may be right.
 */
export function listDoubtfulScopes({ scopes, implies = {}, profiles = {} }: ScopeSettings): string[] {
  const lists = [...Object.values(scopes ?? {}), ...Object.values(profiles)];
  const knownScopes = [...new Set(lists.flatMap((list) => list ?? []))];
  if (knownScopes.length === 0) return [];
  const shortScopes = knownScopes.filter(({ length }) => length <= MAX_COMPARED);
  const nearTo = (scope: string) =>
    scope.length > MAX_COMPARED
      ? undefined
      : shortScopes.find((other) => editDistance(scope, other, MAX_TYPOS + 1) <= MAX_TYPOS);
  const roots = Object.keys(implies).filter((scope) => !knownScopes.includes(scope) && nearTo(scope) !== undefined);
  // A scope that includes others is used by them. Any other that no effect and no profile names allows nothing.
  const leaves = Object.values(implies)
    .flat()
    .filter((scope) => !knownScopes.includes(scope) && !Object.hasOwn(implies, scope));
  return [...new Set([...roots, ...leaves])].map((scope) => {
    const near = nearTo(scope);
    const question = near === undefined ? 'remove it, or add it to scopes or profiles' : `did you mean "${near}"?`;
    return `implies: no effect and no profile names the scope "${scope}"; ${question}`;
  });
}

function profileProblems({ profiles = {} }: ScopeSettings, profileNames: ReadonlySet<string>): Problem[] {
  const names = profileNames.size === 0 ? 'no profiles are served' : `there are ${[...profileNames].join(', ')}`;
  return Object.entries(profiles).flatMap(([profile, scopes]) => {
    const path = ['profiles', profile];
    if (!profileNames.has(profile)) return [{ path, message: `there is no such profile; ${names}` }];
    return scopes.length === 0
      ? [{ path, message: 'an empty list allows no callers: name a scope, or remove it' }]
      : [];
  });
}
