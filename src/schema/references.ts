// Follows references inside a self-contained schema (`#`, `#/$defs/…`, `#anchor`), with bounds, also where they lead in circles.
// References between documents are another subject (src/openapi/source).
import { isObject } from '../endpoint/is-object.ts';
import type { JsonSchema } from '../endpoint/model.ts';
import { decodePercent } from '../endpoint/untrusted.ts';
import { CONDITIONS, NAMED_CONDITIONS, subschemas, UNIONS } from './keywords.ts';
import { memoizeByObject } from './memoize.ts';

export type SchemaObject = { readonly [keyword: string]: unknown };

const MAX_HOPS = 32;
const MAX_PARTS = 64;
const MAX_DECLARING_PARTS = 256;

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isObject(value);
}

/** Own properties only: a schema may well declare a property called `constructor`. */
export function ownSchema(holder: unknown, key: string): JsonSchema | undefined {
  if (!isObject(holder) || !Object.hasOwn(holder, key)) return undefined;
  const schema = holder[key];
  return isSchema(schema) ? schema : undefined;
}

export function schemasOf(list: unknown): readonly JsonSchema[] {
  return Array.isArray(list) ? list.filter(isSchema) : [];
}

/** The values a schema fixes: that of `const`, or those of `enum`. */
export function choicesOf(schema: unknown): readonly unknown[] | undefined {
  if (!isObject(schema)) return undefined;
  if (Object.hasOwn(schema, 'const')) return [schema.const];
  return Array.isArray(schema.enum) && schema.enum.length > 0 ? schema.enum : undefined;
}

/** What a local `$ref` points to. Undefined for others (remote, dangling). */
export function resolveRef(root: JsonSchema, ref: unknown): JsonSchema | undefined {
  if (typeof ref !== 'string' || !isObject(root)) return undefined;
  const targets = targetsIn(root);
  if (!targets.has(ref)) targets.set(ref, findTarget(root, ref));
  return targets.get(ref);
}

// Cached, because every item of a list needs the same targets.
const targetsIn = memoizeByObject((_: SchemaObject) => new Map<string, JsonSchema | undefined>());

function findTarget(root: SchemaObject, reference: string): JsonSchema | undefined {
  const ref = reference.startsWith(`${String(root.$id)}#`) ? reference.slice(String(root.$id).length) : reference;
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return ref.startsWith('#') ? anchored(root, ref.slice(1)) : undefined;
  let at: unknown = root;
  for (const part of ref.slice(2).split('/')) {
    const key = decodePart(part);
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return isSchema(at) ? at : undefined;
}

function anchored(root: SchemaObject, name: string): JsonSchema | undefined {
  for (const holder of [root.$defs, root.definitions]) {
    if (!isObject(holder)) continue;
    for (const key of Object.keys(holder)) {
      const schema = holder[key];
      if (isObject(schema) && (schema.$anchor === name || schema.$dynamicAnchor === name)) return schema;
    }
  }
  return undefined;
}

function decodePart(part: string): string {
  // A stray percent sign stays as it is.
  return decodePercent(part).replace(/~1/g, '/').replace(/~0/g, '~');
}

/** If there are more, referencesIn() gives up. */
const MAX_REFERENCES = 500;

/** A reference, and its target in the given root. */
export type Reference = readonly [ref: string, target: JsonSchema | undefined];

/** Every reference in a schema and in the targets of these; undefined if there are too many. */
export function referencesIn(root: JsonSchema, schema: JsonSchema): readonly Reference[] | undefined {
  const references = new Map<string, JsonSchema | undefined>();
  const waiting = [schema];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (!isObject(next)) continue;
    for (const ref of ownReferences(next)) {
      if (references.has(ref)) continue;
      if (references.size === MAX_REFERENCES) return undefined;
      const target = resolveRef(root, ref);
      references.set(ref, target);
      if (target !== undefined) waiting.push(target);
    }
  }
  return [...references];
}

/** The references written in a schema itself, at any depth. */
const ownReferences = memoizeByObject((schema: SchemaObject): readonly string[] => {
  const refs = new Set<string>();
  const visits = new Set<object>([schema]);
  for (const part of visits) {
    const { $ref } = part as SchemaObject;
    if (typeof $ref === 'string') refs.add($ref);
    for (const [, , inner] of subschemas(part as SchemaObject)) if (isObject(inner)) visits.add(inner);
  }
  return [...refs];
});

/** Follows a schema that is only a reference (annotations aside) to its target. */
export function deref(root: JsonSchema, schema: JsonSchema): JsonSchema {
  let at = schema;
  for (let hops = 0; hops < MAX_HOPS && isObject(at) && at.$ref !== undefined; hops++) {
    const target = resolveRef(root, at.$ref);
    if (target === undefined) break;
    at = target;
  }
  return at;
}

/**
 * All schemas that hold at one place at once: those given, what their references lead to and what `allOf` adds, each
 * once, outermost first, at most `max` of them. `more` may add others.
 */
export function* conjuncts(
  root: JsonSchema,
  schemas: readonly JsonSchema[],
  more: (schema: SchemaObject) => readonly JsonSchema[] = () => [],
  max: number = MAX_PARTS,
): Generator<JsonSchema> {
  const parts = new Set<JsonSchema>();
  const queue = [...schemas];
  for (let next = 0; next < queue.length && parts.size < max; next++) {
    const schema = queue[next]!;
    if (parts.has(schema)) continue;
    parts.add(schema);
    yield schema;
    if (!isObject(schema)) continue;
    const target = schema.$ref === undefined ? undefined : resolveRef(root, schema.$ref);
    if (target !== undefined) queue.push(target);
    if (schema.allOf !== undefined) queue.push(...schemasOf(schema.allOf));
    queue.push(...more(schema));
  }
}

/** The first value of `keyword`, through references and allOf. */
export function findKeyword(root: JsonSchema, schema: JsonSchema, keyword: string): unknown {
  for (const part of conjuncts(root, [schema]))
    if (isObject(part) && Object.hasOwn(part, keyword)) return part[keyword];
  return undefined;
}

/** The schema of a property, from whichever part of an object's schema declares it. */
export function findProperty(root: JsonSchema, schema: JsonSchema, name: string): JsonSchema | undefined {
  for (const part of conjuncts(root, [schema])) {
    const property = isObject(part) ? ownSchema(part.properties, name) : undefined;
    if (property !== undefined) return property;
  }
  return undefined;
}

/** The schemas on the way into a value, the outermost first; they end where none is declared for a step. */
export function schemasAlong(
  root: JsonSchema,
  schema: JsonSchema,
  steps: readonly (string | number)[],
): readonly JsonSchema[] {
  const schemas = [schema];
  for (const step of steps) {
    const around = schemas.at(-1)!;
    const inner = typeof step === 'number' ? findKeyword(root, around, 'items') : findProperty(root, around, step);
    if (!isSchema(inner)) break;
    schemas.push(inner);
  }
  return schemas;
}

/** Names declared by a schema and everything composed into it; only its own if it accepts no others. */
export const declaredNames: (schema: SchemaObject, root: JsonSchema) => ReadonlySet<string> = memoizeByObject(
  (schema: SchemaObject, root: JsonSchema) => {
    const parts =
      schema.additionalProperties === false ? [schema] : conjuncts(root, [schema], composed, MAX_DECLARING_PARTS);
    const names = [...parts].map((part) =>
      isObject(part) && isObject(part.properties) ? Object.keys(part.properties) : [],
    );
    return new Set(names.flat());
  },
);

/** Schemas that may declare names, beside references and allOf, which conjuncts() follows anyway. A `not` declares nothing. */
function composed(schema: SchemaObject): readonly JsonSchema[] {
  return [
    ...UNIONS.flatMap((keyword) => schemasOf(schema[keyword])),
    ...CONDITIONS.filter((keyword) => keyword !== 'not').map((keyword) => schema[keyword]),
    ...NAMED_CONDITIONS.flatMap((keyword) => (isObject(schema[keyword]) ? Object.values(schema[keyword]) : [])),
  ].filter(isSchema);
}
