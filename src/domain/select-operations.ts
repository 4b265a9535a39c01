// include and exclude of a domain file as one function over operations, which also remembers what never matched.

import type { OperationInfo } from '../openapi/import-options.ts';
import type { OperationFilter } from './definition/definition-types.ts';

export interface Selection {
  readonly select: (operation: OperationInfo) => boolean;
  /** Values of `include` that no operation had: most likely misspelt. */
  readonly unused: () => string[];
}

type Test = (operation: OperationInfo) => boolean;
type Named = readonly [label: string, test: Test];

/** Keeps what `include` matches (everything, without one) and `exclude` does not. */
export function buildSelection(include: OperationFilter | undefined, exclude: OperationFilter | undefined): Selection {
  const wanted = compile(include);
  const unwanted = compile(exclude);
  const used = new Set<string>();
  // no short cuts: every test of every key runs, so that `used` is complete
  const keep: Test = (operation) => wanted.map((tests) => anyOf(tests, operation, used)).every(Boolean);
  const drop: Test = (operation) =>
    unwanted.length > 0 && unwanted.map((tests) => anyOf(tests, operation)).every(Boolean);
  return {
    select: (operation) => keep(operation) && !drop(operation),
    unused: () => wanted.flatMap((tests) => tests.map(([label]) => label)).filter((label) => !used.has(label)),
  };
}

function anyOf(tests: readonly Named[], operation: OperationInfo, used?: Set<string>): boolean {
  const hits = tests.filter(([, test]) => test(operation));
  for (const [label] of hits) used?.add(label);
  return hits.length > 0;
}

function compile(filter: OperationFilter | undefined): Named[][] {
  const groups: Named[][] = [];
  const add = (key: string, values: readonly string[] | undefined, test: (value: string) => Test) => {
    if (values !== undefined) groups.push(values.map((value) => [`${key}: ${value}`, test(value)]));
  };
  add('tags', filter?.tags, (tag) => {
    const isBelow = globToTest(`${tag}.*`);
    return ({ tags, qualifiedNames = [] }) =>
      tags.some((other) => other.toLowerCase() === tag.toLowerCase()) || qualifiedNames.some(isBelow);
  });
  add('paths', filter?.paths, (glob) => {
    const matches = globToTest(glob, '/');
    return (operation) => matches(operation.path);
  });
  add('methods', filter?.methods, (method) => (operation) => operation.method === method.toUpperCase());
  add('operations', filter?.operations, (glob) => {
    const isId = globToTest(glob);
    const isPath = globToTest(glob, '/');
    return ({ operationId, method, path, qualifiedNames = [] }) =>
      (operationId !== undefined && isId(operationId)) || isPath(`${method} ${path}`) || qualifiedNames.some(isId);
  });
  const { deprecated } = filter ?? {};
  if (deprecated !== undefined)
    groups.push([[`deprecated: ${deprecated}`, (operation) => operation.deprecated === deprecated]]);
  return groups;
}

/** `*` matches within a segment, `**` across them, everything else itself. No regular expression to blow up. */
export function globToTest(glob: string, separator?: string): (text: string) => boolean {
  const tokens = glob.match(/\*\*|\*|[^*]+/g) ?? [];
  return (text) => {
    // `/pets/**` also means /pets itself
    if (separator !== undefined && glob === `${text}${separator}**`) return true;
    // positions in `text` where the tokens so far may end
    let ends = new Set([0]);
    for (const token of tokens) {
      if (token === '*') ends = stretch(text, ends, separator);
      else if (token === '**') ends = stretch(text, ends, undefined);
      else ends = new Set([...ends].filter((end) => text.startsWith(token, end)).map((end) => end + token.length));
      if (ends.size === 0) return false;
    }
    return ends.has(text.length);
  };
}

/** Every position from one of `starts` on, up to the next separator: one sweep, however many starts there are. */
function stretch(text: string, starts: ReadonlySet<number>, separator: string | undefined): Set<number> {
  const ends = new Set<number>();
  let open = false;
  for (let position = 0; position <= text.length; position++) {
    open ||= starts.has(position);
    if (open) ends.add(position);
    if (text[position] === separator) open = false;
  }
  return ends;
}
