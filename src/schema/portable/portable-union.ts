// anyOf and oneOf: kept as typed branches if that is short and useful, otherwise folded into one object whose fields
// are the fields of all branches. Both accept at least what the union accepts.
import type { JsonSchema } from '../../endpoint/model.ts';
import { cut } from '../explain/show.ts';
import { NULL, OBJECT, possibleTypes } from '../json-types.ts';
import type { SchemaObject } from '../references.ts';
import type { RuleWords } from './constraint-words.ts';
import { Description, descriptionOf } from './description.ts';
import { type NodePosition, type Pass, type PortableNode, toNode } from './portable-node.ts';
import { descriptionField } from './portable-scalar.ts';
import { isReadOnly } from './read-only.ts';
import { type Facts, gatherFacts } from './schema-facts.ts';

const MAX_BRANCHES = 10;
const MAX_FOLDED = 60;

/** The branches to show at this place, if there are any: the longest union. Others are only enforced. */
export function inlineUnion(pass: Pass, facts: Facts): readonly JsonSchema[] | undefined {
  let best: readonly JsonSchema[] | undefined;
  for (const branches of facts.unions) {
    const real = branches.filter((branch) => possibleTypes(pass.root, branch) !== NULL);
    if (real.length > 0 && (best === undefined || branches.length > best.length)) best = branches;
  }
  return best;
}

/** A union of nothing but null: only null can be shown. */
export function allowsOnlyNull(pass: Pass, facts: Facts): boolean {
  return facts.unions.some(
    (branches) => branches.length > 0 && branches.every((branch) => possibleTypes(pass.root, branch) === NULL),
  );
}

/** The nodes of a union; all other rules and texts of the place are merged into each. */
export function unionNodes(
  pass: Pass,
  facts: Facts,
  branches: readonly JsonSchema[],
  at: NodePosition,
  ancestors: ReadonlySet<SchemaObject>,
): PortableNode[] {
  const lineage = new Set([...ancestors, ...facts.parts]);
  const quiet = facts.parts.map(withoutText);
  for (const part of quiet) lineage.add(part);
  const takesObjects = (branch: JsonSchema) => (possibleTypes(pass.root, branch) & OBJECT) !== 0;
  const objects = branches.filter(takesObjects);
  const fold =
    objects.length > 1 && (facts.properties.size > 0 || objects.length > MAX_BRANCHES || at.depth >= pass.maxDepth);
  if (objects.length > 1 && !fold) pass.hasUnfoldedUnion = true;
  const apart = fold ? branches.filter((branch) => !takesObjects(branch)) : branches;
  const nodes = apart.slice(0, MAX_FOLDED).map((branch) => toNode(pass, [branch, ...quiet], at, lineage));
  if (fold) {
    const { schema, forms } = foldObjects(pass.root, objects);
    const whole = { ...schema, description: formWords(forms)?.sentence ?? '' };
    nodes.unshift(toNode(pass, [whole, ...quiet], at, lineage));
  }
  return joinStrings(nodes);
}

/** The text about the whole is shown once, not in every branch. References were already followed. */
function withoutText(part: SchemaObject): SchemaObject {
  const { description: _, title: __, example: ___, examples: ____, $ref: _____, allOf: ______, ...rest } = part;
  return rest;
}

/** Several object branches as one. */
export interface Folded {
  readonly schema: SchemaObject;
  /** What the branches require beyond what all of them do: one of these sets of names has to be given. */
  readonly forms: readonly (readonly string[])[];
}

/** One object schema with the fields of all; required is what all require. */
export function foldObjects(root: JsonSchema, branches: readonly JsonSchema[], depth = 0): Folded {
  const shapes = branches.slice(0, MAX_FOLDED).map((branch) => shapeOf(root, branch, depth));
  const fields = new Map<string, Map<string, JsonSchema>>();
  for (const shape of shapes) {
    for (const [key, schemas] of shape.properties) {
      const variants = fields.get(key) ?? new Map<string, JsonSchema>();
      const schema = joined('allOf', schemas);
      fields.set(key, variants.set(JSON.stringify(schema), schema));
    }
  }
  const properties: Record<string, JsonSchema> = {};
  for (const [key, variants] of fields) {
    if (key !== '__proto__') properties[key] = joined('anyOf', [...variants.values()]);
  }
  const first = branches.length <= MAX_FOLDED ? [...(shapes[0]?.required ?? [])] : [];
  const common = first.filter((name) => shapes.every((shape) => shape.required.has(name)));
  const sets = shapes.map(({ required }) => [...required].filter((name) => !common.includes(name)));
  // A branch that requires nothing more makes the other sets optional.
  const forms = sets.some((names) => names.length === 0)
    ? []
    : [...new Map(sets.map((names) => [names.join(', '), names])).values()];
  return {
    schema: { type: 'object', properties, ...(common.length > 0 && { required: common }) },
    forms: forms.length > 1 ? forms : [],
  };
}

/** Several schemas of one field as one, readOnly where all of them are. */
function joined(keyword: 'allOf' | 'anyOf', schemas: readonly JsonSchema[]): JsonSchema {
  if (schemas.length === 1) return schemas[0]!;
  return { [keyword]: schemas, ...(isReadOnly(schemas) && { readOnly: true }) };
}

/** `Give one of: {a} or {b, c}` */
export function formWords(forms: readonly (readonly string[])[]): RuleWords | undefined {
  if (forms.length === 0) return undefined;
  const some = forms.slice(0, 6);
  const list = some.map((names) => `{${cut(names.join(', '), 60)}}`).join(' or ');
  return { sentence: `Give one of: ${list}${forms.length > some.length ? ' or …' : ''}`, names: some.flat() };
}

interface Shape {
  readonly properties: Map<string, JsonSchema[]>;
  readonly required: Set<string>;
}

/** Fields of a branch, with unions inside it folded as well. */
function shapeOf(root: JsonSchema, branch: JsonSchema, depth: number): Shape {
  const facts = gatherFacts(root, [branch]);
  if (depth > 1) return facts;
  for (const inner of facts.unions) {
    const objects = inner.filter((each) => possibleTypes(root, each) & OBJECT);
    if (objects.length === 0) continue;
    const objectFacts = gatherFacts(root, [foldObjects(root, objects, depth + 1).schema]);
    for (const [key, schemas] of objectFacts.properties) {
      const own = facts.properties.get(key);
      facts.properties.set(key, own ? [joined('anyOf', [joined('allOf', own), joined('allOf', schemas)])] : schemas);
    }
    for (const name of objectFacts.required) facts.required.add(name);
  }
  return facts;
}

/** A list of strings beside any string, or beside another list, is one node. */
function joinStrings(nodes: readonly PortableNode[]): PortableNode[] {
  const isPlain = (node: PortableNode): boolean =>
    node.type === 'string' && Object.keys(node).every((key) => ['type', 'description', 'enum'].includes(key));
  const strings = nodes.filter(isPlain);
  if (strings.length < 2) return [...nodes];
  const lists = strings.map((node) => node.enum).filter((list): list is string[] => Array.isArray(list));
  const all = [...new Set(lists.flat())];
  const texts = [...new Map(strings.map(descriptionOf).map((each) => [each.text, each])).values()];
  const descriptions = texts.filter((each) => each.text !== '');
  const open = lists.length < strings.length || all.length > 100;
  const values =
    open && all.length > 0 ? `Known values: ${all.slice(0, 30).join(', ')}${all.length > 30 ? ', …' : ''}` : undefined;
  const description =
    descriptions.length === 1 && values === undefined
      ? descriptions[0]!
      : new Description(
          [...descriptions.map((each) => each.text), ...(values === undefined ? [] : [`${values}.`])].join(' '),
        );
  const union = { type: 'string', ...descriptionField(description), ...(!open && { enum: all }) };
  return [union, ...nodes.filter((node) => !isPlain(node))];
}
