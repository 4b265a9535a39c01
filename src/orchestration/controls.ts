// The arguments Landbridge adds to an operation's own: `fields` on reads, `dry_run` on writes, `confirmation_token` where a
// person must agree. They are taken out before validation, so the endpoint's schema never sees them.

import type { Controls } from '../call/execution-context.ts';
import type { Args, Effect, JsonSchema } from '../endpoint/model.ts';
import { GatewayError } from '../errors.ts';

const MAX_FIELDS = 100;
const MAX_FIELDS_CHARS = 10_000;

export interface ControlPlan {
  /** Public key → advertised schema, in order. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /** Public key of the confirmation token, where there is one. */
  readonly token: string | undefined;
  /** Splits what was sent into the endpoint's arguments and the controls. Returns `undefined` when there are none. */
  readonly take: (tool: string, args: Args) => { args: Args; controls: Controls } | undefined;
}

// Short on purpose: these stand in every tool. The server's instructions explain them at length.
const FIELDS: JsonSchema = { type: 'string', description: 'Keep only: id,a.b' };
const DRY_RUN: JsonSchema = { type: 'boolean', description: 'Preview only' };
const TOKEN: JsonSchema = { type: 'string', description: 'From a refusal' };

/** For operations that nothing steers. */
export const NO_CONTROLS: ControlPlan = Object.freeze({
  schemas: Object.freeze({}),
  token: undefined,
  take: () => undefined,
});

export function buildControls(effect: Effect, own: ReadonlySet<string>, confirmable: boolean): ControlPlan {
  // An API may have an argument of the same name: then ours steps aside.
  const free = (key: string) => (own.has(key) ? `landbridge_${key}` : key);
  const fields = effect === 'read' ? free('fields') : undefined;
  const dryRun = effect === 'read' ? undefined : free('dry_run');
  const token = confirmable ? free('confirmation_token') : undefined;
  const schemas: Record<string, JsonSchema> = {};
  if (fields) schemas[fields] = FIELDS;
  if (dryRun) schemas[dryRun] = DRY_RUN;
  if (token) schemas[token] = TOKEN;
  const keys = Object.keys(schemas);

  const take: ControlPlan['take'] = (tool, args) => {
    if (!keys.some((key) => Object.hasOwn(args, key))) return undefined;
    const rest: Record<string, unknown> = { ...args };
    const controls: { fields?: readonly string[]; dryRun?: boolean; confirmationToken?: string } = {};
    for (const key of keys) {
      if (!Object.hasOwn(rest, key)) continue;
      const value = rest[key];
      delete rest[key];
      if (value === undefined || value === null) continue;
      if (key === fields) controls.fields = parseFields(tool, key, value);
      else if (key === dryRun) controls.dryRun = parseBoolean(tool, key, value);
      else controls.confirmationToken = parseToken(tool, key, value);
    }
    return { args: rest, controls };
  };
  return { schemas: Object.freeze(schemas), token, take };
}

function refuse(tool: string, key: string, expected: string): never {
  throw new GatewayError(
    'VALIDATION',
    `Invalid arguments for ${tool}; nothing was sent. Fix and call again:\n1. \`${key}\` must be ${expected}.`,
    { tool, errors: [{ path: key, message: `must be ${expected}` }] },
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
  refuse(tool, key, 'the token a refusal handed you, as a string');
}
