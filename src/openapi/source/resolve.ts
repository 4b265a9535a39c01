// Follows `$ref`s lazily; nothing is copied or inlined. A place is a document, a JSON pointer and the value there.
import { isObject } from '../../endpoint/is-object.ts';
import { decodePercent, type Node, own, pointerSegment, textAt } from '../../endpoint/untrusted.ts';
import type { OneWayKeywords } from './document-scan.ts';
import { type DocumentSet, resolveUri, type SourceDocument } from './documents.ts';

export interface DocumentPlace<Value = unknown> {
  readonly document: SourceDocument;
  /** JSON pointer inside the document. */
  readonly pointer: string;
  readonly value: Value;
}

/** The place under a key, or under several keys one after another; its value may be undefined. */
export function inside(place: DocumentPlace, ...keys: readonly (string | number)[]): DocumentPlace {
  let { pointer, value } = place;
  for (const key of keys) {
    pointer += pointerSegment(key);
    value = own(value, String(key));
  }
  return { document: place.document, pointer, value };
}

/** The pointer of a place; for files other than the root document, with the name of the file in front. */
export function pointerOf({ document, pointer }: DocumentPlace): string {
  return document.isRoot ? pointer : `${document.label}#${pointer}`;
}

/** A `$ref` that cannot be resolved; `message` says why. */
export class RefError extends Error {
  override readonly name = 'RefError';
}

/** Why an operation cannot be imported, and where. */
export class OperationProblem extends Error {
  override readonly name = 'OperationProblem';
  /** JSON pointer inside the document. */
  readonly pointer: string;

  constructor(pointer: string, reason: string) {
    super(reason);
    this.pointer = pointer;
  }
}

/** Resolves a `$ref`. Throws RefError. */
export type Follow = (from: SourceDocument, ref: string) => DocumentPlace;

export interface Resolver {
  /** Follows one `$ref`. */
  readonly follow: Follow;
  /** Follows a `$ref`, and the `$ref`s it leads to; throws if they form a circle. */
  readonly followAll: Follow;
  /** The place itself, or the one its `$ref`s lead to. Throws RefError. */
  readonly dereference: (place: DocumentPlace) => DocumentPlace;
  readonly oneWay: OneWayKeywords;
}

/** The result of a look-up, or undefined if a `$ref` cannot be resolved. */
export function orUndefined<Value>(lookUp: () => Value): Value | undefined {
  try {
    return lookUp();
  } catch (error) {
    if (error instanceof RefError) return undefined;
    throw error;
  }
}

/** The result of a look-up; throws OperationProblem if the `$ref` at `pointer` cannot be resolved. */
export function orOperationProblem<Value>(pointer: string, lookUp: () => Value): Value {
  try {
    return lookUp();
  } catch (error) {
    throw error instanceof RefError ? new OperationProblem(`${pointer}/$ref`, error.message) : error;
  }
}

const MAX_HOPS = 64;
const MAX_NAMES_TRIED = 200;

export function createResolver(documents: DocumentSet): Resolver {
  const memo = new WeakMap<SourceDocument, Map<string, DocumentPlace | RefError>>();

  const follow: Follow = (from, ref) => {
    const targets = memo.get(from) ?? new Map<string, DocumentPlace | RefError>();
    memo.set(from, targets);
    let target = targets.get(ref);
    if (target === undefined) {
      target = resolveRef(documents, from, ref);
      targets.set(ref, target);
    }
    if (target instanceof RefError) throw target;
    return target;
  };

  const dereference = (place: DocumentPlace): DocumentPlace => {
    let here = place;
    for (let hops = 0; isObject(here.value) && typeof here.value.$ref === 'string'; hops++) {
      if (hops === MAX_HOPS) throw new RefError(`$ref ${show(here.value.$ref)} leads back to itself`);
      here = follow(here.document, here.value.$ref);
    }
    return here;
  };

  return { follow, dereference, followAll: (from, ref) => dereference(follow(from, ref)), oneWay: documents.oneWay };
}

function resolveRef(documents: DocumentSet, from: SourceDocument, ref: string): DocumentPlace | RefError {
  const hash = ref.indexOf('#');
  const fragment = hash < 0 ? '' : ref.slice(hash + 1);
  let document: SourceDocument | string = from;
  if (hash !== 0 && ref !== '') {
    const uri = resolveUri(ref, from.uri);
    if (uri === undefined) return new RefError(`$ref ${show(ref)} is not a valid reference`);
    document = documents.find(uri);
    if (typeof document === 'string') {
      // An `$id` may be in the documents that were read; nothing is ever fetched for one.
      const names = namesOf(from);
      const schema = names.get(uri) ?? names.get(hash < 0 ? ref : ref.slice(0, hash));
      if (!schema) return new RefError(`$ref ${show(ref)} ${document}`);
      const { target } = fragment === '' ? { target: schema } : followPointer(schema, fragment);
      return target ?? new RefError(`$ref ${show(ref)} points to nothing`);
    }
  }
  const root: DocumentPlace = { document, pointer: '', value: document.value };
  if (fragment === '') return root;
  if (!fragment.startsWith('/')) {
    return (
      namesOf(document).get(`#${fragment}`) ?? new RefError(`$ref ${show(ref)} names an $anchor that does not exist`)
    );
  }
  const { target, missing } = followPointer(root, fragment);
  if (target) return target;
  const gap = missing === `#${fragment}` ? '' : ` (there is no ${show(missing)})`;
  return insideSchemaWithId(namesOf(document), fragment) ?? new RefError(`$ref ${show(ref)} points to nothing${gap}`);
}

/** Inside a schema with an `$id`, `#/$defs/x` is relative to that schema. The first schema that has such a part is taken. */
function insideSchemaWithId(names: ReadonlyMap<string, DocumentPlace>, fragment: string): DocumentPlace | undefined {
  let tries = 0;
  for (const [name, place] of names) {
    if (++tries > MAX_NAMES_TRIED) return undefined;
    const { target } = name.startsWith('#') ? {} : followPointer(place, fragment);
    if (target) return target;
  }
  return undefined;
}

type PointerResult =
  | { readonly target: DocumentPlace; readonly missing?: never }
  | { readonly target?: never; readonly missing: string };

/**
 * The place that a JSON pointer leads to, or the first part of the pointer that does not exist. Keys should be percent-encoded;
 * documents written by hand often forget that.
 */
function followPointer(root: DocumentPlace, fragment: string): PointerResult {
  let { value, pointer } = root;
  const parts = fragment.split('/').slice(1);
  for (const [index, part] of parts.entries()) {
    const plain = fromStep(part);
    const key = hasKey(value, plain) ? plain : fromStep(decodePercent(part));
    if (!hasKey(value, key)) return { missing: `#/${parts.slice(0, index + 1).join('/')}` };
    value = (value as Node)[key];
    pointer += pointerSegment(key);
  }
  return { target: { document: root.document, pointer, value } };
}

function hasKey(value: unknown, key: string): boolean {
  if (Array.isArray(value)) return /^(?:0|[1-9]\d{0,8})$/.test(key) && Number(key) < value.length;
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key);
}

function fromStep(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

const namesByDocument = new WeakMap<SourceDocument, ReadonlyMap<string, DocumentPlace>>();

/** `$id`, `$anchor` and `$dynamicAnchor` of a document, collected on first use. */
function namesOf(document: SourceDocument): ReadonlyMap<string, DocumentPlace> {
  const names = namesByDocument.get(document);
  if (names) return names;
  const places = new Map<string, DocumentPlace>();
  const visits = new Set<object>();
  const stack: DocumentPlace[] = [{ document, pointer: '', value: document.value }];
  for (let place = stack.pop(); place; place = stack.pop()) {
    const { value } = place;
    if (typeof value !== 'object' || value === null || visits.has(value)) continue;
    visits.add(value);
    if (isObject(value)) addNames(value, place, places);
    for (const key of Object.keys(value)) stack.push(inside(place, key));
  }
  namesByDocument.set(document, places);
  return places;
}

function addNames(node: Node, place: DocumentPlace, places: Map<string, DocumentPlace>): void {
  const note = (name: string | undefined) => {
    if (name !== undefined && !places.has(name)) places.set(name, place);
  };
  for (const keyword of ['$anchor', '$dynamicAnchor']) {
    const anchor = textAt(node, keyword);
    if (anchor !== undefined) note(`#${anchor}`);
  }
  const id = textAt(node, '$id');
  note(id);
  if (id !== undefined) note(resolveUri(id, place.document.uri));
}

function show(ref: string): string {
  return `"${ref.length > 120 ? `${ref.slice(0, 117)}...` : ref}"`;
}
