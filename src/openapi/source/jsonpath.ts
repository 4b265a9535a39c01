// JSONPath (RFC 9535) for overlays. json-p3 parses, checks types and compares (all 687 cases of the compliance suite). The walk
// through the document is our own, because documents may be hostile: the library keeps the whole path of every node it visits
// (depth × nodes), does not limit nested filters, runs match() and search() with the native regex engine, and resolves `$` inside a
// nested filter against the wrong root. Every match comes with its parent, so that it can be changed.
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

/** A value with its parent and its key there; the root has no parent. */
export interface JsonPathMatch {
  readonly parent: object | undefined;
  readonly key: string | number;
  readonly value: unknown;
}

export class JsonPathError extends Error {
  override readonly name = 'JsonPathError';
}

const MAX_LENGTH = 4_000;
const MAX_NESTED_FILTERS = 8;
/** `$..*` over GitHub's 13 MB takes 1.5 million steps; 5 million take about three seconds. Stops queries whose steps multiply. */
const MAX_STEPS = 5_000_000;
const { selectors, expressions } = jsonpath;

interface Run {
  readonly root: JSONValue;
  steps: number;
}

/** Everything that `path` selects in `root`. Throws JsonPathError if it is not JSONPath, or too much work. */
export function findAll(path: string, root: unknown): JsonPathMatch[] {
  const run: Run = { root: root as JSONValue, steps: 0 };
  const query = parseQuery(path);
  limitQuery(query, run, 0);
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
    // The library appends an excerpt and the offset from zero; people count characters from one.
    const reason = error.message.split(" ('", 1)[0]!;
    throw new JsonPathError(`is not JSONPath: ${reason} at character ${error.token.index + 1}`);
  }
}

/** Makes queries inside filters count their steps in the same budget as the query around them. */
function limitQuery(query: JSONPathQuery, run: Run, depth: number): void {
  if (depth > MAX_NESTED_FILTERS) throw new JsonPathError(`nests more than ${MAX_NESTED_FILTERS} filters`);
  for (const segment of query.segments) {
    for (const selector of segment.selectors) {
      if (selector instanceof selectors.FilterSelector) limitExpression(selector.expression, run, depth + 1);
    }
  }
}

function limitExpression(expression: jsonpath.expressions.FilterExpression, run: Run, depth: number): void {
  if (expression instanceof expressions.LogicalExpression) limitExpression(expression.expression, run, depth);
  else if (expression instanceof expressions.PrefixExpression) limitExpression(expression.right, run, depth);
  else if (expression instanceof expressions.InfixExpression) {
    limitExpression(expression.left, run, depth);
    limitExpression(expression.right, run, depth);
  } else if (expression instanceof expressions.FunctionExtension) {
    for (const argument of expression.args) limitExpression(argument, run, depth);
  } else if (expression instanceof expressions.FilterQuery) {
    const { path } = expression;
    limitQuery(path, run, depth);
    path.query = (start) =>
      new JSONPathNodeList(
        select(path, start, run).map(({ value }) => new JSONPathNode(value as JSONValue, [], start)),
      );
  }
}

function select(query: JSONPathQuery, start: JSONValue, run: Run): JsonPathMatch[] {
  let places: JsonPathMatch[] = [{ parent: undefined, key: '', value: start }];
  for (const segment of query.segments) {
    const descends = segment.toString().startsWith('..');
    const matches: JsonPathMatch[] = [];
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

/** The value and everything below it, parents first. Iterative, because hostile documents are deep. */
function* withDescendants(start: JsonPathMatch, run: Run): Generator<JsonPathMatch> {
  const stack = [start];
  for (let place = stack.pop(); place; place = stack.pop()) {
    spend(run, 1);
    yield place;
    const { value } = place;
    if (typeof value !== 'object' || value === null) continue;
    const keys = Array.isArray(value) ? value.keys() : Object.keys(value);
    const children = Array.from<string | number, JsonPathMatch>(keys, (key) => ({
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

/** match() and search() in linear time. A pattern that RE2 refuses is not an I-Regexp (RFC 9485) either, and matches nothing. */
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

/** A dot of I-Regexp matches neither `\n` nor `\r`; that of RE2 only excludes `\n`. */
function toRe2(source: string): string {
  return source.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]?|\./g, (token) => (token === '.' ? '[^\\n\\r]' : token));
}
