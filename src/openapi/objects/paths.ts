// Paths and Path Item Objects: every operation in the document's order, path items behind `$ref`s, 3.2 `query` and
// `additionalOperations` included.
// https://spec.openapis.org/oas/v3.2.0.html#paths-object, https://spec.openapis.org/oas/v3.2.0.html#path-item-object

import { isObject } from '../../endpoint/is-object.ts';
import { type Node, nodeAt, own, step, textAt, textsAt } from '../../endpoint/untrusted.ts';
import type { OperationInfo } from '../import-options.ts';
import type { SourceDocument } from '../source/documents.ts';
import { type Place, RefError, type Resolver } from '../source/resolve.ts';

export interface Operation {
  readonly info: OperationInfo;
  /** As seen from the root document. */
  readonly pointer: string;
  readonly pathItem: Place;
  readonly place: Place;
  /** Set when a `$ref` in place of the operation leads nowhere. */
  readonly problem?: string;
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

export function listOperations(root: SourceDocument, resolver: Resolver, warnings: string[]): Operation[] {
  const paths = nodeAt(root.value, 'paths') ?? {};
  const operations: Operation[] = [];
  const methods = new Set(root.dialect.major === 3 && root.dialect.minor >= 2 ? [...METHODS, 'query'] : METHODS);
  for (const path of Object.keys(paths)) {
    if (path.startsWith('x-')) continue;
    const pointer = `/paths${step(path)}`;
    for (const pathItem of pathItems({ document: root, pointer, value: paths[path] }, resolver, warnings, path)) {
      const node = pathItem.value as Node;
      for (const key of Object.keys(node)) {
        if (methods.has(key.toLowerCase()))
          note(operations, pathItem, pointer, path, key, key.toUpperCase(), node[key], resolver);
      }
      const additional = methods.has('query') ? nodeAt(node, 'additionalOperations') : undefined;
      for (const method of Object.keys(additional ?? {})) {
        note(
          operations,
          pathItem,
          `${pointer}/additionalOperations`,
          path,
          method,
          method,
          additional![method],
          resolver,
        );
      }
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
    return [...own, own.length > 0 ? { ...target, value: rest } : target];
  } catch (error) {
    if (!(error instanceof RefError)) throw error;
    warnings.push(`${place.document.label}: the path ${path} was left out: ${error.message}`);
    return own;
  }
}

function note(
  operations: Operation[],
  pathItem: Place,
  pointer: string,
  path: string,
  key: string,
  method: string,
  value: unknown,
  resolver: Resolver,
): void {
  if (!isObject(value)) return;
  let place: Place = { document: pathItem.document, pointer: `${pathItem.pointer}${step(key)}`, value };
  let problem: string | undefined;
  // Not allowed by any version, and met in the wild.
  if (typeof value.$ref === 'string') {
    try {
      place = resolver.settle(place);
    } catch (error) {
      if (!(error instanceof RefError)) throw error;
      problem = error.message;
    }
    if (!isObject(place.value)) problem = 'its $ref leads to something that is not an operation';
  }
  const operationId = textAt(place.value, 'operationId');
  const info: OperationInfo = {
    method,
    path,
    ...(operationId === undefined ? {} : { operationId }),
    tags: textsAt(place.value, 'tags'),
    deprecated: own(place.value, 'deprecated') === true,
  };
  operations.push({
    info,
    pointer: pointer + step(key),
    pathItem,
    place,
    ...(problem === undefined ? {} : { problem }),
  });
}
