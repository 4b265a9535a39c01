// The examples of a document as calls, with the public names of the arguments and the part of the schema that the example is about.
// If such a call is refused, there is a mistake in the document or in the gateway.
import { isObject } from '../endpoint/is-object.ts';
import type { Args, Endpoint, JsonSchema, Target } from '../endpoint/model.ts';
import { emptyMap, once, own } from '../endpoint/untrusted.ts';
import { ownSchema } from './references.ts';

export interface ExampleCall {
  readonly kind: 'parameter' | 'field' | 'body';
  readonly arguments: Args;
  /** JSON pointer of the example. */
  readonly place: string;
  /** The example is part of a schema that other operations may share. */
  readonly inSchema: boolean;
  /** The part of the endpoint's schema that the example is about; builds the endpoint's schema. */
  readonly schema: () => JsonSchema;
}

/** Examples of files cannot be sent; this is used instead. */
const FILE: Readonly<Record<string, string>> = Object.freeze({ text: '' });

/** A generator, so that a caller that needs only a few does not build all. */
export function* exampleCalls(endpoint: Endpoint): Generator<ExampleCall> {
  const examples = endpoint.documentExamples?.() ?? [];
  if (examples.length === 0) return;
  const bodySchema = once(() => schemaOfBody(endpoint));
  const keys = new Map<string, string>();
  for (const { key, to } of endpoint.args)
    for (const target of to) if (!keys.has(nameOf(target))) keys.set(nameOf(target), key);
  for (const { of, place, inSchema, value } of examples) {
    if (of === 'body') {
      const args = bodyArguments(endpoint, value);
      if (args !== undefined) yield { kind: 'body', arguments: args, place, inSchema, schema: bodySchema };
      continue;
    }
    const key = keys.get(nameOf(of));
    if (key === undefined) continue;
    const kind = of.in === 'body' ? 'field' : 'parameter';
    yield { kind, arguments: { [key]: value }, place, inSchema, schema: () => schemaOfOne(endpoint, key) };
  }
}

/** A key that is the same for targets at the same place of a request. */
function nameOf(target: Target): string {
  return [target.in, ...('name' in target ? [target.name] : 'at' in target ? target.at : [])].join('\n');
}

/** A body as arguments, its wrapper taken off; undefined if no argument accepts such a value. */
function bodyArguments(endpoint: Endpoint, value: unknown): Args | undefined {
  const { args, body, fixed, withheld = [] } = endpoint;
  const root = args.find(({ to }) => to.some((target) => target.in === 'body-root'));
  const fields = new Map<string, string>();
  for (const { key, to } of args)
    for (const target of to) if (target.in === 'body') fields.set(target.at[0] ?? '', key);
  if (fields.size === 0) {
    if (root === undefined || body?.kind === 'binary' || (body?.kind === 'text' && typeof value !== 'string'))
      return undefined;
    return { [root.key]: value };
  }
  let inner = parseJsonText(value);
  for (const name of body?.wrap ?? []) inner = own(inner, name);
  if (!isObject(inner)) return undefined;
  // Fields that the file or the document hides from callers are not arguments.
  const fieldsNotShown = new Set(
    [...fixed.map(({ to }) => to), ...withheld].flatMap((target) =>
      target.in === 'body' ? target.at.slice(0, 1) : [],
    ),
  );
  const out = emptyMap<unknown>();
  const others = emptyMap<unknown>();
  for (const name of Object.keys(inner)) {
    const key = fields.get(name);
    if (fieldsNotShown.has(name)) continue;
    if (key !== undefined) out[key] = body?.encoding?.[name]?.file === true ? FILE : inner[name];
    else if (root !== undefined) others[name] = inner[name];
    else out[freeName(name, args)] = inner[name];
  }
  if (root !== undefined && Object.keys(others).length > 0) out[root.key] = others;
  return out;
}

const MAX_TEXT_CHARS = 50_000;

/** Many documents give a JSON body as text. */
export function parseJsonText(value: unknown): unknown {
  if (typeof value !== 'string' || value.length > MAX_TEXT_CHARS || !/^\s{0,100}\{/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** A body field without an argument must not be taken for an argument of the same name that goes elsewhere. */
function freeName(name: string, args: Endpoint['args']): string {
  return args.some(({ key }) => key === name) ? `body_${name}` : name;
}

/** Only what goes into the body is required, because the example has no parameters. */
function schemaOfBody({ inputSchema, args }: Endpoint): JsonSchema {
  if (!isObject(inputSchema)) return inputSchema;
  const others = new Set(
    args.filter(({ to }) => !to.some((target) => target.in.startsWith('body'))).map(({ key }) => key),
  );
  const required = Array.isArray(inputSchema.required) ? inputSchema.required.filter((key) => !others.has(key)) : [];
  return { ...inputSchema, required };
}

function schemaOfOne({ inputSchema }: Endpoint, key: string): JsonSchema {
  if (!isObject(inputSchema)) return inputSchema;
  const { $defs } = inputSchema;
  const properties = { [key]: ownSchema(inputSchema.properties, key) ?? {} };
  return { type: 'object', properties, additionalProperties: false, ...($defs === undefined ? {} : { $defs }) };
}
