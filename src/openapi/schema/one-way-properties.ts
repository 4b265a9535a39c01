// Properties that travel one way: readOnly ones in answers, writeOnly ones in requests. The specification says SHOULD NOT, so in
// the other direction they are not asked for and not required. A request that has them is sent, because nested ones often
// identify a thing (`service: {id, type}`).
import { isObject } from '../../endpoint/is-object.ts';
import { listAt, type Node, nodeAt } from '../../endpoint/untrusted.ts';
import { NAMED_CONDITIONS, UNIONS } from '../../schema/keywords.ts';
import type { SourceDocument } from '../source/documents.ts';
import { type Follow, orNothing, type Place } from '../source/resolve.ts';
import type { OneWayWords } from '../source/survey.ts';
import { requiredIn } from './odd-schemas.ts';
import { hidesSiblings, refOf } from './schema-refs.ts';

/** Requests do without readOnly properties, responses without writeOnly ones. */
export type Direction = 'request' | 'response';

/** What a schema and all it is composed of say about the names of one object. */
interface Names {
  /** Declared one-way somewhere, variants included. */
  readonly oneWay: Set<string>;
  /** Also declared without the keyword, for every value: then it is an ordinary field. */
  readonly bothWays: Set<string>;
  readonly required: Set<string>;
}

/** A schema, and whether what it says holds for every value of the object. */
interface Part {
  readonly document: SourceDocument;
  readonly schema: unknown;
  readonly always: boolean;
}

const MAX_DEPTH = 16;
/** Schemas looked at for one property, and for one object. */
const MAX_PROPERTY_SCHEMAS = 100;
const MAX_OBJECT_SCHEMAS = 2_000;
/** Limit for all objects of a document; beyond it, only the nearest schemas of each are read. */
const MAX_ALL_SCHEMAS = 400_000;
const MIN_OBJECT_SCHEMAS = 50;
const NO_NAMES: ReadonlySet<string> = new Set();

/** What was found out so far for one direction. */
interface Memory {
  readonly keyword: 'readOnly' | 'writeOnly';
  /** Whether the document has the keyword at all. */
  readonly isSaid: boolean;
  /** Schemas of properties, and whether they say it. */
  readonly marks: WeakMap<object, boolean>;
  readonly names: WeakMap<object, Names>;
  /** Schemas of objects, and whether any of their properties is one-way. */
  readonly leads: WeakMap<object, boolean>;
  readonly unasked: WeakMap<object, ReadonlySet<string>>;
}

export class OneWayProperties {
  readonly #follow: Follow;
  readonly #memories: Readonly<Record<Direction, Memory>>;
  #schemasLeft = MAX_ALL_SCHEMAS;

  constructor(follow: Follow, words: OneWayWords) {
    this.#follow = follow;
    this.#memories = { request: remember('readOnly', words), response: remember('writeOnly', words) };
  }

  /** Whether the schema of a property says that it does not travel this way. */
  isOneWay(document: SourceDocument, schema: unknown, direction: Direction): boolean {
    const { keyword, isSaid, marks } = this.#memories[direction];
    if (!isSaid || !isObject(schema)) return false;
    let mark = marks.get(schema);
    if (mark === undefined) {
      mark = this.#saysOneWay(document, schema, keyword, 0, { left: MAX_PROPERTY_SCHEMAS });
      marks.set(schema, mark);
    }
    return mark;
  }

  /** The names nobody has to give, in an object with this schema. */
  unasked(document: SourceDocument, schema: Node, direction: Direction): ReadonlySet<string> {
    const { isSaid, unasked } = this.#memories[direction];
    if (!isSaid || isLeaf(schema) || !this.#leadsToOneWay(document, schema, direction)) return NO_NAMES;
    let result = unasked.get(schema);
    if (!result) {
      const { oneWay, bothWays } = this.#namesOf(document, schema, direction);
      result = oneWay.size === 0 ? NO_NAMES : without(oneWay, bothWays);
      unasked.set(schema, result);
    }
    return result;
  }

  /** The same for a variant or a condition of such an object, which may declare some of them anew. */
  unaskedIn(
    around: ReadonlySet<string>,
    document: SourceDocument,
    branch: unknown,
    direction: Direction,
  ): ReadonlySet<string> {
    if (around.size === 0 || !isObject(branch)) return around;
    return without(around, this.#namesOf(document, branch, direction).bothWays);
  }

  /**
   * The names that a schema's own `required` (not that of its branches) demands: without those that this schema and its parts
   * declare one-way only, because there `required` is about answers. That holds even if another branch of the same allOf
   * redeclares the name: it is then required only if that branch, or a list without any declaration beside it, requires it.
   */
  demands(document: SourceDocument, schema: Node, direction: Direction): readonly string[] {
    const names = requiredIn(schema);
    if (names.length === 0) return names;
    const own = this.unasked(document, schema, direction);
    return own.size === 0 ? names : names.filter((name) => !own.has(name));
  }

  /** Those of `some` that a schema requires; undefined if they are the same as the ones it does not ask for anyway. */
  exempt(
    some: ReadonlySet<string>,
    document: SourceDocument,
    schema: Node,
    direction: Direction,
  ): ReadonlySet<string> | undefined {
    const own = this.unasked(document, schema, direction);
    if (some.size === 0 && own.size === 0) return undefined;
    const { required } = this.#namesOf(document, schema, direction);
    const demands = new Set([...some].filter((name) => required.has(name)));
    const usual = [...own].filter((name) => required.has(name));
    return usual.length === demands.size && usual.every((name) => demands.has(name)) ? undefined : demands;
  }

  /** The schema's own keyword counts first, then its parts; a union counts if all its variants say it. */
  #saysOneWay(
    document: SourceDocument,
    schema: unknown,
    keyword: Memory['keyword'],
    depth: number,
    budget: { left: number },
  ): boolean {
    if (!isObject(schema) || depth > MAX_DEPTH || --budget.left < 0) return false;
    // Also read beside a `$ref`, where 3.0 ignores it: it cannot mean anything else there.
    if (typeof schema[keyword] === 'boolean') return schema[keyword];
    const says = (owner: SourceDocument, inner: unknown) => this.#saysOneWay(owner, inner, keyword, depth + 1, budget);
    const target = this.#target(document, schema);
    if (target && says(target.document, target.value)) return true;
    if (isOnlyRef(document, schema)) return false;
    if (listAt(schema, 'allOf').some((branch) => says(document, branch))) return true;
    return UNIONS.some((union) => {
      const variants = listAt(schema, union).filter((branch) => !(isObject(branch) && branch.type === 'null'));
      return variants.length > 0 && variants.every((branch) => says(document, branch));
    });
  }

  #target(document: SourceDocument, schema: Node): Place | undefined {
    const ref = refOf(schema);
    return ref === undefined ? undefined : orNothing(() => this.#follow(document, ref));
  }

  #namesOf(document: SourceDocument, schema: Node, direction: Direction): Names {
    const { names } = this.#memories[direction];
    let result = names.get(schema);
    if (!result) {
      result = { oneWay: new Set(), bothWays: new Set(), required: new Set() };
      this.#collect(document, schema, direction, result);
      names.set(schema, result);
    }
    return result;
  }

  /** The schemas that say something about the same object as this one; `always`: for every value. */
  #partsOf(document: SourceDocument, schema: Node): readonly Part[] {
    const target = this.#target(document, schema);
    const behind = target ? [{ document: target.document, schema: target.value, always: true }] : [];
    if (isOnlyRef(document, schema)) return behind;
    return [
      ...behind,
      ...listAt(schema, 'allOf').map((branch) => ({ document, schema: branch, always: true })),
      ...variantsOf(schema).map((branch) => ({ document, schema: branch, always: false })),
    ];
  }

  #collect(root: SourceDocument, start: Node, direction: Direction, into: Names): void {
    const queue: Part[] = [{ document: root, schema: start, always: true }];
    const visits = { always: new Set<object>(), sometimes: new Set<object>() };
    const most = Math.max(MIN_OBJECT_SCHEMAS, Math.min(MAX_OBJECT_SCHEMAS, this.#schemasLeft));
    let next = 0;
    for (; next < queue.length && next < most; next++) {
      const { document, schema, always } = queue[next]!;
      // What holds for every value was said already.
      if (!isObject(schema) || visits.always.has(schema)) continue;
      const earlier = always ? visits.always : visits.sometimes;
      if (earlier.has(schema)) continue;
      earlier.add(schema);
      for (const part of this.#partsOf(document, schema)) queue.push({ ...part, always: always && part.always });
      const properties = propertiesIn(document, schema);
      for (const name of Object.keys(properties)) {
        if (this.isOneWay(document, properties[name], direction)) into.oneWay.add(name);
        else if (always) into.bothWays.add(name);
      }
      if (isOnlyRef(document, schema)) continue;
      for (const name of [...requiredIn(schema), ...dependents(schema)]) into.required.add(name);
    }
    this.#schemasLeft -= next;
  }

  /**
   * Whether a schema, or another one for the same object, declares any one-way property: few do, and the others need no further
   * work. Each schema is visited once, however many others contain it.
   */
  #leadsToOneWay(document: SourceDocument, start: Node, direction: Direction): boolean {
    const { leads } = this.#memories[direction];
    const answer = leads.get(start);
    if (answer !== undefined) return answer;
    const wholes = new Map<object, object[]>([[start, []]]);
    const queue: { readonly document: SourceDocument; readonly schema: Node }[] = [{ document, schema: start }];
    const positive: object[] = [];
    for (let next = 0; next < queue.length; next++) {
      const { document: owner, schema } = queue[next]!;
      const properties = propertiesIn(owner, schema);
      const earlier = leads.get(schema);
      if (earlier ?? Object.keys(properties).some((name) => this.isOneWay(owner, properties[name], direction)))
        positive.push(schema);
      if (earlier !== undefined) continue;
      for (const part of this.#partsOf(owner, schema)) {
        if (!isObject(part.schema) || isLeaf(part.schema)) continue;
        const list = wholes.get(part.schema);
        if (list) list.push(schema);
        else {
          wholes.set(part.schema, [schema]);
          queue.push({ document: part.document, schema: part.schema });
        }
      }
    }
    for (const { schema } of queue) if (!leads.has(schema)) leads.set(schema, false);
    const leadingSchemas = new Set(positive);
    for (const schema of leadingSchemas) {
      leads.set(schema, true);
      for (const whole of wholes.get(schema) ?? []) leadingSchemas.add(whole);
    }
    return leadingSchemas.has(start);
  }
}

function remember(keyword: Memory['keyword'], words: OneWayWords): Memory {
  const [marks, names, leads, oneWayNames] = [new WeakMap(), new WeakMap(), new WeakMap(), new WeakMap()];
  return { keyword, isSaid: words[keyword], marks, names, leads, unasked: oneWayNames };
}

const INNER = [
  'properties',
  '$ref',
  'allOf',
  ...UNIONS,
  'then',
  'else',
  ...NAMED_CONDITIONS,
  '$dynamicRef',
  '$recursiveRef',
];

/** Most schemas have neither properties nor parts. */
function isLeaf(schema: Node): boolean {
  for (const keyword of INNER) if (schema[keyword] !== undefined) return false;
  return true;
}

/** 2.0 and 3.0 ignore what stands beside a `$ref`. */
function isOnlyRef(document: SourceDocument, schema: Node): boolean {
  return refOf(schema) !== undefined && hidesSiblings(document);
}

function propertiesIn(document: SourceDocument, schema: Node): Node {
  return (isOnlyRef(document, schema) ? undefined : nodeAt(schema, 'properties')) ?? {};
}

function without(names: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlySet<string> {
  const rest = [...names].filter((name) => !others.has(name));
  return rest.length === names.size ? names : new Set(rest);
}

const VARIANTS = [...UNIONS, 'then', 'else', ...NAMED_CONDITIONS];
const NO_VARIANTS: readonly unknown[] = [];

/** Schemas that hold for some values of the object. What stands in `not` or `if` demands nothing. */
function variantsOf(schema: Node): readonly unknown[] {
  if (!VARIANTS.some((keyword) => schema[keyword] !== undefined)) return NO_VARIANTS;
  return [
    ...UNIONS.flatMap((union) => listAt(schema, union)),
    schema.then,
    schema.else,
    ...NAMED_CONDITIONS.flatMap((keyword) => Object.values(nodeAt(schema, keyword) ?? {})),
  ];
}

function dependents(schema: Node): string[] {
  const lists = ['dependentRequired', 'dependencies'].flatMap((keyword) =>
    Object.values(nodeAt(schema, keyword) ?? {}),
  );
  return lists.flat().filter((name): name is string => typeof name === 'string');
}
