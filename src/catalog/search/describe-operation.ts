// Everything about one operation, for a model that is about to call it.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { inSteps } from '../../executor/turns.ts';
import type { Operation } from '../../orchestration/operation.ts';
import { hideReadOnly } from '../../schema/portable/read-only.ts';
import { describeEndpoint } from '../endpoint-text.ts';
import { type FoundAction, tellCall } from '../grouped/action-index.ts';
import { besideAction } from '../grouped/rest-action.ts';
import { changedThings, fitOperationSchema, withControls } from '../operation-schema.ts';
import type { CatalogOperation } from '../tree.ts';
import { toShape } from './signature.ts';

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
    ...places.slice(0, 1).map((place) => `Call ${tellCall(place)} and these arguments beside it.`),
    `Arguments: ${JSON.stringify(inPlace?.schema ?? schema)}`,
    ...examples,
    ...(shape === undefined ? [] : [`Returns: ${shape}`]),
  ].join('\n');
}

/** In a grouped tool, `action` picks the operation; an argument with that name is renamed there. */
function toPlace(schema: JsonSchema) {
  const { properties, required } = schema as { properties?: Readonly<Record<string, unknown>>; required?: unknown };
  if (!isObject(properties) || !Object.hasOwn(properties, DISCRIMINATOR)) return undefined;
  const alias = besideAction(DISCRIMINATOR, properties);
  const toPublic = (name: unknown) => (name === DISCRIMINATOR ? alias : name);
  const rename = (fields: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [toPublic(name), value]));
  const requirement = Array.isArray(required) ? { required: required.map(toPublic) } : {};
  return { rename, schema: { ...(schema as object), properties: rename(properties), ...requirement } };
}

const DISCRIMINATOR = 'action';

/** Whether the things to change come in a list. */
function isBulkChange(endpoint: Operation['endpoint']): boolean {
  const key = changedThings(endpoint);
  const properties = isObject(endpoint.inputSchema) && endpoint.inputSchema.properties;
  const things = key !== undefined && isObject(properties) && properties[key];
  return isObject(things) && [things.type].flat().includes('array');
}

/** The enforced schema where it is not too long; else the advertised one, as deep as it fits. */
export function argumentsOf(operation: Operation, limit: number): Promise<JsonSchema> {
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
