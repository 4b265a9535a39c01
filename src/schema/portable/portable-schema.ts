// The advertised schema: what every client and provider accepts, within a size a model can read. The full schema is enforced, so this
// one only leaves things out or replaces them by sentences. It is stricter only where a place has no type: its other keywords or its example
// then show what is meant.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { OBJECT, possibleTypes } from '../json-types.ts';
import { type Reference, referencesIn, resolveRef } from '../references.ts';
import { anyOf, conditionalWords, listRequiredWith, type RuleWords } from './constraint-words.ts';
import { withSentence, writeOut } from './description.ts';
import { type NodePosition, OUT_OF_NODES, type Pass, type PortableNode, toNode } from './portable-node.ts';
import { SHORTENED } from './portable-scalar.ts';
import { foldObjects, formWords } from './portable-union.ts';
import { type Facts, gatherFacts, isSetByCaller } from './schema-facts.ts';

export type { PortableNode } from './portable-node.ts';

export interface PortableSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, PortableNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties: false;
}

export interface PortableOptions {
  /** Levels of nested objects shown. */
  readonly maxDepth: number;
  /** Size of the schema as JSON, in characters. */
  readonly maxChars: number;
  /** The argument that is a whole body: its readOnly fields are hidden like readOnly arguments. */
  readonly body?: string | undefined;
  /** The argument whose items, if it is a list, are things to change: each item shows its id. */
  readonly changes?: string | undefined;
}

/** 16,000 characters are below 5,000 tokens. */
const DEFAULTS: PortableOptions = { maxDepth: 4, maxChars: 16_000 };
const MAX_NODES = 600;
const MAX_TEXT = 300;
const SHORT_TEXT = 100;
/** If one key does not match, Claude refuses every request of the session. */
const KEY = /^[a-zA-Z0-9_.-]{1,64}$/;

/** The arguments of a tool as an object schema that every client accepts. */
export function toPortableSchema(schema: JsonSchema, options: Partial<PortableOptions> = {}): PortableSchema {
  const draft = draftPortableSchema(schema, options);
  const properties = Object.entries(draft.properties).map(([key, node]) => [key, writeOut(node)] as const);
  return { ...draft, properties: Object.fromEntries(properties) };
}

/** The same with descriptions still in parts, for callers that shorten them. */
export function draftPortableSchema(schema: JsonSchema, options: Partial<PortableOptions> = {}): PortableSchema {
  const steps = new PortableDraft(schema, options).fit(options);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** One schema of arguments, fitted to any number of sizes and depths; later fits reuse the work of earlier ones. */
export class PortableDraft {
  readonly #root: JsonSchema;
  readonly #facts: Facts;
  readonly #names: readonly string[];
  readonly #rules: readonly RuleWords[];
  readonly #places: Pick<PortableOptions, 'body' | 'changes'>;
  /** By argument and by how much of its text is shown. */
  readonly #reducers = new Map<string, SchemaReducer>();

  constructor(schema: JsonSchema, places: Pick<PortableOptions, 'body' | 'changes'> = {}) {
    const { facts, forms } = gatherRoot(schema);
    this.#root = schema;
    this.#facts = facts;
    this.#names = [...facts.properties.keys()].filter(
      (key) =>
        KEY.test(key) &&
        key !== '__proto__' &&
        !facts.properties.get(key)!.includes(false) &&
        isSetByCaller(facts, key),
    );
    this.#rules = [...facts.parts.flatMap(conditionalWords), ...forms];
    this.#places = places;
  }

  /** A step is an argument at one more level of depth: at most 600 nodes. */
  *fit(options: Partial<Pick<PortableOptions, 'maxDepth' | 'maxChars'>> = {}): Generator<void, PortableSchema> {
    const { maxDepth, maxChars } = { ...DEFAULTS, ...options };
    const facts = this.#facts;
    const properties = yield* this.#shrinkToFit(Math.max(1, maxDepth), maxChars);
    addRequiredWith(facts, properties);
    addRootWords(this.#rules, properties);
    const required = this.#names.filter((key) => facts.required.has(key) && properties.has(key));
    return {
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    };
  }

  /** Every argument as deep as it goes; then, while that is too much, the largest one a level shallower; then less text. */
  *#shrinkToFit(maxDepth: number, maxChars: number): Generator<void, Map<string, PortableNode>> {
    const total = (some: Iterable<Argument>): number => [...some].reduce((sum, arg) => sum + sizeOf(arg), 0);
    let args = yield* this.#showDeepest(maxDepth);
    let sum = total(args);
    if (sum > maxChars) args = yield* this.#showAllDepths(maxDepth, MAX_TEXT);
    while (sum > maxChars) {
      const largest = args.reduce<Argument | undefined>(
        (most, arg) => (arg.versions.length > 1 && sizeOf(arg) > (most ? sizeOf(most) : 0) ? arg : most),
        undefined,
      );
      if (largest === undefined) break;
      sum -= sizeOf(largest);
      largest.versions.pop();
      sum += sizeOf(largest);
    }
    for (const text of [SHORT_TEXT, 0]) {
      if (sum <= maxChars) break;
      args = yield* this.#showAllDepths(1, text);
      sum = total(args);
    }
    if (sum > maxChars) return dropOptional(args, this.#facts, maxChars);
    return new Map(args.map((arg) => [arg.key, arg.versions.at(-1)!.node]));
  }

  /** Every argument as deep as it goes, usually without its shallower versions. */
  *#showDeepest(maxDepth: number): Generator<void, Argument[]> {
    const args: Argument[] = [];
    for (const key of this.#names) {
      const reducer = this.#reducerOf(key, MAX_TEXT);
      const deepest = reducer.findDeepest(maxDepth);
      yield;
      if (deepest === undefined) while (reducer.addVersion(maxDepth)) yield;
      args.push({ key, versions: deepest === undefined ? reducer.versions.slice(0, maxDepth) : [deepest] });
    }
    return args;
  }

  *#showAllDepths(maxDepth: number, maxText: number): Generator<void, Argument[]> {
    const args: Argument[] = [];
    for (const key of this.#names) {
      const reducer = this.#reducerOf(key, maxText);
      while (reducer.addVersion(maxDepth)) yield;
      args.push({ key, versions: reducer.versions.slice(0, maxDepth) });
    }
    return args;
  }

  #reducerOf(key: string, maxText: number): SchemaReducer {
    const id = `${maxText} ${key}`;
    let reducer = this.#reducers.get(id);
    if (reducer === undefined) {
      const { body, changes } = this.#places;
      const at = { depth: 1, level: 2, arrays: 0, whole: key === body, changes: key === changes };
      reducer = reducerFor(this.#root, this.#facts.properties.get(key)!, at, maxText);
      this.#reducers.set(id, reducer);
    }
    return reducer;
  }
}

/** Any other schema in portable form, for example one field, or an answer that is an array. */
export function toPortableNode(schema: JsonSchema): PortableNode {
  const at = { depth: 0, level: 1, arrays: 0 };
  const reducer = reducerFor(schema, [schema], at, MAX_TEXT);
  while (reducer.addVersion(DEFAULTS.maxDepth));
  const { versions } = reducer;
  return writeOut(versions.findLast(({ size }) => size <= DEFAULTS.maxChars)?.node ?? versions[0]!.node);
}

/** A composition at the root is refused by Claude: its branches become fields of the one object. */
function gatherRoot(schema: JsonSchema): { readonly facts: Facts; readonly forms: readonly RuleWords[] } {
  const facts = gatherFacts(schema, [schema]);
  const folds = facts.unions.map((branches) =>
    foldObjects(
      schema,
      branches.filter((branch) => possibleTypes(schema, branch) & OBJECT),
    ),
  );
  return {
    facts: folds.length === 0 ? facts : gatherFacts(schema, [schema, ...folds.map((each) => each.schema)]),
    forms: folds.flatMap((each) => formWords(each.forms) ?? []),
  };
}

interface Version {
  readonly node: PortableNode;
  readonly size: number;
}

/** One argument and the ways to show it, shallowest first; the last one is used. */
interface Argument {
  readonly key: string;
  readonly versions: Version[];
}

function sizeOf({ key, versions }: Argument): number {
  return versions.at(-1)!.size + key.length + 4;
}

/** A reducer, and what the references of its schema led to when it was made. */
interface CachedReducer {
  readonly reducer: SchemaReducer;
  readonly references: readonly Reference[];
}

/**
 * Operations share parameters and body schemas, so most drafts have already been made for another operation. They are kept by
 * schema and position, and are valid wherever the references lead to the same targets.
 */
const reducersBySchema = new WeakMap<object, Map<string, CachedReducer>>();

function reducerFor(
  root: JsonSchema,
  schemas: readonly JsonSchema[],
  at: NodePosition,
  maxText: number,
): SchemaReducer {
  const [schema, ...others] = schemas;
  if (!isObject(schema) || others.length > 0) return new SchemaReducer(root, schemas, at, maxText);
  const positions = reducersBySchema.get(schema) ?? new Map<string, CachedReducer>();
  reducersBySchema.set(schema, positions);
  const position = `${at.depth} ${at.level} ${at.whole} ${at.changes} ${maxText}`;
  const earlier = positions.get(position);
  if (earlier?.references.every(([ref, target]) => resolveRef(root, ref) === target)) return earlier.reducer;
  const reducer = new SchemaReducer(root, schemas, at, maxText);
  const references = referencesIn(root, schema);
  if (references !== undefined) positions.set(position, { reducer, references });
  return reducer;
}

/** Versions of one place, each a level deeper, as long as something was left out and there are nodes left. */
class SchemaReducer {
  readonly versions: Version[] = [];
  readonly #root: JsonSchema;
  readonly #schemas: readonly JsonSchema[];
  readonly #at: NodePosition;
  readonly #maxText: number;
  #isComplete = false;
  /** What findDeepest() found up to `limit`: the version that belongs at `depth`, if there is one. */
  #deepest: (Pick<Pass, 'depths'> & { limit: number; depth: number; version: Version | undefined }) | undefined;

  constructor(root: JsonSchema, schemas: readonly JsonSchema[], at: NodePosition, maxText: number) {
    this.#root = root;
    this.#schemas = schemas;
    this.#at = at;
    this.#maxText = maxText;
  }

  /** Adds the next deeper version, up to `maxDepth`; false if there is none. */
  addVersion(maxDepth: number): boolean {
    const depth = this.versions.length + 1;
    if (this.#isComplete || depth > maxDepth) return false;
    const isKnown = this.#deepest?.version !== undefined && this.#deepest.depth === depth;
    const { depths, version } = isKnown ? this.#deepest! : this.#show(depth);
    if (version !== undefined) this.versions.push(version);
    this.#isComplete = version === undefined || (depths & (1 << depth)) === 0;
    return true;
  }

  /**
   * The last version that addVersion() would add up to this depth, without the shallower ones, which matter only if it is too
   * large (all tools of Stripe: 11,700 nodes instead of 14,700). Undefined if only addVersion() can determine it.
   */
  findDeepest(maxDepth: number): Version | undefined {
    if (this.versions.length > 0) return undefined;
    if (this.#deepest?.limit === maxDepth) return this.#deepest.version;
    const { depths, version, hasUnfoldedUnion } = this.#show(maxDepth);
    // addVersion() ends at the first depth without fields. Fields below that (in the values of a map) are not reached.
    let depth = 1;
    while (depth < maxDepth && depths & (1 << depth)) depth++;
    const isLast = version !== undefined && !hasUnfoldedUnion && depths >> (depth + 1) === 0;
    this.#deepest = { limit: maxDepth, depth, depths, version: isLast ? version : undefined };
    return this.#deepest.version;
  }

  /** One version; undefined for a deeper one than the first that has too many nodes. */
  #show(maxDepth: number): Pick<Pass, 'depths' | 'hasUnfoldedUnion'> & { readonly version: Version | undefined } {
    const pass: Pass = {
      root: this.#root,
      maxDepth,
      maxText: this.#maxText,
      nodes: MAX_NODES,
      strict: maxDepth > 1,
      depths: 0,
      hasUnfoldedUnion: false,
      path: [],
    };
    try {
      const node = toNode(pass, this.#schemas, this.#at);
      return {
        depths: pass.depths,
        hasUnfoldedUnion: pass.hasUnfoldedUnion,
        version: { node, size: JSON.stringify(node).length },
      };
    } catch (error) {
      if (error !== OUT_OF_NODES) throw error;
      return { depths: pass.depths, hasUnfoldedUnion: pass.hasUnfoldedUnion, version: undefined };
    }
  }
}

/** For hundreds of arguments: keeps the required ones and as many others as fit, and adds a note on the rest. */
function dropOptional(args: readonly Argument[], facts: Facts, maxChars: number): Map<string, PortableNode> {
  const choice = new Set(args.filter(({ key }) => facts.required.has(key)));
  let size = [...choice].reduce((sum, arg) => sum + sizeOf(arg), 0);
  for (const arg of args) {
    if (choice.has(arg) || size + sizeOf(arg) > maxChars) continue;
    size += sizeOf(arg);
    choice.add(arg);
  }
  const selection = args.filter((arg) => choice.has(arg));
  const properties = new Map(selection.map(({ key, versions }) => [key, versions.at(-1)!.node]));
  const last = selection.at(-1);
  if (last && selection.length < args.length) {
    const sentence = `${args.length - selection.length} more optional arguments are not listed. ${SHORTENED}`;
    properties.set(last.key, withSentence(properties.get(last.key)!, sentence));
  }
  return properties;
}

/** For an optional body with required fields: the argument's text names the others that require it. */
function addRequiredWith(facts: Facts, properties: Map<string, PortableNode>): void {
  for (const [name, others] of listRequiredWith(facts.parts, (key) => properties.has(key))) {
    const node = properties.get(name);
    if (node === undefined) continue;
    properties.set(name, withSentence(node, `Required with ${anyOf(others)}`));
  }
}

/** Rules of the root about several arguments are described at those arguments. */
function addRootWords(rules: readonly RuleWords[], properties: Map<string, PortableNode>): void {
  for (const { sentence, names } of rules) {
    const keys = [...properties.keys()].filter((key) => names.includes(key));
    for (const key of keys.slice(0, 4)) properties.set(key, withSentence(properties.get(key)!, sentence));
  }
}
