// Properties that travel one way: readOnly ones come with answers, writeOnly ones go with requests. The specification says
// SHOULD NOT, so the other way they are not asked for and nobody has to give them; a request that has them is sent, because
// nested ones often say which thing is meant (`service: {id, type}`).
import { isObject } from '../../endpoint/is-object.ts';
import { listAt, type Node, nodeAt } from '../../endpoint/untrusted.ts';
import { NAMED_CONDITIONS, UNIONS } from '../../schema/keywords.ts';
import type { SourceDocument } from '../source/documents.ts';
import { type Follow, orNothing } from '../source/resolve.ts';
import type { OneWayWords } from '../source/survey.ts';
import { requiredIn } from './odd-schemas.ts';
import { hidesSiblings, refOf } from './schema-refs.ts';

/** Requests do without readOnly properties, responses without writeOnly ones. */
export type Direction = 'request' | 'response';

/** What a schema and all it is composed of say about the names of one object. */
interface Names {
  /** Declared one-way somewhere, variants included. */
  readonly oneWay: Set<string>;
  /** Declared without that where it holds for every value: then it is a field like others. */
  readonly bothWays: Set<string>;
  readonly required: Set<string>;
}

/** A schema, and whether what it says holds for every value of the object. */
interface Part {
  readonly document: SourceDocument;
  readonly schema: unknown;
  readonly always: boolean;
}

export interface OneWayProperties {
  /** Whether the schema of a property says that it does not travel this way. */
  readonly isOneWay: (document: SourceDocument, schema: unknown, direction: Direction) => boolean;
  /** The names nobody has to give, in an object with this schema. */
  readonly unasked: (document: SourceDocument, schema: Node, direction: Direction) => ReadonlySet<string>;
  /** The same for a variant or a condition of such an object, which may declare some of them anew. */
  readonly unaskedIn: (
    around: ReadonlySet<string>,
    document: SourceDocument,
    branch: unknown,
    direction: Direction,
  ) => ReadonlySet<string>;
  /**
   * What the `required` of a schema, not of its branches, demands: not the names that this schema, with all it is made of,
   * declares one-way only. There it says that answers have them, also where another branch of the same allOf declares the
   * name anew: that branch may be sent without it unless it, or a list beside no declaration at all, requires it.
   */
  readonly demands: (document: SourceDocument, schema: Node, direction: Direction) => readonly string[];
  /** Those of some names that a schema requires; undefined where they are the ones it does not ask for anyway. */
  readonly exempt: (
    names: ReadonlySet<string>,
    document: SourceDocument,
    schema: Node,
    direction: Direction,
  ) => ReadonlySet<string> | undefined;
}

const MAX_DEPTH = 16;
/** Schemas looked at for one property, and for one object. */
const MAX_PROPERTY_SCHEMAS = 100;
const MAX_OBJECT_SCHEMAS = 2_000;
/** Schemas looked at for all objects of a document; after that the nearest of each have to do. */
const MAX_ALL_SCHEMAS = 400_000;
const MIN_OBJECT_SCHEMAS = 50;
const NO_NAMES: ReadonlySet<string> = new Set();

export function createOneWayProperties(follow: Follow, words: OneWayWords): OneWayProperties {
  const isSaid = { request: words.readOnly, response: words.writeOnly };
  let schemasLeft = MAX_ALL_SCHEMAS;
  const marks = { request: new WeakMap<object, boolean>(), response: new WeakMap<object, boolean>() };
  const names = { request: new WeakMap<object, Names>(), response: new WeakMap<object, Names>() };
  const leads = { request: new WeakMap<object, boolean>(), response: new WeakMap<object, boolean>() };
  const unaskedNames = { request: new WeakMap<object, ReadonlySet<string>>(), response: new WeakMap() };

  /** Its own word counts first, then what it is made of; a union says it where all its variants do. */
  const saysOneWay = (
    document: SourceDocument,
    schema: unknown,
    keyword: 'readOnly' | 'writeOnly',
    depth: number,
    budget: { left: number },
  ): boolean => {
    if (!isObject(schema) || depth > MAX_DEPTH || --budget.left < 0) return false;
    // Beside a `$ref` too, where 3.0 ignores it: nobody writes it there and means something else.
    if (typeof schema[keyword] === 'boolean') return schema[keyword];
    const says = (owner: SourceDocument, inner: unknown) => saysOneWay(owner, inner, keyword, depth + 1, budget);
    const ref = refOf(schema);
    const target = ref === undefined ? undefined : orNothing(() => follow(document, ref));
    if (target && says(target.document, target.value)) return true;
    if (ref !== undefined && hidesSiblings(document)) return false;
    if (listAt(schema, 'allOf').some((branch) => says(document, branch))) return true;
    return UNIONS.some((union) => {
      const variants = listAt(schema, union).filter((branch) => !(isObject(branch) && branch.type === 'null'));
      return variants.length > 0 && variants.every((branch) => says(document, branch));
    });
  };

  const isOneWay: OneWayProperties['isOneWay'] = (document, schema, direction) => {
    if (!isSaid[direction] || !isObject(schema)) return false;
    let mark = marks[direction].get(schema);
    if (mark === undefined) {
      const keyword = direction === 'request' ? 'readOnly' : 'writeOnly';
      mark = saysOneWay(document, schema, keyword, 0, { left: MAX_PROPERTY_SCHEMAS });
      marks[direction].set(schema, mark);
    }
    return mark;
  };

  const namesOf = (document: SourceDocument, schema: Node, direction: Direction): Names => {
    let result = names[direction].get(schema);
    if (!result) {
      result = { oneWay: new Set(), bothWays: new Set(), required: new Set() };
      collect(document, schema, direction, result);
      names[direction].set(schema, result);
    }
    return result;
  };

  /** The schemas that say something about the same object as this one; `always`: for every value. */
  const partsOf = (document: SourceDocument, schema: Node): readonly Part[] => {
    const ref = refOf(schema);
    const target = ref === undefined ? undefined : orNothing(() => follow(document, ref));
    const behind = target ? [{ document: target.document, schema: target.value, always: true }] : [];
    if (ref !== undefined && hidesSiblings(document)) return behind;
    return [
      ...behind,
      ...listAt(schema, 'allOf').map((branch) => ({ document, schema: branch, always: true })),
      ...variantsOf(schema).map((branch) => ({ document, schema: branch, always: false })),
    ];
  };

  const collect = (root: SourceDocument, start: Node, direction: Direction, into: Names): void => {
    const queue: Part[] = [{ document: root, schema: start, always: true }];
    const visits = { always: new Set<object>(), sometimes: new Set<object>() };
    const most = Math.max(MIN_OBJECT_SCHEMAS, Math.min(MAX_OBJECT_SCHEMAS, schemasLeft));
    let next = 0;
    for (; next < queue.length && next < most; next++) {
      const { document, schema, always } = queue[next]!;
      // What holds for every value was said already.
      if (!isObject(schema) || visits.always.has(schema)) continue;
      const done = always ? visits.always : visits.sometimes;
      if (done.has(schema)) continue;
      done.add(schema);
      for (const part of partsOf(document, schema)) queue.push({ ...part, always: always && part.always });
      const properties = propertiesIn(document, schema);
      for (const name of Object.keys(properties)) {
        if (isOneWay(document, properties[name], direction)) into.oneWay.add(name);
        else if (always) into.bothWays.add(name);
      }
      if (refOf(schema) !== undefined && hidesSiblings(document)) continue;
      for (const name of [...requiredIn(schema), ...dependents(schema)]) into.required.add(name);
    }
    schemasLeft -= next;
  };

  /**
   * Whether a schema, or one that speaks of the same object, declares a one-way property at all: few do, and the others are
   * not collected. Each schema is looked at once, however many others it is a part of.
   */
  const leadsToOneWay = (document: SourceDocument, start: Node, direction: Direction): boolean => {
    const answers = leads[direction];
    const answer = answers.get(start);
    if (answer !== undefined) return answer;
    const wholes = new Map<object, object[]>([[start, []]]);
    const queue: { readonly document: SourceDocument; readonly schema: Node }[] = [{ document, schema: start }];
    const positive: object[] = [];
    for (let next = 0; next < queue.length; next++) {
      const { document: owner, schema } = queue[next]!;
      const properties = propertiesIn(owner, schema);
      const earlier = answers.get(schema);
      if (earlier ?? Object.keys(properties).some((name) => isOneWay(owner, properties[name], direction)))
        positive.push(schema);
      if (earlier !== undefined) continue;
      for (const part of partsOf(owner, schema)) {
        if (!isObject(part.schema) || isLeaf(part.schema)) continue;
        const list = wholes.get(part.schema);
        if (list) list.push(schema);
        else {
          wholes.set(part.schema, [schema]);
          queue.push({ document: part.document, schema: part.schema });
        }
      }
    }
    for (const { schema } of queue) if (!answers.has(schema)) answers.set(schema, false);
    const reached = new Set(positive);
    for (const schema of reached) {
      answers.set(schema, true);
      for (const whole of wholes.get(schema) ?? []) reached.add(whole);
    }
    return reached.has(start);
  };

  const unasked: OneWayProperties['unasked'] = (document, schema, direction) => {
    if (!isSaid[direction] || isLeaf(schema) || !leadsToOneWay(document, schema, direction)) return NO_NAMES;
    let result = unaskedNames[direction].get(schema);
    if (!result) {
      const { oneWay, bothWays } = namesOf(document, schema, direction);
      result = oneWay.size === 0 ? NO_NAMES : without(oneWay, bothWays);
      unaskedNames[direction].set(schema, result);
    }
    return result;
  };

  return {
    isOneWay,
    unasked,
    unaskedIn: (around, document, branch, direction) =>
      around.size === 0 || !isObject(branch) ? around : without(around, namesOf(document, branch, direction).bothWays),
    demands: (document, schema, direction) => {
      const names = requiredIn(schema);
      if (names.length === 0) return names;
      const own = unasked(document, schema, direction);
      return own.size === 0 ? names : names.filter((name) => !own.has(name));
    },
    exempt: (some, document, schema, direction) => {
      const own = unasked(document, schema, direction);
      if (some.size === 0 && own.size === 0) return undefined;
      const { required } = namesOf(document, schema, direction);
      const asked = new Set([...some].filter((name) => required.has(name)));
      const usual = [...own].filter((name) => required.has(name));
      return usual.length === asked.size && usual.every((name) => asked.has(name)) ? undefined : asked;
    },
  };
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
function propertiesIn(document: SourceDocument, schema: Node): Node {
  return (refOf(schema) === undefined || !hidesSiblings(document) ? nodeAt(schema, 'properties') : undefined) ?? {};
}

function without(names: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlySet<string> {
  const rest = [...names].filter((name) => !others.has(name));
  return rest.length === names.size ? names : new Set(rest);
}

/** Schemas that hold for some values of the object. What stands in `not` or `if` demands nothing. */
function variantsOf(schema: Node): unknown[] {
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
