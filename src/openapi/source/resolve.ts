// Follows `$ref`s, lazily: nothing is copied or inlined here. A place is a document, a pointer and the value there.

import { isObject } from '../../endpoint/is-object.ts';
import { decodeText, type Node, own, step, textAt } from '../../endpoint/untrusted.ts';
import { type DocumentSet, resolveUri, type SourceDocument } from './documents.ts';
import type { OneWayWords } from './survey.ts';

export interface Place<Value = unknown> {
  readonly document: SourceDocument;
  /** JSON pointer inside the document. */
  readonly pointer: string;
  readonly value: Value;
}

/** What stands under a key of a place, or under one key after another; its value may be undefined. */
export function inside(place: Place, ...keys: readonly (string | number)[]): Place {
  let { pointer, value } = place;
  for (const key of keys) {
    pointer += step(key);
    value = own(value, String(key));
  }
  return { document: place.document, pointer, value };
}

/** A pointer as seen from the root document; other files are named in front of it. */
export function pointerOf({ document, pointer }: Place): string {
  return document.isRoot ? pointer : `${document.label}#${pointer}`;
}

/** A `$ref` that leads nowhere; `message` is a reason in words. */
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

/** Where a `$ref` leads. Throws RefError. */
export type Follow = (from: SourceDocument, ref: string) => Place;

export interface Resolver {
  /** One hop. */
  readonly follow: Follow;
  /** Until something else than a `$ref` stands there; a circle of them throws. */
  readonly followAll: Follow;
  /** What stands at a place, or behind its `$ref`s. Throws RefError. */
  readonly settle: (place: Place) => Place;
  readonly oneWay: OneWayWords;
}

/** What a look-up gives, or undefined where it leads nowhere. */
export function orNothing<Value>(look: () => Value): Value | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof RefError) return undefined;
    throw error;
  }
}

/** What a look-up gives; a `$ref` at `pointer` that leads nowhere is the operation's problem. */
export function orProblem<Value>(pointer: string, look: () => Value): Value {
  try {
    return look();
  } catch (error) {
    throw error instanceof RefError ? new OperationProblem(`${pointer}/$ref`, error.message) : error;
  }
}

const MAX_HOPS = 64;
const MAX_NAMES_TRIED = 200;

export function createResolver(documents: DocumentSet): Resolver {
  const memo = new WeakMap<SourceDocument, Map<string, Place | RefError>>();

  const follow: Follow = (from, ref) => {
    const targets = memo.get(from) ?? new Map<string, Place | RefError>();
    memo.set(from, targets);
    let target = targets.get(ref);
    if (target === undefined) {
      target = look(documents, from, ref);
      targets.set(ref, target);
    }
    if (target instanceof RefError) throw target;
    return target;
  };

  const settle = (place: Place): Place => {
    let here = place;
    for (let hops = 0; isObject(here.value) && typeof here.value.$ref === 'string'; hops++) {
      if (hops === MAX_HOPS) throw new RefError(`$ref ${show(here.value.$ref)} leads back to itself`);
      here = follow(here.document, here.value.$ref);
    }
    return here;
  };

  return { follow, settle, followAll: (from, ref) => settle(follow(from, ref)), oneWay: documents.oneWay };
}

function look(documents: DocumentSet, from: SourceDocument, ref: string): Place | RefError {
  const hash = ref.indexOf('#');
  const fragment = hash < 0 ? '' : ref.slice(hash + 1);
  let document: SourceDocument | string = from;
  if (hash !== 0 && ref !== '') {
    const uri = resolveUri(ref, from.uri);
    if (uri === undefined) return new RefError(`$ref ${show(ref)} is not a valid reference`);
    document = documents.find(uri);
    if (typeof document === 'string') {
      // `$id` names inside the documents at hand; nothing is ever fetched for one.
      const names = namesOf(from);
      const schema = names.get(uri) ?? names.get(hash < 0 ? ref : ref.slice(0, hash));
      if (!schema) return new RefError(`$ref ${show(ref)} ${document}`);
      const { end } = fragment === '' ? { end: schema } : walk(schema, fragment);
      return end ?? new RefError(`$ref ${show(ref)} points to nothing`);
    }
  }
  const root: Place = { document, pointer: '', value: document.value };
  if (fragment === '') return root;
  if (!fragment.startsWith('/')) {
    return (
      namesOf(document).get(`#${fragment}`) ?? new RefError(`$ref ${show(ref)} names an $anchor that does not exist`)
    );
  }
  const { end, missing } = walk(root, fragment);
  if (end) return end;
  const gap = missing === `#${fragment}` ? '' : ` (there is no ${show(missing)})`;
  return insideNamed(namesOf(document), fragment) ?? new RefError(`$ref ${show(ref)} points to nothing${gap}`);
}

/** Inside a schema with an `$id`, `#/$defs/x` counts from that schema. The first one that has it is the one meant. */
function insideNamed(names: ReadonlyMap<string, Place>, fragment: string): Place | undefined {
  let tries = 0;
  for (const [name, place] of names) {
    if (++tries > MAX_NAMES_TRIED) return undefined;
    const { end } = name.startsWith('#') ? {} : walk(place, fragment);
    if (end) return end;
  }
  return undefined;
}

type Way = { readonly end: Place; readonly missing?: never } | { readonly end?: never; readonly missing: string };

/**
 * Down a JSON pointer, or the first part of it that is not there. Keys may be percent-encoded or, in documents written by
 * hand, not.
 */
function walk(root: Place, fragment: string): Way {
  let { value, pointer } = root;
  const parts = fragment.split('/').slice(1);
  for (const [index, part] of parts.entries()) {
    const plain = fromStep(part);
    const key = hasKey(value, plain) ? plain : fromStep(decodeText(part));
    if (!hasKey(value, key)) return { missing: `#/${parts.slice(0, index + 1).join('/')}` };
    value = (value as Node)[key];
    pointer += step(key);
  }
  return { end: { document: root.document, pointer, value } };
}

function hasKey(value: unknown, key: string): boolean {
  if (Array.isArray(value)) return /^(?:0|[1-9]\d{0,8})$/.test(key) && Number(key) < value.length;
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key);
}

function fromStep(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

const namesByDocument = new WeakMap<SourceDocument, ReadonlyMap<string, Place>>();

/** `$id`, `$anchor` and `$dynamicAnchor` of a document, looked for once, only when something asks for one. */
function namesOf(document: SourceDocument): ReadonlyMap<string, Place> {
  const names = namesByDocument.get(document);
  if (names) return names;
  const places = new Map<string, Place>();
  const visits = new Set<object>();
  const stack: Place[] = [{ document, pointer: '', value: document.value }];
  for (let place = stack.pop(); place; place = stack.pop()) {
    const { value } = place;
    if (typeof value !== 'object' || value === null || visits.has(value)) continue;
    visits.add(value);
    if (isObject(value)) noteNames(value, place, places);
    for (const key of Object.keys(value)) stack.push(inside(place, key));
  }
  namesByDocument.set(document, places);
  return places;
}

function noteNames(node: Node, place: Place, places: Map<string, Place>): void {
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
