// An unknown property: which name was likely meant, or which object it belongs to.
import { isObject } from '../../endpoint/is-object.ts';
import { askFor, closest } from '../../endpoint/suggest.ts';
import { OBJECT, possibleTypes } from '../json-types.ts';
import { declaredNames, findProperty, type SchemaObject, schemasAlong } from '../references.ts';
import type { ExplainContext, RefusedPlace } from './explain-errors.ts';
import type { RuleParams } from './explain-rules.ts';
import type { ProblemCandidate } from './refusal.ts';
import { joinPath, listFirst, showName } from './show.ts';

const MAX_NAMES_LISTED = 20;
const MAX_FIELDS_LISTED = 8;

export function explainUnknown(place: RefusedPlace, params: RuleParams, context: ExplainContext): ProblemCandidate {
  const name = String(params.additionalProperty ?? params.unevaluatedProperty);
  const names = declaredNames(place.schema, context.root);
  const path = joinPath(place.path, name);
  const at = { path, problem: 'unknown' } as const;
  // It belongs to a branch that fails for other reasons.
  if (names.has(name) && place.schema.additionalProperties !== false)
    return { ...at, message: `${showName(path)} does not go with the other arguments; remove it`, isLeftover: true };
  const finding = (words: string, more: Partial<ProblemCandidate> = {}): ProblemCandidate => ({
    ...at,
    message: `unknown ${showName(path)}${words}`,
    ...more,
  });
  const object = place.value as Record<string, unknown>;
  const others = [...names].filter((each) => each !== name);
  const holder = holderOf(name, others, place, context)?.reduce(joinPath, place.path);
  if (holder !== undefined)
    return finding(`; put it inside ${showName(holder)}`, { suggestion: joinPath(holder, name), settles: [holder] });
  const outside = outsideOf(name, place, context);
  if (outside !== undefined) {
    const words = `; put it beside ${showName(outside.beside)}, not inside: ${showName(outside.path)}`;
    return finding(words, { suggestion: outside.path, settles: [outside.path] });
  }
  const free = others.filter((each) => !Object.hasOwn(object, each));
  const near = suggest(context, name, free);
  if (near !== undefined) {
    const suggestion = joinPath(place.path, near);
    return finding(` — ${askFor(showName(suggestion))}`, { suggestion, settles: [suggestion] });
  }
  const value = object[name];
  const inside = isObject(value) ? Object.keys(value).filter((each) => names.has(each)) : [];
  if (inside.length > 0) {
    const fields = inside.slice(0, MAX_FIELDS_LISTED);
    const settles = inside.map((each) => joinPath(place.path, each));
    const words = `; pass its fields directly instead: ${fields.map(showName).join(', ')}`;
    return finding(words, { suggestion: fields.join(', '), settles });
  }
  if (others.length === 0) return finding(`; ${place.path === '' ? 'no arguments are' : 'nothing is'} accepted here`);
  const expected = listFirst(others, MAX_NAMES_LISTED, showName, `… (${others.length})`);
  return finding(`; known: ${expected}`, { expected });
}

/** Limit of objects that are searched for one name. */
const MAX_HOLDERS = 40;

/** The sibling that is an object with such a field, or has one inside: `title` belongs inside `body`, `lat` inside `address.geo`. */
function holderOf(
  name: string,
  others: readonly string[],
  place: RefusedPlace,
  { root }: ExplainContext,
): string[] | undefined {
  const objectsIn = (schema: SchemaObject, names: readonly string[]) =>
    names.flatMap((each) => {
      const inner = findProperty(root, schema, each);
      return isObject(inner) && possibleTypes(root, inner) & OBJECT ? [[each, inner] as const] : [];
    });
  const holds = ([, schema]: readonly [string, SchemaObject]) => declaredNames(schema, root).has(name);
  const near = objectsIn(place.schema, others.slice(0, MAX_HOLDERS));
  const holder = near.find(holds);
  if (holder !== undefined) return [holder[0]];
  let room = MAX_HOLDERS;
  for (const [outer, schema] of near) {
    const names = [...declaredNames(schema, root)].slice(0, room);
    room -= names.length;
    const inner = objectsIn(schema, names).find(holds);
    if (inner !== undefined) return [outer, inner[0]];
  }
  return undefined;
}

/** The surrounding object that declares the name, or the arguments themselves: `limit` belongs beside `body`. */
function outsideOf(
  name: string,
  { steps }: RefusedPlace,
  { root }: ExplainContext,
): { path: string; beside: string } | undefined {
  const schemas = schemasAlong(root, root, steps);
  const depth = steps.findLastIndex((step, index) => {
    const around = schemas[index];
    return typeof step === 'string' && around !== undefined && findProperty(root, around, name) !== undefined;
  });
  if (depth === -1) return undefined;
  const around = steps.slice(0, depth).reduce<string>(joinPath, '');
  return { path: joinPath(around, name), beside: joinPath(around, steps[depth]!) };
}

/** A suggestion from a longer list costs more. */
const CANDIDATES_PER_SUGGESTION = 400;
const MAX_SUGGESTION_COST = 12;

/** The candidate that was likely meant, while there is budget left to look for it. */
export function suggest(context: ExplainContext, word: string, candidates: readonly string[]): string | undefined {
  context.left.suggestions -= 1 + Math.min(MAX_SUGGESTION_COST, candidates.length / CANDIDATES_PER_SUGGESTION);
  return context.left.suggestions < 0 ? undefined : closest(word, candidates);
}
