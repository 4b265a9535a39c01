// Schemas told in one line: what a call takes and what an answer looks like.
import { isObject } from '../../endpoint/is-object.ts';
import type { Endpoint, JsonSchema } from '../../endpoint/model.ts';
import { resolveRef } from '../../schema/references.ts';

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
export function toShape(schema: JsonSchema | undefined): string | undefined {
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

/** Follows local references; undefined where they go round in circles. */
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
