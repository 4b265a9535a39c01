// Follows `$ref`s, lazily: nothing is copied or inlined here. A place is a document, a pointer and the value there.

import { isObject } from '../../endpoint/is-object.ts';
import { type Node, own, step, textAt } from '../../endpoint/untrusted.ts';
import type { DocumentSet, SourceDocument } from './documents.ts';
import { resolveUri } from './documents.ts';

export interface Place {
  readonly document: SourceDocument;
  /** JSON pointer inside the document. */
  readonly pointer: string;
  readonly value: unknown;
}

/** A pointer as seen from the root document; other files are named in front of it. */
export function pointerOf({ document, pointer }: Place): string {
  return document.isRoot ? pointer : `${document.label}#${pointer}`;
}

/** A `$ref` that leads nowhere; `message` is a reason in words. */
export class RefError extends Error {
  override readonly name = 'RefError';
}

export interface Resolver {
  /** Where a `$ref` leads, one hop. Throws RefError. */
  readonly follow: (from: SourceDocument, ref: string) => Place;
  /** Follows `$ref` until something else stands there. Throws RefError, also on a circle of refs. */
  readonly settle: (place: Place) => Place;
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

const MAX_HOPS = 64;
const MAX_NAMES_TRIED = 200;

export function createResolver(documents: DocumentSet): Resolver {
  const memo = new WeakMap<SourceDocument, Map<string, Place | RefError>>();
  const names = new WeakMap<SourceDocument, ReadonlyMap<string, Place>>();

  const follow = (from: SourceDocument, ref: string): Place => {
    const targets = memo.get(from) ?? new Map<string, Place | RefError>();
    memo.set(from, targets);
    let target = targets.get(ref);
    if (target === undefined) {
      target = look(documents, names, from, ref);
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

  return { follow, settle };
}

function look(
  documents: DocumentSet,
  names: WeakMap<SourceDocument, ReadonlyMap<string, Place>>,
  from: SourceDocument,
  ref: string,
): Place | RefError {
  const hash = ref.indexOf('#');
  const fragment = hash < 0 ? '' : ref.slice(hash + 1);
  let document: SourceDocument | string = from;
  if (hash !== 0 && ref !== '') {
    const uri = resolveUri(ref, from.uri);
    if (uri === undefined) return new RefError(`$ref ${show(ref)} is not a valid reference`);
    document = documents.find(uri);
    if (typeof document === 'string') {
      // `$id` names inside the documents at hand; nothing is ever fetched for one.
      const named = namesOf(from, names).get(uri) ?? namesOf(from, names).get(hash < 0 ? ref : ref.slice(0, hash));
      if (!named) return new RefError(`$ref ${show(ref)} ${document}`);
      const inner = fragment === '' ? named : at(named, fragment);
      return inner ?? new RefError(`$ref ${show(ref)} points to nothing`);
    }
  }
  const root: Place = { document, pointer: '', value: document.value };
  if (fragment === '') return root;
  if (!fragment.startsWith('/')) {
    return (
      namesOf(document, names).get(`#${fragment}`) ??
      new RefError(`$ref ${show(ref)} names an $anchor that does not exist`)
    );
  }
  return (
    at(root, fragment) ??
    atNamed(namesOf(document, names), fragment) ??
    new RefError(`$ref ${show(ref)} points to nothing${nearest(root, fragment)}`)
  );
}

/** Inside a schema with an `$id`, `#/$defs/x` counts from that schema. The first one that has it is the one meant. */
function atNamed(names: ReadonlyMap<string, Place>, fragment: string): Place | undefined {
  let tries = 0;
  for (const [name, place] of names) {
    if (++tries > MAX_NAMES_TRIED) return undefined;
    const match = name.startsWith('#') ? undefined : at(place, fragment);
    if (match) return match;
  }
  return undefined;
}

/** The value below a place; keys may be percent-encoded or, in documents written by hand, not. */
function at(root: Place, fragment: string): Place | undefined {
  let value = root.value;
  let pointer = root.pointer;
  for (const raw of fragment.split('/').slice(1)) {
    const plain = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    const key = hasKey(value, plain) ? plain : decode(raw).replaceAll('~1', '/').replaceAll('~0', '~');
    if (!hasKey(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
    pointer += step(key);
  }
  return { document: root.document, pointer, value };
}

function hasKey(value: unknown, key: string): boolean {
  if (Array.isArray(value)) return /^(?:0|[1-9]\d{0,8})$/.test(key) && Number(key) < value.length;
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The last part that exists, so that a message can say where the way ends. */
function nearest(root: Place, fragment: string): string {
  const parts = fragment.split('/').slice(1);
  let value = root.value;
  for (const [index, part] of parts.entries()) {
    const key = decode(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (!hasKey(value, key))
      return index === parts.length - 1 ? '' : ` (there is no ${show(`#/${parts.slice(0, index + 1).join('/')}`)})`;
    value = own(value, key) ?? (value as Record<string, unknown>)[key];
  }
  return '';
}

/** `$id`, `$anchor` and `$dynamicAnchor` of a document, found once, only when something asks for one. */
function namesOf(
  document: SourceDocument,
  names: WeakMap<SourceDocument, ReadonlyMap<string, Place>>,
): ReadonlyMap<string, Place> {
  const cached = names.get(document);
  if (cached) return cached;
  const places = new Map<string, Place>();
  const visits = new Set<object>();
  const stack: Place[] = [{ document, pointer: '', value: document.value }];
  for (let place = stack.pop(); place; place = stack.pop()) {
    const { value, pointer } = place;
    if (typeof value !== 'object' || value === null || visits.has(value)) continue;
    visits.add(value);
    if (isObject(value)) noteNames(value, place, places);
    for (const key of Object.keys(value))
      stack.push({ document, pointer: pointer + step(key), value: (value as Node)[key] });
  }
  names.set(document, places);
  return places;
}

function noteNames(node: Node, place: Place, places: Map<string, Place>): void {
  for (const keyword of ['$anchor', '$dynamicAnchor']) {
    const anchor = textAt(node, keyword);
    if (anchor !== undefined && !places.has(`#${anchor}`)) places.set(`#${anchor}`, place);
  }
  const id = textAt(node, '$id');
  if (id === undefined) return;
  if (!places.has(id)) places.set(id, place);
  const uri = resolveUri(id, place.document.uri);
  if (uri !== undefined && !places.has(uri)) places.set(uri, place);
}

function show(ref: string): string {
  return `"${ref.length > 120 ? `${ref.slice(0, 117)}...` : ref}"`;
}
