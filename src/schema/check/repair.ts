// Schemas in documents are not always valid. Keywords that would make ajv refuse the whole schema are removed one by one here, so
// that a single mistake does not make an operation unusable or its other rules unenforced; the doctor reports them.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import {
  DEFINITION_KEYWORDS,
  GUESS,
  mapSubschemas,
  NAMED_CONDITIONS,
  SCHEMA_LIST_KEYWORDS,
  SCHEMA_MAP_KEYWORDS,
  UNIONS,
} from '../keywords.ts';
import { isSchema, resolveRef, type SchemaObject, schemasOf } from '../references.ts';
import { MAX_NESTING } from '../walk/walk-schema.ts';
import { USABLE } from './assertions.ts';
import { MAX_COMPILED } from './budget.ts';
import { safePattern } from './pattern.ts';

/** Identity and dialect have no effect inside a self-contained schema; `$async` would turn checks into promises. */
const DROPPED = new Set(
  `$schema $id id $anchor $dynamicAnchor $async $vocabulary $comment discriminator nullable
  __proto__`.split(/\s+/),
);

function whyUnusable(root: JsonSchema, keyword: string, value: unknown): string | undefined {
  if (keyword === '$ref' || keyword === '$dynamicRef') {
    if (typeof value !== 'string') return 'not a reference';
    return resolveRef(root, value) === undefined ? `${value} points to nothing` : undefined;
  }
  if (SCHEMA_LIST_KEYWORDS.has(keyword)) return schemasOf(value).length > 0 ? undefined : 'must be a list of schemas';
  if (SCHEMA_MAP_KEYWORDS.has(keyword) || DEFINITION_KEYWORDS.has(keyword))
    return isObject(value) ? undefined : 'must be an object of schemas';
  return USABLE.get(keyword)?.(value) === false ? 'unusable value' : undefined;
}

/** The keywords of one schema that can be enforced, as ajv writes them; `note` is called for every other keyword. */
function usableKeywords(
  root: JsonSchema,
  schema: SchemaObject,
  note: (keyword: string, why: string) => void = () => {},
): Record<string, unknown> {
  const usable: Record<string, unknown> = {};
  for (const keyword of Object.keys(schema)) {
    if (DROPPED.has(keyword)) continue;
    const why = whyUnusable(root, keyword, schema[keyword]);
    if (why === undefined) usable[keyword] = schema[keyword];
    else note(keyword, why);
  }
  if (typeof usable.required === 'boolean') delete usable.required;
  if (Array.isArray(usable.items)) usable.items = { anyOf: usable.items };
  if (schema.nullable === true && usable.type !== undefined) usable.type = [...new Set([usable.type, 'null'].flat())];
  return usable;
}

/** Branches are tried for every item of an array, and patterns for every key of a map, so more of them are not compiled. */
const MAX_BRANCHES = 8;
const MAX_PATTERNS = 4;
/** Limit of names in `dependentRequired` and `dependencies`: ajv writes code for each. */
const MAX_DEPENDENTS = 60;

/**
 * For these keywords, ajv counts names as evaluated even if the branch does not apply, or forgets names that others evaluated. The
 * same happens with a union in a branch of another. It matters only for `unevaluatedProperties`.
 */
const LOSE_NAMES = ['if', 'patternProperties', ...NAMED_CONDITIONS];
const LOSE_NAMES_IN_BRANCH = [...LOSE_NAMES, ...UNIONS];

/**
 * A part of a schema as ajv accepts it, with references replaced by their targets, and the number of schemas in it. undefined if
 * that is more than may be compiled, as with references that lead in circles or fan out. So the number of times that compiled code
 * visits a value is limited.
 */
export function toCompilable(root: JsonSchema, part: JsonSchema): { schema: JsonSchema; size: number } | undefined {
  let size = 0;
  let losesNames = false;
  let needsNames = false;
  const copy = (schema: unknown, isBranch = false): JsonSchema => {
    if (!isObject(schema)) return schema !== false;
    if (++size > MAX_COMPILED) return true;
    const { $ref, $dynamicRef, $defs: _, definitions: __, ...own } = usableKeywords(root, schema);
    // In a union, an entry that is not a schema fits no value and is removed; elsewhere (`allOf`, `prefixItems`) it restricts
    // nothing and keeps its place.
    for (const union of UNIONS) if (own[union] !== undefined) own[union] = schemasOf(own[union]);
    losesNames ||= (isBranch ? LOSE_NAMES_IN_BRANCH : LOSE_NAMES).some((keyword) => own[keyword] !== undefined);
    needsNames ||= own.unevaluatedProperties !== undefined;
    if (isExpensive(own) || isMisread(own) || (losesNames && needsNames)) size = MAX_COMPILED + 1;
    const inner = mapSubschemas(own, (part, keyword) =>
      copy(part, UNIONS.some((union) => union === keyword) || (isBranch && keyword === 'allOf')),
    );
    const targets = [$ref, $dynamicRef]
      .filter((ref) => ref !== undefined)
      .map((ref) => copy(resolveRef(root, ref), isBranch));
    if (targets.length === 0) return inner;
    return { ...inner, allOf: [...((inner.allOf as JsonSchema[] | undefined) ?? []), ...targets] };
  };
  const schema = copy(part);
  return size > MAX_COMPILED ? undefined : { schema, size };
}

function isExpensive(schema: SchemaObject): boolean {
  const { patternProperties = {}, const: fixed } = schema;
  // ajv would list the names in it again for every value that it compares.
  if (typeof fixed === 'object' && fixed !== null) return true;
  if (Object.keys(patternProperties as object).length > MAX_PATTERNS) return true;
  if (countDependents(schema) > MAX_DEPENDENTS) return true;
  return [...SCHEMA_LIST_KEYWORDS].some((keyword) => ((schema[keyword] ?? []) as unknown[]).length > MAX_BRANCHES);
}

function countDependents({ dependentRequired = {}, dependencies = {} }: SchemaObject): number {
  const lists = [dependentRequired, dependencies].flatMap((map) => Object.values(map as object));
  return lists.reduce<number>((sum, names) => sum + 1 + (Array.isArray(names) ? names.length : 0), 0);
}

/**
 * In branches, ajv loses track of which items were evaluated; and in an empty list, for which `prefixItems` does nothing, it
 * counts everything as contained.
 */
function isMisread({ unevaluatedItems, contains, prefixItems }: SchemaObject): boolean {
  return unevaluatedItems !== undefined || (contains !== undefined && prefixItems !== undefined);
}

/**
 * The parts of a schema that will not be enforced, by JSON pointer; empty if all are. `earlier` is for schemas that share definitions
 * (the same objects in each of them): each is checked and reported once.
 */
export function auditSchema(root: JsonSchema, earlier = new WeakSet<SchemaObject>()): readonly string[] {
  const notes = new Set<string>();
  auditPart(root, root, '#', 0, earlier, notes);
  return [...notes];
}

function auditPart(
  root: JsonSchema,
  schema: unknown,
  at: string,
  depth: number,
  earlier: WeakSet<SchemaObject>,
  notes: Set<string>,
): void {
  if (!isSchema(schema)) notes.add(`${at}: not a schema, not enforced`);
  if (!isObject(schema) || earlier.has(schema)) return;
  earlier.add(schema);
  if (depth > MAX_NESTING) {
    notes.add(`${at}: nested too deep, not enforced from here`);
    return;
  }
  if (typeof schema.$comment === 'string' && schema.$comment.startsWith(GUESS)) notes.add(`${at}: ${schema.$comment}`);
  const usable = usableKeywords(root, schema, (keyword, why) => notes.add(`${at}/${keyword}: ${why}, not enforced`));
  const names = Object.keys((usable.patternProperties ?? {}) as object);
  for (const source of typeof usable.pattern === 'string' ? [usable.pattern, ...names] : names) {
    const { engine } = safePattern(source);
    if (engine === 'none') notes.add(`${at}/pattern: not a usable regular expression; values are refused`);
    if (engine === 'unchecked')
      notes.add(`${at}/pattern: may take too long on some values, so it is not enforced here; the API decides`);
  }
  const visit = (inner: unknown, keyword: string, key?: string | number) => {
    const step = key === undefined ? '' : `/${String(key).replace(/~/g, '~0').replace(/\//g, '~1')}`;
    auditPart(root, inner, `${at}/${keyword}${step}`, depth + 1, earlier, notes);
  };
  const { $defs = {}, definitions = {}, ...rest } = usable;
  // There may be thousands of definitions in each of thousands of schemas: those seen before cost no more than a look-up.
  for (const [keyword, map] of Object.entries({ $defs, definitions })) {
    const children = map as Readonly<Record<string, unknown>>;
    for (const name in children)
      if (!isObject(children[name]) || !earlier.has(children[name])) visit(children[name], keyword, name);
  }
  mapSubschemas(rest, visit);
}
