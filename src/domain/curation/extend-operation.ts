// What a domain file adds to an imported operation: arguments that the document lacks, or a place for any further fields.

import { fieldsIn } from '../../credentials/credential-places.ts';
import { isMethodParameter } from '../../endpoint/headers/header-names.ts';
import { isObject } from '../../endpoint/is-object.ts';
import type { Arg, Args, Endpoint, JsonSchema, Parsed, Target } from '../../endpoint/model.ts';
import { isControlName } from '../../endpoint/names.ts';
import type { Problem } from '../../endpoint/problems.ts';
import { emptyMap, omitUndefined } from '../../endpoint/untrusted.ts';
import { defaultsOf, readArguments } from '../definition/argument-plan.ts';
import { fillDefaults, readClamps } from '../definition/argument-values.ts';
import type { ArgAddition } from '../definition/definition-types.ts';
import { placeAdditions } from '../definition/place.ts';
import { withFields } from './copy-endpoint.ts';

type Node = Record<string, unknown>;
type Additions = Readonly<Record<string, ArgAddition>>;

/** Adds the new arguments in `args`. `at` is the operation's place in the file. */
export function addArguments(
  endpoint: Endpoint,
  additions: Additions,
  at: readonly string[],
  problems: Problem[],
): Endpoint {
  const inArgs = [...at, 'args'];
  const args: Record<string, ArgAddition> = {};
  for (const [key, { schema, ...addition }] of Object.entries(additions)) {
    if (endpoint.args.some((arg) => arg.key === key)) {
      const message = 'is already an argument in the document; to change it, leave out in, type and schema';
      problems.push({ path: [...inArgs, key], message });
    } else args[key] = { ...(isObject(schema) ? schema : {}), ...addition } as ArgAddition;
  }
  const plan = readArguments({ path: endpoint.path, summary: endpoint.action, args }, at, problems);
  const wire = placeAdditions(endpoint, plan, inArgs, problems);
  const clamps = readClamps(plan.placements, (key) => plan.properties.get(key), inArgs, problems) ?? [];
  const changes: Partial<Endpoint> = {
    args: [...endpoint.args, ...wire.args],
    ...omitUndefined({ body: wire.body }),
    ...(clamps.length === 0 ? {} : { clamp: [...(endpoint.clamp ?? []), ...clamps] }),
    ...fillDefaults(defaultsOf(plan), endpoint.parse),
  };
  return withFields(endpoint, changes, () => withProperties(endpoint.inputSchema, plan.properties, [...plan.required]));
}

function withProperties(
  schema: JsonSchema,
  additions: ReadonlyMap<string, JsonSchema>,
  required: readonly string[],
): JsonSchema {
  if (!isObject(schema)) return schema;
  const names = [...(Array.isArray(schema.required) ? schema.required : []), ...required];
  return {
    ...schema,
    properties: { ...(schema.properties as Node), ...Object.fromEntries(additions) },
    ...(names.length === 0 ? {} : { required: names }),
  };
}

/** Limits per call, far above what documents forget to describe. */
const MAX_FIELDS = 100;
const MAX_NAME = 128;
const FURTHER_FIELDS = 'additional_fields';
/** Nested values have no agreed form in a query string. */
const PLAIN_VALUE: JsonSchema = Object.freeze({ type: ['string', 'number', 'boolean'] });

/** `additional: true`: fields that the document does not name are sent in the body, or in the query if there is no body. */
export function openOperation(endpoint: Endpoint, at: readonly string[], problems: Problem[]): Endpoint {
  const { args, fixed, body } = endpoint;
  const refuse = (message: string): Endpoint => {
    problems.push({ path: [...at, 'additional'], message });
    return endpoint;
  };
  const isRoot = (target: Target) => target.in === 'body-root';
  const rest = args.find(({ to }) => to.some(isRoot));
  const parts = args.some(({ to }) => to.some((target) => target.in === 'body'));
  if (body?.kind === 'text' || body?.kind === 'binary')
    return refuse(
      `has no effect: the body is ${body.kind === 'text' ? 'plain text' : 'one file'}, which has no fields`,
    );
  if (rest !== undefined && !parts) return refuse(`has no effect: "${rest.key}" is the whole body already`);
  if (fixed.some(({ to }) => isRoot(to))) return refuse('has no effect: the document fixes the whole body');

  const where = body === undefined ? 'query' : 'body';
  const key = rest?.key ?? freeKey(args);
  const to: Target = where === 'body' ? { in: 'body-root' } : { in: 'query', name: key, style: 'form', explode: true };
  const exclusions = reservedNames(endpoint, where);
  const changes: Partial<Endpoint> = {
    args: rest === undefined ? [...args, { key, required: false, to: [to] }] : args,
    parse: collectFurtherFields(new Set([...args.map((arg) => arg.key), key]), key, exclusions, endpoint.parse),
  };
  return withFields(endpoint, changes, () => openSchema(endpoint.inputSchema, key, where));
}

function freeKey(args: readonly Arg[]): string {
  let key = FURTHER_FIELDS;
  while (args.some((arg) => arg.key === key)) key += '_';
  return key;
}

/** Some servers treat `Tenant`, `tenant[]` and `tenant ` as the parameter `tenant`. */
function bareName(name: string): string {
  return name.toLowerCase().replace(/\[.*$/s, '').trim();
}

/**
 * Names that further fields must not use: those of arguments, fixed and hidden values and credentials, and those in the
 * query of the path itself (`/do?Action=List`).
 */
function reservedNames(endpoint: Endpoint, where: 'body' | 'query'): ReadonlySet<string> {
  const { args, fixed, withheld = [], security, path } = endpoint;
  const targets = [...args.flatMap(({ to }) => to), ...fixed.map(({ to }) => to), ...withheld];
  const names = targets.flatMap((target) => {
    if (target.in !== where) return [];
    return target.in === 'body' ? target.at.slice(0, 1) : [(target as { readonly name: string }).name];
  });
  const credentials = fieldsIn(security.flat(), where);
  const mark = where === 'query' ? path.indexOf('?') : -1;
  const ofPath = mark < 0 ? [] : [...new URLSearchParams(path.slice(mark).split('#', 1)[0]).keys()];
  return new Set([...names, ...credentials, ...ofPath].map(bareName));
}

function openSchema(schema: JsonSchema, key: string, where: 'body' | 'query'): JsonSchema {
  if (!isObject(schema)) return schema;
  const each: JsonSchema = where === 'query' ? PLAIN_VALUE : true;
  const what = where === 'query' ? 'query parameters' : 'fields of the body';
  const own = (schema.properties as Node)[key];
  const rest = own ?? {
    type: 'object',
    description: `Further ${what}, by name. They may be given as arguments of their own as well.`,
    additionalProperties: each,
    maxProperties: MAX_FIELDS,
  };
  return { ...schema, properties: { ...(schema.properties as Node), [key]: rest }, additionalProperties: each };
}

/** Moves arguments that the operation does not declare into the argument for further fields. */
function collectFurtherFields(
  keys: ReadonlySet<string>,
  rest: string,
  exclusions: ReadonlySet<string>,
  next: Endpoint['parse'],
): (args: Args) => Parsed {
  return (args) => {
    const out = emptyMap<unknown>();
    const others = Object.assign(emptyMap<unknown>(), isObject(args[rest]) ? args[rest] : {});
    const problems: string[] = [];
    for (const key of Object.keys(args)) {
      if (key === rest) continue;
      if (keys.has(key)) out[key] = args[key];
      // `dry_run: true` is meant for the gateway, and must not be sent to the API.
      else if (isControlName(key)) problems.push(`\`${key}\` is not an argument here; remove it`);
      else if (Object.hasOwn(others, key)) problems.push(`\`${key}\` is also in \`${rest}\`; give it once`);
      else others[key] = args[key];
    }
    const names = Object.keys(others);
    for (const name of names) {
      const text = JSON.stringify(name.slice(0, MAX_NAME));
      if (name.length > MAX_NAME) problems.push(`a name of ${name.length} characters is too long; at most ${MAX_NAME}`);
      else if (exclusions.has(bareName(name)))
        problems.push(`${text} is not for \`${rest}\`: the operation uses this name itself`);
      else if (isMethodParameter(name.trim()))
        problems.push(`${text} would turn this into another operation; remove it`);
    }
    if (names.length > MAX_FIELDS) problems.push(`${names.length} further fields are too many; at most ${MAX_FIELDS}`);
    if (problems.length > 0) return { ok: false, problems: problems.slice(0, 10) };
    if (names.length > 0) out[rest] = others;
    return next === undefined ? { ok: true, args: out } : next(out);
  };
}
