// Properties that travel one way: readOnly ones come with answers, writeOnly ones go with requests. The specification says
// SHOULD NOT, so the other way they are not asked for and nobody has to give them; a request that has them is sent, because
// nested ones often say which thing is meant (`service: {id, type}`).
import { isObject } from '../../endpoint/is-object.ts';
import { listAt, type Node, nodeAt } from '../../endpoint/untrusted.ts';
import { NAMED_CONDITIONS, UNIONS } from '../../schema/keywords.ts';
import type { SourceDocument } from '../source/documents.ts';
import { type Follow, orNothing } from '../source/resolve.ts';
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
const NO_NAMES: ReadonlySet<string> = new Set();

export function createOneWayProperties(follow: Follow): OneWayProperties {
  const marks = { request: new WeakMap<object, boolean>(), response: new WeakMap<object, boolean>() };
  const names = { request: new WeakMap<object, Names>(), response: new WeakMap<object, Names>() };
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
    if (!isObject(schema)) return false;
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
      collect(document, schema, true, direction, result);
      names[direction].set(schema, result);
    }
    return result;
  };

  const collect = (root: SourceDocument, start: Node, always: boolean, direction: Direction, into: Names): void => {
    const queue = [{ document: root, schema: start as unknown, always }];
    const visits = { always: new Set<object>(), sometimes: new Set<object>() };
    for (let next = 0; next < queue.length && next < MAX_OBJECT_SCHEMAS; next++) {
      const { document, schema, always } = queue[next]!;
      const done = always ? visits.always : visits.sometimes;
      if (!isObject(schema) || done.has(schema)) continue;
      done.add(schema);
      const ref = refOf(schema);
      const target = ref === undefined ? undefined : orNothing(() => follow(document, ref));
      if (target) queue.push({ document: target.document, schema: target.value, always });
      if (ref !== undefined && hidesSiblings(document)) continue;
      const properties = nodeAt(schema, 'properties') ?? {};
      for (const name of Object.keys(properties)) {
        if (isOneWay(document, properties[name], direction)) into.oneWay.add(name);
        else if (always) into.bothWays.add(name);
      }
      for (const name of [...requiredIn(schema), ...dependents(schema)]) into.required.add(name);
      for (const branch of listAt(schema, 'allOf')) queue.push({ document, schema: branch, always });
      for (const branch of variantsOf(schema)) queue.push({ document, schema: branch, always: false });
    }
  };

  const unasked: OneWayProperties['unasked'] = (document, schema, direction) => {
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
