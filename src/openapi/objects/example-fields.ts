// Fields that occur in a body's own examples but not in its schema (elasticsearch's `aggs`). If the document does not forbid
// further fields, they become arguments with the type they have in the example.

import { isMethodParameter } from '../../endpoint/headers/header-names.ts';
import { isObject } from '../../endpoint/is-object.ts';
import type { Node } from '../../endpoint/untrusted.ts';
import { readText } from '../../schema/example-calls.ts';
import type { Field, ObjectShape } from '../schema/schema-shape.ts';
import { isSmallValue } from '../schema/schema-values.ts';
import { inside, type Place } from '../source/resolve.ts';

/** An example with more such fields is a map, and its fields are not separated. */
const MAX_FIELDS = 32;
/** Names looked at in all examples of a body: this happens at the start. */
const MAX_NAMES = 5_000;
const WORDS = 'Not declared by the API description; taken from its example.';

/** The shape with a field for each of them. `listExamples`: values of the body. */
export function withExampleFields(shape: ObjectShape, listExamples: () => readonly Place[]): ObjectShape {
  // The names in a map are the caller's own.
  if (shape.closed || (shape.rest !== undefined && shape.rest !== 'anything')) return shape;
  const examples = listExamples();
  if (examples.length === 0) return shape;
  const places = new Map<string, Place[]>();
  const names = new Set(shape.names);
  const required = shape.fields.filter((field) => field.required);
  /** Several references may lead to one example. */
  const visits = new Set<unknown>();
  let namesLeft = MAX_NAMES;
  for (const example of examples) {
    if (visits.has(example.value) || namesLeft <= 0) continue;
    visits.add(example.value);
    const value = readText(example.value);
    // An example without the required fields is an example of something else.
    if (!isObject(value) || !required.every(({ name }) => Object.hasOwn(value, name))) continue;
    for (const name of Object.keys(value).slice(0, namesLeft)) {
      namesLeft--;
      if (names.has(name) || isMethodParameter(name) || name === '__proto__') continue;
      const place = inside({ ...example, value }, name);
      const list = places.get(name);
      if (list) list.push(place);
      else places.set(name, [place]);
      if (places.size > MAX_FIELDS) return { ...shape, rest: 'anything' };
    }
  }
  if (places.size === 0) return shape;
  return { ...shape, fields: [...shape.fields, ...[...places].map(([name, list]) => fieldOf(name, list))] };
}

function fieldOf(name: string, places: readonly Place[]): Field {
  const schema = { ...schemaOf(places.map(({ value }) => value)), description: WORDS };
  return { name, required: false, schemas: [{ ...places[0]!, value: schema }] };
}

/** The types of the values, and of the items in lists. What is inside an object is shown, not asked for. */
function schemaOf(values: readonly unknown[]): Node {
  const types = [...new Set(values.map(typeOf))];
  // A null says nothing about the type.
  const type = types.includes('null') ? {} : { type: types.length === 1 ? types[0] : types };
  const items = values.filter(Array.isArray).flat();
  const itemTypes = new Set(items.map(typeOf));
  const [itemType] = itemTypes;
  const isUniform = itemTypes.size === 1 && itemType !== 'null';
  const example = values.find((value) => typeof value === 'object' && value !== null && isSmallValue(value));
  return {
    ...type,
    ...(isUniform && types.includes('array') ? { items: { type: itemType } } : {}),
    ...(example === undefined ? {} : { example }),
  };
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
