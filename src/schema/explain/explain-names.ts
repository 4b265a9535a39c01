// An unknown property: which name was likely meant, or in which object it belongs.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { askFor } from '../../endpoint/suggest.ts';
import { OBJECT, typesOf } from '../json-types.ts';
import { findKeyword, findProperty, isSchema } from '../references.ts';
import type { CheckError } from '../walk/walk-schema.ts';
import type { Finding } from './argument-problem.ts';
import { declaredNames } from './declared-names.ts';
import type { Place, View } from './explain-errors.ts';
import { joinPath, showName } from './show.ts';

const MAX_NAMES_LISTED = 20;
const MAX_FIELDS_LISTED = 8;

/** Whether no part of the schema has such a property. */
export function isUndeclared(error: CheckError, place: Place, view: View): boolean {
  return !declaredNames(view.root, place.schema).has(String(error.params.unevaluatedProperty));
}

type Suggest = (view: View, word: string, candidates: readonly string[]) => string | undefined;

export function explainUnknown(place: Place, name: string, view: View, suggest: Suggest): Finding {
  const names = declaredNames(view.root, place.schema);
  const path = joinPath(place.path, name);
  const base = { path, problem: 'unknown' } as const;
  if (names.has(name) && place.schema.additionalProperties !== false)
    return { ...base, message: `${showName(path)} does not go with the other arguments; remove it` };
  const object = place.value as Record<string, unknown>;
  const others = [...names].filter((each) => each !== name);
  const holder = holderOf(name, others, place, view);
  if (holder !== undefined) {
    const inside = holder.reduce(joinPath, place.path);
    const message = `unknown ${showName(path)}; put it inside ${showName(inside)}`;
    return { ...base, message, suggestion: joinPath(inside, name), settles: [inside] };
  }
  const outside = outsideOf(name, place, view);
  if (outside !== undefined) {
    const message = `unknown ${showName(path)}; put it beside ${showName(outside.beside)}, not inside: ${showName(outside.path)}`;
    return { ...base, message, suggestion: outside.path, settles: [outside.path] };
  }
  const near = suggest(
    view,
    name,
    others.filter((each) => !Object.hasOwn(object, each)),
  );
  if (near !== undefined) {
    const suggestion = joinPath(place.path, near);
    const message = `unknown ${showName(path)} — ${askFor(showName(suggestion))}`;
    return { ...base, message, suggestion, settles: [suggestion] };
  }
  const value = object[name];
  const inside = isObject(value) ? Object.keys(value).filter((each) => names.has(each)) : [];
  if (inside.length > 0) {
    const fields = inside.slice(0, MAX_FIELDS_LISTED);
    const message = `unknown ${showName(path)}; pass its fields directly instead: ${fields.map(showName).join(', ')}`;
    const settles = inside.map((each) => joinPath(place.path, each));
    return { ...base, message, suggestion: fields.join(', '), settles };
  }
  if (others.length === 0) {
    const nothing = place.path === '' ? 'no arguments are' : 'nothing is';
    return { ...base, message: `unknown ${showName(path)}; ${nothing} accepted here` };
  }
  const list = others.slice(0, MAX_NAMES_LISTED).map(showName).join(', ');
  const expected = others.length > MAX_NAMES_LISTED ? `${list}, … (${others.length})` : list;
  return { ...base, message: `unknown ${showName(path)}; known: ${expected}`, expected };
}

/** Objects looked into for one name. */
const MAX_HOLDERS = 40;

/** The neighbour that is an object with such a field, or has one inside: `title` belongs inside `body`, `lat` inside `address.geo`. */
function holderOf(name: string, others: readonly string[], place: Place, view: View): readonly string[] | undefined {
  const fieldsOf = (schema: JsonSchema, names: Iterable<string>) =>
    [...names].flatMap((each) => {
      const inner = findProperty(view.root, schema, each);
      return inner === undefined ? [] : [[each, inner] as const];
    });
  const near = fieldsOf(place.schema, others.slice(0, MAX_HOLDERS));
  const [holder] = near.find(([, schema]) => declaresField(view, schema, name)) ?? [];
  if (holder !== undefined) return [holder];
  let room = MAX_HOLDERS;
  for (const [outer, schema] of near) {
    if (!isObject(schema) || (typesOf(view.root, schema) & OBJECT) === 0) continue;
    const names = [...declaredNames(view.root, schema)].slice(0, Math.max(room, 0));
    room -= names.length;
    const [inner] = fieldsOf(schema, names).find(([, one]) => declaresField(view, one, name)) ?? [];
    if (inner !== undefined) return [outer, inner];
  }
  return undefined;
}

function declaresField({ root }: View, schema: JsonSchema, name: string): boolean {
  return isObject(schema) && (typesOf(root, schema) & OBJECT) !== 0 && declaredNames(root, schema).has(name);
}

/** The object around, or the arguments themselves, where the name is one: `limit` belongs beside `body`. */
function outsideOf(name: string, { steps }: Place, { root }: View): { path: string; beside: string } | undefined {
  let around: JsonSchema = root;
  let path = '';
  let outside: { path: string; beside: string } | undefined;
  for (const step of steps) {
    const beside = joinPath(path, step);
    if (typeof step === 'string' && findProperty(root, around, name) !== undefined)
      outside = { path: joinPath(path, name), beside };
    const inner = typeof step === 'number' ? findKeyword(root, around, 'items') : findProperty(root, around, step);
    if (!isSchema(inner)) break;
    around = inner;
    path = beside;
  }
  return outside;
}
