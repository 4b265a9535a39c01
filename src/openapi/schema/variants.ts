// Schemas with variants. The old way: a base with a `discriminator` and no `oneOf`, which its variants refer to in their `allOf`.
// The new way: `oneOf`, whose branches a caller may or may not be able to tell apart.
import { isObject } from '../../endpoint/is-object.ts';
import { listAt, type Node, nodeAt, once, pointerSegment, textAt } from '../../endpoint/untrusted.ts';
import { isNullable, typesOf, UNIONS } from '../../schema/keywords.ts';
import type { SourceDocument } from '../source/documents.ts';
import { type DocumentPlace, orUndefined, type Resolver } from '../source/resolve.ts';
import type { Definitions } from './convert-schema.ts';
import { requiredIn } from './odd-schemas.ts';
import { behindRef, flattenAllOf, type SchemaNode } from './schema-refs.ts';

/** The variants of a base; empty if a schema is not a base. */
export type Variants = (base: DocumentPlace) => readonly DocumentPlace[];

const MAX_VARIANTS = 100;

export function createVariants(root: SourceDocument, resolver: Resolver): Variants {
  const subtypes = once(() => subtypesByBase(root, resolver));
  return (base) => {
    if (!isObject(base.value) || base.value.discriminator === undefined) return [];
    if (UNIONS.some((keyword) => listAt(base.value, keyword).length > 0)) return [];
    const mapping = variantsIn(base, nodeAt(base.value.discriminator, 'mapping'), resolver);
    const variants = mapping.length > 0 ? mapping : (subtypes().get(base.value) ?? []);
    return variants.filter(({ value }) => value !== base.value).slice(0, MAX_VARIANTS);
  };
}

/** Mapping values are `$ref`s or bare schema names. */
function variantsIn(base: DocumentPlace, mapping: Node | undefined, resolver: Resolver): DocumentPlace[] {
  const places = new Map<unknown, DocumentPlace>();
  for (const key of Object.keys(mapping ?? {})) {
    const value = textAt(mapping, key);
    if (value === undefined) continue;
    const ref =
      /^[A-Za-z0-9._-]+$/.test(value) && !/\.(?:json|ya?ml)$/.test(value) ? `#/components/schemas/${value}` : value;
    const place = orUndefined(() => resolver.followAll(base.document, ref));
    if (place && isObject(place.value)) places.set(place.value, place);
  }
  return [...places.values()];
}

function subtypesByBase(root: SourceDocument, resolver: Resolver): Map<object, DocumentPlace[]> {
  const subtypes = new Map<object, DocumentPlace[]>();
  const [schemas, pointer] =
    root.dialect.major === 2
      ? [nodeAt(root.value, 'definitions'), '/definitions']
      : [nodeAt(nodeAt(root.value, 'components'), 'schemas'), '/components/schemas'];
  for (const name of Object.keys(schemas ?? {})) {
    const value = schemas![name];
    for (const branch of listAt(value, 'allOf')) {
      const ref = textAt(branch, '$ref');
      const base = ref === undefined ? undefined : orUndefined(() => resolver.followAll(root, ref))?.value;
      if (!isObject(base)) continue;
      const subtype: DocumentPlace = { document: root, pointer: pointer + pointerSegment(name), value };
      const list = subtypes.get(base);
      if (list) list.push(subtype);
      else subtypes.set(base, [subtype]);
    }
  }
  return subtypes;
}

/** What is known about a branch of a `oneOf`, through references and allOf. */
interface BranchFacts {
  types: Set<string> | undefined;
  readonly names: Set<string>;
  readonly required: Set<string>;
  /** Properties with `const` or `enum`: tags. */
  readonly fixed: Map<string, readonly unknown[]>;
  values: readonly unknown[] | undefined;
  /** It allows no other properties. */
  closed: boolean;
  /** It may have more properties than these. */
  vague: boolean;
}

/** Keywords whose schemas may have more properties. */
const MORE_PROPERTIES = [...UNIONS, 'if', 'patternProperties', 'dependentSchemas'];

const MAX_ONE_OF_BRANCHES = 32;

/**
 * Whether a plain value of each branch is refused by every other branch. In real documents, `oneOf` mostly means "one of these": if
 * the branches overlap, strict JSON Schema would refuse values that the caller cannot write in any other way.
 */
export function areDistinguishable(
  document: SourceDocument,
  branches: readonly unknown[],
  oneWayNames: ReadonlySet<string>,
  definitions: Definitions,
): boolean {
  if (branches.length > MAX_ONE_OF_BRANCHES) return false;
  const facts = branches.map((branch) => gatherFacts(document, branch, oneWayNames, definitions));
  return facts.every((one, index) => facts.every((other, at) => at === index || isRefusedBy(one, other)));
}

/** Whether a value of `one` that has only the properties that `one` declares is refused by `other`. */
function isRefusedBy(one: BranchFacts, other: BranchFacts): boolean {
  if (one.types && other.types && !overlap(one.types, other.types)) return true;
  if (one.values && other.values && !one.values.some((value) => other.values!.includes(value))) return true;
  for (const [name, values] of one.fixed) {
    const others = other.fixed.get(name);
    if (others && !values.some((value) => others.includes(value))) return true;
  }
  if (!one.vague) for (const name of other.required) if (!one.names.has(name)) return true;
  if (other.closed && !other.vague) for (const name of one.required) if (!other.names.has(name)) return true;
  return false;
}

function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const isNumber = (types: ReadonlySet<string>) => types.has('integer') || types.has('number');
  if (isNumber(one) && isNumber(other)) return true;
  for (const type of one) if (other.has(type)) return true;
  return false;
}

/** `oneWayNames`: readOnly properties may be missing from any request, so they do not distinguish branches. */
function gatherFacts(
  document: SourceDocument,
  branch: unknown,
  oneWayNames: ReadonlySet<string>,
  { follow, oneWay }: Definitions,
): BranchFacts {
  const facts: BranchFacts = {
    types: undefined,
    names: new Set(),
    required: new Set(),
    fixed: new Map(),
    values: undefined,
    closed: false,
    vague: false,
  };
  for (const part of flattenAllOf(document, branch, follow)) {
    if (part) addFacts(facts, part, follow, oneWay);
    else facts.vague = true;
  }
  for (const name of oneWay.optionalNamesIn(oneWayNames, document, branch, 'request')) {
    facts.required.delete(name);
    facts.fixed.delete(name);
  }
  return facts;
}

function addFacts(
  facts: BranchFacts,
  { document, node }: SchemaNode,
  follow: Definitions['follow'],
  oneWay: Definitions['oneWay'],
): void {
  const types = typesOf(node);
  if (types.length > 0) {
    const choice = new Set(isNullable(node) ? [...types, 'null'] : types);
    facts.types = facts.types ? new Set([...facts.types].filter((type) => choice.has(type))) : choice;
  }
  facts.values ??= fixedValues(node);
  if (node.additionalProperties === false || node.unevaluatedProperties === false) facts.closed = true;
  for (const name of requiredIn(node)) facts.names.add(name);
  for (const name of oneWay.requiredNames(document, node, 'request')) facts.required.add(name);
  const properties = nodeAt(node, 'properties') ?? {};
  for (const name of Object.keys(properties)) {
    facts.names.add(name);
    const property = behindRef(document, properties[name], follow)?.node;
    const values = property && fixedValues(property);
    if (values) facts.fixed.set(name, values);
  }
  if (MORE_PROPERTIES.some((keyword) => Object.hasOwn(node, keyword))) facts.vague = true;
}

function fixedValues(schema: Node): readonly unknown[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : undefined;
}
