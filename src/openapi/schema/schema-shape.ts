// Whether a body can be given as separate arguments. Merges `allOf` (through `$ref`s) into one list of fields. Unions, maps, arrays
// and scalars have to stay one argument.
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../endpoint/is-object.ts';
import { listAt, type Node, textsAt } from '../../endpoint/untrusted.ts';
import type { FieldSets } from '../../schema/body-rules.ts';
import { typesOf, UNIONS } from '../../schema/keywords.ts';
import { type DocumentPlace, inside, orOperationProblem, pointerOf, type Resolver } from '../source/resolve.ts';
import { isBytes } from './body-schemas.ts';
import type { OneWayProperties } from './one-way-properties.ts';
import { ignoresRefSiblings, refOf } from './schema-refs.ts';
import type { Variants } from './variants.ts';

export interface Field {
  readonly name: string;
  /** Several if several branches of an allOf describe it. */
  readonly schemas: readonly DocumentPlace[];
  readonly required: boolean;
}

export interface ObjectShape {
  readonly fields: readonly Field[];
  /** readOnly fields: not offered, but accepted. */
  readonly readOnlyFields?: readonly Field[];
  /** Alternative sets of required fields (`anyOf: [{required: [a]}, {required: [b]}]`). */
  readonly alternatives: readonly FieldSets[];
  readonly minProperties: number;
  /** The schema of further fields, if the document explicitly allows them. */
  readonly rest?: DocumentPlace | 'anything';
  /** The names of all fields, readOnly ones included; `rest` is for others. */
  readonly names: readonly string[];
  /** The document explicitly forbids further fields. */
  readonly closed: boolean;
}

/**
 * The fields of an object body; undefined if it must stay one argument. Forms cannot carry a nested object, so for them unions are
 * `merged`: the fields of all variants are offered side by side.
 */
export type ShapeOf = (schema: DocumentPlace, unions: 'whole' | 'merged') => ObjectShape | undefined;

interface Draft {
  readonly fields: Map<string, DocumentPlace[]>;
  readonly required: Set<string>;
  readonly alternatives: FieldSets[];
  minProperties: number;
  /** Some schema has `properties`. */
  described: boolean;
  rest?: DocumentPlace | 'anything';
  closed: boolean;
}

interface Walk {
  readonly draft: Draft;
  /** Schemas that were merged already: each counts once, and cycles end. */
  readonly visits: Set<object>;
  readonly mergeUnions: boolean;
  readonly depth: number;
  /** How many more schemas may be visited: variants are merged one by one, and can be nested. */
  readonly budget: { left: number };
  /** Reached through an allOf, where its variants do not matter. */
  readonly asBase: boolean;
}

const MAX_MERGE_DEPTH = 48;
const MAX_MERGED = 4_000;
const MAX_VARIANTS = 64;
const ANNOTATIONS = new Set(
  `title description example examples default deprecated type required nullable`.split(/\s+/),
);
/** Keywords about the whole object, which cannot be expressed with one argument per field. */
const WHOLE_OBJECT_KEYWORDS =
  `not if dependentSchemas dependencies dependentRequired patternProperties propertyNames enum const
  items prefixItems`.split(/\s+/);

export function createShapeOf(resolver: Resolver, variants: Variants, oneWay: OneWayProperties): ShapeOf {
  const isReadOnly = (schemas: readonly DocumentPlace[]): boolean =>
    schemas.length > 0 && schemas.every(({ document, value }) => oneWay.isOneWay(document, value, 'request'));
  const merge = (place: DocumentPlace, walk: Walk): boolean => {
    const { document, value } = place;
    if (!isObject(value) || walk.depth > MAX_MERGE_DEPTH || walk.budget.left-- <= 0) return false;
    if (walk.visits.has(value)) return true;
    walk.visits.add(value);
    const ref = refOf(value);
    if (ref !== undefined) {
      if (
        !merge(
          orOperationProblem(pointerOf(place), () => resolver.follow(document, ref)),
          deeper(walk, walk.asBase),
        )
      )
        return false;
      if (ignoresRefSiblings(document)) return true;
    }
    return mergeNode(place, value, walk);
  };

  const mergeNode = (place: DocumentPlace, node: Node, walk: Walk): boolean => {
    const types = typesOf(node).filter((type) => type !== 'null');
    if (types.length > 0 && (types.length > 1 || types[0] !== 'object')) return false;
    if (WHOLE_OBJECT_KEYWORDS.some((keyword) => Object.hasOwn(node, keyword))) return false;
    // Variants are chosen by name and bring fields of their own.
    if (!walk.asBase && !walk.mergeUnions && variants(place).length > 0) return false;

    for (const index of listAt(node, 'allOf').keys()) {
      if (!merge(inside(place, 'allOf', index), deeper(walk, true))) return false;
    }
    for (const keyword of UNIONS) {
      const branches = listAt(node, keyword);
      if (branches.length > 0 && !mergeUnion(place, keyword, branches, walk)) return false;
    }
    const { draft } = walk;
    if (isObject(node.properties)) {
      draft.described = true;
      for (const name of Object.keys(node.properties)) {
        addField(draft, name, [inside(place, 'properties', name)]);
      }
    }
    addRest(place, node, draft);
    for (const name of oneWay.requiredNames(place.document, node, 'request')) draft.required.add(name);
    if (typeof node.minProperties === 'number') draft.minProperties = Math.max(draft.minProperties, node.minProperties);
    return true;
  };

  /** A union without fields is a rule about required ones. A union of one branch (or of one and null) counts as that branch. */
  const mergeUnion = (
    place: DocumentPlace,
    keyword: 'anyOf' | 'oneOf',
    branches: readonly unknown[],
    walk: Walk,
  ): boolean => {
    if (branches.every(isRequirement)) {
      walk.draft.alternatives.push({ keyword, sets: branches.map((branch) => textsAt(branch, 'required')) });
      return true;
    }
    const realBranches = branches
      .map((_, index) => inside(place, keyword, index))
      .filter(({ value }) => !(isObject(value) && value.type === 'null'));
    if (realBranches.length === 1) return merge(realBranches[0]!, deeper(walk, walk.asBase));
    // Without any such branch, only null is allowed, which has no fields.
    if (!walk.mergeUnions || realBranches.length === 0 || realBranches.length > MAX_VARIANTS) return false;
    const drafts: Draft[] = [];
    for (const branch of realBranches) {
      const draft = emptyDraft();
      if (!merge(branch, { ...deeper(walk, true), draft, visits: new Set(walk.visits) })) return false;
      drafts.push(draft);
    }
    addVariants(walk.draft, drafts, isReadOnly, resolver);
    return true;
  };

  return (schema, unions) => {
    const draft = emptyDraft();
    const budget = { left: MAX_MERGED };
    const walk: Walk = { draft, visits: new Set(), mergeUnions: unions === 'merged', depth: 0, budget, asBase: false };
    return merge(schema, walk) ? toShape(draft, isReadOnly) : undefined;
  };
}

function toShape(draft: Draft, isReadOnly: (schemas: readonly DocumentPlace[]) => boolean): ObjectShape | undefined {
  const fields: Field[] = [];
  const readOnlyFields: Field[] = [];
  for (const [name, schemas] of draft.fields) {
    if (isReadOnly(schemas)) readOnlyFields.push({ name, schemas, required: false });
    else fields.push({ name, schemas, required: draft.required.has(name) });
  }
  // A required field without a schema still has to be sent.
  const choices = draft.closed ? [] : draft.alternatives.flatMap(({ sets }) => sets.flat());
  const bareNames = [...draft.required, ...choices].filter((name) => !draft.fields.has(name));
  for (const name of new Set(bareNames)) fields.push({ name, schemas: [], required: draft.required.has(name) });
  // Only further fields: a map, which is one argument.
  const rest = draft.closed ? undefined : draft.rest;
  if (fields.length === 0 && (!draft.described || rest !== undefined)) return undefined;
  const { minProperties, closed } = draft;
  const alternatives = withoutNames(draft.alternatives, new Set(readOnlyFields.map(({ name }) => name)));
  const names = [...new Set([...draft.fields.keys(), ...bareNames])];
  const shape = { fields, readOnlyFields, alternatives, minProperties, closed, names };
  return rest === undefined ? shape : { ...shape, rest };
}

function emptyDraft(): Draft {
  const lists = { fields: new Map(), required: new Set<string>(), alternatives: [] };
  return { ...lists, minProperties: 0, described: false, closed: false };
}

function deeper(walk: Walk, asBase: boolean): Walk {
  return { ...walk, asBase, depth: walk.depth + 1 };
}

function addRest(
  place: DocumentPlace,
  { additionalProperties: rest, unevaluatedProperties }: Node,
  draft: Draft,
): void {
  if (rest === false || unevaluatedProperties === false) draft.closed = true;
  else if (rest === true || (isObject(rest) && Object.keys(rest).length === 0)) draft.rest ??= 'anything';
  else if (isObject(rest)) draft.rest ??= inside(place, 'additionalProperties');
}

function addField(draft: Draft, name: string, schemas: readonly DocumentPlace[]): void {
  const places = draft.fields.get(name);
  if (places) places.push(...schemas);
  else draft.fields.set(name, [...schemas]);
}

/** The rules without names that need not be given. A set that becomes empty is always satisfied, so its rule is dropped. */
function withoutNames(alternatives: readonly FieldSets[], names: ReadonlySet<string>): readonly FieldSets[] {
  if (names.size === 0) return alternatives;
  return alternatives
    .map(({ keyword, sets }) => ({ keyword, sets: sets.map((set) => set.filter((name) => !names.has(name))) }))
    .filter(({ sets }) => sets.every((set) => set.length > 0));
}

/**
 * Adds the fields of all variants. A field is required if all variants require it. Also, the required fields of one variant must be
 * complete.
 */
function addVariants(
  draft: Draft,
  variants: readonly Draft[],
  isReadOnly: (schemas: readonly DocumentPlace[]) => boolean,
  resolver: Resolver,
): void {
  const fields = new Map<string, (readonly DocumentPlace[])[]>();
  for (const variant of variants) {
    draft.described ||= variant.described;
    for (const [name, schemas] of variant.fields) {
      const descriptions = fields.get(name);
      if (descriptions === undefined) fields.set(name, [schemas]);
      else if (!descriptions.some((other) => areEqual(other, schemas))) descriptions.push(schemas);
    }
  }
  for (const [name, descriptions] of fields) {
    // A field that is writable in one variant is an ordinary field.
    const writable = descriptions.filter((schemas) => !isReadOnly(schemas));
    addField(draft, name, alternativesOf(writable.length > 0 ? writable : descriptions, resolver));
  }
  const [first, ...others] = variants;
  for (const name of first!.required) {
    if (others.every((variant) => variant.required.has(name))) draft.required.add(name);
  }
  const sets = variants.map((variant) => [...variant.required].filter((name) => !draft.required.has(name)));
  if (sets.every((names) => names.length > 0)) draft.alternatives.push({ keyword: 'anyOf', sets });
}

/** If variants describe a field differently (`kind: const a`, `kind: const b`), all descriptions are kept as alternatives. */
function alternativesOf(
  descriptions: readonly (readonly DocumentPlace[])[],
  resolver: Resolver,
): readonly DocumentPlace[] {
  const [first] = descriptions as [readonly DocumentPlace[]];
  const { document, pointer } = first[0]!;
  // A field that is a file in one variant is a file.
  if (descriptions.length === 1 || descriptions.flat().some((place) => isBytes(place, resolver))) return first;
  // A schema in another file becomes a `$ref`, so that its own references are resolved from there.
  const fromFirst = (place: DocumentPlace) =>
    place.document === document ? place.value : { $ref: `${place.document.uri}#${place.pointer}` };
  const anyOf = descriptions.map((schemas) =>
    schemas.length === 1 ? fromFirst(schemas[0]!) : { allOf: schemas.map(fromFirst) },
  );
  return [{ document, pointer, value: { anyOf } }];
}

function areEqual(one: readonly DocumentPlace[], other: readonly DocumentPlace[]): boolean {
  return one.length === other.length && one.every(({ value }, index) => isDeepStrictEqual(value, other[index]!.value));
}

function isRequirement(branch: unknown): boolean {
  return isObject(branch) && Array.isArray(branch.required) && Object.keys(branch).every((key) => ANNOTATIONS.has(key));
}
