// Which scopes allow what. The settings of an issuer are resolved once, so that a token's scopes only have to be looked up.
import { EFFECTS, type Effect } from '../../endpoint/model.ts';

export interface ScopeSettings {
  readonly scopes?: { readonly [Kind in Effect]?: readonly string[] | undefined } | undefined;
  readonly implies?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly profiles?: Readonly<Record<string, readonly string[]>> | undefined;
}

export interface ScopeRules {
  /** The scopes and everything they imply. */
  expand(scopes: readonly string[]): ReadonlySet<string>;
  /** The effects that these scopes allow; undefined: all. */
  effectsOf(allScopes: ReadonlySet<string>): readonly Effect[] | undefined;
  /** The scopes that a token lacks to be used for the profile at all; empty if it can be used. */
  missingFor(profile: string, allScopes: ReadonlySet<string>): readonly string[];
  /** The scope that a token needs for calls with this effect. */
  neededFor(effect: Effect): readonly string[];
  /** The scopes that a client should request to use the profile; with `all`, for every effect. */
  wantedFor(profile: string, all: boolean): readonly string[];
  /** Every set of effects that a token can have; undefined is all of them. */
  effectSets(): readonly (readonly Effect[] | undefined)[];
  /** Every scope that the profile supports. */
  supportedFor(profile: string): readonly string[];
}

/** RFC 6749 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;
/** For refresh tokens, which clients request themselves; it allows nothing here. */
const REFRESH_SCOPE = 'offline_access';

/** Whether this text is one valid scope. */
export function isScope(text: string): boolean {
  return SCOPE.test(text);
}

export function resolveScopes({ scopes, implies = {}, profiles = {} }: ScopeSettings): ScopeRules {
  const closure = closeOver(new Map(Object.entries(implies)));
  const byEffect = new Map(EFFECTS.map((effect) => [effect, scopes?.[effect] ?? []]));
  const byProfile = new Map(Object.entries(profiles));
  const holdsOne = (allScopes: ReadonlySet<string>, alternatives: readonly string[]) =>
    alternatives.some((scope) => allScopes.has(scope));
  const effectsOf = (allScopes: ReadonlySet<string>) =>
    scopes === undefined ? undefined : EFFECTS.filter((effect) => holdsOne(allScopes, byEffect.get(effect)!));
  /** The scopes of the least severe effect that has any. */
  const least = EFFECTS.map((effect) => byEffect.get(effect)!).find((alternatives) => alternatives.length > 0) ?? [];

  return {
    expand(own) {
      const allScopes = new Set<string>();
      for (const scope of own) for (const each of closure.get(scope) ?? [scope]) allScopes.add(each);
      return allScopes;
    },
    effectsOf,
    missingFor(profile, allScopes) {
      const alternatives = byProfile.get(profile);
      return unique([
        ...(alternatives && !holdsOne(allScopes, alternatives) ? alternatives.slice(0, 1) : []),
        ...(effectsOf(allScopes)?.length === 0 ? least.slice(0, 1) : []),
      ]);
    },
    neededFor: (effect) => byEffect.get(effect)!.slice(0, 1),
    wantedFor(profile, all) {
      const effects = all ? EFFECTS.flatMap((effect) => byEffect.get(effect)!.slice(0, 1)) : least.slice(0, 1);
      return unique([...effects, ...(byProfile.get(profile)?.slice(0, 1) ?? [])]);
    },
    effectSets() {
      if (scopes === undefined) return [undefined];
      const sets = new Map<string, readonly Effect[]>();
      for (const scope of [...closure.keys(), ...EFFECTS.flatMap((effect) => byEffect.get(effect)!)]) {
        const own = effectsOf(new Set(closure.get(scope) ?? [scope]))!;
        // A token may combine this scope with any of the others.
        for (const other of [[], ...sets.values()]) {
          const union = EFFECTS.filter((effect) => own.includes(effect) || other.includes(effect));
          if (union.length > 0) sets.set(union.join(), union);
        }
      }
      return [...sets.values()];
    },
    supportedFor: (profile) =>
      unique([...EFFECTS.flatMap((effect) => byEffect.get(effect)!), ...(byProfile.get(profile) ?? [])]),
  };
}

const MAX_OWN_SCOPES = 50;

/** A new token replaces the old one, so the challenge also lists the scopes that the caller already has. */
export function withOwn(own: readonly string[] = [], needs: readonly string[]): readonly string[] {
  return unique([...own.filter(isScope).slice(0, MAX_OWN_SCOPES), ...needs]);
}

/** For each scope that implies others: all it implies, directly or indirectly. Cycles are allowed. */
function closeOver(implies: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, readonly string[]> {
  return new Map(
    [...implies.keys()].map((scope) => {
      const all = new Set([scope]);
      // The iteration over a Set includes elements that are added during it.
      for (const each of all) for (const inner of implies.get(each) ?? []) all.add(inner);
      return [scope, [...all]];
    }),
  );
}

function unique(scopes: readonly string[]): readonly string[] {
  return [...new Set(scopes)].filter((scope) => scope !== REFRESH_SCOPE);
}
