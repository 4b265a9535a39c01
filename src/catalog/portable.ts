// The advertised schema: what every client and provider accepts, within a size a model can read. Enforcement keeps the
// full one, so this only ever leaves things out or says them in words; it is never stricter.
import type { JsonSchema } from '../endpoint/model.ts';
import { OBJECT, typesOf } from '../orchestration/validation/schema-view.ts';
import { type Facts, gatherFacts } from './portable/facts.ts';
import { type Pass, type PortableNode, toNode } from './portable/node.ts';
import { foldObjects, formWords } from './portable/union.ts';
import { dependencyWords } from './portable/words.ts';

export type { PortableNode } from './portable/node.ts';

export interface PortableSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, PortableNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties: false;
}

export interface PortableOptions {
  /** Levels of nested objects shown. Default 4. */
  readonly maxDepth?: number;
  /** Size of the schema as JSON, in characters. Default 16,000: below 5,000 tokens. */
  readonly maxChars?: number;
  /** Keep `null` on optional fields, for bodies where it clears a value. Default false. */
  readonly keepNull?: boolean;
  /** Said where nested fields are left out, without full stop. */
  readonly more?: string;
}

const MAX_DEPTH = 4;
const MAX_CHARS = 16_000;
const MAX_NODES = 600;
const MAX_TEXT = 300;
const MORE = 'Shortened here; a refused call names what is wrong';
/** Claude's rule for top-level keys and Gemini's for parameter names, together. */
const KEY = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** The arguments of a tool as an object schema that every client accepts. */
export function toPortableSchema(schema: JsonSchema, options: PortableOptions = {}): PortableSchema {
  const { facts, forms } = gatherRoot(schema);
  const names = [...facts.properties.keys()].filter(
    (key) => KEY.test(key) && key !== '__proto__' && !facts.properties.get(key)!.includes(false),
  );
  const required = names.filter((key) => facts.required.has(key));
  const properties = shrinkToFit(schema, facts, names, options);
  addRootWords([...facts.parts.flatMap(dependencyWords), ...forms], properties);
  const shown = required.filter((key) => properties.has(key));
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(shown.length > 0 && { required: shown }),
    additionalProperties: false,
  };
}

/** Any other schema in portable form, for example one field, or an answer that is an array. */
export function toPortableNode(schema: JsonSchema, options: PortableOptions = {}): PortableNode {
  for (let depth = options.maxDepth ?? MAX_DEPTH; ; depth--) {
    const pass = createPass(schema, depth, MAX_TEXT, options);
    const node = toNode(pass, [schema], { depth: 0, arrays: 0, nullable: true });
    if (depth <= 1 || (!pass.over && JSON.stringify(node).length <= (options.maxChars ?? MAX_CHARS))) return node;
  }
}

/** A composition at the root is refused by Claude: its branches become fields of the one object. */
function gatherRoot(schema: JsonSchema): { readonly facts: Facts; readonly forms: readonly string[] } {
  const facts = gatherFacts(schema, [schema]);
  const folded = facts.unions.map((branches) =>
    foldObjects(
      schema,
      branches.filter((branch) => typesOf(schema, branch) & OBJECT),
    ),
  );
  return {
    facts: folded.length === 0 ? facts : gatherFacts(schema, [schema, ...folded.map((each) => each.schema)]),
    forms: folded.flatMap((each) => formWords(each.forms)),
  };
}

interface Argument {
  readonly key: string;
  depth: number;
  text: number;
  node: PortableNode;
  size: number;
}

/** Every argument at full depth; then, while it is too much, the largest one a level shallower; then less text. */
function shrinkToFit(
  root: JsonSchema,
  facts: Facts,
  names: readonly string[],
  options: PortableOptions,
): Map<string, PortableNode> {
  const maxChars = options.maxChars ?? MAX_CHARS;
  const convert = (key: string, depth: number, text: number): Argument => {
    const pass = createPass(root, depth, text, options);
    const nullable = pass.keepNull || facts.required.has(key);
    const node = toNode(pass, facts.properties.get(key)!, { depth: 1, arrays: 0, nullable });
    if (pass.over && depth > 1) return convert(key, depth - 1, text);
    return { key, depth, text, node, size: JSON.stringify(node).length + key.length + 4 };
  };
  let args = names.map((key) => convert(key, Math.max(1, options.maxDepth ?? MAX_DEPTH), MAX_TEXT));
  const total = (): number => args.reduce((sum, { size }) => sum + size, 0);
  for (let sum = total(); sum > maxChars; sum = total()) {
    const deepest = args.reduce<Argument | undefined>(
      (most, arg) => (arg.depth > 1 && arg.size > (most?.size ?? 0) ? arg : most),
      undefined,
    );
    if (deepest) {
      args = args.map((arg) => (arg === deepest ? convert(arg.key, arg.depth - 1, arg.text) : arg));
      continue;
    }
    const longest = Math.max(...args.map(({ text }) => text));
    if (longest === 0) return dropOptional(args, facts, maxChars, options);
    args = args.map((arg) => convert(arg.key, 1, longest > 100 ? 100 : 0));
  }
  return new Map(args.map(({ key, node }) => [key, node]));
}

/** Hundreds of arguments: the required ones and as many others as fit, and a word on the rest. */
function dropOptional(
  args: readonly Argument[],
  facts: Facts,
  maxChars: number,
  options: PortableOptions,
): Map<string, PortableNode> {
  const kept = new Set(args.filter(({ key }) => facts.required.has(key)));
  let used = [...kept].reduce((sum, { size }) => sum + size, 0);
  for (const arg of args) {
    if (kept.has(arg) || used + arg.size > maxChars) continue;
    used += arg.size;
    kept.add(arg);
  }
  const shown = args.filter((arg) => kept.has(arg));
  const properties = new Map(shown.map(({ key, node }) => [key, node]));
  const last = shown.at(-1);
  if (last && shown.length < args.length) {
    const hidden = args.length - shown.length;
    properties.set(
      last.key,
      addText(last.node, `${hidden} more optional arguments are not listed. ${options.more ?? MORE}.`),
    );
  }
  return properties;
}

function createPass(root: JsonSchema, maxDepth: number, maxText: number, options: PortableOptions): Pass {
  return {
    root,
    maxDepth,
    maxText,
    more: options.more ?? MORE,
    keepNull: options.keepNull ?? false,
    nodes: MAX_NODES,
    over: false,
    path: [],
  };
}

/** What the root says about several arguments at once is written on those it concerns. */
function addRootWords(sentences: readonly string[], properties: Map<string, PortableNode>): void {
  for (const sentence of sentences) {
    const words = new Set(sentence.split(/[^A-Za-z0-9_]+/));
    const concerned = [...properties.keys()].filter((key) => words.has(key));
    for (const key of concerned.slice(0, 4)) properties.set(key, addText(properties.get(key)!, `${sentence}.`));
  }
}

function addText(node: PortableNode, sentence: string): PortableNode {
  if (Array.isArray(node.anyOf)) {
    const [first, ...others] = node.anyOf as PortableNode[];
    return { anyOf: [addText(first!, sentence), ...others] };
  }
  const own = typeof node.description === 'string' ? node.description : '';
  return { ...node, description: own === '' ? sentence : `${/[.!?…]$/.test(own) ? own : `${own}.`} ${sentence}` };
}
