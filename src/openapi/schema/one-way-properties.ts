// Properties that travel one way: readOnly in answers, writeOnly in requests. In the other direction they are not required; OpenAPI
// only says that they SHOULD NOT be sent. A request that has them is sent, because nested ones often identify a resource (`service:
// {id, type}`).
import { isObject } from '../../endpoint/is-object.ts';
import { listAt, type Node, nodeAt } from '../../endpoint/untrusted.ts';
import { NAMED_CONDITIONS, UNIONS } from '../../schema/keywords.ts';
import type { OneWayKeywords } from '../source/document-scan.ts';
import type { SourceDocument } from '../source/documents.ts';
import { type DocumentPlace, type Follow, orUndefined } from '../source/resolve.ts';
import { requiredIn } from './odd-schemas.ts';
import { ignoresRefSiblings, refOf } from './schema-refs.ts';

/** Requests need no readOnly properties, and responses no writeOnly ones. */
export type Direction = 'request' | 'response';

/** What a schema and all that it is composed of declare about the properties of one object. */
interface PropertyNames {
  /** Declared one-way in some schema, variants included. */
  readonly oneWay: Set<string>;
  /** Declared without the keyword by a schema that applies to every value: an ordinary property. */
  readonly bothWays: Set<string>;
  readonly required: Set<string>;
}

/** A schema, and whether it applies to every value of the object. */
interface AppliedSchema {
  readonly document: SourceDocument;
  readonly schema: unknown;
  readonly always: boolean;
}

const MAX_DEPTH = 16;
/** Schemas visited for one property, and for one object. */
const MAX_PROPERTY_SCHEMAS = 100;
const MAX_OBJECT_SCHEMAS = 2_000;
/** Limit for all objects of a document; beyond it, only the nearest schemas of each object are visited. */
const MAX_ALL_SCHEMAS = 400_000;
const MIN_OBJECT_SCHEMAS = 50;
const NO_NAMES: ReadonlySet<string> = new Set();

/** Results for one direction. */
interface Cache {
  readonly keyword: 'readOnly' | 'writeOnly';
  /** Whether the document uses the keyword at all. */
  readonly isUsed: boolean;
  /** Schemas of properties, and whether they have the keyword. */
  readonly oneWay: WeakMap<object, boolean>;
  readonly names: WeakMap<object, PropertyNames>;
  /** Schemas of objects, and whether any of their properties is one-way. */
  readonly hasOneWay: WeakMap<object, boolean>;
  readonly optionalNames: WeakMap<object, ReadonlySet<string>>;
}

export class OneWayProperties {
  readonly #follow: Follow;
  readonly #caches: Readonly<Record<Direction, Cache>>;
  #schemasLeft = MAX_ALL_SCHEMAS;

  constructor(follow: Follow, keywords: OneWayKeywords) {
    this.#follow = follow;
    this.#caches = { request: createCache('readOnly', keywords), response: createCache('writeOnly', keywords) };
  }

  /** Whether the schema of a property declares that it does not travel in this direction. */
  isOneWay(document: SourceDocument, schema: unknown, direction: Direction): boolean {
    const { keyword, isUsed, oneWay } = this.#caches[direction];
    if (!isUsed || !isObject(schema)) return false;
    let result = oneWay.get(schema);
    if (result === undefined) {
      result = this.#hasKeyword(document, schema, keyword, 0, { left: MAX_PROPERTY_SCHEMAS });
      oneWay.set(schema, result);
    }
    return result;
  }

  /** The names that need not be given in an object with this schema. */
  optionalNames(document: SourceDocument, schema: Node, direction: Direction): ReadonlySet<string> {
    const { isUsed, optionalNames } = this.#caches[direction];
    if (!isUsed || isLeaf(schema) || !this.#hasOneWay(document, schema, direction)) return NO_NAMES;
    let result = optionalNames.get(schema);
    if (!result) {
      const { oneWay, bothWays } = this.#namesOf(document, schema, direction);
      result = oneWay.size === 0 ? NO_NAMES : without(oneWay, bothWays);
      optionalNames.set(schema, result);
    }
    return result;
  }

  /** Those of `around` that need not be given in a variant of the object either, because it does not declare them as ordinary. */
  optionalNamesIn(
    around: ReadonlySet<string>,
    document: SourceDocument,
    branch: unknown,
    direction: Direction,
  ): ReadonlySet<string> {
    if (around.size === 0 || !isObject(branch)) return around;
    return without(around, this.#namesOf(document, branch, direction).bothWays);
  }

  /**
   * The names that a schema's own `required` (not that of its branches) demands, without those that this schema and its parts
   * declare only as one-way: for them `required` is about answers. That holds even if another branch of the same allOf redeclares
   * the name. It is then required only if that branch requires it, or a `required` list of a schema that does not declare it.
   */
  requiredNames(document: SourceDocument, schema: Node, direction: Direction): readonly string[] {
    const names = requiredIn(schema);
    if (names.length === 0) return names;
    const own = this.optionalNames(document, schema, direction);
    return own.size === 0 ? names : names.filter((name) => !own.has(name));
  }

  /** Those of `names` that a schema requires; undefined if they are the ones that its own declarations make optional. */
  exemptNames(
    names: ReadonlySet<string>,
    document: SourceDocument,
    schema: Node,
    direction: Direction,
  ): ReadonlySet<string> | undefined {
    const own = this.optionalNames(document, schema, direction);
    if (names.size === 0 && own.size === 0) return undefined;
    const { required } = this.#namesOf(document, schema, direction);
    const exempt = new Set([...names].filter((name) => required.has(name)));
    const usual = [...own].filter((name) => required.has(name));
    return usual.length === exempt.size && usual.every((name) => exempt.has(name)) ? undefined : exempt;
  }

  /** The schema's own keyword decides, else its parts; a union has the keyword if all its variants have it. */
  #hasKeyword(
    document: SourceDocument,
    schema: unknown,
    keyword: Cache['keyword'],
    depth: number,
    budget: { left: number },
  ): boolean {
    if (!isObject(schema) || depth > MAX_DEPTH || --budget.left < 0) return false;
    // Also read beside a `$ref`, where 3.0 ignores it, because it has no other meaning there.
    if (typeof schema[keyword] === 'boolean') return schema[keyword];
    const has = (owner: SourceDocument, inner: unknown) => this.#hasKeyword(owner, inner, keyword, depth + 1, budget);
    const target = this.#target(document, schema);
    if (target && has(target.document, target.value)) return true;
    if (isOnlyRef(document, schema)) return false;
    if (listAt(schema, 'allOf').some((branch) => has(document, branch))) return true;
    return UNIONS.some((union) => {
      const variants = listAt(schema, union).filter((branch) => !(isObject(branch) && branch.type === 'null'));
      return variants.length > 0 && variants.every((branch) => has(document, branch));
    });
  }

  #target(document: SourceDocument, schema: Node): DocumentPlace | undefined {
    const ref = refOf(schema);
    return ref === undefined ? undefined : orUndefined(() => this.#follow(document, ref));
  }

  #namesOf(document: SourceDocument, schema: Node, direction: Direction): PropertyNames {
    const { names } = this.#caches[direction];
    let result = names.get(schema);
    if (!result) {
      result = { oneWay: new Set(), bothWays: new Set(), required: new Set() };
      this.#collect(document, schema, direction, result);
      names.set(schema, result);
    }
    return result;
  }

  /** The schemas that a schema applies to the same object. */
  #partsOf(document: SourceDocument, schema: Node): readonly AppliedSchema[] {
    const target = this.#target(document, schema);
    const behind = target ? [{ document: target.document, schema: target.value, always: true }] : [];
    if (isOnlyRef(document, schema)) return behind;
    return [
      ...behind,
      ...listAt(schema, 'allOf').map((branch) => ({ document, schema: branch, always: true })),
      ...variantsOf(schema).map((branch) => ({ document, schema: branch, always: false })),
    ];
  }

  #collect(root: SourceDocument, start: Node, direction: Direction, into: PropertyNames): void {
    const queue: AppliedSchema[] = [{ document: root, schema: start, always: true }];
    const visits = { always: new Set<object>(), sometimes: new Set<object>() };
    const most = Math.max(MIN_OBJECT_SCHEMAS, Math.min(MAX_OBJECT_SCHEMAS, this.#schemasLeft));
    let next = 0;
    for (; next < queue.length && next < most; next++) {
      const { document, schema, always } = queue[next]!;
      // A schema that applies to every value has been read completely.
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
      for (const name of [...requiredIn(schema), ...dependentNames(schema)]) into.required.add(name);
    }
    this.#schemasLeft -= next;
  }

  /**
   * Whether a schema, or another one for the same object, declares any one-way property. Few do, and the others need no further
   * work. Each schema is visited once, however many others contain it.
   */
  #hasOneWay(document: SourceDocument, start: Node, direction: Direction): boolean {
    const { hasOneWay } = this.#caches[direction];
    const result = hasOneWay.get(start);
    if (result !== undefined) return result;
    const parents = new Map<object, object[]>([[start, []]]);
    const queue: { readonly document: SourceDocument; readonly schema: Node }[] = [{ document, schema: start }];
    const positive: object[] = [];
    for (let next = 0; next < queue.length; next++) {
      const { document: owner, schema } = queue[next]!;
      const properties = propertiesIn(owner, schema);
      const earlier = hasOneWay.get(schema);
      if (earlier ?? Object.keys(properties).some((name) => this.isOneWay(owner, properties[name], direction)))
        positive.push(schema);
      if (earlier !== undefined) continue;
      for (const part of this.#partsOf(owner, schema)) {
        if (!isObject(part.schema) || isLeaf(part.schema)) continue;
        const list = parents.get(part.schema);
        if (list) list.push(schema);
        else {
          parents.set(part.schema, [schema]);
          queue.push({ document: part.document, schema: part.schema });
        }
      }
    }
    for (const { schema } of queue) if (!hasOneWay.has(schema)) hasOneWay.set(schema, false);
    const schemas = new Set(positive);
    for (const schema of schemas) {
      hasOneWay.set(schema, true);
      for (const parent of parents.get(schema) ?? []) schemas.add(parent);
    }
    return schemas.has(start);
  }
}

function createCache(keyword: Cache['keyword'], keywords: OneWayKeywords): Cache {
  return {
    keyword,
    isUsed: keywords[keyword],
    oneWay: new WeakMap(),
    names: new WeakMap(),
    hasOneWay: new WeakMap(),
    optionalNames: new WeakMap(),
  };
}

const COMPOSED_OF = [
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
  for (const keyword of COMPOSED_OF) if (schema[keyword] !== undefined) return false;
  return true;
}

/** 2.0 and 3.0 ignore what is beside a `$ref`. */
function isOnlyRef(document: SourceDocument, schema: Node): boolean {
  return refOf(schema) !== undefined && ignoresRefSiblings(document);
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

/** Schemas that apply to some values of the object. Those in `not` or `if` demand nothing. */
function variantsOf(schema: Node): readonly unknown[] {
  if (!VARIANTS.some((keyword) => schema[keyword] !== undefined)) return NO_VARIANTS;
  return [
    ...UNIONS.flatMap((union) => listAt(schema, union)),
    schema.then,
    schema.else,
    ...NAMED_CONDITIONS.flatMap((keyword) => Object.values(nodeAt(schema, keyword) ?? {})),
  ];
}

/** Names that are required if others are given. */
function dependentNames(schema: Node): string[] {
  const lists = ['dependentRequired', 'dependencies'].flatMap((keyword) =>
    Object.values(nodeAt(schema, keyword) ?? {}),
  );
  return lists.flat().filter((name): name is string => typeof name === 'string');
}
