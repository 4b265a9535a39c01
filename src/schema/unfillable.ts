// Whether any value at all can satisfy a schema, from the same facts that the advertised schema is made of. Only plain contradictions
// are reported; anything that is not examined counts as possible.
import { isObject } from '../endpoint/is-object.ts';
import type { JsonSchema } from '../endpoint/model.ts';
import { namedTypes, typeWords } from './json-types.ts';
import { type Facts, gatherFacts } from './portable/schema-facts.ts';

const MAX_DEPTH = 8;
/** Limit of visited schemas: unions of unions would otherwise take 2^n steps. */
const MAX_STEPS = 5_000;

export interface Unfillable {
  /** The required argument; undefined if no arguments are accepted at all. */
  readonly argument?: string;
  readonly why: string;
}

/** Every required argument that cannot be given, and why. */
export function findUnfillable(schema: JsonSchema): Unfillable[] {
  if (typeof schema === 'boolean') return schema ? [] : [{ why: 'no arguments are accepted at all' }];
  const facts = gatherFacts(schema, [schema]);
  const walk = { root: schema, budget: MAX_STEPS };
  return [...facts.required].flatMap((name) => {
    const schemas = facts.properties.get(name);
    const why = schemas ? whyImpossible(walk, schemas, 0) : 'it is required but not declared';
    return why === undefined ? [] : [{ argument: name, why }];
  });
}

interface Walk {
  readonly root: JsonSchema;
  budget: number;
}

/** Why no value satisfies all of some schemas; undefined if one may. */
function whyImpossible(walk: Walk, schemas: readonly JsonSchema[], depth: number): string | undefined {
  if (schemas.includes(false)) return 'nothing is accepted';
  if (depth > MAX_DEPTH || --walk.budget < 0) return undefined;
  const facts = gatherFacts(walk.root, schemas);
  return contradiction(facts) ?? whyNoBranch(walk, facts, depth) ?? whyNoProperty(walk, facts, depth);
}

function contradiction(facts: Facts): string | undefined {
  if (facts.choices?.length === 0) return 'its list of values is empty';
  for (const [low, high] of [
    ['minimum', 'maximum'],
    ['minLength', 'maxLength'],
    ['minItems', 'maxItems'],
    ['minProperties', 'maxProperties'],
  ] as const) {
    if ((facts[low] ?? Number.NEGATIVE_INFINITY) > (facts[high] ?? Number.POSITIVE_INFINITY))
      return `its ${low} is above its ${high}`;
  }
  if (facts.types !== 0) return undefined;
  if (facts.choices === undefined) return 'no type satisfies all of it';
  const types = facts.parts.reduce((bits, part) => bits & namedTypes(part.type), namedTypes(undefined));
  return `none of its values is of type ${typeWords(types)}`;
}

function whyNoBranch(walk: Walk, facts: Facts, depth: number): string | undefined {
  const dead = facts.unions.some((branches) =>
    branches.every((branch) => whyImpossible(walk, [branch], depth + 1) !== undefined),
  );
  return dead ? 'none of its variants can be satisfied' : undefined;
}

function whyNoProperty(walk: Walk, facts: Facts, depth: number): string | undefined {
  // If types other than object are allowed, such values can be given.
  if (!facts.parts.some(({ type }) => type === 'object')) return undefined;
  for (const name of facts.required) {
    const schemas = facts.properties.get(name);
    if (schemas === undefined) {
      const isClosed = facts.parts.some(
        (part) => part.additionalProperties === false && !isObject(part.patternProperties),
      );
      if (isClosed) return `its property ${name} is required but not allowed`;
      continue;
    }
    const why = whyImpossible(walk, schemas, depth + 1);
    if (why !== undefined) return `its property ${name}: ${why}`;
  }
  return undefined;
}
