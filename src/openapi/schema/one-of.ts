// `oneOf` in real documents mostly means "one of these": if the branches overlap, strict JSON Schema would refuse values that the
// caller cannot write in any other way. This decides whether a caller can tell the branches apart.

import { type Node, nodeAt } from '../../endpoint/untrusted.ts';
import { isNullable, typesOf, UNIONS } from '../../schema/keywords.ts';
import type { SourceDocument } from '../source/documents.ts';
import type { Definitions } from './convert-schema.ts';
import { requiredIn } from './odd-schemas.ts';
import { behindRef, conjuncts, type SchemaNode } from './schema-refs.ts';

/** What a branch says about itself, through references and allOf. */
interface Facts {
  types: Set<string> | undefined;
  readonly names: Set<string>;
  readonly required: Set<string>;
  /** Properties with a few fixed values: tags. */
  readonly fixed: Map<string, readonly unknown[]>;
  values: readonly unknown[] | undefined;
  /** Takes no other properties. */
  closed: boolean;
  /** May have more properties than these. */
  vague: boolean;
}

/** What may bring properties of its own. */
const OPENINGS = [...UNIONS, 'if', 'patternProperties', 'dependentSchemas'];

const MAX_BRANCHES = 32;

/** Whether a plain value of each branch fits no other one, so that "exactly one" can be asked for. */
export function areExclusive(
  document: SourceDocument,
  branches: readonly unknown[],
  oneWayNames: ReadonlySet<string>,
  common: Definitions,
): boolean {
  if (branches.length > MAX_BRANCHES) return false;
  const facts = branches.map((branch) => gather(document, branch, oneWayNames, common));
  return facts.every((one, index) => facts.every((other, at) => at === index || staysOut(one, other)));
}

/** Whether a value of `one` that uses only what it declares is refused by `other`. */
function staysOut(one: Facts, other: Facts): boolean {
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

/** `oneWayNames`: readOnly properties may be missing from any request, so they tell nothing apart. */
function gather(
  document: SourceDocument,
  branch: unknown,
  oneWayNames: ReadonlySet<string>,
  { follow, oneWay }: Definitions,
): Facts {
  const facts: Facts = {
    types: undefined,
    names: new Set(),
    required: new Set(),
    fixed: new Map(),
    values: undefined,
    closed: false,
    vague: false,
  };
  for (const part of conjuncts(document, branch, follow)) {
    if (part) addFacts(facts, part, follow, oneWay);
    else facts.vague = true;
  }
  for (const name of oneWay.unaskedIn(oneWayNames, document, branch, 'request')) {
    facts.required.delete(name);
    facts.fixed.delete(name);
  }
  return facts;
}

function addFacts(
  facts: Facts,
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
  for (const name of oneWay.demands(document, node, 'request')) facts.required.add(name);
  const properties = nodeAt(node, 'properties') ?? {};
  for (const name of Object.keys(properties)) {
    facts.names.add(name);
    const property = behindRef(document, properties[name], follow)?.node;
    const values = property && fixedValues(property);
    if (values) facts.fixed.set(name, values);
  }
  if (OPENINGS.some((keyword) => Object.hasOwn(node, keyword))) facts.vague = true;
}

function fixedValues(schema: Node): readonly unknown[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : undefined;
}
