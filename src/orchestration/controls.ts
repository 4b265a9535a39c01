// The arguments Landbridge adds to an operation's own: `dry_run`, `fields` for answers in JSON, `confirmation_token` where
// one may stand for a person's yes. They are taken out before validation, so the endpoint's schema never sees them.

import type { Controls } from '../call/execution-context.ts';
import type { Handler } from '../call/handler.ts';
import { familyOf, type MediaFamily } from '../endpoint/media-type.ts';
import type { Args, Endpoint, JsonSchema } from '../endpoint/model.ts';
import { GatewayError } from '../errors.ts';

const MAX_FIELDS = 100;
const MAX_FIELDS_CHARS = 10_000;

export const CONTROL_NAMES = ['fields', 'dry_run', 'confirmation_token'] as const;
export type ControlName = (typeof CONTROL_NAMES)[number];

/** The public key of each control an operation takes: its name, unless the API has an argument of that name. */
export type ControlKeys = Readonly<Partial<Record<ControlName, string>>>;

// Short on purpose: these stand in every tool. The server's instructions explain them at length.
export const CONTROL_SCHEMAS: Readonly<Record<ControlName, JsonSchema>> = Object.freeze({
  fields: Object.freeze({ type: 'string', description: 'Keep only: id,a.b' }),
  dry_run: Object.freeze({ type: 'boolean' }),
  confirmation_token: Object.freeze({ type: 'string', description: 'From a refusal' }),
});

export interface ControlPlan {
  readonly keys: ControlKeys;
  /** Public key → schema of those that are advertised, in order. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /** Splits what was sent into the endpoint's arguments and the controls. Returns `undefined` when there are none. */
  readonly take: (tool: string, args: Args) => { args: Args; controls: Controls } | undefined;
}

/** For operations that nothing steers. */
export const NO_CONTROLS: ControlPlan = Object.freeze({
  keys: Object.freeze({}),
  schemas: Object.freeze({}),
  take: () => undefined,
});

export interface ControlOffer {
  /**
   * `useless`: taken but not advertised. Several operations share one schema in grouped and search mode, so that `fields`
   * may come to one that answers with nothing; the executor says that it had no effect.
   */
  readonly fields: 'advertised' | 'useless' | 'none';
  readonly token: boolean;
}

export function buildControls(own: ReadonlySet<string>, offer: ControlOffer): ControlPlan {
  const free = (name: ControlName): string => {
    let key: string = name;
    while (own.has(key)) key = `landbridge_${key}`;
    return key;
  };
  const keys: ControlKeys = Object.freeze({
    ...(offer.fields !== 'none' && { fields: free('fields') }),
    dry_run: free('dry_run'),
    ...(offer.token && { confirmation_token: free('confirmation_token') }),
  });
  const names = CONTROL_NAMES.filter((name) => keys[name] !== undefined);
  const publicNames = names.filter((name) => name !== 'fields' || offer.fields === 'advertised');
  const isTokenless = !offer.token && !own.has('confirmation_token');

  const take: ControlPlan['take'] = (tool, args) => {
    if (isTokenless && saidIn(args, 'confirmation_token') !== undefined) refuse(tool, 'confirmation_token', NO_TOKEN);
    if (!names.some((name) => Object.hasOwn(args, keys[name]!))) return undefined;
    const rest: Record<string, unknown> = { ...args };
    const controls: { -readonly [Name in keyof Controls]: Controls[Name] } = {};
    for (const name of names) {
      const key = keys[name]!;
      const value = saidIn(rest, key);
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

/** What the executor reads as JSON. */
const JSON_FAMILIES: ReadonlySet<MediaFamily> = new Set([
  'any',
  'json',
  'json5',
  'json-lines',
  'json-patch',
  'merge-patch',
  'events',
]);

/** Whether there can be JSON to choose fields from: not where the document names other types only, or no answer at all. */
export function mayAnswerJson({ method, response }: Pick<Endpoint, 'method' | 'response'>): boolean {
  const { accept, empty, format } = response;
  if (method === 'HEAD' || empty || format === 'text') return false;
  // The second best, `*/*;q=0.5`, stands in every header.
  const types = accept?.split(',').filter((type) => !/^\s*\*\/\*\s*;/.test(type)) ?? [];
  return types.length === 0 || types.some((type) => JSON_FAMILIES.has(familyOf(type)));
}

/** The handler of an operation with its own schema: arguments that are not listed there are refused, even `useless` ones. */
export function asListed({ run, controls, controlKeys: { fields } }: Steered): Handler {
  if (fields === undefined || Object.hasOwn(controls, fields)) return run;
  return async (context, args) => {
    if (saidIn(args, fields) !== undefined) {
      refuse(context.label, fields, 'left out: the answer is not JSON, so there are no fields to choose');
    }
    return run(context, args);
  };
}

interface Steered {
  readonly run: Handler;
  readonly controls: ControlPlan['schemas'];
  readonly controlKeys: ControlKeys;
}

/**
 * The arguments of an operation plus the controls given beside them, each under the key the operation expects. A control that it
 * does not take is refused: among the arguments it might be one of the API's.
 */
export function putInside(tool: string, args: Args, beside: Args, keys: ControlKeys): Args {
  const names = CONTROL_NAMES.filter((name) => saidIn(beside, name) !== undefined);
  if (names.length === 0) return args;
  const inside: Record<string, unknown> = { ...args };
  for (const name of names) {
    const key = keys[name] ?? refuse(tool, name, NO_TOKEN);
    const value = saidIn(inside, key);
    if (value !== undefined && JSON.stringify(value) !== JSON.stringify(beside[name])) {
      refuse(tool, name, 'given once: its value beside `arguments` differs from the one inside');
    }
    inside[key] = beside[name];
  }
  return inside;
}

const NO_TOKEN = 'left out: this operation takes no confirmation token';

/** Null is how some clients write "not given". */
function saidIn(args: Args, key: string): unknown {
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
