// Arguments that an operation takes, made from its schema: what it must have, and beside that as much as fits. Its own
// validator has the last word, so that what a judge refuses afterwards was sent in good faith.
import fc from 'fast-check';
import type { Args, Endpoint } from '../../../src/endpoint/model.ts';
import { createSchemaValidator } from '../../../src/schema/check/validator.ts';
import { exampleCalls } from '../../../src/schema/example-calls.ts';

type Node = Record<string, unknown>;

export interface SampleCall {
  readonly kind: 'least' | 'most' | 'example';
  readonly arguments: Args;
}

const MAX_DEPTH = 6;
const MAX_ARGUMENTS = 40;
const MAX_EXAMPLES = 3;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value);

/** None where no arguments were found that the operation takes. */
export function sampleCalls(endpoint: Endpoint): readonly SampleCall[] {
  const schema = endpoint.inputSchema;
  if (!isNode(schema)) return [];
  const validate = createSchemaValidator(schema, { longIntegers: true });
  const fits = (args: Args) => {
    try {
      validate(endpoint.toolName, args);
      return true;
    } catch {
      return false;
    }
  };
  const properties = isNode(schema.properties) ? schema.properties : {};
  const make = (key: string) => sampleValue(properties[key], schema, 0);
  const required = new Set(Array.isArray(schema.required) ? (schema.required as string[]) : []);
  const least = Object.fromEntries([...required].map((key) => [key, make(key)]));
  const offered = endpoint.args.filter(({ readOnly }) => readOnly !== true).map(({ key }) => key);
  let most: Args = least;
  for (const key of offered.filter((name) => !required.has(name)).slice(0, MAX_ARGUMENTS)) {
    const more = { ...most, [key]: make(key) };
    // Where what is required is not enough (one of two), the first that completes it is taken.
    if (fits(more) || !fits(most)) most = more;
  }
  const calls: SampleCall[] = [];
  if (fits(least)) calls.push({ kind: 'least', arguments: least });
  if (fits(most) && Object.keys(most).length > required.size) calls.push({ kind: 'most', arguments: most });
  for (const { kind, arguments: args } of exampleCalls(endpoint)) {
    if (calls.filter((call) => call.kind === 'example').length === MAX_EXAMPLES) break;
    const example = { ...least, ...args };
    if (kind === 'body' && fits(example)) calls.push({ kind: 'example', arguments: example });
  }
  return calls;
}

function sampleValue(schema: unknown, root: Node, depth: number): unknown {
  const node = settle(schema, root);
  if (node === undefined || depth > MAX_DEPTH) return 'text';
  if ('const' in node) return node.const;
  if (Array.isArray(node.enum) && node.enum.length > 0) return node.enum.find((value) => value !== null) ?? null;
  for (const word of ['oneOf', 'anyOf']) {
    const branches = node[word];
    if (!Array.isArray(branches) || branches.length === 0 || isRequiredOnly(branches, node)) continue;
    const { [word]: _, ...others } = node;
    const branch = branches.find((one) => settle(one, root)?.type !== 'null') ?? branches[0];
    return sampleValue({ ...others, allOf: [...((others.allOf as unknown[]) ?? []), branch] }, root, depth);
  }
  const type = [node.type].flat().find((name) => name !== 'null') ?? guessType(node);
  if (type === 'object') return sampleObject(node, root, depth);
  if (type === 'array') {
    const length = Math.max(1, Number(node.minItems ?? 0));
    if (Number(node.maxItems ?? 1) === 0 || length > 20) return [];
    return Array.from({ length }, (_, index) => {
      const item = sampleValue(node.items ?? {}, root, depth + 1);
      return node.uniqueItems === true && typeof item === 'string' && index > 0 ? `${item}${index}` : item;
    });
  }
  if (type === 'integer' || type === 'number') return sampleNumber(node, type);
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  return sampleString(node);
}

/** `anyOf: [{required: [id]}, {required: [name]}]`: sampleObject knows them. */
function isRequiredOnly(branches: readonly unknown[], node: Node): boolean {
  return (
    isNode(node.properties) && branches.every((one) => isNode(one) && Object.keys(one).every((k) => k === 'required'))
  );
}

function guessType(node: Node): string {
  if (isNode(node.properties) || isNode(node.additionalProperties)) return 'object';
  return node.items === undefined ? 'string' : 'array';
}

/** The schema behind references, with its `allOf` laid over it. */
function settle(schema: unknown, root: Node): Node | undefined {
  let node = schema;
  for (let hops = 0; hops < 20 && isNode(node) && typeof node.$ref === 'string'; hops++) {
    const { $ref, ...others } = node;
    const target = ($ref as string)
      .split('/')
      .slice(1)
      .reduce<unknown>(
        (value, key) => (value as Node | undefined)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')],
        root,
      );
    node = isNode(target) ? { ...target, ...others } : {};
  }
  if (!isNode(node)) return node === undefined || node === false ? undefined : {};
  if (!Array.isArray(node.allOf)) return node;
  const { allOf, ...own } = node;
  let merged: Node = own;
  for (const part of allOf as unknown[]) {
    const other = settle(part, root);
    if (other === undefined) continue;
    const properties = { ...(other.properties as Node), ...(merged.properties as Node) };
    const required = [...new Set([...((merged.required as string[]) ?? []), ...((other.required as string[]) ?? [])])];
    merged = {
      ...other,
      ...merged,
      ...(Object.keys(properties).length > 0 && { properties }),
      ...(required.length > 0 && { required }),
    };
  }
  return merged;
}

function sampleObject(node: Node, root: Node, depth: number): Node {
  const properties = isNode(node.properties) ? node.properties : {};
  if ('base64' in properties && 'filename' in properties) return { filename: 'note.txt', text: 'hello' };
  const names = new Set((node.required as string[]) ?? []);
  // Two levels of what is optional: enough to see how it is written.
  if (depth < 2) for (const name of Object.keys(properties).slice(0, 12)) names.add(name);
  const choices = [node.oneOf, node.anyOf].flat().filter(isNode);
  for (const { required } of choices) for (const name of (required as string[]) ?? []) names.delete(name);
  for (const name of (choices[0]?.required as string[]) ?? []) names.add(name);
  const value = Object.fromEntries(
    [...names]
      .filter((name) => settle(properties[name], root)?.readOnly !== true)
      .map((name) => [name, sampleValue(properties[name] ?? {}, root, depth + 1)]),
  );
  if (Object.keys(value).length < Number(node.minProperties ?? 0))
    value.key = sampleValue(node.additionalProperties ?? {}, root, depth + 1);
  return value;
}

function sampleNumber(node: Node, type: 'integer' | 'number'): number {
  const step = typeof node.multipleOf === 'number' ? node.multipleOf : type === 'integer' ? 1 : 0.5;
  const least = Number(
    node.minimum ?? (node.exclusiveMinimum === undefined ? step : Number(node.exclusiveMinimum) + step),
  );
  const most = Number(
    node.maximum ?? (node.exclusiveMaximum === undefined ? least : Number(node.exclusiveMaximum) - step),
  );
  return Math.ceil(Math.min(Math.max(least, Math.min(step, most)), most) / step) * step;
}

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  time: '12:00:00Z',
  email: 'ada@example.com',
  uuid: '7f3c1a52-5c3e-4c53-9a55-0a8f3c1d2b4e',
  uri: 'https://example.com/a',
  url: 'https://example.com/a',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  byte: 'aGVsbG8=',
  duration: 'P1D',
};
const SEED = 12;

function sampleString(node: Node): string {
  const format = FORMATS[String(node.format)];
  if (typeof node.pattern === 'string') return samplePattern(node.pattern, format);
  const text = format ?? 'text';
  const least = Number(node.minLength ?? 0);
  return text.padEnd(least, 'x').slice(0, Math.max(least, Number(node.maxLength ?? text.length)));
}

function samplePattern(pattern: string, format: string | undefined): string {
  let expression: RegExp;
  try {
    expression = new RegExp(pattern, 'u');
  } catch {
    return format ?? 'text';
  }
  const plain = [format, 'text', 'Text1', '1', '12', 'a/b', 'v1.0', 'AA'].find(
    (text) => text !== undefined && expression.test(text),
  );
  if (plain !== undefined) return plain;
  try {
    return fc.sample(fc.stringMatching(expression), { seed: SEED, numRuns: 1 })[0]!;
  } catch {
    return 'text';
  }
}
