// The schemas of one operation as they are advertised: portable across clients, with the gateway's controls added.
import { overwrites } from '../endpoint/conventions/effect.ts';
import { pagingRole } from '../endpoint/conventions/pagination-words.ts';
import type { JsonSchema } from '../endpoint/model.ts';
import { remember } from '../endpoint/untrusted.ts';
import type { Operation } from '../orchestration/operation.ts';
import {
  draftPortableSchema,
  PortableDraft,
  type PortableSchema,
  toPortableNode,
} from '../schema/portable/portable-schema.ts';
import { type SlimOptions, slimField } from '../schema/slim.ts';

export type ObjectSchema = {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  /** True only where a domain file opens an operation. */
  readonly additionalProperties: boolean;
};

export interface OperationSchemaOptions {
  readonly maxChars?: number;
  readonly maxDepth?: number;
  readonly slim?: SlimOptions;
}

/** For a tool of its own: whole sentences, forms shown by example. */
const DETAILED: SlimOptions = { maxText: 200, oneSentence: false, examples: true, limits: true };

/** The arguments of an operation as an object schema every client accepts. Enforcement keeps the full one. */
export function buildOperationSchema(operation: Operation, options: OperationSchemaOptions = {}): ObjectSchema {
  const { slim = DETAILED, ...portableOptions } = options;
  const { inputSchema } = operation.endpoint;
  return finish(operation, draftPortableSchema(inputSchema, { ...bodyOptions(operation), ...portableOptions }), slim);
}

/** The same schema, as deep as `maxChars` allows: at most five levels, at least one. */
export function* fitOperationSchema(operation: Operation, maxChars: number): Generator<void, ObjectSchema> {
  const draft = new PortableDraft(operation.endpoint.inputSchema, bodyOptions(operation));
  for (let maxDepth = 5; ; maxDepth--) {
    const schema = finish(operation, yield* draft.fit({ maxDepth, maxChars }), DETAILED);
    if (maxDepth === 1 || JSON.stringify(schema).length <= maxChars) return schema;
    yield;
  }
}

function bodyOptions({ endpoint }: Operation) {
  const body = endpoint.args.find(({ to }) => to[0]?.in === 'body-root')?.key;
  return { body, changes: bulkArgument(endpoint) };
}

function finish({ endpoint, controls }: Operation, portable: PortableSchema, slim: SlimOptions): ObjectSchema {
  const { inputSchema, action } = endpoint;
  const required = portable.required ?? [];
  return {
    type: 'object',
    properties: withControls(slimFields(portable.properties, slim, action, required), controls),
    ...(required.length > 0 && { required }),
    additionalProperties: typeof inputSchema === 'object' && (inputSchema.additionalProperties ?? false) !== false,
  };
}

/** The only argument in the body of an operation that overwrites; if it is a list, the operation is a bulk update. */
export function bulkArgument(endpoint: Operation['endpoint']): string | undefined {
  if (!overwrites(endpoint)) return undefined;
  const [only, ...others] = endpoint.args.filter(({ to, readOnly }) => to[0]?.in.startsWith('body') && !readOnly);
  return others.length === 0 ? only?.key : undefined;
}

function slimFields(
  fields: Readonly<Record<string, JsonSchema>>,
  slim: SlimOptions,
  operation: string,
  required: readonly string[],
): Record<string, JsonSchema> {
  const isLast = (name: string) => isGeneric(name) && !required.includes(name);
  const names = Object.keys(fields);
  const last = names.filter(isLast);
  const first = last.length === 0 ? names : names.filter((name) => !last.includes(name));
  return Object.fromEntries([...first, ...last].map((name) => [name, slimField(name, fields[name]!, slim, operation)]));
}

/** Bound of the cache; operations share most argument names. */
const MAX_NAMES = 4_000;

/** Arguments that many operations have and few calls need: paging, sorting, the format of the answer. */
const GENERIC =
  /^(?:\$?(?:fields?|select|expand|include|embed|format|pretty|sort|sort_?(?:by|order|dir(?:ection)?)|order|order_?by|direction)|dry_?run|envelope|callback|locale|language|accept_language|if_(?:none_)?match|x_request_id|idempotency_key)$/i;

export const isGeneric: (name: string) => boolean = remember(
  MAX_NAMES,
  (name) => pagingRole(name) !== undefined || GENERIC.test(name),
);

/** The operation's own arguments come first. A control never replaces one of them. */
export function withControls(
  own: Readonly<Record<string, JsonSchema>>,
  controls: Operation['controls'],
): Readonly<Record<string, JsonSchema>> {
  const free = Object.entries(controls).filter(([key]) => !Object.hasOwn(own, key));
  return free.length === 0 ? own : Object.fromEntries([...Object.entries(own), ...free]);
}

/**
 * Keeps the structure and the descriptions of an answer's schema, and drops every constraint. Answers of APIs differ from their
 * documents, and `fields` and shaping leave things out. A client that validates must not turn a good answer into a failure.
 */
export function relaxOutputSchema(schema: JsonSchema): JsonSchema {
  const portable = toPortableNode(schema);
  const looseSchema = relax(portable, 0);
  return typeof portable.type === 'string' ? { type: portable.type, ...looseSchema } : looseSchema;
}

const MAX_DEPTH = 6;

function relax(schema: unknown, depth: number): Record<string, unknown> {
  if (typeof schema !== 'object' || schema === null || depth > MAX_DEPTH) return {};
  const { description, properties, items } = schema as Record<string, unknown>;
  return {
    ...(typeof description === 'string' && { description }),
    ...(typeof properties === 'object' &&
      properties !== null && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([key, value]) => [key, relax(value, depth + 1)]),
        ),
      }),
    ...(typeof items === 'object' && items !== null && { items: relax(items, depth + 1) }),
  };
}
