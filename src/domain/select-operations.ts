// Compiles include and exclude of a domain file into one function over operations, which also records which values never matched.

import { compileGlob } from '../endpoint/glob.ts';
import type { Problem } from '../endpoint/problems.ts';
import { hint, isRoute } from '../endpoint/suggest.ts';
import type { OperationInfo } from '../openapi/import-options.ts';
import type { OperationFilter } from './definition/definition-types.ts';

export interface OperationSelection {
  readonly select: (operation: OperationInfo) => boolean;
  /** Values of `include` and `exclude` that matched no operation: most likely they are misspelt. */
  readonly unused: () => Problem[];
}

type Test = (operation: OperationInfo) => boolean;

/** One value of a filter. */
interface Choice {
  readonly path: Problem['path'];
  readonly value: string;
  readonly kind: Kind;
  readonly test: Test;
}

type Kind = 'tags' | 'paths' | 'methods' | 'operations' | 'deprecated';

const WORDS: Readonly<Record<Kind, string>> = {
  tags: 'the tag',
  paths: 'the path',
  methods: 'the method',
  operations: 'the name',
  deprecated: 'deprecated:',
};

/** Names of each kind that are kept for suggestions. */
const MAX_NAMES = 5_000;

/** Selects what `include` matches (everything, if there is none) and `exclude` does not. */
export function compileSelection(
  include: OperationFilter | undefined,
  exclude: OperationFilter | undefined,
): OperationSelection {
  const includes = compile('include', include);
  const excludes = compile('exclude', exclude);
  const usedChoices = new Set<Choice>();
  const matchedFilters = new Set<readonly (readonly Choice[])[]>();
  const names: Record<Kind, Set<string>> = {
    tags: new Set(),
    paths: new Set(),
    methods: new Set(),
    operations: new Set(),
    deprecated: new Set(),
  };
  const routes = new Set<string>();
  // Every test of every key runs, so that `usedChoices` is complete.
  const matches = (groups: readonly (readonly Choice[])[], operation: OperationInfo) => {
    const matchesAll = groups.map((choices) => anyOf(choices, operation, usedChoices)).every(Boolean);
    if (matchesAll) matchedFilters.add(groups);
    return matchesAll;
  };
  const isFiltered = includes.length + excludes.length > 0;
  return {
    select: (operation) => {
      if (isFiltered) noteNames(operation, names, routes);
      const isIncluded = matches(includes, operation);
      const isExcluded = matches(excludes, operation) && excludes.length > 0;
      return isIncluded && !isExcluded;
    },
    unused: () => [
      ...[...includes, ...excludes]
        .flat()
        .filter((choice) => !usedChoices.has(choice))
        .map(({ path, kind, value }) => {
          const message = `no operation of the document has ${WORDS[kind]} ${kind === 'deprecated' ? value : `"${value}"`}`;
          const candidates = kind === 'operations' && isRoute(value) ? routes : names[kind];
          const fix = kind === 'deprecated' ? 'remove it' : hint(value, [...candidates]);
          return { path, message: `${message}; ${fix}` };
        }),
      ...[includes, excludes]
        .filter((groups) => groups.length > 1 && groups.flat().every((choice) => usedChoices.has(choice)))
        .filter((groups) => !matchedFilters.has(groups))
        .map(toContradiction),
    ],
  };
}

/** Every value matches something, but the keys together match nothing: most likely they were meant as alternatives. */
function toContradiction(groups: readonly (readonly Choice[])[]): Problem {
  const [{ path }] = groups[0] as [Choice];
  const keys = groups.map(([choice]) => choice!.kind).join(' and ');
  const message = `no operation of the document matches ${keys} together, and all keys of a filter must match`;
  return { path: path.slice(0, 1), message: `${message}; write one of them, such as operations` };
}

function noteNames(
  { tags, path, method, operationId }: OperationInfo,
  names: Record<Kind, Set<string>>,
  routes: Set<string>,
): void {
  if (names.paths.size >= MAX_NAMES) return;
  for (const tag of tags) names.tags.add(tag);
  names.paths.add(path);
  names.methods.add(method);
  names.operations.add(operationId ?? `${method} ${path}`);
  routes.add(`${method} ${path}`);
}

function anyOf(choices: readonly Choice[], operation: OperationInfo, usedChoices: Set<Choice>): boolean {
  const hits = choices.filter(({ test }) => test(operation));
  for (const hit of hits) usedChoices.add(hit);
  return hits.length > 0;
}

function compile(key: 'include' | 'exclude', filter: OperationFilter | undefined): Choice[][] {
  const groups: Choice[][] = [];
  const add = (kind: Kind, values: readonly string[] | undefined, toTest: (value: string) => Test) => {
    if (values === undefined) return;
    groups.push(values.map((value, index) => ({ path: [key, kind, index], value, kind, test: toTest(value) })));
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
    // Globs match what the document wrote. The names that Landbridge chose are matched as a whole, as the keys of `operations`.
    return ({ operationId, method, path, qualifiedNames = [], names = [] }) =>
      (operationId !== undefined && isId(operationId)) ||
      isPath(`${method} ${path}`) ||
      qualifiedNames.some(isId) ||
      names.includes(glob);
  });
  const { deprecated } = filter ?? {};
  if (deprecated !== undefined) {
    const test: Test = (operation) => operation.deprecated === deprecated;
    groups.push([{ path: [key, 'deprecated'], value: String(deprecated), kind: 'deprecated', test }]);
  }
  return groups;
}
