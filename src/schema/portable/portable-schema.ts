// The advertised schema: what every client and provider accepts, within a size a model can read. Enforcement keeps the
// full one, so this only ever leaves things out or says them in words; it is stricter only where a place has no type: what
// is meant there follows from its other keywords or its example.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { OBJECT, typesOf } from '../json-types.ts';
import { type Reference, referencesIn, resolveRef } from '../references.ts';
import { anyOf, companions, conditionalWords, type RuleWords } from './constraint-words.ts';
import { withSentence, writeOut } from './description.ts';
import { OUT_OF_NODES, type Pass, type PortableNode, type Position, toNode } from './portable-node.ts';
import { SHORTENED } from './portable-scalar.ts';
import { foldObjects, formWords } from './portable-union.ts';
import { type Facts, gatherFacts, isAsked } from './schema-facts.ts';

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
  /** The argument whose items, if it is a list, are things to change: each shows what it is identified by. */
  readonly changes?: string | undefined;
}

/** 16,000 characters are below 5,000 tokens. */
const DEFAULTS: PortableOptions = { maxDepth: 4, maxChars: 16_000 };
const MAX_NODES = 600;
const MAX_TEXT = 300;
const SHORT_TEXT = 100;
/** One key outside this and Claude refuses every request of the session. */
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
  readonly #ladders = new Map<string, Ladder>();

  constructor(schema: JsonSchema, places: Pick<PortableOptions, 'body' | 'changes'> = {}) {
    const { facts, forms } = gatherRoot(schema);
    this.#root = schema;
    this.#facts = facts;
    this.#names = [...facts.properties.keys()].filter(
      (key) =>
        KEY.test(key) && key !== '__proto__' && !facts.properties.get(key)!.includes(false) && isAsked(facts, key),
    );
    this.#rules = [...facts.parts.flatMap(conditionalWords), ...forms];
    this.#places = places;
  }

  /** A step is an argument at one more level of depth: at most 600 nodes. */
  *fit(options: Partial<Pick<PortableOptions, 'maxDepth' | 'maxChars'>> = {}): Generator<void, PortableSchema> {
    const { maxDepth, maxChars } = { ...DEFAULTS, ...options };
    const facts = this.#facts;
    const properties = yield* this.#shrinkToFit(Math.max(1, maxDepth), maxChars);
    addCompanions(facts, properties);
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
    let args = yield* this.#leap(maxDepth);
    let sum = total(args);
    if (sum > maxChars) args = yield* this.#convert(maxDepth, MAX_TEXT);
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
      args = yield* this.#convert(1, text);
      sum = total(args);
    }
    if (sum > maxChars) return dropOptional(args, this.#facts, maxChars);
    return new Map(args.map((arg) => [arg.key, arg.versions.at(-1)!.node]));
  }

  /** Every argument as deep as it goes, and usually in no other version. */
  *#leap(maxDepth: number): Generator<void, Argument[]> {
    const args: Argument[] = [];
    for (const key of this.#names) {
      const ladder = this.#ladderOf(key, MAX_TEXT);
      const top = ladder.leap(maxDepth);
      yield;
      if (top === undefined) while (ladder.climb(maxDepth)) yield;
      args.push({ key, versions: top === undefined ? ladder.versions.slice(0, maxDepth) : [top] });
    }
    return args;
  }

  *#convert(maxDepth: number, maxText: number): Generator<void, Argument[]> {
    const args: Argument[] = [];
    for (const key of this.#names) {
      const ladder = this.#ladderOf(key, maxText);
      while (ladder.climb(maxDepth)) yield;
      args.push({ key, versions: ladder.versions.slice(0, maxDepth) });
    }
    return args;
  }

  #ladderOf(key: string, maxText: number): Ladder {
    const id = `${maxText} ${key}`;
    let ladder = this.#ladders.get(id);
    if (ladder === undefined) {
      const { body, changes } = this.#places;
      const at = { depth: 1, level: 2, arrays: 0, whole: key === body, changes: key === changes };
      ladder = ladderFor(this.#root, this.#facts.properties.get(key)!, at, maxText);
      this.#ladders.set(id, ladder);
    }
    return ladder;
  }
}

/** Any other schema in portable form, for example one field, or an answer that is an array. */
export function toPortableNode(schema: JsonSchema): PortableNode {
  const at = { depth: 0, level: 1, arrays: 0 };
  const ladder = ladderFor(schema, [schema], at, MAX_TEXT);
  while (ladder.climb(DEFAULTS.maxDepth));
  const { versions } = ladder;
  return writeOut(versions.findLast(({ size }) => size <= DEFAULTS.maxChars)?.node ?? versions[0]!.node);
}

/** A composition at the root is refused by Claude: its branches become fields of the one object. */
function gatherRoot(schema: JsonSchema): { readonly facts: Facts; readonly forms: readonly RuleWords[] } {
  const facts = gatherFacts(schema, [schema]);
  const folds = facts.unions.map((branches) =>
    foldObjects(
      schema,
      branches.filter((branch) => typesOf(schema, branch) & OBJECT),
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

/** One argument and the ways to show it, shallowest first; the last one counts. */
interface Argument {
  readonly key: string;
  readonly versions: Version[];
}

function sizeOf({ key, versions }: Argument): number {
  return versions.at(-1)!.size + key.length + 4;
}

/** A ladder, and what the references of its schema led to when it was set up. */
interface SharedLadder {
  readonly ladder: Ladder;
  readonly references: readonly Reference[];
}

/**
 * Operations share parameters and body schemas, so most drafts have already been made for another operation. They are kept by
 * schema and position, and are valid wherever the references lead to the same targets.
 */
const laddersBySchema = new WeakMap<object, Map<string, SharedLadder>>();

function ladderFor(root: JsonSchema, schemas: readonly JsonSchema[], at: Position, maxText: number): Ladder {
  const [schema, ...others] = schemas;
  if (!isObject(schema) || others.length > 0) return new Ladder(root, schemas, at, maxText);
  const positions = laddersBySchema.get(schema) ?? new Map<string, SharedLadder>();
  laddersBySchema.set(schema, positions);
  const position = `${at.depth} ${at.level} ${at.whole} ${at.changes} ${maxText}`;
  const earlier = positions.get(position);
  if (earlier?.references.every(([ref, target]) => resolveRef(root, ref) === target)) return earlier.ladder;
  const ladder = new Ladder(root, schemas, at, maxText);
  const references = referencesIn(root, schema);
  if (references !== undefined) positions.set(position, { ladder, references });
  return ladder;
}

/** Versions of one place, each a level deeper, as long as something was left out and there are nodes left. */
class Ladder {
  readonly versions: Version[] = [];
  readonly #root: JsonSchema;
  readonly #schemas: readonly JsonSchema[];
  readonly #at: Position;
  readonly #maxText: number;
  #isWhole = false;
  /** What a leap gave: the version that stands at `depth`, if it is known. */
  #top: (Pick<Pass, 'depths'> & { limit: number; depth: number; version: Version | undefined }) | undefined;

  constructor(root: JsonSchema, schemas: readonly JsonSchema[], at: Position, maxText: number) {
    this.#root = root;
    this.#schemas = schemas;
    this.#at = at;
    this.#maxText = maxText;
  }

  /** Makes the next version, up to this depth; false: there is none to make. */
  climb(deepest: number): boolean {
    const maxDepth = this.versions.length + 1;
    if (this.#isWhole || maxDepth > deepest) return false;
    const isThere = this.#top?.version !== undefined && this.#top.depth === maxDepth;
    const { depths, version } = isThere ? this.#top! : this.#show(maxDepth);
    if (version !== undefined) this.versions.push(version);
    this.#isWhole = version === undefined || (depths & (1 << maxDepth)) === 0;
    return true;
  }

  /**
   * The version at which climbing to this depth would end, without the ones below it, which only matter where it is too large
   * (all tools of Stripe: 11,700 nodes instead of 14,700). Undefined: only climbing can tell.
   */
  leap(deepest: number): Version | undefined {
    if (this.versions.length > 0) return undefined;
    if (this.#top?.limit === deepest) return this.#top.version;
    const { depths, version, apart } = this.#show(deepest);
    // Climbing ends at the first depth without fields. Where there are some below (in the values of a map), it misses them.
    let end = 1;
    while (end < deepest && depths & (1 << end)) end++;
    const isEnd = version !== undefined && !apart && depths >> (end + 1) === 0;
    this.#top = { limit: deepest, depth: end, depths, version: isEnd ? version : undefined };
    return this.#top.version;
  }

  /** One version; none where a deeper one than the first has too many nodes. */
  #show(maxDepth: number): Pick<Pass, 'depths' | 'apart'> & { readonly version: Version | undefined } {
    const pass: Pass = {
      root: this.#root,
      maxDepth,
      maxText: this.#maxText,
      nodes: MAX_NODES,
      strict: maxDepth > 1,
      depths: 0,
      apart: false,
      path: [],
    };
    try {
      const node = toNode(pass, this.#schemas, this.#at);
      return { depths: pass.depths, apart: pass.apart, version: { node, size: JSON.stringify(node).length } };
    } catch (error) {
      if (error !== OUT_OF_NODES) throw error;
      return { depths: pass.depths, apart: pass.apart, version: undefined };
    }
  }
}

/** Hundreds of arguments: the required ones and as many others as fit, and a word on the rest. */
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

/** For an optional body with required fields: the argument's text says which others require it. */
function addCompanions(facts: Facts, properties: Map<string, PortableNode>): void {
  for (const [name, others] of companions(facts.parts, (key) => properties.has(key))) {
    const node = properties.get(name);
    if (node === undefined) continue;
    properties.set(name, withSentence(node, `Required with ${anyOf(others)}`));
  }
}

/** What the root says about several arguments at once is written on those it concerns. */
function addRootWords(rules: readonly RuleWords[], properties: Map<string, PortableNode>): void {
  for (const { sentence, names } of rules) {
    const keys = [...properties.keys()].filter((key) => names.includes(key));
    for (const key of keys.slice(0, 4)) properties.set(key, withSentence(properties.get(key)!, sentence));
  }
}
