// JSONPath (RFC 9535) for overlays. json-p3 parses, types and compares (all 687 cases of the compliance suite); the walk
// through the document is ours, because a document is hostile: the library keeps the whole path of every node it passes
// (depth × nodes), puts no bound on what a filter may multiply, runs match() and search() on the native engine, and
// resolves `$` inside a nested filter against the wrong root. What is found hangs at its parent, so it can be changed.
import {
  type FilterFunction,
  FunctionExpressionType,
  JSONPathEnvironment,
  JSONPathNode,
  JSONPathNodeList,
  type JSONPathQuery,
  type JSONValue,
  jsonpath,
  JSONPathError as SyntaxProblem,
} from 'json-p3';
import { Budget } from '../../schema/check/budget.ts';
import { safePattern } from '../../schema/check/pattern.ts';

/** Where a value hangs; the root hangs nowhere. */
export interface Location {
  readonly parent: object | undefined;
  readonly key: string | number;
  readonly value: unknown;
}

export class JsonPathError extends Error {
  override readonly name = 'JsonPathError';
}

const MAX_LENGTH = 4_000;
const MAX_NESTED_FILTERS = 8;
/** `$..*` over GitHub's 13 MB takes 1.5 million; this many take about three seconds, and end anything that multiplies. */
const MAX_STEPS = 5_000_000;
const { selectors, expressions } = jsonpath;

interface Run {
  readonly root: JSONValue;
  steps: number;
}

/** Every place `path` selects below `root`. Throws JsonPathError: not JSONPath, or too much work. */
export function findAll(path: string, root: unknown): Location[] {
  const run: Run = { root: root as JSONValue, steps: 0 };
  const query = parseQuery(path);
  boundQuery(query, run, 0);
  return select(query, run.root, run);
}

function parseQuery(path: string): JSONPathQuery {
  if (path.length > MAX_LENGTH) throw new JsonPathError(`is longer than ${MAX_LENGTH} characters`);
  const environment = new JSONPathEnvironment();
  const budget = new Budget();
  environment.functionRegister.set('match', patternFunction('match', budget));
  environment.functionRegister.set('search', patternFunction('search', budget));
  try {
    return environment.compile(path);
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw new JsonPathError('is nested too deeply');
    // The library appends an excerpt and the offset; people count characters from one.
    const reason = error.message.split(" ('", 1)[0]!;
    throw new JsonPathError(`is not JSONPath: ${reason} at character ${error.token.index + 1}`);
  }
}

/** Queries inside filters walk the document under the same budget as the query around them. */
function boundQuery(query: JSONPathQuery, run: Run, depth: number): void {
  if (depth > MAX_NESTED_FILTERS) throw new JsonPathError(`nests more than ${MAX_NESTED_FILTERS} filters`);
  for (const segment of query.segments) {
    for (const selector of segment.selectors) {
      if (selector instanceof selectors.FilterSelector) boundExpression(selector.expression, run, depth + 1);
    }
  }
}

function boundExpression(expression: jsonpath.expressions.FilterExpression, run: Run, depth: number): void {
  if (expression instanceof expressions.LogicalExpression) boundExpression(expression.expression, run, depth);
  else if (expression instanceof expressions.PrefixExpression) boundExpression(expression.right, run, depth);
  else if (expression instanceof expressions.InfixExpression) {
    boundExpression(expression.left, run, depth);
    boundExpression(expression.right, run, depth);
  } else if (expression instanceof expressions.FunctionExtension) {
    for (const argument of expression.args) boundExpression(argument, run, depth);
  } else if (expression instanceof expressions.FilterQuery) {
    const { path } = expression;
    boundQuery(path, run, depth);
    path.query = (start) =>
      new JSONPathNodeList(
        select(path, start, run).map(({ value }) => new JSONPathNode(value as JSONValue, [], start)),
      );
  }
}

function select(query: JSONPathQuery, start: JSONValue, run: Run): Location[] {
  let places: Location[] = [{ parent: undefined, key: '', value: start }];
  for (const segment of query.segments) {
    const descends = segment.toString().startsWith('..');
    const matches: Location[] = [];
    for (const from of places) {
      for (const { value } of descends ? withDescendants(from, run) : [from]) {
        const node = new JSONPathNode(value as JSONValue, [], run.root);
        for (const selector of segment.selectors) {
          spend(run, selector instanceof selectors.NameSelector ? 1 : 1 + sizeOf(value));
          for (const match of selector.resolve(node)) {
            matches.push({ parent: value as object, key: match.location[0]!, value: match.value });
          }
        }
      }
    }
    places = matches;
  }
  return places;
}

/** The place and everything below it, parents first; iterative, because hostile documents are deep. */
function* withDescendants(start: Location, run: Run): Generator<Location> {
  const stack = [start];
  for (let place = stack.pop(); place; place = stack.pop()) {
    spend(run, 1);
    yield place;
    const { value } = place;
    if (typeof value !== 'object' || value === null) continue;
    const keys = Array.isArray(value) ? value.keys() : Object.keys(value);
    const children = Array.from<string | number, Location>(keys, (key) => ({
      parent: value,
      key,
      value: (value as Record<string | number, unknown>)[key],
    }));
    for (let child = children.pop(); child; child = children.pop()) stack.push(child);
  }
}

function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

function spend(run: Run, steps: number): void {
  run.steps += steps;
  if (run.steps > MAX_STEPS) throw new JsonPathError('matches too much of the document to be applied');
}

/** match() and search() in linear time: what RE2 does not take is no I-Regexp (RFC 9485) either, and matches nothing. */
function patternFunction(name: 'match' | 'search', budget: Budget): FilterFunction {
  return {
    argTypes: [FunctionExpressionType.ValueType, FunctionExpressionType.ValueType],
    returnType: FunctionExpressionType.LogicalType,
    call: (value: unknown, source: unknown) => {
      if (typeof value !== 'string' || typeof source !== 'string') return false;
      const text = toRe2(source);
      const pattern = safePattern(name === 'match' ? `^(?:${text})$` : text);
      return pattern.portable && pattern.test(value, budget);
    },
  };
}

/** A dot of I-Regexp stops at both line ends, RE2's at one. */
function toRe2(source: string): string {
  return source.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]?|\./g, (token) => (token === '.' ? '[^\\n\\r]' : token));
}
