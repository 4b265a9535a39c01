// JSONPath (RFC 9535) text → query. Small and strict: what it does not know is an error with its position.

export type Selector =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'slice'; readonly from: number | undefined; readonly to: number | undefined; readonly by: number }
  | { readonly kind: 'filter'; readonly test: Filter };

export interface Segment {
  readonly descendants: boolean;
  readonly selectors: readonly Selector[];
}

export interface Query {
  readonly from: '$' | '@';
  readonly segments: readonly Segment[];
}

export type Filter =
  | { readonly kind: 'or' | 'and'; readonly left: Filter; readonly right: Filter }
  | { readonly kind: 'not'; readonly inner: Filter }
  | { readonly kind: 'exists'; readonly query: Query }
  | { readonly kind: 'compare'; readonly operator: Comparison; readonly left: Operand; readonly right: Operand }
  | { readonly kind: 'call'; readonly call: Call };

export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=';
export type Operand =
  | { readonly kind: 'value'; readonly value: string | number | boolean | null }
  | { readonly kind: 'query'; readonly query: Query }
  | { readonly kind: 'call'; readonly call: Call };

export interface Call {
  readonly name: 'length' | 'count' | 'match' | 'search' | 'value';
  readonly args: readonly Operand[];
}

export class JsonPathError extends Error {
  override readonly name = 'JsonPathError';
}

const MAX_LENGTH = 4_000;
const MAX_NESTING = 32;
const FUNCTIONS = new Set(['length', 'count', 'match', 'search', 'value']);
const COMPARISONS: readonly Comparison[] = ['==', '!=', '<=', '>=', '<', '>'];
const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** Throws JsonPathError. */
export function parseJsonPath(text: string): Query {
  if (text.length > MAX_LENGTH) throw new JsonPathError(`is longer than ${MAX_LENGTH} characters`);
  const parser = createParser(text.trim());
  const query = parser.query();
  parser.end();
  if (query.from !== '$') throw new JsonPathError('must begin with $');
  return query;
}

function createParser(text: string) {
  let at = 0;
  let nesting = 0;

  const fail = (what: string): never => {
    throw new JsonPathError(`${what} at character ${at + 1}`);
  };
  const space = () => {
    while (at < text.length && ' \t\n\r'.includes(text[at]!)) at++;
  };
  const accept = (word: string): boolean => {
    if (!text.startsWith(word, at)) return false;
    at += word.length;
    return true;
  };
  const expect = (word: string) => {
    if (!accept(word)) fail(`expected ${word}`);
  };
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };

  const query = (): Query => {
    const from = accept('$') ? '$' : accept('@') ? '@' : fail('expected $ or @');
    const segments: Segment[] = [];
    for (;;) {
      const before = at;
      space();
      if (accept('..')) segments.push({ descendants: true, selectors: text[at] === '[' ? bracketed() : [shorthand()] });
      else if (accept('.')) segments.push({ descendants: false, selectors: [shorthand()] });
      else if (text[at] === '[') segments.push({ descendants: false, selectors: bracketed() });
      else {
        at = before;
        return { from, segments };
      }
    }
  };

  const shorthand = (): Selector => {
    if (accept('*')) return { kind: 'wildcard' };
    // Member names of a shorthand; hyphens are not in the RFC but in many overlays.
    const name = match(/[A-Za-z_\u0080-\u{10FFFF}][A-Za-z0-9_\-\u0080-\u{10FFFF}]*/uy);
    return { kind: 'name', name: name ?? fail('expected a name or *') };
  };

  const bracketed = (): Selector[] => {
    expect('[');
    const selectors: Selector[] = [];
    do {
      space();
      selectors.push(selector());
      space();
    } while (accept(','));
    expect(']');
    return selectors;
  };

  const selector = (): Selector => {
    if (accept('*')) return { kind: 'wildcard' };
    if (text[at] === "'" || text[at] === '"') return { kind: 'name', name: quoted() };
    if (accept('?')) {
      space();
      return { kind: 'filter', test: or() };
    }
    const from = integer();
    space();
    if (!accept(':'))
      return from === undefined
        ? fail('expected a name, an index, *, a slice or a filter')
        : { kind: 'index', index: from };
    space();
    const to = integer();
    space();
    let by = 1;
    if (accept(':')) {
      space();
      by = integer() ?? 1;
    }
    return { kind: 'slice', from, to, by };
  };

  const integer = (): number | undefined => {
    const digits = match(/-?(?:0|[1-9]\d{0,14})/y);
    return digits === undefined ? undefined : Number(digits);
  };

  const quoted = (): string => {
    const quote = text[at++]!;
    let out = '';
    for (;;) {
      const character = text[at++] ?? fail('a string does not end');
      if (character === quote) return out;
      if (character !== '\\') {
        out += character;
        continue;
      }
      const escaped = text[at++] ?? fail('a string does not end');
      if (escaped === 'u')
        out += String.fromCharCode(Number.parseInt(match(/[0-9A-Fa-f]{4}/y) ?? fail('expected four hex digits'), 16));
      else if (Object.hasOwn(ESCAPES, escaped)) out += ESCAPES[escaped];
      else if (`'"\\/`.includes(escaped)) out += escaped;
      else fail('an unknown escape');
    }
  };

  const or = (): Filter => {
    if (++nesting > MAX_NESTING) fail('a filter is nested too deeply');
    let left = and();
    for (space(); accept('||'); space()) left = { kind: 'or', left, right: and() };
    nesting--;
    return left;
  };

  const and = (): Filter => {
    let left = basic();
    for (space(); accept('&&'); space()) left = { kind: 'and', left, right: basic() };
    return left;
  };

  const basic = (): Filter => {
    space();
    if (text[at] === '!' && text[at + 1] !== '=') {
      at++;
      space();
      if (++nesting > MAX_NESTING) fail('a filter is nested too deeply');
      const inner = basic();
      nesting--;
      return { kind: 'not', inner };
    }
    if (accept('(')) {
      const inner = or();
      space();
      expect(')');
      return inner;
    }
    const left = operand();
    space();
    const operator = COMPARISONS.find((word) => accept(word));
    if (operator !== undefined) {
      space();
      return { kind: 'compare', operator, left, right: operand() };
    }
    if (left.kind === 'query') return { kind: 'exists', query: left.query };
    return left.kind === 'call' ? { kind: 'call', call: left.call } : fail('a value alone is no condition');
  };

  const operand = (): Operand => {
    const character = text[at];
    if (character === '$' || character === '@') return { kind: 'query', query: query() };
    if (character === "'" || character === '"') return { kind: 'value', value: quoted() };
    const number = match(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y);
    if (number !== undefined) return { kind: 'value', value: Number(number) };
    const word = match(/[a-z_][a-z0-9_]*/y) ?? fail('expected a value, @, $ or a function');
    if (word === 'true' || word === 'false') return { kind: 'value', value: word === 'true' };
    if (word === 'null') return { kind: 'value', value: null };
    if (!FUNCTIONS.has(word)) fail(`unknown function ${word}`);
    return { kind: 'call', call: { name: word as Call['name'], args: callArguments() } };
  };

  const callArguments = (): Operand[] => {
    expect('(');
    if (++nesting > MAX_NESTING) fail('a filter is nested too deeply');
    const args: Operand[] = [];
    do {
      space();
      args.push(operand());
      space();
    } while (accept(','));
    expect(')');
    nesting--;
    return args;
  };

  return {
    query,
    end: () => {
      space();
      if (at < text.length) fail(`unexpected ${JSON.stringify(text[at])}`);
    },
  };
}
