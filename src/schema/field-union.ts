// One field that several actions share. If their schemas differ, the union is advertised (never just the first one), and the text
// says what depends on the action. Each action still enforces its own schema.
import { toCanonicalJson } from '../call/digest.ts';
import { isObject } from '../endpoint/is-object.ts';
import type { JsonSchema } from '../endpoint/model.ts';
import { cutText } from '../endpoint/plain-text.ts';
import { COMPOSITIONS } from './keywords.ts';
import { changeText } from './portable/description.ts';
import { ANYTHING } from './portable/portable-scalar.ts';

/** The schema of a field in one action. */
export interface FieldVariant {
  readonly action: string;
  readonly schema: JsonSchema;
}

type Node = { readonly [keyword: string]: unknown };

const MAX_NOTE = 200;
const MAX_BRIEF = 60;
const MAX_ENUM = 100;
const MAX_DEPTH = 3;
const MAX_BRANCHES = 5;

/**
 * One schema that accepts what any of the variants accepts, with a description that holds for all of them. `brief` leaves
 * a description out where the actions disagree at length.
 */
export function uniteField(variants: readonly FieldVariant[], brief = false): JsonSchema {
  const notes: string[] = [];
  const { node, text } = uniteDescribed(variants, notes, 0, brief);
  return withText(node, [text, ...notes].filter((part) => part !== '').join('. '));
}

function uniteDescribed(variants: readonly FieldVariant[], notes: string[], depth: number, brief = false) {
  const parts = variants.map(({ action, schema }) => ({ action, ...split(schema) }));
  const text = uniteText(
    parts.map((part) => part.text),
    brief,
  );
  return { node: unite(parts, notes, depth), text };
}

/** Adds words to a field. */
export function withText(schema: JsonSchema, text: string): Node {
  const node = typeof schema === 'boolean' ? (schema ? ANYTHING : { not: {} }) : schema;
  if (text === '') return node;
  return changeText(node, (inner) => {
    const { description } = inner;
    if (typeof description !== 'string' || description === '') return { ...inner, description: text };
    const separator = text.startsWith('(') || /[.!?…]$/.test(description) ? ' ' : '. ';
    return { ...inner, description: description + separator + text };
  });
}

function split(schema: JsonSchema): { text: string; rest: Node } {
  if (typeof schema === 'boolean') return { text: '', rest: schema ? ANYTHING : { not: {} } };
  const { description, ...rest } = schema;
  if (typeof description === 'string') return { text: description, rest };
  if (!Array.isArray(rest.anyOf)) return { text: '', rest };
  const [first, ...others] = rest.anyOf as [Node, ...Node[]];
  const { description: inner, ...bare } = first;
  return { text: typeof inner === 'string' ? inner : '', rest: { ...rest, anyOf: [bare, ...others] } };
}

/** Actions may describe the same field in different words; one text is used only if it covers all of them. */
function uniteText(texts: readonly string[], brief = false): string {
  const distinct = [...new Set(texts.map((text) => text.trim().replace(/\.$/, '')).filter((text) => text !== ''))];
  if (distinct.length <= 1) return distinct[0] ?? '';
  const line = distinct.slice(0, 3).join(' / ');
  if (distinct.length <= 3 && line.length <= (brief ? MAX_BRIEF : MAX_NOTE)) return line;
  if (brief) return '';
  const commonest = distinct
    .map((text) => ({ text, count: texts.filter((other) => other.trim().replace(/\.$/, '') === text).length }))
    .reduce((best, next) => (next.count > best.count ? next : best));
  return `${cutText(commonest.text, MAX_NOTE)} (meaning depends on the action)`;
}

/** A schema, and the actions that have it. */
interface Kind {
  readonly schema: Node;
  readonly actions: string[];
}

function unite(variants: readonly { action: string; rest: Node }[], notes: string[], depth: number): Node {
  const byText = new Map<string, Kind>();
  for (const { action, rest } of variants) {
    const key = toCanonicalJson(rest);
    const kind = byText.get(key);
    if (kind) kind.actions.push(action);
    else byText.set(key, { schema: rest, actions: [action] });
  }
  const kinds = [...byText.values()];
  const [{ schema }] = kinds as [Kind];
  if (kinds.length === 1) return schema;
  const { type } = schema;
  const alike = typeof type === 'string' && kinds.every((kind) => kind.schema.type === type && isPlain(kind.schema));
  return alike ? widen(type, kinds, notes, depth) : branch(kinds, notes, depth);
}

/** Same type, different details: keep what all agree on, widen the rest. */
function widen(type: string, kinds: readonly Kind[], notes: string[], depth: number): Node {
  const common = agreeing(kinds.map(({ schema }) => schema));
  const own: Record<string, unknown> = { ...common, type };
  delete own.enum;
  const listing = kinds.filter(({ schema }) => Array.isArray(schema.enum));
  const values = distinct(listing.flatMap(({ schema }) => schema.enum as unknown[]));
  if (listing.length === kinds.length && values.length <= MAX_ENUM) own.enum = values;
  const whole = kinds.filter(({ schema }) => (schema.enum as unknown[] | undefined)?.length === values.length);
  if (listing.length > 0 && whole.length < kinds.length) notes.push(describeEnums(listing));
  if (type === 'array') own.items = uniteInner(kinds, (schema) => (schema.items ?? ANYTHING) as Node, notes, depth);
  if (type === 'object') Object.assign(own, uniteObjects(kinds, notes, depth));
  return own;
}

function uniteInner(kinds: readonly Kind[], pick: (schema: Node) => Node, notes: string[], depth: number): JsonSchema {
  if (depth >= MAX_DEPTH) return ANYTHING;
  const variants = kinds.map(({ schema, actions }) => ({ action: actions.join(', '), schema: pick(schema) }));
  const { node, text } = uniteDescribed(variants, notes, depth + 1);
  return withText(node, text);
}

/** Objects of different shape: all properties any of them has, required where all require them. */
function uniteObjects(kinds: readonly Kind[], notes: string[], depth: number): Node {
  if (depth >= MAX_DEPTH) return {};
  const shapes = kinds.map(({ schema }) => (isObject(schema.properties) ? schema.properties : {}));
  const names = [...new Set(shapes.flatMap((shape) => Object.keys(shape)))];
  if (names.length === 0) return {};
  const same = shapes.every((shape) => Object.keys(shape).length === names.length);
  if (!same && depth === 0) notes.push('Properties depend on the action');
  const properties = names.map((name) => {
    const having = kinds.filter((_, index) => Object.hasOwn(shapes[index]!, name));
    return [name, uniteInner(having, (schema) => (schema.properties as Record<string, Node>)[name]!, notes, depth)];
  });
  const lists = kinds.map(({ schema }) => (Array.isArray(schema.required) ? (schema.required as string[]) : []));
  const required = names.filter((name) => lists.every((list) => list.includes(name)));
  const isClosed = kinds.every(({ schema }) => schema.additionalProperties === false);
  return {
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    ...(isClosed && { additionalProperties: false }),
  };
}

/** Different types: every one of them, and which action accepts which. */
function branch(kinds: readonly Kind[], notes: string[], depth: number): Node {
  if (depth === 0) notes.push(describeTypes(kinds));
  const options = distinct(kinds.flatMap(({ schema }) => (Array.isArray(schema.anyOf) ? schema.anyOf : [schema])));
  const small = options.length <= MAX_BRANCHES ? options : uniqueTypes(options);
  return small.length === 1 ? small[0]! : { anyOf: small };
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Map(values.map((value) => [toCanonicalJson(value), value])).values()];
}

/** Too many alternatives to show: only their types are listed, which is still correct. */
function uniqueTypes(options: readonly Node[]): Node[] {
  const types = [...new Set(options.flatMap(({ type }) => (typeof type === 'string' ? [type] : [])))];
  return types.map((type) => (type === 'array' ? { type, items: ANYTHING } : { type }));
}

function describeEnums(kinds: readonly Kind[]): string {
  const parts = kinds.map(({ schema, actions }) => `${actions.join(', ')}: ${(schema.enum as unknown[]).join('|')}`);
  const note = `Values by action: ${parts.join('; ')}`;
  return note.length <= MAX_NOTE ? note : 'Allowed values depend on the action';
}

function describeTypes(kinds: readonly Kind[]): string {
  const parts = kinds.map(({ schema, actions }) => `${nameType(schema)} for ${actions.join(', ')}`);
  const note = [...new Set(parts)].join('; ');
  return note.length <= MAX_NOTE ? note : 'Type depends on the action';
}

function nameType(schema: Node): string {
  if (Array.isArray(schema.anyOf)) return [...new Set((schema.anyOf as Node[]).map(nameType))].join(' or ');
  if (schema.type === 'array' && isObject(schema.items)) return `array of ${nameType(schema.items)}`;
  return typeof schema.type === 'string' ? schema.type : 'any value';
}

/** Whether a schema has no composition, so that comparing it keyword by keyword is sufficient. */
function isPlain(schema: Node): boolean {
  return !COMPOSITIONS.some((keyword) => Object.hasOwn(schema, keyword));
}

/** The keywords every schema has with the same value. */
function agreeing(schemas: readonly Node[]): Node {
  const [first, ...others] = schemas as [Node, ...Node[]];
  return Object.fromEntries(
    Object.entries(first).filter(([keyword, value]) =>
      others.every((other) => keyword in other && toCanonicalJson(other[keyword]) === toCanonicalJson(value)),
    ),
  );
}
