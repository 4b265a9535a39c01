// Hides, fixes, renames, describes and defaults the arguments of an imported operation.

import type { Arg, Args, Endpoint, FixedValue, JsonSchema, Pagination } from '../endpoint/model.ts';
import type { Problem } from '../endpoint/problems.ts';
import { hint } from '../endpoint/suggest.ts';
import { explainMisfit } from '../schema/check/fit.ts';
import { ownSchema } from '../schema/references.ts';
import { withFields } from './copy-endpoint.ts';
import { fillDefaults, readClamps } from './definition/argument-values.ts';
import type { ArgCuration } from './definition/definition-types.ts';
import { pickDefined } from './pick-defined.ts';

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
      const message = `there is no argument "${key}"; ${hint(key, keys)} To add one, say where it goes (in: query) and its type.`;
      problems.push({ path: [...at, key], message });
      continue;
    }
    problems.push(...checkChange(arg, change, keys, [...at, key]), ...checkValues(endpoint, key, change, [...at, key]));
    changes.set(key, change);
  }
  if (changes.size === 0) return endpoint;

  const args = endpoint.args.flatMap((arg): Arg[] => {
    const change = changes.get(arg.key);
    if (change === undefined) return [arg];
    if (isGone(change)) return [];
    const required = change.required ?? (arg.required && change.default === undefined);
    const { to } = arg;
    return [{ key: change.rename ?? arg.key, required, to }];
  });
  const fixed = endpoint.args.flatMap((arg): FixedValue[] => {
    const value = changes.get(arg.key)?.fixed;
    return value === undefined ? [] : arg.to.map((to) => ({ value, to }));
  });
  const withheld = endpoint.args.flatMap(({ key, to }) => (changes.get(key)?.hide === true ? to : []));
  const defaults = new Map<string, unknown>();
  for (const [key, change] of changes)
    if (change.default !== undefined) defaults.set(change.rename ?? key, change.default);

  const schemaOf = (key: string) => propertyOf(endpoint.inputSchema, key);
  const clamp = readClamps(changes, schemaOf, at, problems);
  let schema: JsonSchema | undefined;
  return withFields(endpoint, {
    args,
    fixed: [...endpoint.fixed, ...fixed],
    withheld: [...(endpoint.withheld ?? []), ...withheld],
    // built from the original when somebody asks, like the original itself
    get inputSchema() {
      schema ??= curateSchema(endpoint.inputSchema, changes, args);
      return schema;
    },
    get examples() {
      return endpoint.examples.map((example) => curateExample(example, changes));
    },
    ...pickDefined({ clamp }),
    ...fillDefaults(defaults, endpoint.parse),
    ...(endpoint.pagination === undefined ? {} : curatePaging(endpoint.pagination, changes)),
  });
}

function isGone(change: ArgCuration | undefined): boolean {
  return change?.hide === true || change?.fixed !== undefined;
}

function checkChange(arg: Arg, change: ArgCuration, keys: readonly string[], path: Path): Problem[] {
  const problems: Problem[] = [];
  const say = (message: string, ...more: string[]) => problems.push({ path: [...path, ...more], message });
  if (change.hide && change.fixed !== undefined) say('is hidden and fixed; fixed alone hides it as well');
  else if (change.hide && change.default !== undefined)
    say('is hidden, so nobody can leave it out; use fixed instead of default');
  else if (change.hide && arg.required) say('is required by the API, so hiding is not enough; give it a fixed value');
  if (change.fixed !== undefined && change.default !== undefined)
    say('is fixed, so a default is never used; remove one of them');
  if (change.rename !== undefined && change.rename !== arg.key && keys.includes(change.rename)) {
    say(`"${change.rename}" is another argument already`, 'rename');
  }
  if (change.required === false && arg.to.some((to) => to.in === 'path') && change.default === undefined) {
    say('is part of the path and must stay required', 'required');
  }
  return problems;
}

/** Only looked at where a value is given: building the schema of every operation would cost the start. */
function checkValues(endpoint: Endpoint, key: string, change: ArgCuration, path: Path): Problem[] {
  return (['fixed', 'default'] as const).flatMap((which) => {
    const value = change[which];
    if (value === undefined) return [];
    const root = endpoint.inputSchema;
    const schema = propertyOf(root, key);
    const why = schema === undefined ? undefined : explainMisfit(value, schema, root);
    return why === undefined ? [] : [{ path: [...path, which], message: why }];
  });
}

function propertyOf(root: JsonSchema, key: string): JsonSchema | undefined {
  return typeof root === 'object' ? ownSchema(root.properties, key) : undefined;
}

function curateSchema(schema: JsonSchema, changes: Changes, args: readonly Arg[]): JsonSchema {
  if (typeof schema !== 'object') return schema;
  const before = (schema.properties ?? {}) as Node;
  const properties: [string, unknown][] = [];
  for (const [key, property] of Object.entries(before)) {
    const change = changes.get(key);
    if (isGone(change)) continue;
    properties.push([
      change?.rename ?? key,
      change === undefined ? property : curateProperty(property as JsonSchema, change),
    ]);
  }
  const required = args.filter((arg) => arg.required).map((arg) => arg.key);
  const { required: _, ...rest } = schema;
  return { ...rest, properties: Object.fromEntries(properties), ...(required.length === 0 ? {} : { required }) };
}

function curateProperty(schema: JsonSchema, { description, default: value, enum: values }: ArgCuration): JsonSchema {
  // A readOnly field the operator writes about is one to be shown.
  const { readOnly: _, ...rest } = typeof schema === 'object' ? schema : ({} as Node);
  return {
    ...rest,
    ...pickDefined({ description, default: value, enum: values }),
  };
}

function curateExample(example: Args, changes: Changes): Args {
  const entries = Object.entries(example).filter(([key]) => !isGone(changes.get(key)));
  return Object.fromEntries(entries.map(([key, value]) => [changes.get(key)?.rename ?? key, value]));
}

/** Without the argument that moves on there is no next page to speak of. */
function curatePaging(before: Pagination, changes: Changes): { pagination: Pagination } {
  if (isGone(changes.get(before.arg))) return { pagination: undefined as never };
  const { sizeArg, ...rest } = before;
  const now = (key: string) => changes.get(key)?.rename ?? key;
  const size = sizeArg === undefined || isGone(changes.get(sizeArg)) ? {} : { sizeArg: now(sizeArg) };
  return { pagination: { ...rest, arg: now(before.arg), ...size } };
}
