// Rules about the arguments of a body together. If the body is required, every call must satisfy them. If it is optional, they apply
// as soon as one of its arguments is given; if none is, no body is sent.
import { isObject } from '../endpoint/is-object.ts';
import type { JsonSchema } from '../endpoint/model.ts';
import { emptyMap, listAt, type Node, nodeAt, textsAt } from '../endpoint/untrusted.ts';
import { UNIONS } from './keywords.ts';

export interface BodyRules {
  /** The arguments that make up the body. */
  readonly keys: readonly string[];
  /** The required ones among them. */
  readonly needed: readonly string[];
  readonly alternatives: readonly FieldSets[];
  /** Whether a call may leave the body out. */
  readonly optional: boolean;
}

/** Sets of arguments, of which one has to be complete. */
export interface FieldSets {
  readonly keyword: 'anyOf' | 'oneOf';
  readonly sets: readonly (readonly string[])[];
}

/** The keywords for these rules, besides `properties` and `required`. */
export function writeBodyRules({ keys, needed, alternatives, optional }: BodyRules): Node {
  const rules = alternatives.map(({ keyword, sets }) => ({ [keyword]: sets.map((required) => ({ required })) }));
  if (!optional) return rules.length > 1 ? { allOf: rules } : (rules[0] ?? {});
  const together = emptyMap<readonly string[]>();
  for (const key of keys) {
    const others = needed.filter((name) => name !== key);
    if (others.length > 0) together[key] = others;
  }
  const anyField = { anyOf: keys.map((key) => ({ required: [key] })) };
  return {
    ...(Object.keys(together).length > 0 ? { dependentRequired: together } : {}),
    ...(rules.length > 0 ? { anyOf: [{ not: anyField }, { allOf: rules }] } : {}),
  };
}

/** Reads what writeBodyRules() wrote. */
export function readBodyRules(schema: JsonSchema, keys: readonly string[], optional: boolean): BodyRules {
  if (!isObject(schema)) return { keys, needed: [], alternatives: [], optional };
  const together = Object.values(nodeAt(schema, 'dependentRequired') ?? {}).flat();
  // A Set, because each of hundreds of fields may name all the others.
  const required = new Set<unknown>(optional ? together : textsAt(schema, 'required'));
  const rules = optional ? listAt(listAt(schema, 'anyOf')[1], 'allOf') : listAt(schema, 'allOf');
  const alternatives = (optional || rules.length > 0 ? rules : [schema]).flatMap(readSets);
  return { keys, needed: keys.filter((key) => required.has(key)), alternatives, optional };
}

function readSets(rule: unknown): FieldSets[] {
  return UNIONS.flatMap((keyword) => {
    const branches = listAt(rule, keyword);
    return branches.length === 0 ? [] : [{ keyword, sets: branches.map((branch) => textsAt(branch, 'required')) }];
  });
}

/** A schema with other rules. */
export function withBodyRules(schema: Node, rules: BodyRules): Node {
  const { anyOf: _, oneOf: __, allOf: ___, dependentRequired: ____, ...rest } = schema;
  return { ...rest, ...writeBodyRules(rules) };
}

/** What happens to an argument: it is always sent, never sent, or optional. */
export type ArgumentOutcome = 'sent' | 'never' | 'free' | undefined;

/**
 * The rules for the remaining arguments. A set with an argument that is never sent can no longer be chosen; arguments that are
 * always sent are removed from their sets, and a set that becomes empty satisfies its rule.
 */
export function changeBodyRules(
  rules: BodyRules,
  outcomeOf: (key: string) => ArgumentOutcome,
  nameOf: (key: string) => string,
): BodyRules {
  const isLeft = (key: string) => outcomeOf(key) !== 'sent' && outcomeOf(key) !== 'never';
  const alternatives = rules.alternatives.flatMap(({ keyword, sets }): FieldSets[] => {
    const open = sets
      .filter((set) => set.every((key) => outcomeOf(key) !== 'never'))
      .map((set) => {
        const needs = set.filter((key) => outcomeOf(key) !== 'sent');
        const rest = needs.filter((key) => outcomeOf(key) !== 'free');
        return (rest.length > 0 ? rest : needs).map(nameOf);
      });
    return open.length === 0 || open.some((set) => set.length === 0) ? [] : [{ keyword, sets: open }];
  });
  return {
    ...rules,
    keys: rules.keys.filter(isLeft).map(nameOf),
    needed: rules.needed.filter((key) => outcomeOf(key) === undefined).map(nameOf),
    alternatives,
  };
}
