// JSONPath (RFC 9535) over a parsed document. Gives places, not copies, so that an overlay can change what it finds.

import { isNode, own } from '../../endpoint/untrusted.ts';
import {
  type Call,
  type Filter,
  JsonPathError,
  type Operand,
  type Query,
  type Segment,
  type Selector,
} from './jsonpath-parse.ts';

/** Where a value hangs; the root hangs nowhere. */
export interface Location {
  readonly parent: object | undefined;
  readonly key: string | number;
  readonly value: unknown;
}

interface Run {
  readonly root: unknown;
  steps: number;
}

/** Enough for `$..*` over the largest document we read, and the end of anything that multiplies. */
const MAX_STEPS = 20_000_000;
const MAX_REGEX_INPUT = 1_000;

/** Throws JsonPathError when it takes more than a bounded number of steps. */
export function findAll(query: Query, root: unknown): Location[] {
  return select(query, root, { root, steps: 0 });
}

function select(query: Query, current: unknown, run: Run): Location[] {
  let found: Location[] = [{ parent: undefined, key: '', value: query.from === '$' ? run.root : current }];
  for (const segment of query.segments) found = apply(segment, found, run);
  return found;
}

function apply({ descendants, selectors }: Segment, from: readonly Location[], run: Run): Location[] {
  const into: Location[] = [];
  for (const start of from) {
    for (const place of descendants ? withDescendants(start, run) : [start]) {
      for (const selector of selectors) choose(selector, place.value, into, run);
    }
  }
  return into;
}

/** The place and everything below it, parents first. */
function* withDescendants(start: Location, run: Run): Generator<Location> {
  const stack = [start];
  for (let place = stack.pop(); place; place = stack.pop()) {
    tick(run);
    yield place;
    const below = childrenOf(place.value);
    for (let index = below.length - 1; index >= 0; index--) stack.push(below[index]!);
  }
}

function childrenOf(value: unknown): Location[] {
  if (Array.isArray(value)) return value.map((item, key) => ({ parent: value, key, value: item }));
  if (!isNode(value)) return [];
  return Object.keys(value).map((key) => ({ parent: value, key, value: value[key] }));
}

function choose(selector: Selector, value: unknown, into: Location[], run: Run): void {
  tick(run);
  switch (selector.kind) {
    case 'name':
      if (isNode(value) && Object.hasOwn(value, selector.name)) {
        into.push({ parent: value, key: selector.name, value: own(value, selector.name) });
      }
      return;
    case 'index': {
      if (!Array.isArray(value)) return;
      const index = selector.index < 0 ? value.length + selector.index : selector.index;
      if (index >= 0 && index < value.length) into.push({ parent: value, key: index, value: value[index] });
      return;
    }
    case 'wildcard':
      into.push(...childrenOf(value));
      return;
    case 'slice':
      if (Array.isArray(value))
        for (const key of sliceOf(selector, value.length)) into.push({ parent: value, key, value: value[key] });
      return;
    case 'filter':
      for (const child of childrenOf(value)) if (holds(selector.test, child.value, run)) into.push(child);
  }
}

/** RFC 9535 2.3.4.2.2. */
function* sliceOf({ from, to, by }: Extract<Selector, { kind: 'slice' }>, length: number): Generator<number> {
  if (by === 0) return;
  const normal = (index: number) => (index >= 0 ? index : length + index);
  if (by > 0) {
    const end = Math.min(Math.max(normal(to ?? length), 0), length);
    for (let index = Math.min(Math.max(normal(from ?? 0), 0), length); index < end; index += by) yield index;
    return;
  }
  const end = Math.min(Math.max(normal(to ?? -length - 1), -1), length - 1);
  for (let index = Math.min(Math.max(normal(from ?? length - 1), -1), length - 1); index > end; index += by)
    yield index;
}

function holds(filter: Filter, current: unknown, run: Run): boolean {
  tick(run);
  switch (filter.kind) {
    case 'or':
      return holds(filter.left, current, run) || holds(filter.right, current, run);
    case 'and':
      return holds(filter.left, current, run) && holds(filter.right, current, run);
    case 'not':
      return !holds(filter.inner, current, run);
    case 'exists':
      return select(filter.query, current, run).length > 0;
    case 'call':
      return call(filter.call, current, run) === true;
    case 'compare': {
      const left = evaluate(filter.left, current, run);
      const right = evaluate(filter.right, current, run);
      switch (filter.operator) {
        case '==':
          return isEqual(left, right);
        case '!=':
          return !isEqual(left, right);
        case '<':
          return isLess(left, right);
        case '>':
          return isLess(right, left);
        case '<=':
          return isLess(left, right) || isEqual(left, right);
        case '>=':
          return isLess(right, left) || isEqual(left, right);
      }
    }
  }
}

/** `undefined` stands for the RFC's "nothing". */
function evaluate(operand: Operand, current: unknown, run: Run): unknown {
  if (operand.kind === 'value') return operand.value;
  if (operand.kind === 'call') return call(operand.call, current, run);
  const found = select(operand.query, current, run);
  return found.length === 1 ? found[0]!.value : undefined;
}

function call({ name, args }: Call, current: unknown, run: Run): unknown {
  const [first, second] = args;
  if (first === undefined) return undefined;
  if (name === 'count') return first.kind === 'query' ? select(first.query, current, run).length : undefined;
  const value = evaluate(first, current, run);
  if (name === 'value') return value;
  if (name === 'length') {
    if (typeof value === 'string') return [...value].length;
    return typeof value === 'object' && value !== null ? Object.keys(value).length : undefined;
  }
  const pattern = second && evaluate(second, current, run);
  if (typeof value !== 'string' || typeof pattern !== 'string' || value.length > MAX_REGEX_INPUT) return false;
  try {
    return new RegExp(name === 'match' ? `^(?:${pattern})$` : pattern, 'u').test(value);
  } catch {
    throw new JsonPathError(`has a pattern that is no regular expression: ${pattern}`);
  }
}

function isEqual(left: unknown, right: unknown): boolean {
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return left === right;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && isEqual(own(left, key), own(right, key)));
}

function isLess(left: unknown, right: unknown): boolean {
  if (typeof left === 'number' && typeof right === 'number') return left < right;
  return typeof left === 'string' && typeof right === 'string' && left < right;
}

function tick(run: Run): void {
  if (++run.steps > MAX_STEPS) throw new JsonPathError('matches too much of the document to be applied');
}
