// Describes one operation in full for a model that is about to call it, and in one line for search hits.
import { isObject } from '../../endpoint/is-object.ts';
import type { Endpoint, JsonSchema } from '../../endpoint/model.ts';
import { inSteps } from '../../event-loop/turns.ts';
import type { Operation } from '../../orchestration/operation.ts';
import { hideReadOnly } from '../../schema/portable/read-only.ts';
import { resolveRef } from '../../schema/references.ts';
import { describeEndpoint } from '../endpoint-text.ts';
import { aliasFor } from '../grouped/action.ts';
import { describeActionCall, type FoundAction } from '../grouped/action-index.ts';
import { bulkArgument, fitOperationSchema, withControls } from '../operation-schema.ts';
import type { CatalogOperation } from '../tree.ts';

const MAX_SCHEMA = 12_000;
const MAX_EXAMPLES = 2;

/** `places`: the grouped tools it is an action of. */
export function describeOperation(operation: CatalogOperation, places: readonly FoundAction[] = []): Promise<string> {
  return inSteps(describe(operation, places));
}

function* describe(operation: CatalogOperation, places: readonly FoundAction[]): Generator<void, string> {
  const { name, endpoint } = operation;
  const schema = yield* fitArguments(operation, MAX_SCHEMA);
  yield;
  if (endpoint.prepareOutput !== undefined) yield* endpoint.prepareOutput();
  const { outputSchema } = endpoint;
  yield;
  const shape = toShape(outputSchema);
  yield;
  const inPlace = places.length > 0 ? toPlace(schema) : undefined;
  const examples = endpoint.examples
    .slice(0, MAX_EXAMPLES)
    .map((args) => `Example arguments: ${JSON.stringify(inPlace?.rename(args) ?? args)}`);
  return [
    `${name} (${endpoint.effect}${endpoint.deprecated ? ', deprecated' : ''}): ${endpoint.method} ${endpoint.path} of ${endpoint.domain}`,
    describeEndpoint(endpoint),
    ...places.slice(0, 1).map((place) => `Call ${describeActionCall(place)} and these arguments beside it.`),
    `Arguments: ${JSON.stringify(inPlace?.schema ?? schema)}`,
    ...examples,
    ...(shape === undefined ? [] : [`Returns: ${shape}`]),
  ].join('\n');
}

/** In a grouped tool, `action` picks the operation; an argument with that name is renamed there. */
function toPlace(schema: JsonSchema) {
  const { properties, required } = schema as { properties?: Readonly<Record<string, unknown>>; required?: unknown };
  if (!isObject(properties) || !Object.hasOwn(properties, DISCRIMINATOR)) return undefined;
  const alias = aliasFor(DISCRIMINATOR, properties);
  const toPublic = (name: unknown) => (name === DISCRIMINATOR ? alias : name);
  const rename = (fields: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [toPublic(name), value]));
  const requirement = Array.isArray(required) ? { required: required.map(toPublic) } : {};
  return { rename, schema: { ...(schema as object), properties: rename(properties), ...requirement } };
}

const DISCRIMINATOR = 'action';

/** Whether the operation changes a list of things. */
function isBulkChange(endpoint: Operation['endpoint']): boolean {
  const key = bulkArgument(endpoint);
  const properties = isObject(endpoint.inputSchema) && endpoint.inputSchema.properties;
  const things = key !== undefined && isObject(properties) && properties[key];
  return isObject(things) && [things.type].flat().includes('array');
}

/**
 * The enforced schema, without readOnly fields that callers do not need, if it is not too long; otherwise the advertised one, as deep
 * as it fits.
 */
export function fitArgumentsSchema(operation: Operation, limit: number): Promise<JsonSchema> {
  return inSteps(fitArguments(operation, limit));
}

function* fitArguments(operation: Operation, limit: number): Generator<void, JsonSchema> {
  const { endpoint } = operation;
  const { inputSchema: enforcedSchema } = endpoint;
  yield;
  const inputSchema = hideReadOnly(enforcedSchema, isBulkChange(endpoint) ? 'item' : 'part');
  yield;
  const full =
    typeof inputSchema === 'object' && isObject(inputSchema.properties)
      ? {
          ...inputSchema,
          properties: withControls(inputSchema.properties as Record<string, JsonSchema>, operation.controls),
        }
      : inputSchema;
  if (JSON.stringify(full).length <= limit) return full;
  yield;
  return (yield* fitOperationSchema(operation, limit)) as unknown as JsonSchema;
}

const MAX_OPTIONAL = 6;
const MAX_SHAPE = 600;
const MAX_DEPTH = 4;
const MAX_KEYS = 30;

type Node = { readonly [keyword: string]: unknown };

/** `create_issue(owner, repo, title, body?, labels?, …)` */
export function toSignature(name: string, { args }: Endpoint): string {
  const required = args.filter((arg) => arg.required).map((arg) => arg.key);
  const optional = args.filter((arg) => !arg.required).map((arg) => `${arg.key}?`);
  const some = optional.slice(0, MAX_OPTIONAL);
  return `${name}(${[...required, ...some, ...(optional.length > some.length ? ['…'] : [])].join(', ')})`;
}

/** `{id: integer, tags: [{name: string}]}`: the shape of an answer, cut at a readable length. */
function toShape(schema: JsonSchema | undefined): string | undefined {
  if (schema === undefined || typeof schema === 'boolean') return undefined;
  for (let depth = MAX_DEPTH; depth > 0; depth--) {
    const shape = shapeOf(schema, schema, depth, new Set());
    if (shape.length <= MAX_SHAPE) return shape === 'any' ? undefined : shape;
  }
  const shape = shapeOf(schema, schema, 1, new Set());
  return `${shape.slice(0, MAX_SHAPE)}…`;
}

function shapeOf(root: Node, schema: unknown, depth: number, before: ReadonlySet<string>): string {
  if (typeof schema !== 'object' || schema === null) return 'any';
  const { node, path } = follow(root, schema as Node, before);
  if (node === undefined) return 'object';
  const [first] = [node.allOf, node.oneOf, node.anyOf].filter(
    (list) => Array.isArray(list) && list.length > 0,
  ) as Node[][];
  if (node.properties === undefined && node.items === undefined && first) {
    const options = first.filter((option) => option.type !== 'null');
    if (node.allOf === first) return shapeOf(root, mergeAll(root, first, path), depth, path);
    const shapes = [...new Set(options.slice(0, 3).map((option) => shapeOf(root, option, depth, path)))];
    return shapes.join(' | ') || 'any';
  }
  const type = [node.type].flat().find((one) => one !== 'null');
  if (type === 'array' || node.items !== undefined) {
    return depth === 0 ? 'array' : `[${shapeOf(root, node.items, depth, path)}]`;
  }
  if (typeof node.properties === 'object' && node.properties !== null) {
    if (depth === 0) return 'object';
    const entries = Object.entries(node.properties);
    const parts = entries.slice(0, MAX_KEYS).map(([key, inner]) => `${key}: ${shapeOf(root, inner, depth - 1, path)}`);
    return `{${[...parts, ...(entries.length > MAX_KEYS ? ['…'] : [])].join(', ')}}`;
  }
  return typeof type === 'string' ? type : 'any';
}

/** Follows local references; undefined if they form a cycle. */
function follow(
  root: Node,
  start: Node,
  before: ReadonlySet<string>,
): { node: Node | undefined; path: ReadonlySet<string> } {
  let node = start;
  const path = new Set(before);
  while (typeof node.$ref === 'string') {
    const target = path.has(node.$ref) ? undefined : resolveRef(root, node.$ref);
    if (!isObject(target)) return { node: undefined, path };
    path.add(node.$ref);
    node = target;
  }
  return { node, path };
}

function mergeAll(root: Node, parts: readonly Node[], path: ReadonlySet<string>): Node {
  const nodes = parts.map((part) => follow(root, part, path).node ?? {});
  const properties = Object.assign(Object.create(null), ...nodes.map((node) => node.properties ?? {}));
  return Object.keys(properties).length > 0 ? { type: 'object', properties } : (nodes[0] ?? {});
}
