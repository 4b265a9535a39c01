// Which reads doctor --online calls, and with what: GETs that need no arguments, or whose arguments have a value in the document
// (example, default, first of a list) or in an answer that came before.

import { alternativesOf, unsetVariables } from '../../credentials/secrets.ts';
import { doubtRead } from '../../endpoint/conventions/effect.ts';
import { isObject } from '../../endpoint/is-object.ts';
import type { Args, Endpoint } from '../../endpoint/model.ts';
import { exampleCalls } from '../../schema/example-calls.ts';
import { propertyOf } from '../properties-of.ts';

/** The first item of each list that was answered, by the path of the list. */
export type Items = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** Whether it is a GET that can be called. Whether it only reads is decided by `doubtOf`. */
export function isRead({ method, args, body, security }: Endpoint): boolean {
  const hasCredentials =
    security.length === 0 || alternativesOf(security).some((set) => set.flatMap(unsetVariables).length === 0);
  return method === 'GET' && body === undefined && hasCredentials && args.length < 100;
}

/** Why a GET may do more than read, such as `/logout`. An `effect: read` in a domain file settles it. */
export function doubtOf({ path, action, source, summary, method, effect, effectReason }: Endpoint): string | undefined {
  if (effect !== 'read') return `its effect is ${effect} (${effectReason})`;
  // Without an operationId the action is derived from method and path, so its `get` proves nothing.
  const name = source.kind === 'openapi' ? source.operationId : action;
  const isSaidByOperator = effectReason !== 'the HTTP method' && effectReason !== 'x-mcp';
  return isSaidByOperator ? undefined : doubtRead({ method, path, name, summary });
}

/** The arguments to call it with; undefined while there is no value for a required one. */
export function argumentsFor(endpoint: Endpoint, items: Items): Args | undefined {
  const required = endpoint.args.filter((arg) => arg.required);
  if (required.length === 0) return {};
  const examples = new Map<string, unknown>(Object.entries(endpoint.examples[0] ?? {}));
  for (const call of exampleCalls(endpoint))
    for (const [key, value] of Object.entries(call.arguments)) if (!examples.has(key)) examples.set(key, value);
  const args: Record<string, unknown> = {};
  for (const { key, to } of required) {
    const [variable] = to.flatMap((target) => (target.in === 'path' ? [target.name] : []));
    const itemValue = variable === undefined ? undefined : fromItem(endpoint, variable, items);
    // A value from an answer exists; an example of the document may not.
    const value = itemValue ?? examples.get(key) ?? fromSchema(endpoint, key);
    if (value === undefined) return undefined;
    args[key] = value;
  }
  return args;
}

/** The id for `/pets/{petId}` comes from what `/pets` listed. */
function fromItem({ path }: Endpoint, variable: string, items: Items): unknown {
  const item = items.get(path.slice(0, path.indexOf(`/{${variable}}`)));
  if (item === undefined) return undefined;
  const last = /[A-Z_-]?(id|name|key|slug|number|uuid)$/i.exec(variable)?.[1]?.toLowerCase() ?? 'id';
  return [variable, last, 'id', 'name'].map((key) => item[key]).find(isScalar);
}

function isScalar(value: unknown): boolean {
  return (typeof value === 'string' && value !== '' && value.length < 200) || typeof value === 'number';
}

function fromSchema(endpoint: Endpoint, key: string): unknown {
  const schema = propertyOf(endpoint, key);
  if (schema === undefined) return undefined;
  const [example] = Array.isArray(schema.examples) ? schema.examples : [];
  const [choice] = Array.isArray(schema.enum) ? schema.enum : [];
  return schema.default ?? schema.example ?? example ?? schema.const ?? choice;
}

/** The first item of an answer that is a list, or holds one. */
export function firstItem(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const list = Array.isArray(value)
    ? value
    : isObject(value)
      ? Object.values(value).find((inner) => Array.isArray(inner) && isObject(inner[0]))
      : undefined;
  const item = Array.isArray(list) ? list[0] : undefined;
  return isObject(item) ? item : undefined;
}
