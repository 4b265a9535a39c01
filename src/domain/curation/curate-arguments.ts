// Hides, fixes, renames, describes and defaults the arguments of an imported operation, and makes its body optional.

import { isObject } from '../../endpoint/is-object.ts';
import type { Arg, Args, Endpoint, FixedValue, JsonSchema, Pagination } from '../../endpoint/model.ts';
import type { Problem } from '../../endpoint/problems.ts';
import { hint } from '../../endpoint/suggest.ts';
import { omitUndefined } from '../../endpoint/untrusted.ts';
import {
  type ArgumentOutcome,
  type BodyRules,
  changeBodyRules,
  readBodyRules,
  withBodyRules,
} from '../../schema/body-rules.ts';
import { explainMisfit } from '../../schema/check/validator.ts';
import { ownSchema } from '../../schema/references.ts';
import { fillDefaults, readClamps } from '../definition/argument-values.ts';
import type { ArgCuration } from '../definition/definition-types.ts';
import { withFields } from './copy-endpoint.ts';

type Node = Record<string, unknown>;
type Path = readonly (string | number)[];
type Changes = ReadonlyMap<string, ArgCuration>;

export function curateArguments(
  endpoint: Endpoint,
  curations: { readonly [key: string]: ArgCuration },
  at: Path,
  problems: Problem[],
): Endpoint {
  const keys = endpoint.args.map((arg) => arg.key);
  const changes = new Map<string, ArgCuration>();
  for (const [key, change] of Object.entries(curations)) {
    const arg = endpoint.args.find((candidate) => candidate.key === key);
    if (arg === undefined) {
      const message = `there is no argument "${key}"; ${hint(key, keys)} To add one, give its place (such as in: query) and its type.`;
      problems.push({ path: [...at, key], message });
      continue;
    }
    const curation = fixHidden(endpoint, arg, change);
    problems.push(...checkChange(endpoint, arg, curation, keys, [...at, key]));
    problems.push(...checkValues(endpoint, key, change, [...at, key]));
    changes.set(key, curation);
  }
  if (changes.size === 0) return endpoint;
  problems.push(...checkAlternatives(endpoint, changes, at));

  // A fixed value or default in the body means that every call has a body, even one that was optional.
  const isSent = endpoint.args.some((arg) => isInBody(arg) && presetOf(changes.get(arg.key)) !== undefined);
  const needs = isSent && endpoint.body?.required === false ? bodyRulesOf(endpoint).needed : [];
  const args = endpoint.args.flatMap((arg): Arg[] => {
    const change = changes.get(arg.key);
    if (isRemoved(change)) return [];
    const wasRequired = arg.required || needs.includes(arg.key);
    const required = change?.required ?? (wasRequired && change?.default === undefined);
    if (change === undefined && required === arg.required) return [arg];
    const { to } = arg;
    return [{ key: change?.rename ?? arg.key, required, to }];
  });
  const fixed = endpoint.args.flatMap((arg): FixedValue[] => {
    const value = changes.get(arg.key)?.fixed;
    return value === undefined ? [] : arg.to.map((to) => ({ value, to }));
  });
  const targets = endpoint.args.flatMap(({ key, to }) => (changes.get(key)?.hide === true ? to : []));
  const defaults = new Map<string, unknown>();
  for (const [key, change] of changes)
    if (change.default !== undefined) defaults.set(change.rename ?? key, change.default);

  const schemaOf = (key: string) => propertyOf(endpoint.inputSchema, key);
  const clamp = readClamps(changes, schemaOf, at, problems);
  const fields: Partial<Endpoint> = {
    args,
    fixed: [...endpoint.fixed, ...fixed],
    ...(isSent && endpoint.body !== undefined ? { body: { ...endpoint.body, required: true } } : {}),
    withheld: [...(endpoint.withheld ?? []), ...targets],
    get examples() {
      return endpoint.examples.map((example) => curateExample(example, changes));
    },
    ...omitUndefined({ clamp }),
    ...fillDefaults(defaults, endpoint.parse),
    ...(endpoint.pagination === undefined ? {} : curatePaging(endpoint.pagination, changes)),
  };
  return withFields(endpoint, fields, () => curateSchema(endpoint, changes, args, isSent));
}

function isRemoved(change: ArgCuration | undefined): boolean {
  return change?.hide === true || change?.fixed !== undefined;
}

/** The value that is sent with every call: fixed, or else the default. */
function presetOf(change: ArgCuration | undefined): unknown {
  return change?.fixed === undefined ? change?.default : change.fixed;
}

/** A hidden argument that is required is sent with its default. */
function fixHidden(endpoint: Endpoint, arg: Arg, change: ArgCuration): ArgCuration {
  const { hide, default: value, ...rest } = change;
  if (hide !== true || change.fixed !== undefined) return change;
  if (value !== undefined) return { ...rest, fixed: value };
  if (change.required === false || !isNeeded(endpoint, arg)) return change;
  const schema = propertyOf(endpoint.inputSchema, arg.key);
  const ownDefault = typeof schema === 'object' ? schema.default : undefined;
  return ownDefault === undefined ? change : { ...rest, fixed: ownDefault };
}

/** Whether the API requires it: in every call, or in the body if there is one. */
function isNeeded(endpoint: Endpoint, arg: Arg): boolean {
  if (arg.required) return true;
  return endpoint.body?.required === false && isInBody(arg) && bodyRulesOf(endpoint).needed.includes(arg.key);
}

function checkChange(
  endpoint: Endpoint,
  arg: Arg,
  change: ArgCuration,
  keys: readonly string[],
  path: Path,
): Problem[] {
  const problems: Problem[] = [];
  const report = (message: string, ...more: string[]) => problems.push({ path: [...path, ...more], message });
  const isPath = arg.to.some((to) => to.in === 'path');
  const hasValue = presetOf(change) !== undefined;
  if (change.hide && change.fixed !== undefined)
    report('is both hidden and fixed; remove hide, because fixed already hides it');
  else if (change.hide && change.required !== false && isNeeded(endpoint, arg)) {
    const otherwise = isPath ? '' : ', or required: false if the API accepts calls without it';
    report(`is required, so every call without it would be refused; give it a value (fixed: …)${otherwise}`);
  }
  if (change.fixed !== undefined && change.default !== undefined)
    report('is fixed, so a default is never used; remove one of them');
  if (change.rename !== undefined && change.rename !== arg.key && keys.includes(change.rename)) {
    report(`"${change.rename}" is another argument already`, 'rename');
  }
  if (change.required === false && isPath && !hasValue)
    report('is part of the path and must stay required', 'required');
  return problems;
}

/** If the API requires one of several sets of fields, at least one set must stay visible. */
function checkAlternatives(endpoint: Endpoint, changes: Changes, at: Path): Problem[] {
  const hidden = endpoint.args.filter((arg) => isInBody(arg) && presenceOf(changes.get(arg.key)) === 'never');
  if (hidden.length === 0) return [];
  const isHidden = (key: string) => hidden.some((arg) => arg.key === key);
  return bodyRulesOf(endpoint).alternatives.flatMap(({ sets }): Problem[] => {
    if (sets.some((set) => !set.some(isHidden))) return [];
    const key = sets.flat().find(isHidden)!;
    const choices = sets.map((set) => set.join(' and ')).join(', or ');
    const message = `is hidden, but the API requires ${choices}; show one of these, or give it a value (fixed: …)`;
    return [{ path: [...at, key], message }];
  });
}

function presenceOf(change: ArgCuration | undefined): ArgumentOutcome {
  if (change === undefined) return undefined;
  if (presetOf(change) !== undefined) return change.fixed === undefined ? 'free' : 'sent';
  if (change.hide === true) return 'never';
  return change.required === false ? 'free' : undefined;
}

/** Runs only for arguments with values, because it builds the schema, which would slow down the start if done for all operations. */
function checkValues(endpoint: Endpoint, key: string, change: ArgCuration, path: Path): Problem[] {
  const { fixed, default: preset, enum: choices } = change;
  const values = Object.entries({ fixed, default: preset }).filter(([, value]) => value !== undefined);
  if (choices?.length === 0)
    return [{ path: [...path, 'enum'], message: 'lists no value, so no call could be valid; add values or remove it' }];
  const all = [...values, ...(choices ?? []).map((value) => ['enum', value] as const)];
  return all.flatMap(([which, value]) => {
    const root = endpoint.inputSchema;
    const schema = propertyOf(root, key);
    const why = schema === undefined ? undefined : explainMisfit(value, schema, root);
    return why === undefined ? [] : [{ path: [...path, which], message: why }];
  });
}

function propertyOf(root: JsonSchema, key: string): JsonSchema | undefined {
  return typeof root === 'object' ? ownSchema(root.properties, key) : undefined;
}

function curateSchema(endpoint: Endpoint, changes: Changes, args: readonly Arg[], isSent: boolean): JsonSchema {
  const schema = endpoint.inputSchema;
  if (typeof schema !== 'object') return schema;
  const before = (schema.properties ?? {}) as Node;
  const properties: [string, unknown][] = [];
  for (const [key, property] of Object.entries(before)) {
    const change = changes.get(key);
    if (isRemoved(change)) continue;
    properties.push([
      change?.rename ?? key,
      change === undefined ? property : curateProperty(property as JsonSchema, change),
    ]);
  }
  const required = args.filter((arg) => arg.required).map((arg) => arg.key);
  const { required: _, ...rest } = schema;
  const whole = { ...rest, properties: Object.fromEntries(properties), ...(required.length === 0 ? {} : { required }) };
  if (endpoint.body === undefined) return whole;
  const nameOf = (key: string) => changes.get(key)?.rename ?? key;
  const rules = changeBodyRules(bodyRulesOf(endpoint), (key) => presenceOf(changes.get(key)), nameOf);
  return withBodyRules(whole, isSent ? { ...rules, optional: false } : rules);
}

function curateProperty(schema: JsonSchema, { description, default: value, enum: values }: ArgCuration): JsonSchema {
  // The operator describes it, so it is shown although the document marks it readOnly.
  const { readOnly: _, ...rest } = typeof schema === 'object' ? schema : ({} as Node);
  return {
    ...rest,
    ...omitUndefined({ description, default: value, enum: values }),
  };
}

function curateExample(example: Args, changes: Changes): Args {
  const entries = Object.entries(example).filter(([key]) => !isRemoved(changes.get(key)));
  return Object.fromEntries(entries.map(([key, value]) => [changes.get(key)?.rename ?? key, value]));
}

/** If the argument that selects the page is hidden, answers must not tell callers to pass it. */
function curatePaging(before: Pagination, changes: Changes): { pagination: Pagination } {
  if (isRemoved(changes.get(before.arg))) return { pagination: undefined as never };
  const { sizeArg, ...rest } = before;
  const now = (key: string) => changes.get(key)?.rename ?? key;
  const size = sizeArg === undefined || isRemoved(changes.get(sizeArg)) ? {} : { sizeArg: now(sizeArg) };
  return { pagination: { ...rest, arg: now(before.arg), ...size } };
}

function isInBody({ to }: Pick<Arg, 'to'>): boolean {
  return to.some(({ in: where }) => where === 'body' || where === 'body-root');
}

/** Rules about several arguments of the body. Builds the schema. */
function bodyRulesOf({ args, body, inputSchema }: Endpoint): BodyRules {
  const keys = args.filter(isInBody).map(({ key }) => key);
  return readBodyRules(inputSchema, keys, body?.required === false);
}

/** `body: { required: false }` of an operation. */
export function curateBody(
  endpoint: Endpoint,
  { required }: { readonly required: boolean },
  at: readonly string[],
  problems: Problem[],
): Endpoint {
  const { body, args, fixed } = endpoint;
  const refuse = (message: string, ...more: string[]): Endpoint => {
    problems.push({ path: [...at, 'body', ...more], message });
    return endpoint;
  };
  if (body === undefined) return refuse('has no effect: the operation sends no body; remove it');
  if (required) {
    const fields = args.filter(isInBody).map(({ key }) => key);
    const example = fields[0] === undefined ? '' : `, such as args: { ${fields[0]}: { required: true } }`;
    return refuse(`true has no effect here; set it on the arguments in the body${example}`, 'required');
  }
  if (fixed.some((value) => isInBody({ to: [value.to] })))
    return refuse('false has no effect: the document fixes a value in the body, so it is always sent', 'required');
  const changes: Partial<Endpoint> = {
    body: { ...body, required: false },
    args: args.map((arg) => (isInBody(arg) ? { ...arg, required: false } : arg)),
  };
  return withFields(endpoint, changes, () => withOptionalBody(endpoint));
}

function withOptionalBody(endpoint: Endpoint): JsonSchema {
  const { inputSchema } = endpoint;
  if (!isObject(inputSchema) || endpoint.body?.required === false) return inputSchema;
  const { required, ...rest } = inputSchema;
  const rules = bodyRulesOf(endpoint);
  const others = Array.isArray(required) ? required.filter((key) => !rules.keys.includes(key)) : [];
  const schema = others.length === 0 ? rest : { ...rest, required: others };
  return withBodyRules(schema, { ...rules, optional: true });
}
