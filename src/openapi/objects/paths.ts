// Paths and Path Item Objects: every operation in the document's order, path items behind `$ref`s, 3.2 `query` and
// `additionalOperations` included.
// https://spec.openapis.org/oas/v3.2.0.html#paths-object, https://spec.openapis.org/oas/v3.2.0.html#path-item-object

import { isObject } from '../../endpoint/is-object.ts';
import { type Node, nodeAt, own, step, textAt, textsAt } from '../../endpoint/untrusted.ts';
import type { OperationInfo } from '../import-options.ts';
import type { SourceDocument } from '../source/documents.ts';
import { inside, type Place, RefError, type Resolver } from '../source/resolve.ts';

export interface Operation {
  readonly info: OperationInfo;
  /** As seen from the root document. */
  readonly pointer: string;
  readonly pathItem: Place;
  readonly place: Place;
  /** Set when a `$ref` in place of the operation leads nowhere. */
  readonly problem: string | undefined;
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

export function listOperations(root: SourceDocument, resolver: Resolver, warnings: string[]): Operation[] {
  const paths: Place = { document: root, pointer: '/paths', value: nodeAt(root.value, 'paths') ?? {} };
  const operations: Operation[] = [];
  const hasQuery = root.dialect.major === 3 && root.dialect.minor >= 2;
  const methods = new Set(hasQuery ? [...METHODS, 'query'] : METHODS);
  for (const path of Object.keys(paths.value as Node)) {
    if (path.startsWith('x-')) continue;
    const declaration = inside(paths, path);
    const { pointer } = declaration;
    for (const pathItem of pathItems(declaration, resolver, warnings, path)) {
      const add = (owner: Place, key: string, method: string, at: string) => {
        const place = inside(owner, key);
        if (isObject(place.value))
          operations.push(readOperation(place, pathItem, method, path, at + step(key), resolver));
      };
      for (const key of Object.keys(pathItem.value as Node))
        if (methods.has(key.toLowerCase())) add(pathItem, key, key.toUpperCase(), pointer);
      const additional = inside(pathItem, 'additionalOperations');
      if (!hasQuery || !isObject(additional.value)) continue;
      for (const method of Object.keys(additional.value))
        add(additional, method, method, `${pointer}/additionalOperations`);
    }
  }
  return operations;
}

/** A path item may be a `$ref`, and may have operations of its own beside it. */
function pathItems(place: Place, resolver: Resolver, warnings: string[], path: string): Place[] {
  if (!isObject(place.value)) return [];
  if (typeof place.value.$ref !== 'string') return [place];
  const { $ref, ...beside } = place.value;
  const own: Place[] = Object.keys(beside).length > 0 ? [{ ...place, value: beside }] : [];
  try {
    const target = resolver.settle(place);
    if (!isObject(target.value)) return own;
    const rest: Record<string, unknown> = { ...target.value };
    for (const key of Object.keys(beside)) delete rest[key];
    return [...own, { ...target, value: rest }];
  } catch (error) {
    if (!(error instanceof RefError)) throw error;
    warnings.push(`${place.document.label}: the path ${path} was left out: ${error.message}`);
    return own;
  }
}

function readOperation(
  declaration: Place,
  pathItem: Place,
  method: string,
  path: string,
  pointer: string,
  resolver: Resolver,
): Operation {
  let place = declaration;
  let problem: string | undefined;
  // A `$ref` here is not allowed by any version, and met in the wild.
  try {
    place = resolver.settle(declaration);
    if (!isObject(place.value)) problem = 'its $ref leads to something that is not an operation';
  } catch (error) {
    if (!(error instanceof RefError)) throw error;
    problem = error.message;
  }
  const operationId = textAt(place.value, 'operationId');
  const tags = textsAt(place.value, 'tags');
  const deprecated = own(place.value, 'deprecated') === true;
  const info = { method, path, ...(operationId === undefined ? {} : { operationId }), tags, deprecated };
  return { info, pointer, pathItem, place, problem };
}
