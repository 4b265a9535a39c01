// Checks a value by walking its schema. Nothing is compiled, so the cost of a first call depends on its values and not on the size
// of the schema. Large schemas are checked this way, and every refusal is explained from what is found here; see
// compile-schema.ts. Keywords whose value has the wrong shape restrict nothing.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { ASSERTIONS } from '../check/assertions.ts';
import { BUDGET_EXCEEDED, type Budget, KEY_COST } from '../check/budget.ts';
import { ANY, ARRAY, FRACTION, INTEGER, OBJECT, ownTypes, typeOf } from '../json-types.ts';
import { NAMED_CONDITIONS, UNIONS } from '../keywords.ts';
import { cachedKeys, memoizeByObject } from '../memoize.ts';
import { isSchema, resolveRef, type SchemaObject, schemasOf } from '../references.ts';
import {
  isGiven,
  visitAdditional,
  visitContains,
  visitDependentRequired,
  visitItems,
  visitNames,
  visitPatterns,
  visitProperties,
  visitRequired,
  visitUnevaluated,
} from './container-rules.ts';
import { searchUnion } from './union-branches.ts';

/** One rule that a value breaks, with the place in the value and the schema that contains the rule. */
export interface CheckError {
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly path: readonly (string | number)[];
  readonly schema: SchemaObject;
  readonly value: unknown;
}

/** The root in which references are resolved, and the budget. */
export interface WalkContext {
  readonly root: JsonSchema;
  readonly budget: Budget;
}

export interface Walk extends WalkContext {
  readonly max: number;
  /** Whether an integer whose last digits may be lost is refused where only integers are accepted: there it is an id. */
  readonly exact: boolean;
  readonly path: (string | number)[];
  readonly errors: CheckError[];
  /** The object visited last, and its names, which every branch of a union needs. */
  readonly last: { object?: object; names: readonly string[] };
  /** Schemas around the one that is visited. */
  depth: number;
}

/** Schemas nested deeper than this are not enforced, because the stack is limited. */
export const MAX_NESTING = 500;
/** A visit costs two steps of compiled code. */
const VISIT_COST = 2;
/** Cost of starting a separate walk. */
const FITS_COST = 1;
/** Cost of the first visit of a schema, which looks for every known keyword. */
const OUTLINE_COST = 8;

function createWalk({ root, budget }: WalkContext, max: number, exact = false): Walk {
  return { root, budget, max, exact, path: [], errors: [], last: { names: [] }, depth: 0 };
}

/** Whether a value satisfies a schema. */
export function fitsSchema(context: WalkContext, schema: JsonSchema, value: unknown): boolean {
  return fits(createWalk(context, 1), schema, value);
}

/** Whether a value satisfies a schema beside the one that is walked. */
export function fits(walk: Walk, schema: JsonSchema, value: unknown): boolean {
  walk.budget.spend(FITS_COST);
  const errors: CheckError[] = [];
  visit({ ...walk, max: 1, path: [], errors }, schema, value);
  return errors.length === 0;
}

/** The first `max` rules that a value breaks; fewer if finding more takes too long. */
export function findErrors(
  context: WalkContext,
  schema: JsonSchema,
  value: unknown,
  max: number,
  exact?: boolean,
): readonly CheckError[] {
  const walk = createWalk(context, max, exact);
  try {
    visit(walk, schema, value);
  } catch (error) {
    if (error !== BUDGET_EXCEEDED) throw error;
  }
  return walk.errors;
}

export const isFull = ({ errors, max }: Walk): boolean => errors.length >= max;

export function report(
  walk: Walk,
  keyword: string,
  schema: SchemaObject,
  value: unknown,
  params: CheckError['params'] = {},
): void {
  if (!isFull(walk)) walk.errors.push({ keyword, params, path: [...walk.path], schema, value });
}

/** Goes one step down into a value. */
export function enter(walk: Walk, schema: unknown, step: string | number, value: unknown): void {
  walk.path.push(step);
  visit(walk, schema, value);
  walk.path.pop();
}

function visit(walk: Walk, schema: unknown, value: unknown): void {
  walk.budget.spend(VISIT_COST);
  if (schema === false) report(walk, 'false schema', {}, value);
  if (!isObject(schema) || walk.depth > MAX_NESTING) return;
  const { types, rules } = outlineOf(schema, walk.budget);
  const type = typeOf(value);
  // A value of the wrong type breaks no other rule worth reporting.
  if ((types & type) === 0) {
    report(walk, 'type', schema, value);
    return;
  }
  if (walk.exact && type === INTEGER && !(types & FRACTION) && !Number.isSafeInteger(value))
    report(walk, 'rounded', schema, value);
  walk.depth++;
  for (const rule of rules) if (rule.on & type && !isFull(walk)) rule.visit(walk, schema, value as never);
  walk.depth--;
}

/** The types a schema names, and the rules it has. Cached, because the same schema may check thousands of values. */
const outlineOf = memoizeByObject((schema: SchemaObject, budget: Budget) => {
  budget.spend(OUTLINE_COST);
  return {
    types: ownTypes(schema),
    rules: RULES.filter(({ keywords, isUsable }) =>
      keywords.some((keyword) => Object.hasOwn(schema, keyword) && (isUsable?.(schema[keyword]) ?? true)),
    ),
  };
});

/** What a keyword, or several that belong together, requires of values of some types. */
interface Rule {
  readonly keywords: readonly string[];
  readonly on: number;
  readonly visit: (walk: Walk, schema: SchemaObject, value: never) => void;
  readonly isUsable?: (limit: unknown) => boolean;
}

const rule = (keywords: string, on: number, visit: Rule['visit']): Rule => ({
  keywords: keywords.split(' '),
  on,
  visit,
});

const assertion = (keyword: string): Rule => {
  const { on, holds, isUsable } = ASSERTIONS[keyword]!;
  const visit: Rule['visit'] = (walk, schema, value) => {
    if (!holds(value, schema[keyword] as never, walk.budget)) report(walk, keyword, schema, value);
  };
  return { keywords: [keyword], on, visit, isUsable };
};

const union = (keyword: (typeof UNIONS)[number]): Rule => {
  const visit: Rule['visit'] = (walk, schema, value) => {
    const branches = schema[keyword] as readonly unknown[];
    const passing = searchUnion(walk, branches, value, keyword === 'oneOf', (branch) => fits(walk, branch, value));
    if (passing !== undefined) report(walk, keyword, schema, value, { passing });
  };
  return { keywords: [keyword], on: ANY, visit, isUsable: (branches) => schemasOf(branches).length > 0 };
};

/** In the order in which violations are reported: expensive rules, and those that depend on others, come last. */
const RULES: readonly Rule[] = [
  ...['maximum', 'minimum', 'exclusiveMaximum', 'exclusiveMinimum', 'multipleOf'].map(assertion),
  ...['maxLength', 'minLength', 'pattern', 'format', 'const'].map(assertion),
  rule('not', ANY, (walk, schema, value) => {
    if (isSchema(schema.not) && fits(walk, schema.not, value)) report(walk, 'not', schema, value);
  }),
  ...UNIONS.map(union),
  rule('allOf $ref $dynamicRef if dependentSchemas dependencies', ANY, (walk, schema, value) => {
    for (const part of inPlace(walk, schema, value)) if (!isFull(walk)) visit(walk, part, value);
  }),
  ...['enum', 'maxItems', 'minItems'].map(assertion),
  rule('items prefixItems', ARRAY, visitItems),
  rule('contains', ARRAY, visitContains),
  assertion('uniqueItems'),
  rule('unevaluatedItems', ARRAY, visitUnevaluated('unevaluatedItems')),
  ...['maxProperties', 'minProperties'].map(assertion),
  rule('required', OBJECT, visitRequired),
  rule('dependentRequired dependencies', OBJECT, visitDependentRequired),
  rule('propertyNames', OBJECT, visitNames),
  rule('additionalProperties', OBJECT, visitAdditional),
  rule('properties', OBJECT, visitProperties),
  rule('patternProperties', OBJECT, visitPatterns),
  rule('unevaluatedProperties', OBJECT, visitUnevaluated('unevaluatedProperties')),
];

/** Schemas about the same value that have to hold: references, `allOf`, and the side of a condition that applies. */
export function inPlace(walk: Walk, schema: SchemaObject, value: unknown): readonly JsonSchema[] {
  const parts = [...schemasOf(schema.allOf)];
  for (const ref of [schema.$ref, schema.$dynamicRef]) {
    const target = ref === undefined ? undefined : resolveRef(walk.root, ref);
    if (target !== undefined) parts.push(target);
  }
  if (isSchema(schema.if)) {
    const side = fits(walk, schema.if, value) ? schema.then : schema.else;
    if (isSchema(side)) parts.push(side);
  }
  if (!isObject(value)) return parts;
  for (const keyword of NAMED_CONDITIONS) {
    const map = schema[keyword];
    if (!isObject(map)) continue;
    const names = cachedKeys(map);
    walk.budget.spend(names.length * KEY_COST);
    for (const name of names) if (isGiven(value, name) && isSchema(map[name])) parts.push(map[name]);
  }
  return parts;
}
