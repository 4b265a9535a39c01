// Can a body be given as separate arguments? Merges `allOf` (through `$ref`s) into one list of fields, or says that the
// body has to stay in one piece: unions, maps, arrays, scalars.
import type { SourceDocument } from './documents.ts';
import { typesOf } from './keywords.ts';
import { isNode, listAt, type Node, textsAt } from './node.ts';
import { type Place, pointerOf, RefError, type Resolver } from './resolve.ts';
import { OperationProblem } from './scan.ts';
import { refOf, type SchemaBuilder } from './schema.ts';

export interface Field {
  readonly name: string;
  /** More than one where several branches of an allOf describe it. */
  readonly schemas: readonly Place[];
  readonly required: boolean;
}

export interface ObjectShape {
  readonly fields: readonly Field[];
  /** Alternative sets of required fields (`anyOf: [{required: [a]}, {required: [b]}]`). */
  readonly alternatives: readonly {
    readonly keyword: 'anyOf' | 'oneOf';
    readonly sets: readonly (readonly string[])[];
  }[];
  readonly minProperties: number;
}

interface Draft {
  readonly fields: Map<string, Place[]>;
  readonly required: Set<string>;
  readonly alternatives: { keyword: 'anyOf' | 'oneOf'; sets: string[][] }[];
  minProperties: number;
  /** An object is described, not only hinted at. */
  described: boolean;
}

const ANNOTATIONS = new Set([
  'title',
  'description',
  'example',
  'examples',
  'default',
  'deprecated',
  'type',
  'required',
  'nullable',
]);
/** Keywords that say something about the whole object which no single argument could carry. */
const WHOLE = [
  'not',
  'if',
  'dependentSchemas',
  'dependencies',
  'dependentRequired',
  'patternProperties',
  'propertyNames',
  'enum',
  'const',
  'items',
  'prefixItems',
];
const MAX_MERGE_DEPTH = 24;

/** The fields of an object body; undefined when it must stay one argument. */
export function shapeOf(schema: Place, resolver: Resolver, builder: SchemaBuilder): ObjectShape | undefined {
  const draft: Draft = { fields: new Map(), required: new Set(), alternatives: [], minProperties: 0, described: false };
  if (!merge(schema, draft, resolver, new Set(), 0)) return undefined;
  const fields: Field[] = [];
  for (const [name, schemas] of draft.fields) {
    if (schemas.some(({ document, value }) => builder.isHidden(document, value, 'request')))
      draft.required.delete(name);
    else fields.push({ name, schemas, required: draft.required.has(name) });
  }
  // A field that is required but described nowhere still has to be sent.
  for (const name of draft.required) {
    if (!draft.fields.has(name)) fields.push({ name, schemas: [], required: true });
  }
  if (!draft.described && fields.length === 0) return undefined;
  return { fields, alternatives: draft.alternatives, minProperties: draft.minProperties };
}

function merge(place: Place, draft: Draft, resolver: Resolver, open: Set<object>, depth: number): boolean {
  const { document, value } = place;
  if (!isNode(value) || depth > MAX_MERGE_DEPTH) return false;
  if (open.has(value)) return true;
  open.add(value);
  const ref = refOf(value);
  if (ref !== undefined) {
    const target = targetOf(place, ref, resolver);
    if (!merge(target, draft, resolver, open, depth + 1)) return false;
    if (document.dialect.schema !== '3.1') return true;
  }
  return mergeNode(place, value, draft, resolver, open, depth);
}

function targetOf(place: Place, ref: string, resolver: Resolver): Place {
  try {
    return resolver.settle(resolver.follow(place.document, ref));
  } catch (error) {
    if (error instanceof RefError) throw new OperationProblem(`${pointerOf(place)}/$ref`, error.message);
    throw error;
  }
}

function mergeNode(
  place: Place,
  node: Node,
  draft: Draft,
  resolver: Resolver,
  open: Set<object>,
  depth: number,
): boolean {
  const types = typesOf(node).filter((type) => type !== 'null');
  if (types.length > 0 && (types.length > 1 || types[0] !== 'object')) return false;
  if (WHOLE.some((keyword) => Object.hasOwn(node, keyword))) return false;
  // Subtypes are chosen by name and bring fields of their own.
  const discriminator = node.discriminator;
  if (discriminator !== undefined && !hasUnion(node) && depth === 0) return false;
  const rest = node.additionalProperties;
  if (isNode(rest) && Object.keys(rest).length > 0) return false;

  for (const [index, branch] of listAt(node, 'allOf').entries()) {
    const inner: Place = { document: place.document, pointer: `${place.pointer}/allOf/${index}`, value: branch };
    if (!merge(inner, draft, resolver, open, depth + 1)) return false;
  }
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const branches = listAt(node, keyword);
    if (branches.length === 0) continue;
    if (!mergeUnion(place, keyword, branches, draft, resolver, open, depth)) return false;
  }
  if (isNode(node.properties)) {
    draft.described = true;
    for (const name of Object.keys(node.properties)) {
      const field: Place = {
        document: place.document,
        pointer: `${place.pointer}/properties/${name}`,
        value: node.properties[name],
      };
      const known = draft.fields.get(name);
      if (known) known.push(field);
      else draft.fields.set(name, [field]);
    }
  }
  for (const name of textsAt(node, 'required')) draft.required.add(name);
  if (typeof node.minProperties === 'number') draft.minProperties = Math.max(draft.minProperties, node.minProperties);
  return true;
}

function hasUnion(node: Node): boolean {
  return listAt(node, 'oneOf').length > 0 || listAt(node, 'anyOf').length > 0;
}

/** A union that adds no fields is a rule about which are required; a union of one (or of one and null) is no union. */
function mergeUnion(
  place: Place,
  keyword: 'anyOf' | 'oneOf',
  branches: readonly unknown[],
  draft: Draft,
  resolver: Resolver,
  open: Set<object>,
  depth: number,
): boolean {
  if (branches.every(isRequirement)) {
    draft.alternatives.push({ keyword, sets: branches.map((branch) => textsAt(branch, 'required')) });
    return true;
  }
  const real = branches.map((branch, index) => ({ branch, index })).filter(({ branch }) => !isNull(branch));
  if (real.length !== 1) return false;
  const { branch, index } = real[0]!;
  const inner: Place = { document: place.document, pointer: `${place.pointer}/${keyword}/${index}`, value: branch };
  return merge(inner, draft, resolver, open, depth + 1);
}

function isRequirement(branch: unknown): boolean {
  return isNode(branch) && Array.isArray(branch.required) && Object.keys(branch).every((key) => ANNOTATIONS.has(key));
}

function isNull(branch: unknown): boolean {
  return isNode(branch) && branch.type === 'null';
}

/** The schema at the end of its `$ref`s, for a look at its type; undefined where it leads nowhere. */
export function settledNode(
  document: SourceDocument,
  schema: unknown,
  resolver: Resolver,
): { document: SourceDocument; node: Node } | undefined {
  if (!isNode(schema)) return undefined;
  try {
    const ref = refOf(schema);
    if (ref === undefined) return { document, node: schema };
    const place = resolver.settle(resolver.follow(document, ref));
    return isNode(place.value) ? { document: place.document, node: place.value } : undefined;
  } catch {
    return undefined;
  }
}
