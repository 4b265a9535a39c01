// include and exclude of a domain file as one function over operations, which also remembers what never matched.

import { compileGlob } from '../endpoint/glob.ts';
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
  const includes = compile(include);
  const excludes = compile(exclude);
  const used = new Set<string>();
  // no short cuts: every test of every key runs, so that `used` is complete
  const keep: Test = (operation) => includes.map((tests) => anyOf(tests, operation, used)).every(Boolean);
  const drop: Test = (operation) =>
    excludes.length > 0 && excludes.map((tests) => anyOf(tests, operation)).every(Boolean);
  return {
    select: (operation) => keep(operation) && !drop(operation),
    unused: () => includes.flatMap((tests) => tests.map(([label]) => label)).filter((label) => !used.has(label)),
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
    const isBelow = compileGlob(`${tag}.*`);
    return ({ tags, qualifiedNames = [] }) =>
      tags.some((other) => other.toLowerCase() === tag.toLowerCase()) || qualifiedNames.some(isBelow);
  });
  add('paths', filter?.paths, (glob) => {
    const matches = compileGlob(glob, '/');
    return (operation) => matches(operation.path);
  });
  add('methods', filter?.methods, (method) => (operation) => operation.method === method.toUpperCase());
  add('operations', filter?.operations, (glob) => {
    const isId = compileGlob(glob);
    const isPath = compileGlob(glob, '/');
    return ({ operationId, method, path, qualifiedNames = [] }) =>
      (operationId !== undefined && isId(operationId)) || isPath(`${method} ${path}`) || qualifiedNames.some(isId);
  });
  const { deprecated } = filter ?? {};
  if (deprecated !== undefined)
    groups.push([[`deprecated: ${deprecated}`, (operation) => operation.deprecated === deprecated]]);
  return groups;
}
