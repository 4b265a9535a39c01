// Which scopes allow what: the settings of an issuer resolved once, so that a token's scopes are looked up and not interpreted.
import { EFFECTS, type Effect } from '../../endpoint/model.ts';

export interface ScopeSettings {
  readonly scopes?: { readonly [Kind in Effect]?: readonly string[] | undefined } | undefined;
  readonly implies?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly profiles?: Readonly<Record<string, readonly string[]>> | undefined;
}

export interface ScopeRules {
  /** With everything they imply. */
  expand(scopes: readonly string[]): ReadonlySet<string>;
  /** Undefined: all of them. */
  effectsOf(allScopes: ReadonlySet<string>): readonly Effect[] | undefined;
  /** All scopes without which nothing can be done there, and which these lack; empty: let in. */
  missingFor(profile: string, allScopes: ReadonlySet<string>): readonly string[];
  /** What a token must have, beside what it has, for calls of this effect. */
  neededFor(effect: Effect): readonly string[];
  /** What to ask for to be let in; with `all`, for every effect. */
  wantedFor(profile: string, all: boolean): readonly string[];
  /** Every set of effects that some token has; undefined is all of them. */
  effectSets(): readonly (readonly Effect[] | undefined)[];
  /** Every scope that means something there. */
  supportedFor(profile: string): readonly string[];
}

/** RFC 6749 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;
/** About refresh tokens, which clients ask for themselves; it allows nothing here. */
const NOT_OURS = 'offline_access';

/** Whether a challenge may hold this as one scope. */
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
  /** The scopes of the mildest effect that has any. */
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

/** A new token replaces the old one, so the challenge lists the scopes the caller has as well. */
export function withOwn(own: readonly string[] = [], needs: readonly string[]): readonly string[] {
  return unique([...own.filter(isScope).slice(0, MAX_OWN_SCOPES), ...needs]);
}

/** For each scope that implies others: all it implies, directly or not. Circles are no problem. */
function closeOver(implies: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, readonly string[]> {
  return new Map(
    [...implies.keys()].map((scope) => {
      const all = new Set([scope]);
      // Iterating a Set includes elements that are added meanwhile.
      for (const each of all) for (const inner of implies.get(each) ?? []) all.add(inner);
      return [scope, [...all]];
    }),
  );
}

function unique(scopes: readonly string[]): readonly string[] {
  return [...new Set(scopes)].filter((scope) => scope !== NOT_OURS);
}
