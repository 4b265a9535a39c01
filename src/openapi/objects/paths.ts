// Paths and Path Item Objects: all operations in the document's order, including path items in targets of `$ref`s and `query` and
// `additionalOperations` of 3.2. Path Templating: what a path key means.
// https://spec.openapis.org/oas/v3.2.0.html#paths-object, #path-item-object, #path-templating
import { isObject } from '../../endpoint/is-object.ts';
import { type Node, nodeAt, own, pointerSegment, textAt, textsAt } from '../../endpoint/untrusted.ts';
import type { OperationInfo } from '../import-options.ts';
import type { SourceDocument } from '../source/documents.ts';
import { type DocumentPlace, inside, RefError, type Resolver } from '../source/resolve.ts';

export interface DocumentOperation {
  readonly info: OperationInfo;
  /** The pointer in the root document. */
  readonly pointer: string;
  readonly pathItem: DocumentPlace;
  readonly place: DocumentPlace;
  /** Set if a `$ref` in place of the operation cannot be resolved. */
  readonly problem: string | undefined;
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

export function listOperations(root: SourceDocument, resolver: Resolver, warnings: string[]): DocumentOperation[] {
  const paths: DocumentPlace = { document: root, pointer: '/paths', value: nodeAt(root.value, 'paths') ?? {} };
  const operations: DocumentOperation[] = [];
  const hasQuery = root.dialect.major === 3 && root.dialect.minor >= 2;
  const methods = new Set(hasQuery ? [...METHODS, 'query'] : METHODS);
  for (const path of Object.keys(paths.value as Node)) {
    if (path.startsWith('x-')) continue;
    const declaration = inside(paths, path);
    const { pointer } = declaration;
    for (const pathItem of pathItems(declaration, resolver, warnings, path)) {
      const add = (owner: DocumentPlace, key: string, method: string, at: string) => {
        const place = inside(owner, key);
        if (isObject(place.value))
          operations.push(readOperation(place, pathItem, method, path, at + pointerSegment(key), resolver));
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

/** A path item may have a `$ref`, and operations of its own beside it. */
function pathItems(place: DocumentPlace, resolver: Resolver, warnings: string[], path: string): DocumentPlace[] {
  if (!isObject(place.value)) return [];
  if (typeof place.value.$ref !== 'string') return [place];
  const { $ref, ...beside } = place.value;
  const own: DocumentPlace[] = Object.keys(beside).length > 0 ? [{ ...place, value: beside }] : [];
  try {
    const target = resolver.dereference(place);
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
  declaration: DocumentPlace,
  pathItem: DocumentPlace,
  method: string,
  path: string,
  pointer: string,
  resolver: Resolver,
): DocumentOperation {
  let place = declaration;
  let problem: string | undefined;
  // No version allows a `$ref` here, but some documents have one.
  try {
    place = resolver.dereference(declaration);
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

/** A path key: `/pets/{petId}`, but also `/current?lat={lat}`, `/files/{id}#copy` or `/x/{proxy+}`. */
export interface PathTemplate {
  /** The template that the executor fills in. It may have a literal query string and a fragment. */
  readonly path: string;
  /** Variables of the path itself, each once, under the names that the document's parameters have. */
  readonly variables: readonly string[];
  /** Variables in a query string of the key: variable → query name. */
  readonly queryVariables: ReadonlyMap<string, string>;
}

const NONE: ReadonlyMap<string, string> = new Map();

/** `parameters` show whether `{proxy+}` is the variable `proxy`, or is really called that. */
export function readTemplate(key: string, parameters: readonly { in: string; name: string }[]): PathTemplate {
  if (!/[{?#]/.test(key) && key.startsWith('/')) return { path: key, variables: [], queryVariables: NONE };
  const pathNames = new Set<string>();
  for (const parameter of parameters) if (parameter.in === 'path') pathNames.add(parameter.name);
  const whole = key.startsWith('/') ? key : `/${key}`;
  const hash = whole.indexOf('#');
  const fragment = hash < 0 ? '' : whole.slice(hash);
  const bare = hash < 0 ? whole : whole.slice(0, hash);
  const mark = indexOfQuery(bare);
  const queryVariables = new Map<string, string>();
  const literal: string[] = [];
  for (const pair of mark < 0 ? [] : bare.slice(mark + 1).split('&')) {
    const [, name, variable] = /^([^={}]+)=\{([^{}]+)\}$/.exec(pair) ?? [];
    if (name !== undefined && variable !== undefined) queryVariables.set(variable, name);
    else if (!/[{}]/.test(pair) && pair !== '') literal.push(pair);
  }
  const variables = new Set<string>();
  const path = (mark < 0 ? bare : bare.slice(0, mark)).replace(/\{([^{}]*)\}/g, (whole, inner: string) => {
    // RFC 6570 query expansion: such variables are declared as query parameters.
    if (/^[?&]/.test(inner)) return '';
    const name = pathNames.has(inner) ? inner : inner.replace(/^\+|[+*]$/g, '').split(':', 1)[0]!;
    const variable = pathNames.has(name) ? name : inner;
    if (variable === '') return whole;
    variables.add(variable);
    return `{${variable}}`;
  });
  return {
    path: path + (literal.length > 0 ? `?${literal.join('&')}` : '') + fragment,
    variables: [...variables],
    queryVariables,
  };
}

/** The position of the first `?` outside of braces. */
function indexOfQuery(text: string): number {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '{') depth++;
    else if (character === '}') depth--;
    else if (character === '?' && depth <= 0) return index;
  }
  return -1;
}
