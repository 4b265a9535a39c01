// Objects: what is missing, what is unknown and was meant to be something else, and each property in turn.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { safePattern } from '../check/pattern.ts';
import { isSchema, ownSchema, resolveRef, type SchemaObject, schemasOf } from '../schema-view.ts';
import type { Problem } from './argument-problem.ts';
import type { Place, Walk } from './explain-problems.ts';
import { explainPlace, nameOf, problemAt } from './explain-problems.ts';
import { nearest } from './nearest.ts';
import { describePurpose, describeType, joinPath, showName } from './show.ts';

const MAX_NAMES_LISTED = 20;

export function explainObject(
  walk: Walk,
  schema: SchemaObject,
  place: Place,
  object: Record<string, unknown>,
): Problem[] {
  const found = [
    ...explainMissing(walk, schema, place, object),
    ...explainUnknown(walk, schema, place, object),
    ...explainCounts(schema, place, object),
  ];
  for (const key of Object.keys(object)) {
    if (found.length >= walk.max || walk.steps.left <= 0) break;
    const inner = { value: object[key], path: joinPath(place.path, key), key, depth: place.depth + 1 };
    for (const part of schemasFor(schema, key)) found.push(...explainPlace(walk, part, inner));
    if (isSchema(schema.propertyNames)) {
      const named = explainPlace(walk, schema.propertyNames, { ...inner, value: key });
      if (named.length > 0)
        found.push(problemAt(place, 'rule', `${nameOf(place)} must not have a key like ${showName(key)}`));
    }
  }
  for (const [key, part] of entriesOf(schema.dependentSchemas)) {
    if (Object.hasOwn(object, key) && isSchema(part))
      found.push(...explainPlace(walk, part, { ...place, depth: place.depth + 1 }));
  }
  return found;
}

/** The schemas that hold for one property of an object. */
function schemasFor(schema: SchemaObject, key: string): JsonSchema[] {
  const found: JsonSchema[] = [];
  const own = ownSchema(schema.properties, key);
  if (own !== undefined) found.push(own);
  for (const [source, part] of entriesOf(schema.patternProperties)) {
    if (isSchema(part) && safePattern(source).test(key)) found.push(part);
  }
  const rest = ownSchema(schema, 'additionalProperties');
  // `false` is explained as an unknown name, with what may have been meant.
  if (found.length === 0 && rest !== undefined && rest !== false) found.push(rest);
  return found;
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.keys(value).map((key) => [key, value[key]]) : [];
}

function explainMissing(walk: Walk, schema: SchemaObject, place: Place, object: Record<string, unknown>): Problem[] {
  const found: Problem[] = [];
  const missing = (key: string, because = ''): void => {
    const part = propertySchema(walk, schema, key) ?? true;
    const expected = describeType(walk.root, part);
    const purpose = describePurpose(walk.root, part);
    const path = joinPath(place.path, key);
    const message = `missing ${showName(path)} (${expected})${because}${purpose === '' ? '' : `: ${purpose}`}`;
    found.push({ path, problem: 'missing', message, expected });
  };
  for (const key of namesOf(schema.required)) {
    if (!has(object, key)) missing(key);
  }
  for (const [key, needed] of entriesOf(schema.dependentRequired)) {
    if (!has(object, key)) continue;
    for (const other of namesOf(needed))
      if (!has(object, other)) missing(other, `, needed together with ${showName(key)}`);
  }
  return found;
}

const has = (object: Record<string, unknown>, key: string): boolean =>
  Object.hasOwn(object, key) && object[key] !== undefined;

export function namesOf(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((name): name is string => typeof name === 'string') : [];
}

/** A property as declared here, or by a composition this schema takes part in at the root. */
function propertySchema(walk: Walk, schema: SchemaObject, key: string): JsonSchema | undefined {
  return ownSchema(schema.properties, key) ?? (isObject(walk.root) ? ownSchema(walk.root.properties, key) : undefined);
}

function explainUnknown(walk: Walk, schema: SchemaObject, place: Place, object: Record<string, unknown>): Problem[] {
  const closed =
    schema.additionalProperties === false ? 'own' : schema.unevaluatedProperties === false ? 'all' : 'open';
  if (closed === 'open') return [];
  const known =
    closed === 'own' ? Object.keys(isObject(schema.properties) ? schema.properties : {}) : [...declared(walk, schema)];
  const patterns = entriesOf(schema.patternProperties).map(([source]) => safePattern(source));
  const unknown = Object.keys(object).filter(
    (key) => !known.includes(key) && !patterns.some((pattern) => pattern.test(key)),
  );
  const free = known.filter((key) => !has(object, key));
  return unknown.map((key) => unknownProblem(key, object[key], known, free, place));
}

function unknownProblem(
  key: string,
  value: unknown,
  known: readonly string[],
  free: readonly string[],
  place: Place,
): Problem {
  const path = joinPath(place.path, key);
  const meant = nearest(key, free);
  const named = `unknown ${showName(path)}`;
  const base = { path, problem: 'unknown' } as const;
  if (meant !== undefined) {
    return {
      ...base,
      message: `${named} — did you mean ${showName(joinPath(place.path, meant))}?`,
      suggestion: joinPath(place.path, meant),
    };
  }
  const inside = isObject(value) ? Object.keys(value).filter((name) => known.includes(name)) : [];
  if (inside.length > 0) {
    const fields = inside.slice(0, 8).map(showName).join(', ');
    return { ...base, message: `${named}; pass its fields directly instead: ${fields}`, suggestion: inside.join(', ') };
  }
  if (known.length === 0)
    return { ...base, message: `${named}; ${place.path === '' ? 'no arguments are' : 'nothing is'} accepted here` };
  const names = known.slice(0, MAX_NAMES_LISTED).map((name) => showName(name));
  const list = `${names.join(', ')}${known.length > names.length ? `, … (${known.length})` : ''}`;
  return { ...base, message: `${named}; known: ${list}`, expected: list };
}

/** Names declared by a schema and everything composed into it. */
function declared(walk: Walk, schema: JsonSchema): Set<string> {
  const names = new Set<string>();
  const seen = new Set<JsonSchema>();
  const queue = [schema];
  for (let part = queue.shift(); part !== undefined && seen.size < 256; part = queue.shift()) {
    if (!isObject(part) || seen.has(part)) continue;
    seen.add(part);
    for (const [key] of entriesOf(part.properties)) names.add(key);
    const target = part.$ref === undefined ? undefined : resolveRef(walk.root, part.$ref);
    if (target !== undefined) queue.push(target);
    queue.push(...schemasOf(part.allOf), ...schemasOf(part.anyOf), ...schemasOf(part.oneOf));
    for (const keyword of ['if', 'then', 'else']) {
      const conditional = ownSchema(part, keyword);
      if (conditional !== undefined) queue.push(conditional);
    }
  }
  return names;
}

function explainCounts(schema: SchemaObject, place: Place, object: Record<string, unknown>): Problem[] {
  const count = Object.keys(object).length;
  const { minProperties, maxProperties } = schema;
  const low = typeof minProperties === 'number' && count < minProperties;
  const high = typeof maxProperties === 'number' && count > maxProperties;
  if (!low && !high) return [];
  const expected = low ? `at least ${minProperties}` : `at most ${maxProperties}`;
  const noun = place.path === '' ? 'argument(s) must be given' : 'field(s) must be in it';
  const message =
    place.path === '' ? `${expected} ${noun}; got ${count}` : `${nameOf(place)}: ${expected} ${noun}; got ${count}`;
  return [problemAt(place, 'items', message, { expected, got: `${count}` })];
}
