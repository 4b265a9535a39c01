// `oneOf` in real documents mostly means "one of these": where the branches overlap, the letter of JSON Schema would
// refuse values nobody could write any better. This tells whether a caller can keep the branches apart.

import { isObject } from '../../endpoint/is-object.ts';
import { listAt, type Node, textsAt } from '../../endpoint/untrusted.ts';
import { isNullable, typesOf, UNIONS } from '../../schema/keywords.ts';
import type { SourceDocument } from '../source/documents.ts';
import { orNothing } from '../source/resolve.ts';
import { behindRef } from './hidden-properties.ts';
import type { Follow } from './in-place-cycles.ts';
import { refOf } from './schema-parts.ts';

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
  /** readOnly: in no request, so they tell nothing apart. */
  readonly unsent: Set<string>;
  /** May have more properties than were found. */
  vague: boolean;
}

const MAX_BRANCHES = 32;
const MAX_DEPTH = 16;

/** Whether a plain value of each branch fits no other one, so that "exactly one" can be asked for. */
export function areExclusive(document: SourceDocument, branches: readonly unknown[], follow: Follow): boolean {
  if (branches.length > MAX_BRANCHES) return false;
  const facts = branches.map((branch) => {
    const branchFacts: Facts = {
      types: undefined,
      names: new Set(),
      required: new Set(),
      fixed: new Map(),
      values: undefined,
      closed: false,
      unsent: new Set(),
      vague: false,
    };
    gather(document, branch, follow, branchFacts, 0);
    for (const name of branchFacts.unsent) branchFacts.required.delete(name);
    return branchFacts;
  });
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

function gather(document: SourceDocument, schema: unknown, follow: Follow, facts: Facts, depth: number): void {
  if (!isObject(schema) || depth > MAX_DEPTH) {
    facts.vague = true;
    return;
  }
  const ref = refOf(schema);
  if (ref !== undefined) {
    const target = orNothing(() => follow(document, ref));
    if (target) gather(target.document, target.value, follow, facts, depth + 1);
    else facts.vague = true;
    if (document.dialect.schema !== '3.1') return;
  }
  const types = typesOf(schema);
  if (types.length > 0) {
    const named = new Set(isNullable(schema) ? [...types, 'null'] : types);
    facts.types = facts.types ? new Set([...facts.types].filter((type) => named.has(type))) : named;
  }
  facts.values ??= fixedValues(schema);
  if (schema.additionalProperties === false || schema.unevaluatedProperties === false) facts.closed = true;
  for (const name of textsAt(schema, 'required')) {
    facts.required.add(name);
    facts.names.add(name);
  }
  if (isObject(schema.properties)) {
    for (const name of Object.keys(schema.properties)) {
      facts.names.add(name);
      const property = behindRef(document, schema.properties[name], follow)?.node;
      if (property?.readOnly === true) facts.unsent.add(name);
      const values = property && fixedValues(property);
      if (values && property.readOnly !== true) facts.fixed.set(name, values);
    }
  }
  for (const branch of listAt(schema, 'allOf')) gather(document, branch, follow, facts, depth + 1);
  for (const keyword of [...UNIONS, 'if', 'patternProperties', 'dependentSchemas'])
    if (Object.hasOwn(schema, keyword)) facts.vague = true;
}

function fixedValues(schema: Node): readonly unknown[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : undefined;
}
