// Applies what a domain file says about an imported operation. Pure: gives new Endpoint values, and never builds a
// lazy schema just to change it.
import type { ArgCuration, OperationCuration } from '../endpoint/definition.ts';
import type { Arg, Args, Endpoint, FixedValue, JsonSchema } from '../endpoint/model.ts';
import type { Problem } from '../endpoint/problems.ts';
import { hint } from '../endpoint/suggest.ts';

type Node = Record<string, unknown>;
type Path = readonly (string | number)[];

/** A copy of an endpoint with some fields changed. Getters stay getters: `{...endpoint}` would run them. */
export function withFields(endpoint: Endpoint, changes: Partial<Endpoint>): Endpoint {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(endpoint));
  return Object.defineProperties(copy, Object.getOwnPropertyDescriptors(changes)) as Endpoint;
}

/** Applies one entry of `operations:`. `prefix` is what the domain puts before an action to make a tool's name. */
export function curate(
  endpoint: Endpoint,
  curation: OperationCuration,
  prefix: string,
  file: string,
  at: Path,
  problems: Problem[],
): Endpoint {
  const said: Record<string, string> = {};
  const changes: { -readonly [Key in keyof Endpoint]?: Endpoint[Key] } = {};
  const note = (field: string) => {
    said[field] = `${file} ${at.join('.')}`;
  };
  if (curation.name !== undefined) {
    changes.action = curation.name;
    changes.toolName = prefix === '' ? curation.name : `${prefix}_${curation.name}`;
    changes.id = `${endpoint.domain}.${curation.name}`;
    note('name');
  }
  for (const field of [
    'title',
    'summary',
    'description',
    'tags',
    'effect',
    'idempotent',
    'guard',
    'pagination',
    'examples',
    'expose',
  ] as const) {
    if (curation[field] === undefined) continue;
    Object.assign(changes, { [field]: curation[field] });
    note(field);
  }
  // a new summary with the old description below it would say two things
  if (curation.summary !== undefined && curation.description === undefined)
    Object.assign(changes, { description: undefined });
  if (curation.headers !== undefined) changes.headers = { ...endpoint.headers, ...curation.headers };
  if (curation.response !== undefined) {
    changes.response = { ...endpoint.response, ...curation.response };
    note('response');
  }
  if (curation.timeoutMs !== undefined || curation.maxResponseBytes !== undefined) {
    changes.limits = {
      timeoutMs: curation.timeoutMs ?? endpoint.limits.timeoutMs,
      maxResponseBytes: curation.maxResponseBytes ?? endpoint.limits.maxResponseBytes,
    };
    note('limits');
  }
  const base = withFields(endpoint, changes);
  const curated =
    curation.args === undefined
      ? base
      : curateArguments(base, curation.args, [...at, 'args'], problems, (key) => note(`argument ${key}`));
  return withFields(curated, { provenance: { ...endpoint.provenance, ...said } });
}

function curateArguments(
  endpoint: Endpoint,
  given: { readonly [key: string]: ArgCuration },
  at: Path,
  problems: Problem[],
  note: (key: string) => void,
): Endpoint {
  const keys = endpoint.args.map((arg) => arg.key);
  const changes = new Map<string, ArgCuration>();
  for (const [key, change] of Object.entries(given)) {
    const arg = endpoint.args.find((known) => known.key === key);
    if (arg === undefined) {
      problems.push({ path: [...at, key], message: `there is no argument "${key}"; ${hint(key, keys)}` });
      continue;
    }
    problems.push(...checkChange(arg, change, keys, [...at, key]));
    changes.set(key, change);
    note(key);
  }
  if (changes.size === 0) return endpoint;

  const args = endpoint.args.flatMap((arg): Arg[] => {
    const change = changes.get(arg.key);
    if (change === undefined) return [arg];
    if (change.hide || change.fixed !== undefined) return [];
    const required = change.required ?? (change.default === undefined && arg.required);
    return [{ ...arg, key: change.rename ?? arg.key, required }];
  });
  const fixed = endpoint.args.flatMap((arg): FixedValue[] => {
    const value = changes.get(arg.key)?.fixed;
    return value === undefined ? [] : arg.to.map((to) => ({ value, to }));
  });
  const defaults = new Map<string, unknown>();
  for (const [key, change] of changes)
    if (change.default !== undefined) defaults.set(change.rename ?? key, change.default);

  let schema: JsonSchema | undefined;
  const changed = withFields(endpoint, {
    args,
    fixed: [...endpoint.fixed, ...fixed],
    ...(defaults.size === 0 ? {} : { parse: fillDefaults(defaults, endpoint.parse) }),
    ...renamedUses(endpoint, changes),
  });
  // the schema is changed when somebody asks for it, from the original that is built at the same moment
  return Object.defineProperty(changed, 'inputSchema', {
    enumerable: true,
    configurable: true,
    get: () => {
      schema ??= curateSchema(endpoint.inputSchema, changes, args);
      return schema;
    },
  });
}

function checkChange(arg: Arg, change: ArgCuration, keys: readonly string[], path: Path): Problem[] {
  const problems: Problem[] = [];
  if (change.hide && change.fixed !== undefined)
    problems.push({ path, message: 'is hidden and fixed; keep fixed, it hides as well' });
  if (change.hide && arg.required && change.default === undefined) {
    problems.push({ path, message: 'is required by the API and cannot just be hidden; give it a fixed value' });
  }
  if (change.hide && change.default !== undefined)
    problems.push({ path, message: 'is hidden and has a default; use fixed instead' });
  if (change.rename !== undefined && change.rename !== arg.key && keys.includes(change.rename)) {
    problems.push({ path: [...path, 'rename'], message: `"${change.rename}" is another argument already` });
  }
  if (change.required === false && arg.to.some((to) => to.in === 'path')) {
    problems.push({ path: [...path, 'required'], message: 'is part of the path and must stay required' });
  }
  return problems;
}

function curateSchema(schema: JsonSchema, changes: ReadonlyMap<string, ArgCuration>, args: readonly Arg[]): JsonSchema {
  if (typeof schema !== 'object') return schema;
  const before = (schema.properties ?? {}) as Node;
  const properties: Node = {};
  for (const key of Object.keys(before)) {
    const change = changes.get(key);
    if (change?.hide || change?.fixed !== undefined) continue;
    properties[change?.rename ?? key] =
      change === undefined ? before[key] : curateProperty(before[key] as JsonSchema, change);
  }
  const required = args.filter((arg) => arg.required).map((arg) => arg.key);
  const { required: _, ...rest } = schema;
  return { ...rest, properties, ...(required.length === 0 ? {} : { required }) };
}

function curateProperty(schema: JsonSchema, change: ArgCuration): JsonSchema {
  const base = typeof schema === 'object' ? schema : {};
  return {
    ...base,
    ...(change.description === undefined ? {} : { description: change.description }),
    ...(change.default === undefined ? {} : { default: change.default }),
    ...(change.enum === undefined ? {} : { enum: change.enum }),
  };
}

function fillDefaults(
  defaults: ReadonlyMap<string, unknown>,
  before: Endpoint['parse'],
): NonNullable<Endpoint['parse']> {
  return (args) => {
    const filled: Record<string, unknown> = { ...args };
    for (const [key, value] of defaults) if (filled[key] === undefined) filled[key] = value;
    return before === undefined ? { ok: true, args: filled } : before(filled);
  };
}

/** Renamed arguments keep their part in paging and in the examples. */
function renamedUses(endpoint: Endpoint, changes: ReadonlyMap<string, ArgCuration>): Partial<Endpoint> {
  const now = (key: string) => changes.get(key)?.rename ?? key;
  const gone = (key: string) => changes.get(key)?.hide === true || changes.get(key)?.fixed !== undefined;
  const examples = endpoint.examples.map(
    (example): Args =>
      Object.fromEntries(
        Object.entries(example)
          .filter(([key]) => !gone(key))
          .map(([key, value]) => [now(key), value]),
      ),
  );
  const { pagination } = endpoint;
  if (pagination === undefined) return { examples };
  if (gone(pagination.arg)) return { examples, pagination: undefined as never };
  const { sizeArg, ...rest } = pagination;
  return {
    examples,
    pagination: {
      ...rest,
      arg: now(pagination.arg),
      ...(sizeArg === undefined || gone(sizeArg) ? {} : { sizeArg: now(sizeArg) }),
    },
  };
}
