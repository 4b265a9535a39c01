// Specification Extensions: `x-mcp`, what the author of a document (or of an overlay) wants a tool to be.
// https://spec.openapis.org/oas/v3.2.0.html#specification-extensions
//
//   document   x-mcp: { name, prefix, exposure: tools|grouped|search|auto, pinned: [tool or operationId], guard: { write, destructive } }
//   path item  x-mcp: false | { enabled, hidden, effect, guard, tags }            inherited by its operations
//   operation  x-mcp: false | { name, title, summary, description, enabled, hidden, effect, idempotent, guard, pinned,
//                               tags, timeoutMs, expose, response: { pick, drop, maxChars, format, structured }, examples }
//   parameter  x-mcp: false | { name, description, hidden, fixed }                also on properties of a request body
//
// `x-mcp: false`, `enabled: false` and `hidden: true` all mean: not offered. An overlay counts as part of the document,
// and neither may make a call laxer than the operator would have it: `guard: allow` is no word at all, and an `effect`
// below that of method and names is not taken. Both are for the domain file.
import type { Baseline } from '../../endpoint/conventions/effect.ts';
import { isObject } from '../../endpoint/is-object.ts';
import type { Args, Effect, Endpoint, GuardPolicy, ResponsePlan } from '../../endpoint/model.ts';
import { type Node, nodeAt, own, textAt, textsAt } from '../../endpoint/untrusted.ts';

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
  readonly exposure?: 'tools' | 'grouped' | 'search' | 'auto';
  readonly pinned: readonly string[];
  readonly guard: { readonly write?: StricterPolicy; readonly destructive?: StricterPolicy };
}

/** What a document may ask of the guard. */
type StricterPolicy = Exclude<GuardPolicy, 'allow'>;

const EFFECTS = ['read', 'write', 'destructive'] as const;
const POLICIES = ['confirm', 'deny'] as const;
const EXPOSURES = ['tools', 'grouped', 'search', 'auto'] as const;
const NO_ARGUMENT: ArgumentExtension = Object.freeze({});

/** The operation's own words over those of its path item. `refuse` is told what a document may not say. */
export function operationExtension(
  pathItem: unknown,
  operation: unknown,
  baseline: Baseline,
  refuse: (problem: string) => void,
): OperationExtension {
  const outer = own(pathItem, FIELD);
  const inner = own(operation, FIELD);
  if (outer === undefined && inner === undefined) return NOTHING;
  const node: Node = { ...(isObject(outer) ? outer : {}), ...(isObject(inner) ? inner : {}) };
  const off =
    inner === false || (inner === undefined && outer === false) || node.enabled === false || node.hidden === true;
  const extension: { -readonly [Key in keyof OperationExtension]: OperationExtension[Key] } = {
    hidden: off,
    pinned: node.pinned === true,
    examples: Array.isArray(node.examples) ? node.examples.filter(isObject) : [],
  };
  for (const key of ['name', 'title', 'summary', 'description'] as const) {
    const text = textAt(isObject(inner) ? inner : undefined, key);
    if (text !== undefined && text.trim() !== '') extension[key] = text;
  }
  const effect = oneOf(EFFECTS, node.effect);
  if (effect !== undefined && EFFECTS.indexOf(effect) >= EFFECTS.indexOf(baseline.effect)) extension.effect = effect;
  else if (effect !== undefined) {
    refuse(
      `effect: ${effect} is laxer than ${baseline.from}, which says ${baseline.effect}; only a domain file may say so`,
    );
  }
  const guard = oneOf(POLICIES, node.guard);
  if (guard !== undefined) extension.guard = guard;
  else if (node.guard === 'allow') refuse('guard: allow is ignored; only a domain file may say so');
  if (typeof node.idempotent === 'boolean') extension.idempotent = node.idempotent;
  if (Array.isArray(node.tags)) extension.tags = textsAt(node, 'tags');
  if (typeof node.timeoutMs === 'number' && node.timeoutMs > 0) extension.timeoutMs = Math.min(node.timeoutMs, 600_000);
  const expose = oneOf(['tool', 'resource', 'both'] as const, node.expose);
  if (expose !== undefined) extension.expose = expose;
  const response = nodeAt(node, 'response');
  if (response) extension.response = responseExtension(response);
  return extension;
}

const NOTHING: OperationExtension = Object.freeze({ hidden: false, pinned: false, examples: Object.freeze([]) });

function responseExtension(node: Node): Partial<ResponsePlan> {
  const format = oneOf(['auto', 'json', 'toon', 'text'] as const, node.format);
  return {
    ...(Array.isArray(node.pick) ? { pick: textsAt(node, 'pick') } : {}),
    ...(Array.isArray(node.drop) ? { drop: textsAt(node, 'drop') } : {}),
    ...(typeof node.maxChars === 'number' && node.maxChars >= 200
      ? { maxChars: Math.min(node.maxChars, 200_000) }
      : {}),
    ...(format === undefined ? {} : { format }),
    ...(typeof node.structured === 'boolean' ? { structured: node.structured } : {}),
  };
}

export function argumentExtension(object: unknown): ArgumentExtension {
  const node = own(object, FIELD);
  if (node === undefined) return NO_ARGUMENT;
  if (node === false) return { hidden: true };
  if (!isObject(node)) return NO_ARGUMENT;
  const name = textAt(node, 'name');
  const description = textAt(node, 'description');
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(node.hidden === true || node.enabled === false ? { hidden: true } : {}),
    ...(Object.hasOwn(node, 'fixed') ? { fixed: { value: node.fixed } } : {}),
  };
}

export function documentExtension(document: unknown, refuse: (problem: string) => void): DocumentExtension {
  const node = nodeAt(document, FIELD);
  const name = textAt(node, 'name');
  const prefix = textAt(node, 'prefix');
  const exposure = oneOf(EXPOSURES, own(node, 'exposure'));
  const guard = nodeAt(node, 'guard');
  const write = oneOf(POLICIES, own(guard, 'write'));
  const destructive = oneOf(POLICIES, own(guard, 'destructive'));
  for (const effect of ['write', 'destructive']) {
    if (own(guard, effect) === 'allow') refuse(`guard.${effect}: allow is ignored; only a domain file may say so`);
  }
  return {
    ...(name === undefined ? {} : { name }),
    ...(prefix === undefined ? {} : { prefix }),
    ...(exposure === undefined ? {} : { exposure }),
    pinned: textsAt(node, 'pinned'),
    guard: { ...(write === undefined ? {} : { write }), ...(destructive === undefined ? {} : { destructive }) },
  };
}

function oneOf<Word extends string>(words: readonly Word[], value: unknown): Word | undefined {
  return words.find((word) => word === value);
}
