// Says in words why arguments do not satisfy a schema. ajv alone decides whether they do; this walk only explains, so it
// can stop early, choose the most likely branch of a union, and name the argument that was meant.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { toOneLine } from '../../endpoint/plain-text.ts';
import { MAX_DEPTH } from '../check/bounds.ts';
import { sameJson } from '../check/json-equality.ts';
import {
  findKeyword,
  isSchema,
  NULL,
  namedTypes,
  OBJECT,
  resolveRef,
  type SchemaObject,
  schemasOf,
  typeOf,
  typesOf,
  typeWords,
} from '../schema-view.ts';
import type { Problem } from './argument-problem.ts';
import { explainBranches } from './explain-branches.ts';
import { explainObject, namesOf } from './explain-object.ts';
import { explainArray, explainNumber, explainString } from './explain-scalar.ts';
import { nearest } from './nearest.ts';
import { cut, describeType, showChoices, showName, showValue } from './show.ts';

/** One walk: what is shared by every place it visits. */
export interface Walk {
  readonly root: JsonSchema;
  /** Places left to look at; a hostile schema must not make an error expensive. */
  readonly steps: { left: number };
  /** Problems after which there is no point in finding more. */
  readonly max: number;
}

/** One place in the arguments. */
export interface Place {
  readonly value: unknown;
  readonly path: string;
  /** Nearest property name, to know secrets by. */
  readonly key: string;
  readonly depth: number;
}

const MAX_STEPS = 20_000;

/** The problems found, most useful first; empty when this walk cannot see what ajv saw. */
export function explain(schema: JsonSchema, args: unknown, max: number): Problem[] {
  const walk: Walk = { root: schema, steps: { left: MAX_STEPS }, max };
  return explainPlace(walk, schema, { value: args, path: '', key: '', depth: 0 });
}

export function explainPlace(walk: Walk, schema: JsonSchema, place: Place): Problem[] {
  if (--walk.steps.left < 0 || place.depth > MAX_DEPTH) return [];
  if (schema === true) return [];
  if (schema === false) return [problemAt(place, 'unknown', `${nameOf(place)} is not accepted here; remove it`)];
  const wrongType = explainType(walk, schema, place);
  if (wrongType) return [wrongType];
  const found: Problem[] = [];
  const add = (problems: readonly Problem[]): void => {
    for (const problem of problems) {
      if (found.length < walk.max && !found.some((known) => known.message === problem.message)) found.push(problem);
    }
  };
  const target = schema.$ref === undefined ? undefined : resolveRef(walk.root, schema.$ref);
  if (target !== undefined) add(explainPlace(walk, target, { ...place, depth: place.depth + 1 }));
  add(explainChoice(schema, place));
  if (typeof place.value === 'string') add(explainString(schema, place));
  else if (typeof place.value === 'number') add(explainNumber(schema, place));
  else if (Array.isArray(place.value)) add(explainArray(walk, schema, place, place.value));
  else if (isObject(place.value)) add(explainObject(walk, schema, place, place.value));
  for (const part of schemasOf(schema.allOf)) add(explainPlace(walk, part, { ...place, depth: place.depth + 1 }));
  add(explainBranches(walk, schema, place));
  add(explainConditions(walk, schema, place));
  return found;
}

/** Whether this walk finds nothing wrong. */
export function fits(walk: Walk, schema: JsonSchema, place: Place): boolean {
  return explainPlace({ ...walk, max: 1 }, schema, { ...place, depth: place.depth + 1 }).length === 0;
}

export function problemAt(
  place: Place,
  problem: Problem['problem'],
  message: string,
  more: Partial<Problem> = {},
): Problem {
  return { path: place.path, problem, message, ...more };
}

export function nameOf(place: Place): string {
  return place.path === '' ? 'the arguments' : showName(place.path);
}

function explainType(walk: Walk, schema: SchemaObject, place: Place): Problem | undefined {
  const named = namedTypes(schema.type) | (schema.nullable === true ? NULL : 0);
  // Where the type is only said further down (a union of types), the whole of it is named at once.
  const takes = schema.type === undefined ? typesOf(walk.root, schema) : named;
  if (takes & typeOf(place.value)) return undefined;
  const constrained = Array.isArray(schema.enum) || Object.hasOwn(schema, 'const');
  if (schema.type === undefined && (constrained || takes === 0)) return undefined;
  const expected = describeType(walk.root, schema);
  const got = showValue(place.value, place.key, schema);
  const words = (expected === '' ? typeWords(takes) : expected) + fieldWords(walk, schema, takes);
  return problemAt(place, 'type', `${nameOf(place)} must be ${words}; got ${got}`, { expected: words, got });
}

const MAX_FIELDS_SHOWN = 6;

/** ` {name, color?}`: whoever gave no object at all wants to know what would be in it. */
function fieldWords(walk: Walk, schema: SchemaObject, takes: number): string {
  if ((takes & ~NULL) !== OBJECT) return '';
  const properties = findKeyword(walk.root, schema, 'properties');
  if (!isObject(properties)) return '';
  const required = new Set(namesOf(findKeyword(walk.root, schema, 'required')));
  const names = Object.keys(properties).filter((name) => properties[name] !== false);
  const sorted = [...names.filter((name) => required.has(name)), ...names.filter((name) => !required.has(name))];
  const shown = sorted
    .slice(0, MAX_FIELDS_SHOWN)
    .map((name) => cut(toOneLine(name), 24) + (required.has(name) ? '' : '?'));
  if (shown.length === 0) return '';
  return ` {${shown.join(', ')}${sorted.length > shown.length ? ', …' : ''}}`;
}

function explainChoice(schema: SchemaObject, place: Place): Problem[] {
  const choices = Array.isArray(schema.enum)
    ? schema.enum
    : Object.hasOwn(schema, 'const')
      ? [schema.const]
      : undefined;
  if (choices === undefined || choices.some((choice) => sameJson(choice, place.value))) return [];
  const got = showValue(place.value, place.key, schema);
  const words = choices.filter((choice): choice is string => typeof choice === 'string');
  const near = typeof place.value === 'string' && choices.length > 1 ? nearest(place.value, words) : undefined;
  const hint = near === undefined ? '' : ` — did you mean ${showChoices([near])}?`;
  const expected = choices.length === 1 ? showChoices(choices) : `one of ${showChoices(choices)}`;
  return [
    problemAt(place, 'enum', `${nameOf(place)} must be ${expected}; got ${got}${hint}`, {
      expected,
      got,
      ...(near === undefined ? {} : { suggestion: near }),
    }),
  ];
}

function explainConditions(walk: Walk, schema: SchemaObject, place: Place): Problem[] {
  const inner = { ...place, depth: place.depth + 1 };
  if (isSchema(schema.not) && fits(walk, schema.not, place)) {
    const words = describeType(walk.root, schema.not);
    const got = showValue(place.value, place.key, schema);
    return [
      problemAt(
        place,
        'rule',
        `${nameOf(place)} must not be ${words === 'any value' ? 'given in this form' : words}; got ${got}`,
        { got },
      ),
    ];
  }
  if (!isSchema(schema.if)) return [];
  const branch = fits(walk, schema.if, place) ? schema.then : schema.else;
  return isSchema(branch) ? explainPlace(walk, branch, inner) : [];
}
