// One pass over a parsed document before anything else walks it: its depth, its size with aliases expanded, cycles, whether it uses
// readOnly or writeOnly, and which other files it refers to. Iterative throughout, because hostile documents are deep.
import { isObject } from '../../endpoint/is-object.ts';
import { overLimit } from './document-problem.ts';
import type { DocumentLimits } from './limits.ts';

export interface DocumentScan {
  /** Keys of all objects together, aliases not expanded. */
  readonly keys: number;
  readonly external: ExternalRefs;
  readonly oneWay: OneWayKeywords;
}

/** Which of the keywords for properties that travel one way are `true` anywhere. */
export interface OneWayKeywords {
  readonly readOnly: boolean;
  readonly writeOnly: boolean;
}

export interface ExternalRefs {
  /** What the document's own objects refer to. */
  readonly refs: readonly string[];
  /** What its extensions refer to: only needed where a `$ref` leads into an extension. */
  readonly extensionRefs: readonly string[];
  /** Whether some `$ref` leads into an extension (`#/x-parts/Id`). */
  readonly entersExtensions: boolean;
}

const NO_REFS: ExternalRefs = Object.freeze({ refs: [], extensionRefs: [], entersExtensions: false });

/** What the pass counts. Nearly all documents are a single file, so external files are listed only if there are any. */
interface Totals {
  keys: number;
  hasExternal: boolean;
  readOnly: boolean;
  writeOnly: boolean;
}

/** Throws BAD_DOCUMENT where a limit is exceeded. `isGraph`: aliases may make several parents share one object. */
export function scanDocument(value: unknown, label: string, limits: DocumentLimits, isGraph: boolean): DocumentScan {
  const totals: Totals = { keys: 0, hasExternal: false, readOnly: false, writeOnly: false };
  if (typeof value !== 'object' || value === null) return { keys: 0, external: NO_REFS, oneWay: totals };
  if (isGraph) scanGraph(value, label, limits, totals);
  else scanTree(value, label, limits, totals);
  const external = totals.hasExternal ? findExternalRefs(value) : NO_REFS;
  return { keys: totals.keys, external, oneWay: totals };
}

/** In one function, without a call per object: 20 ms for GitHub's 90,000 objects instead of 65. */
function scanTree(root: object, label: string, limits: DocumentLimits, totals: Totals): void {
  const stack: object[] = [root];
  /** The depth of each object on the stack. */
  const depths: number[] = [1];
  let nodes = 0;
  let keys = 0;
  while (stack.length > 0) {
    const node = stack.pop()!;
    const depth = depths.pop()!;
    if (depth > limits.maxDepth) throw tooDeep(label, limits);
    if (++nodes > limits.maxNodes) throw tooManyNodes(label, limits);
    if (Array.isArray(node)) {
      for (const item of node) {
        if (typeof item !== 'object' || item === null) continue;
        stack.push(item);
        depths.push(depth + 1);
      }
      continue;
    }
    for (const key in node) {
      keys++;
      const item = (node as Record<string, unknown>)[key];
      if (typeof item === 'object') {
        if (item === null) continue;
        stack.push(item);
        depths.push(depth + 1);
      } else if (item === true || key === '$ref') {
        // A call for each of 300,000 texts would take 5 ms.
        countKeyword(key, item, totals);
      }
    }
  }
  totals.keys = keys;
}

interface Frame {
  readonly node: object;
  readonly children: readonly object[];
  next: number;
  nodes: number;
  height: number;
}

/** Visits each object once and counts the size of its expansion. An object inside itself is a cycle, which is refused. */
function scanGraph(root: object, label: string, limits: DocumentLimits, totals: Totals): void {
  const sizes = new Map<object, { readonly nodes: number; readonly height: number }>();
  const open = new Set<object>();
  const stack: Frame[] = [];
  const enter = (node: object) => {
    const children: object[] = [];
    addChildren(node, children, totals);
    open.add(node);
    stack.push({ node, children, next: 0, nodes: 1, height: 1 });
  };
  enter(root);
  for (let frame = stack[0]; frame; frame = stack.at(-1)) {
    const child = frame.children[frame.next++];
    const size = child && sizes.get(child);
    if (child === undefined) {
      stack.pop();
      open.delete(frame.node);
      sizes.set(frame.node, frame);
      if (frame.height > limits.maxDepth) throw tooDeep(label, limits);
      if (frame.nodes > limits.maxNodes) throw tooManyNodes(label, limits);
      const parent = stack.at(-1);
      if (parent) addSize(parent, frame);
    } else if (size) addSize(frame, size);
    else if (open.has(child)) {
      throw overLimit(label, 'has a YAML anchor that contains itself; write the recursion as a $ref instead');
    } else {
      // The stack itself grows with the expanded depth.
      if (stack.length > limits.maxDepth) throw tooDeep(label, limits);
      enter(child);
    }
  }
}

function addSize(parent: Frame, child: { readonly nodes: number; readonly height: number }): void {
  parent.nodes += child.nodes;
  parent.height = Math.max(parent.height, child.height + 1);
}

/** Adds the objects and arrays directly inside a node to `children`, and counts its keys. */
function addChildren(node: object, children: object[], totals: Totals): void {
  if (Array.isArray(node)) {
    for (const item of node) if (typeof item === 'object' && item !== null) children.push(item);
    return;
  }
  for (const key in node) {
    totals.keys++;
    const item = (node as Record<string, unknown>)[key];
    if (typeof item === 'object') {
      if (item !== null) children.push(item);
    } else countKeyword(key, item, totals);
  }
}

function countKeyword(key: string, value: unknown, totals: Totals): void {
  if (key === '$ref') {
    if (typeof value === 'string' && isExternal(value)) totals.hasExternal = true;
  } else if (value === true && (key === 'readOnly' || key === 'writeOnly')) totals[key] = true;
}

function tooDeep(label: string, limits: DocumentLimits) {
  return overLimit(label, `is nested more than ${limits.maxDepth} levels deep, which is the limit; flatten it`);
}

function tooManyNodes(label: string, limits: DocumentLimits) {
  return overLimit(
    label,
    `has more than ${limits.maxNodes} objects once its aliases are expanded; it looks like an alias bomb`,
  );
}

/** Fields whose keys are names chosen by the author. */
const NAME_MAPS = new Set(
  `properties patternProperties definitions $defs dependentSchemas dependencies schemas parameters responses headers
  requestBodies securitySchemes securityDefinitions links callbacks pathItems mediaTypes encoding variables content webhooks`.split(
    /\s+/,
  ),
);

/** Fields that hold data. */
const DATA = new Set(['example', 'default', 'enum', 'const']);

/** What the keys of an object are. `top`: the root of a file, which may be a single part or a map of parts. */
type KeyKind = 'top' | 'object' | 'names' | 'examples';

/**
 * Which other files a document refers to. Only parts that the import reads count: an `x-` extension (such as code samples) is not
 * read, and a `$ref` inside an example, a default or an enum is data. A name in a map (a property called `example`, a header called
 * `x-limit`) is not a keyword, so maps of names are recognised. If in doubt, a `$ref` counts: reading an unneeded file is cheap, but
 * without a needed one, an operation is lost.
 *
 * Each object is visited once, those outside of extensions first.
 */
function findExternalRefs(root: object): ExternalRefs {
  const refs = new Set<string>();
  const extensionRefs = new Set<string>();
  const visits = new Set<object>();
  const stack: [node: object, kind: KeyKind][] = [[root, 'top']];
  const extensions: object[] = [];
  let into = refs;
  let entersExtensions = false;
  for (;;) {
    const next = stack.pop();
    if (next === undefined) {
      const extension = extensions.pop();
      if (extension === undefined) break;
      into = extensionRefs;
      stack.push([extension, 'object']);
      continue;
    }
    const [node, kind] = next;
    if (visits.has(node)) continue;
    visits.add(node);
    if (Array.isArray(node)) {
      // Everything in a list of `examples` (JSON Schema) is data.
      if (kind === 'examples') continue;
      for (const item of node) if (typeof item === 'object' && item !== null) stack.push([item, 'object']);
      continue;
    }
    for (const key in node) {
      const item = (node as Record<string, unknown>)[key];
      if (key === '$ref' && typeof item === 'string') {
        if (item.includes('/x-')) entersExtensions = true;
        if (isExternal(item)) into.add(item);
      } else if (typeof item !== 'object' || item === null) continue;
      else if (kind === 'names') stack.push([item, 'object']);
      else if (kind === 'examples') addExampleRef(item, into);
      else if (key.startsWith('x-')) extensions.push(item);
      else if (key === 'examples') stack.push([item, 'examples']);
      else if (kind === 'top' || !DATA.has(key)) stack.push([item, NAME_MAPS.has(key) ? 'names' : 'object']);
    }
  }
  return { refs: [...refs], extensionRefs: [...extensionRefs], entersExtensions };
}

/** An Example Object may itself be a reference; everything inside one is data. */
function addExampleRef(example: object, into: Set<string>): void {
  const ref = isObject(example) ? example.$ref : undefined;
  if (typeof ref === 'string' && isExternal(ref)) into.add(ref);
}

function isExternal(ref: string): boolean {
  return ref !== '' && !ref.startsWith('#');
}
