// The arguments that Landbridge adds to those of an operation: `dry_run`, `fields` if it may answer with JSON, and
// `confirmation_token` if a token may confirm a call. They are removed before validation, so the endpoint's schema does
// not have them.

import type { Controls } from '../call/execution-context.ts';
import type { Handler } from '../call/handler.ts';
import { familyOf, type MediaFamily } from '../endpoint/media-type.ts';
import type { Args, Endpoint, JsonSchema } from '../endpoint/model.ts';
import { GatewayError } from '../errors.ts';

const MAX_FIELDS = 100;
const MAX_FIELDS_CHARS = 10_000;

export const CONTROL_NAMES = ['fields', 'dry_run', 'confirmation_token'] as const;
export type ControlName = (typeof CONTROL_NAMES)[number];

/** The argument name of each control that an operation takes. It differs if the API has an argument with the usual name. */
export type ControlKeys = Readonly<Partial<Record<ControlName, string>>>;

// Short, because every tool contains them. The server's instructions explain them at length.
export const CONTROL_SCHEMAS: Readonly<Record<ControlName, JsonSchema>> = Object.freeze({
  fields: Object.freeze({ type: 'string', description: 'Keep only: id,a.b' }),
  dry_run: Object.freeze({ type: 'boolean' }),
  confirmation_token: Object.freeze({ type: 'string', description: 'From a refusal' }),
});

export interface ControlPlan {
  readonly keys: ControlKeys;
  /** Argument name → schema of the advertised controls, in order. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /** Splits the arguments of a call into those of the endpoint and the controls. Undefined if there are no controls. */
  readonly take: (tool: string, args: Args) => { args: Args; controls: Controls } | undefined;
}

/** For operations without controls. */
export const NO_CONTROLS: ControlPlan = Object.freeze({
  keys: Object.freeze({}),
  schemas: Object.freeze({}),
  take: () => undefined,
});

export interface ControlOptions {
  /**
   * `useless`: accepted but not advertised. In grouped and search mode several operations share one schema, so a call may have
   * `fields` although the operation has no JSON answer. The executor says that it had no effect.
   */
  readonly fields: 'advertised' | 'useless' | 'none';
  readonly token: boolean;
}

export function buildControls(own: ReadonlySet<string>, options: ControlOptions): ControlPlan {
  const free = (name: ControlName): string => {
    let key: string = name;
    while (own.has(key)) key = `landbridge_${key}`;
    return key;
  };
  const keys: ControlKeys = Object.freeze({
    ...(options.fields !== 'none' && { fields: free('fields') }),
    dry_run: free('dry_run'),
    ...(options.token && { confirmation_token: free('confirmation_token') }),
  });
  const names = CONTROL_NAMES.filter((name) => keys[name] !== undefined);
  const publicNames = names.filter((name) => name !== 'fields' || options.fields === 'advertised');
  const isTokenless = !options.token && !own.has('confirmation_token');

  const take: ControlPlan['take'] = (tool, args) => {
    if (isTokenless && readControl(args, 'confirmation_token') !== undefined)
      refuse(tool, 'confirmation_token', NO_TOKEN);
    if (!names.some((name) => Object.hasOwn(args, keys[name]!))) return undefined;
    const rest: Record<string, unknown> = { ...args };
    const controls: { -readonly [Name in keyof Controls]: Controls[Name] } = {};
    for (const name of names) {
      const key = keys[name]!;
      const value = readControl(rest, key);
      delete rest[key];
      if (value === undefined) continue;
      if (name === 'fields') controls.fields = parseFields(tool, key, value);
      else if (name === 'dry_run') controls.dryRun = parseBoolean(tool, key, value);
      else controls.confirmationToken = parseToken(tool, key, value);
    }
    return { args: rest, controls };
  };
  const schemas = Object.fromEntries(publicNames.map((name) => [keys[name]!, CONTROL_SCHEMAS[name]]));
  return Object.freeze({ keys, schemas: Object.freeze(schemas), take });
}

/** The media types that the executor parses as JSON. */
const JSON_FAMILIES: ReadonlySet<MediaFamily> = new Set([
  'any',
  'json',
  'json5',
  'json-lines',
  'json-patch',
  'merge-patch',
  'events',
]);

/** Whether the answer may be JSON, from which fields can be chosen. Not if the document names only other types, or no answer. */
export function mayAnswerJson({ method, response }: Pick<Endpoint, 'method' | 'response'>): boolean {
  const { accept, empty, format } = response;
  if (method === 'HEAD' || empty || format === 'text') return false;
  // Every Accept header contains the fallback `*/*;q=0.5`.
  const types = accept?.split(',').filter((type) => !/^\s*\*\/\*\s*;/.test(type)) ?? [];
  return types.length === 0 || types.some((type) => JSON_FAMILIES.has(familyOf(type)));
}

/** The handler of an operation that has a schema of its own. It refuses `fields` if that is not in the schema. */
export function refuseUnlistedFields({
  run,
  controls,
  controlKeys: { fields },
}: {
  readonly run: Handler;
  readonly controls: ControlPlan['schemas'];
  readonly controlKeys: ControlKeys;
}): Handler {
  if (fields === undefined || Object.hasOwn(controls, fields)) return run;
  return async (context, args) => {
    if (readControl(args, fields) !== undefined) {
      refuse(context.label, fields, 'left out: the answer is not JSON, so there are no fields to choose');
    }
    return run(context, args);
  };
}

/**
 * Adds the controls given beside the arguments to the arguments, each under the name that the operation expects. A
 * control that the operation does not take is refused, because among the arguments it might be mistaken for one of the
 * API's.
 */
export function mergeControls(tool: string, args: Args, beside: Args, keys: ControlKeys): Args {
  const names = CONTROL_NAMES.filter((name) => readControl(beside, name) !== undefined);
  if (names.length === 0) return args;
  const inside: Record<string, unknown> = { ...args };
  for (const name of names) {
    const key = keys[name] ?? refuse(tool, name, NO_TOKEN);
    const value = readControl(inside, key);
    if (value !== undefined && JSON.stringify(value) !== JSON.stringify(beside[name])) {
      refuse(tool, name, 'given once: its value beside `arguments` differs from the one inside');
    }
    inside[key] = beside[name];
  }
  return inside;
}

const NO_TOKEN = 'left out: this operation takes no confirmation token';

/** Some clients send null for an argument that is not given. */
function readControl(args: Args, key: string): unknown {
  return Object.hasOwn(args, key) ? (args[key] ?? undefined) : undefined;
}

function refuse(tool: string, key: string, expectation: string): never {
  throw new GatewayError(
    'VALIDATION',
    `Invalid arguments for ${tool}; nothing was sent. Fix and call again:\n1. \`${key}\` must be ${expectation}.`,
    { tool, errors: [{ path: key, message: `must be ${expectation}` }] },
  );
}

function parseFields(tool: string, key: string, value: unknown): readonly string[] {
  const list = typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(list) || list.length > MAX_FIELDS || !list.every((item) => typeof item === 'string')) {
    refuse(tool, key, `a comma-separated list of at most ${MAX_FIELDS} dot paths, for example "id,owner.name"`);
  }
  if (list.reduce((sum: number, item: string) => sum + item.length + 1, 0) > MAX_FIELDS_CHARS) {
    refuse(tool, key, `at most ${MAX_FIELDS_CHARS} characters long`);
  }
  return list.map((item: string) => item.trim()).filter((item) => item !== '');
}

function parseBoolean(tool: string, key: string, value: unknown): boolean {
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  refuse(tool, key, 'true or false');
}

function parseToken(tool: string, key: string, value: unknown): string {
  if (typeof value === 'string' && value.length <= 512) return value;
  refuse(tool, key, 'the token from the refusal, as a string');
}
