// Specification Extensions: `x-mcp`, settings for tools by the author of a document or of an overlay.
// https://spec.openapis.org/oas/v3.2.0.html#specification-extensions
//
//   document   x-mcp: { name, prefix, exposure: tools|grouped|search|auto, pinned: [tool or operationId], guard: { write, destructive } }
//   path item  x-mcp: false | { enabled, hidden, effect, guard, tags }            inherited by its operations
//   operation  x-mcp: false | { name, title, summary, description, enabled, hidden, effect, idempotent, guard, pinned,
//                               tags, timeoutMs, expose, response: { pick, drop, maxChars, format, structured }, examples }
//   parameter  x-mcp: false | { name, description, hidden, fixed }                also on properties of a request body
//
// A required parameter that is hidden is sent with its default. Without a default or `fixed`, it is offered anyway.
//
// `x-mcp: false`, `enabled: false` and `hidden: true` all mean: not offered. An overlay counts as part of the document. Neither can
// loosen the operator's rules: `guard: allow` is ignored, and so is an `effect` less severe than the one derived from method and
// names. Set these two in the domain file.
import type { DerivedEffect } from '../../endpoint/conventions/effect.ts';
import { isObject } from '../../endpoint/is-object.ts';
import {
  type Args,
  EFFECTS,
  type Effect,
  type Endpoint,
  EXPOSURES,
  type GuardPolicy,
  type ResponsePlan,
} from '../../endpoint/model.ts';
import { listAt, type Node, nodeAt, omitUndefined, own, textAt, textsAt } from '../../endpoint/untrusted.ts';

const FIELD = 'x-mcp';

export interface OperationExtension {
  readonly hidden: boolean;
  readonly name?: string;
  readonly title?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly effect?: Effect;
  readonly idempotent?: boolean;
  readonly guard?: StricterPolicy;
  readonly pinned: boolean;
  readonly tags?: readonly string[];
  readonly timeoutMs?: number;
  readonly expose?: Endpoint['expose'];
  readonly response?: Partial<ResponsePlan>;
  readonly examples: readonly Args[];
}

export interface ArgumentExtension {
  readonly name?: string;
  readonly description?: string;
  readonly hidden?: boolean;
  readonly fixed?: { readonly value: unknown };
}

export interface DocumentExtension {
  readonly name?: string;
  readonly prefix?: string;
  readonly exposure?: (typeof EXPOSURES)[number];
  readonly pinned: readonly string[];
  readonly guard: { readonly write?: StricterPolicy; readonly destructive?: StricterPolicy };
}

/** Guard policies that a document may set. */
type StricterPolicy = Exclude<GuardPolicy, 'allow'>;

const POLICIES = ['confirm', 'deny'] as const;
const NO_ARGUMENT: ArgumentExtension = Object.freeze({});

/** The extension of the operation, over that of its path item. `refuse` is called with settings that a document may not use. */
export function operationExtension(
  pathItem: unknown,
  operation: unknown,
  baseline: DerivedEffect,
  refuse: (problem: string) => void,
): OperationExtension {
  const outer = own(pathItem, FIELD);
  const inner = own(operation, FIELD);
  if (outer === undefined && inner === undefined) return NOTHING;
  const node: Node = { ...(isObject(outer) ? outer : {}), ...(isObject(inner) ? inner : {}) };
  const word = (key: string) => {
    const text = isObject(inner) ? textAt(inner, key) : undefined;
    return text?.trim() ? text : undefined;
  };
  const { timeoutMs } = node;
  const response = nodeAt(node, 'response');
  return omitUndefined<OperationExtension>({
    hidden:
      inner === false || (inner === undefined && outer === false) || node.enabled === false || node.hidden === true,
    name: word('name'),
    title: word('title'),
    summary: word('summary'),
    description: word('description'),
    effect: readEffect(node.effect, baseline, refuse),
    idempotent: booleanIn(node.idempotent),
    guard: readGuard(node, 'guard', 'guard', refuse),
    pinned: node.pinned === true,
    tags: listIn(node, 'tags'),
    timeoutMs: typeof timeoutMs === 'number' && timeoutMs > 0 ? Math.min(timeoutMs, 600_000) : undefined,
    expose: oneOf(['tool', 'resource', 'both'] as const, node.expose),
    response: response && responseExtension(response),
    examples: listAt(node, 'examples').filter(isObject),
  });
}

const NOTHING: OperationExtension = Object.freeze({ hidden: false, pinned: false, examples: Object.freeze([]) });

function readEffect(value: unknown, baseline: DerivedEffect, refuse: (problem: string) => void): Effect | undefined {
  const effect = oneOf(EFFECTS, value);
  if (effect === undefined || EFFECTS.indexOf(effect) >= EFFECTS.indexOf(baseline.effect)) return effect;
  refuse(
    `effect: ${effect} is laxer than ${baseline.effect} (${baseline.from}) and was ignored; only a domain file may relax an effect`,
  );
  return undefined;
}

function readGuard(
  node: unknown,
  key: string,
  name: string,
  refuse: (problem: string) => void,
): StricterPolicy | undefined {
  const value = own(node, key);
  if (value === 'allow') refuse(`${name}: allow is ignored; only a domain file may set it`);
  return oneOf(POLICIES, value);
}

function responseExtension(node: Node): Partial<ResponsePlan> {
  const { maxChars } = node;
  return omitUndefined<Partial<ResponsePlan>>({
    pick: listIn(node, 'pick'),
    drop: listIn(node, 'drop'),
    maxChars: typeof maxChars === 'number' && maxChars >= 200 ? Math.min(maxChars, 200_000) : undefined,
    format: oneOf(['auto', 'json', 'toon', 'text'] as const, node.format),
    structured: booleanIn(node.structured),
  });
}

/** `schema`: that of a required argument, which is sent with its default if it is hidden. */
export function argumentExtension(object: unknown, schema?: unknown): ArgumentExtension {
  const word = own(object, FIELD);
  if (word === undefined) return NO_ARGUMENT;
  if (word !== false && !isObject(word)) return NO_ARGUMENT;
  const node: Node = word === false ? { hidden: true } : word;
  const hidden = node.hidden === true || node.enabled === false || undefined;
  const value = Object.hasOwn(node, 'fixed') ? node.fixed : hidden && own(schema, 'default');
  return omitUndefined<ArgumentExtension>({
    name: textAt(node, 'name'),
    description: textAt(node, 'description'),
    hidden,
    fixed: value === undefined ? undefined : { value },
  });
}

export function documentExtension(document: unknown, refuse: (problem: string) => void): DocumentExtension {
  const node = nodeAt(document, FIELD);
  const guard = nodeAt(node, 'guard');
  return omitUndefined<DocumentExtension>({
    name: textAt(node, 'name'),
    prefix: textAt(node, 'prefix'),
    exposure: oneOf(EXPOSURES, own(node, 'exposure')),
    pinned: textsAt(node, 'pinned'),
    guard: omitUndefined<DocumentExtension['guard']>({
      write: readGuard(guard, 'write', 'guard.write', refuse),
      destructive: readGuard(guard, 'destructive', 'guard.destructive', refuse),
    }),
  });
}

function booleanIn(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

function listIn(node: Node, key: string): string[] | undefined {
  return Array.isArray(own(node, key)) ? textsAt(node, key) : undefined;
}

function oneOf<Word extends string>(words: readonly Word[], value: unknown): Word | undefined {
  return words.find((word) => word === value);
}
