// One place of a schema as every client accepts it: a `type`, or an `anyOf` of typed branches with nothing beside it (Vertex refuses
// siblings; a type that may be null is such an `anyOf`). Enums hold strings only (Gemini's are lists of strings), and required names
// exist.
import { hasHiddenText } from '../../endpoint/hidden.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { ANY, ARRAY, BOOLEAN, FRACTION, INTEGER, NULL, NUMBER, OBJECT, STRING, typeOf } from '../json-types.ts';
import type { SchemaObject } from '../references.ts';
import { arrayWords, exclusionWords, fieldList, objectWords, purposeOf } from './constraint-words.ts';
import { changeText, Description, descriptionOf, joinSentences } from './description.ts';
import {
  ANYTHING,
  ANYTHING_BUT_LISTS,
  choiceWords,
  defaultOf,
  describe,
  describeHidden,
  descriptionField,
  numberNode,
  stringNode,
  textOf,
} from './portable-scalar.ts';
import { allowsOnlyNull, inlineUnion, unionNodes } from './portable-union.ts';
import { shownNames, tagOf } from './read-only.ts';
import { type Facts, gatherFacts, isSetByCaller } from './schema-facts.ts';

export type PortableNode = { readonly [keyword: string]: unknown };

/** One pass over one argument. */
export interface Pass {
  readonly root: JsonSchema;
  /** Levels of objects shown, counted from the arguments. */
  readonly maxDepth: number;
  /** Description length at the first level; deeper ones get half. */
  readonly maxText: number;
  /** Nodes left. */
  nodes: number;
  /** Throw OUT_OF_NODES when none are left, instead of leaving things out. */
  readonly strict: boolean;
  /** The depths of objects with fields, as bits. */
  depths: number;
  /** Whether some union is shown as branches that a shallower pass would fold into one object. */
  hasUnfoldedUnion: boolean;
  /** References being followed, outermost first. */
  readonly path: JsonSchema[];
}

/** The position of a node. */
export interface NodePosition {
  /** Objects around it. */
  readonly depth: number;
  /** Schemas around it, arrays included; OpenAI reads ten levels. */
  readonly level: number;
  /** Arrays in arrays. */
  readonly arrays: number;
  /** The body as a whole, not a part of it. */
  readonly whole?: boolean;
  /** Whether the items of a list at this place are things to change. */
  readonly changes?: boolean;
  /** Whether it is such an item. */
  readonly item?: boolean;
  /** Whether it is one of several types of the same place; text about all of them is shown elsewhere. */
  readonly quiet?: boolean;
}

/** Thrown by a strict pass. */
export const OUT_OF_NODES: unique symbol = Symbol('out of nodes');

const MAX_ARRAYS = 3;
const MAX_LEVELS = 10;

/** The node for a conjunction of schemas. */
export function toNode(
  pass: Pass,
  schemas: readonly JsonSchema[],
  at: NodePosition,
  ancestors?: ReadonlySet<SchemaObject>,
): PortableNode {
  if (--pass.nodes < 0 && pass.strict) throw OUT_OF_NODES;
  const facts = gatherFacts(pass.root, schemas, ancestors);
  const again = facts.targets.reduce(
    (most, target) => Math.max(most, pass.path.filter((open) => open === target).length),
    0,
  );
  if (again > 1 || pass.nodes < -200)
    return withText(anythingAt(at), new Description(purposeOf(facts, pass.maxText >> 1)));
  // At its first recursion, a schema is shown again, but not expanded.
  const here = again > 0 || pass.nodes < 0 ? { ...at, depth: Math.max(at.depth, pass.maxDepth + 1) } : at;
  pass.path.push(...facts.targets);
  const node = build(pass, facts, here, ancestors ?? new Set());
  pass.path.length -= facts.targets.length;
  return node;
}

function build(pass: Pass, facts: Facts, at: NodePosition, ancestors: ReadonlySet<SchemaObject>): PortableNode {
  const union = inlineUnion(pass, facts);
  if (union !== undefined) {
    const nodes = unionNodes(pass, facts, union, at, ancestors);
    return anyOf(nodes, new Description(joinSentences(textOf(pass, facts, at), exclusionWords(facts))));
  }
  const bits = allowsOnlyNull(pass, facts) ? NULL : impliedTypes(facts);
  if (bits === ANY) {
    return withText(anythingAt(at), describe(pass, facts, at, ['Any JSON value']));
  }
  const types = splitTypes(bits);
  if (types.length === 1) return typedNode(pass, facts, types[0]!, at);
  const nodes = types.map((type) => typedNode(pass, facts, type, { ...at, quiet: true }));
  return anyOf(nodes.length === 0 ? [{ type: 'string' }] : nodes, describe(pass, facts, at, []));
}

/** A schema with `properties` and no type means an object, although it accepts other types as well. */
function impliedTypes(facts: Facts): number {
  if (facts.types !== ANY) return facts.types;
  if (facts.properties.size > 0 || facts.additional.length > 0) return OBJECT;
  if (facts.items.length > 0 || facts.prefix.length > 0) return ARRAY;
  for (const part of facts.parts) {
    if (typeof part.pattern === 'string' || typeof part.minLength === 'number' || typeof part.maxLength === 'number')
      return STRING;
    if (typeof part.format === 'string' && ['date', 'date-time', 'email', 'uuid', 'uri'].includes(part.format))
      return STRING;
    if (typeof part.minimum === 'number' || typeof part.maximum === 'number') return NUMBER;
  }
  return exampleTypes(facts) || ANY;
}

/** If there is only an example, it shows what kind of value is meant. */
function exampleTypes(facts: Facts): number {
  const examples = facts.parts.flatMap((part) => [
    ...(Array.isArray(part.examples) ? part.examples : []),
    ...(part.default === undefined ? [] : [part.default]),
  ]);
  const bits = examples.reduce<number>((all, value) => all | typeOf(value), 0) & ~NULL;
  return bits & NUMBER ? bits | NUMBER : bits;
}

function splitTypes(bits: number): number[] {
  const types = [STRING, BOOLEAN, ARRAY, OBJECT, NULL].filter((bit) => bits & bit);
  if (bits & NUMBER) types.splice(bits & STRING ? 1 : 0, 0, bits & FRACTION ? NUMBER : INTEGER);
  return types;
}

function typedNode(pass: Pass, facts: Facts, type: number, at: NodePosition): PortableNode {
  switch (type) {
    case STRING:
      return stringNode(pass, facts, at);
    case NUMBER:
    case INTEGER:
      return numberNode(pass, facts, at, type === INTEGER);
    case BOOLEAN:
      return {
        type: 'boolean',
        ...descriptionField(describe(pass, facts, at, choiceWords(facts, 'boolean'))),
        ...defaultOf(facts, 'boolean'),
      };
    case ARRAY:
      return arrayNode(pass, facts, at);
    case OBJECT:
      return objectNode(pass, facts, at);
    default:
      return { type: 'null' };
  }
}

function arrayNode(pass: Pass, facts: Facts, at: NodePosition): PortableNode {
  return {
    type: 'array',
    ...descriptionField(describe(pass, facts, at, arrayWords(facts))),
    items: itemsNode(pass, facts, at),
    ...(facts.minItems !== undefined && facts.minItems > 0 && { minItems: facts.minItems }),
    ...(facts.maxItems !== undefined && facts.maxItems < 1_000_000 && { maxItems: facts.maxItems }),
  };
}

function itemsNode(pass: Pass, facts: Facts, at: NodePosition): PortableNode {
  const inner = {
    depth: at.depth,
    level: at.level + 1,
    arrays: at.arrays + 1,
    item: at.changes === true,
  };
  if (at.arrays >= MAX_ARRAYS || inner.level >= MAX_LEVELS) return anythingAt(inner);
  const rest = facts.items.filter((schema) => schema !== false);
  if (facts.prefix.length === 0) return rest.length === 0 ? anythingAt(inner) : toNode(pass, rest, inner);
  // Without tuples the items are a union of all positions, and of what may follow them.
  const isClosed = facts.items.includes(false);
  const nodes = facts.prefix[0]!.slice(0, 12).map((schema) => toNode(pass, [schema], inner));
  if (!isClosed) nodes.push(rest.length === 0 ? anythingAt(inner) : toNode(pass, rest, inner));
  return anyOf(nodes, new Description(''));
}

function objectNode(pass: Pass, facts: Facts, at: NodePosition): PortableNode {
  // A field that is required but not described anywhere still has to be given.
  const describedNames = new Set([...facts.properties.keys(), ...facts.required]);
  const possible = [...describedNames].filter(
    (key) => key !== '__proto__' && !hasHiddenText(key) && !isNever(facts.properties.get(key) ?? []),
  );
  const isSetByApi = (key: string) => !isSetByCaller(facts, key);
  const tags = new Set(facts.parts.map(tagOf));
  const all = shownNames(
    { names: possible, isSetByApi, isRequired: (key) => facts.required.has(key), tags },
    at.whole ? 'whole' : at.item ? 'item' : 'part',
  );
  // A property may be called `$ref` (Kubernetes has one), but many schema walkers take it for a reference, so it is not shown.
  const names = all.filter((key) => !key.startsWith('$'));
  const hidden = all.filter((key) => key.startsWith('$'));
  if (names.length > 0 && at.depth <= pass.maxDepth) pass.depths |= 1 << at.depth;
  const words = [...(hidden.length > 0 ? [`Also ${fieldList(hidden, facts.required)}`] : []), ...objectWords(facts)];
  if ((at.depth >= pass.maxDepth || at.level >= MAX_LEVELS - 1) && names.length > 0) {
    return {
      type: 'object',
      ...descriptionField(describeHidden(pass, facts, at, `Fields: ${fieldList(names, facts.required)}`, words)),
    };
  }
  const inner = { depth: at.depth + 1, level: at.level + 1, arrays: 0 };
  const properties: Record<string, PortableNode> = {};
  for (const key of names) {
    const schemas = facts.properties.get(key) ?? facts.additional;
    // An id that is shown needs no text besides its name.
    properties[key] = toNode(pass, isSetByApi(key) ? schemas.map(withoutText) : schemas, inner);
  }
  const required = names.filter((key) => facts.required.has(key));
  const values = facts.additional.length > 0 ? facts.additional : patternValues(facts);
  return {
    type: 'object',
    ...descriptionField(describe(pass, facts, at, words)),
    ...(names.length > 0 && { properties }),
    ...(required.length > 0 && { required }),
    ...(values.length > 0 && { additionalProperties: toNode(pass, values, inner) }),
  };
}

function withoutText(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  const { description: _, title: __, examples: ___, ...rest } = schema;
  return rest;
}

/** A map by pattern (`^x-`: string) is shown as a map; the keys go into words. */
function patternValues(facts: Facts): JsonSchema[] {
  const maps = facts.parts.flatMap((part) =>
    Object.values((part.patternProperties as Record<string, JsonSchema>) ?? {}),
  );
  const isClosed = facts.parts.some((part) => part.additionalProperties === false);
  return maps.length === 1 && isClosed ? maps : [];
}

function isNever(schemas: readonly JsonSchema[]): boolean {
  return schemas.includes(false);
}

function anythingAt({ level }: NodePosition): PortableNode {
  return level < MAX_LEVELS ? ANYTHING : ANYTHING_BUT_LISTS;
}

/** Branches without duplicates and without nesting; the description goes to the first, as nothing may stand beside anyOf. */
function anyOf(nodes: readonly PortableNode[], description: Description): PortableNode {
  const flat: PortableNode[] = [];
  const keys = new Set<string>();
  let nullable = false;
  for (const node of nodes.flatMap((each) => (Array.isArray(each.anyOf) ? (each.anyOf as PortableNode[]) : [each]))) {
    const key = JSON.stringify(node);
    if (keys.has(key)) continue;
    keys.add(key);
    if (node.type === 'null') nullable = true;
    else flat.push(node);
  }
  const branches = nullable ? [...flat, { type: 'null' }] : flat;
  if (branches.length === 1) return withText(branches[0]!, description);
  return withText({ anyOf: branches }, description);
}

function withText(node: PortableNode, description: Description): PortableNode {
  if (description.text === '') return node;
  return changeText(node, ({ type, ...rest }) => {
    const own = descriptionOf(rest).text;
    const isRepeated = own === '' || description.text.includes(own);
    return { type, ...rest, description: isRepeated ? description : new Description(`${description.text} (${own})`) };
  });
}
