// include and exclude of a domain file as one function over operations, which also remembers what never matched.
import type { OperationFilter } from '../endpoint/definition.ts';
import type { OperationInfo } from '../openapi/options.ts';

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
  add(
    'tags',
    filter?.tags,
    (tag) => (operation) => operation.tags.some((given) => given.toLowerCase() === tag.toLowerCase()),
  );
  add('paths', filter?.paths, (glob) => {
    const matches = globToTest(glob, '/');
    return (operation) => matches(operation.path);
  });
  add('methods', filter?.methods, (method) => (operation) => operation.method === method.toUpperCase());
  add('operations', filter?.operations, (glob) => {
    const isId = globToTest(glob);
    const isPath = globToTest(glob, '/');
    return ({ operationId, method, path }) =>
      (operationId !== undefined && isId(operationId)) || isPath(`${method} ${path}`);
  });
  const { deprecated } = filter ?? {};
  if (deprecated !== undefined)
    groups.push([[`deprecated: ${deprecated}`, (operation) => operation.deprecated === deprecated]]);
  return groups;
}

/** `*` matches within a segment, `**` across them, everything else itself. Linear: no regular expression to blow up. */
export function globToTest(glob: string, separator?: string): (text: string) => boolean {
  const tokens = glob.match(/\*\*|\*|[^*]+/g) ?? [];
  return (text) => {
    // positions in `text` that the tokens so far can end at
    let ends = new Set([0]);
    for (const token of tokens) {
      const next = new Set<number>();
      for (const start of ends) {
        if (token === '*' || token === '**') {
          for (let end = start; end <= text.length; end++) {
            next.add(end);
            if (token === '*' && separator !== undefined && text[end] === separator) break;
          }
        } else if (text.startsWith(token, start)) next.add(start + token.length);
      }
      ends = next;
      if (ends.size === 0) return false;
    }
    // `/pets/**` also means /pets itself
    return ends.has(text.length) || (separator !== undefined && glob === `${text}${separator}**`);
  };
}
