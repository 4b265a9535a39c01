// OpenAPI Overlay 1.0 and 1.1: changes in a file of their own, applied before the document is read. The document itself is not
// edited, so the changes survive its next version.
import { isObject } from '../../endpoint/is-object.ts';
import { type Node, own, textAt } from '../../endpoint/untrusted.ts';
import { setOwn } from '../../schema/keywords.ts';
import { badDocument } from './document-problem.ts';
import { findAll, JsonPathError, type JsonPathMatch } from './jsonpath.ts';

const MAX_ACTIONS = 10_000;

/** Applies one overlay to `document`, which is changed in place; returns the new root and warnings. */
export function applyOverlay(
  document: unknown,
  overlay: unknown,
  label: string,
  isSource: (reference: string) => boolean,
): { readonly document: unknown; readonly warnings: readonly string[] } {
  const version = textAt(overlay, 'overlay') ?? String(own(overlay, 'overlay') ?? '');
  const actions = own(overlay, 'actions');
  if (!/^1\.\d+/.test(version))
    throw badDocument(label, 'is not an OpenAPI Overlay: it must begin with `overlay: 1.0.0`');
  if (!Array.isArray(actions) || actions.length > MAX_ACTIONS) throw badDocument(label, 'must have a list of actions');
  const warnings: string[] = [];
  const reference = textAt(overlay, 'extends');
  if (reference !== undefined && !isSource(reference)) {
    warnings.push(`${label}: it extends another document (${reference}), but it was applied anyway`);
  }
  let root = document;
  for (const [index, action] of actions.entries()) {
    const where = `${label}: action ${index + 1}`;
    if (!isObject(action)) throw badDocument(where, 'must be an object with a target');
    const target = textAt(action, 'target');
    if (target === undefined) throw badDocument(where, 'has no target; give it a JSONPath such as $.info');
    const places = find(target, root, where);
    if (places.length === 0) {
      warnings.push(`${where}: ${target} matches nothing`);
      continue;
    }
    if (action.remove === true) {
      removeAll(places, where);
      continue;
    }
    const source = copySource(action, root, where);
    for (const place of places) {
      if (source !== undefined) root = update(place, source.value, version, root);
      if (Object.hasOwn(action, 'update')) root = update(place, action.update, version, root);
    }
  }
  return { document: root, warnings };
}

function find(target: string, root: unknown, where: string): JsonPathMatch[] {
  try {
    return findAll(target.trim(), root);
  } catch (error) {
    if (error instanceof JsonPathError)
      throw badDocument(where, `has a target that ${error.message} (${target.slice(0, 200)})`);
    throw error;
  }
}

/** Overlay 1.1 `copy`: the one value it selects is merged into the target. */
function copySource(action: Node, root: unknown, where: string): { readonly value: unknown } | undefined {
  const from = textAt(action, 'copy');
  if (from === undefined) return undefined;
  const places = find(from, root, where);
  if (places.length !== 1)
    throw badDocument(where, `must copy from exactly one place; ${from} matches ${places.length}`);
  return { value: places[0]!.value };
}

/** Items of one array are removed from the last to the first, each once, so that the other indices stay correct. */
function removeAll(places: readonly JsonPathMatch[], where: string): void {
  const indices = new Map<unknown[], Set<number>>();
  for (const { parent, key } of places) {
    if (parent === undefined) throw badDocument(where, 'would remove the whole document');
    if (!Array.isArray(parent)) Reflect.deleteProperty(parent, key);
    else indices.set(parent, (indices.get(parent) ?? new Set()).add(key as number));
  }
  for (const [list, removals] of indices)
    for (const index of [...removals].sort((a, b) => b - a)) list.splice(index, 1);
}

function update(place: JsonPathMatch, change: unknown, version: string, root: unknown): unknown {
  const { value, parent, key } = place;
  if (Array.isArray(value)) {
    if (Array.isArray(change) && !version.startsWith('1.0')) value.push(...(structuredClone(change) as unknown[]));
    else value.push(structuredClone(change));
    return root;
  }
  if (isObject(value) && isObject(change)) {
    mergeInto(value as Record<string, unknown>, change);
    return root;
  }
  if (parent === undefined) return structuredClone(change);
  setOwn(parent, key, structuredClone(change));
  return root;
}

/** Objects merge, arrays grow, anything else is replaced. */
function mergeInto(target: Record<string, unknown>, change: Node): void {
  for (const key of Object.keys(change)) {
    const before = own(target, key);
    const after = change[key];
    if (isObject(before) && isObject(after)) mergeInto(before as Record<string, unknown>, after);
    else if (Array.isArray(before) && Array.isArray(after)) before.push(...(structuredClone(after) as unknown[]));
    else setOwn(target, key, structuredClone(after));
  }
}
