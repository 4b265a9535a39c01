// What a domain file does to the values of arguments on their way: defaults are filled in, numbers moved to their bounds.

import { isObject } from '../../endpoint/is-object.ts';
import type { ClampedArgument, Endpoint, JsonSchema } from '../../endpoint/model.ts';
import type { Problem } from '../../endpoint/problems.ts';
import { omitUndefined } from '../../endpoint/untrusted.ts';

/** Sends the defaults of a domain file; a schema alone would only document them. `next` runs afterwards. */
export function fillDefaults(defaults: ReadonlyMap<string, unknown>, next: Endpoint['parse']): Pick<Endpoint, 'parse'> {
  if (defaults.size === 0) return next === undefined ? {} : { parse: next };
  return {
    parse: (args) => {
      const whole: Record<string, unknown> = { ...args };
      for (const [key, value] of defaults) if (whole[key] === undefined) whole[key] = value;
      return next === undefined ? { ok: true, args: whole } : next(whole);
    },
  };
}

/** The bounds of every argument with `clamp: true`, under its public name. `clamp` without bounds is a mistake. */
export function readClamps(
  settings: Iterable<readonly [key: string, setting: { readonly clamp?: boolean; readonly rename?: string }]>,
  schemaOf: (key: string) => JsonSchema | undefined,
  at: readonly (string | number)[],
  problems: Problem[],
): readonly ClampedArgument[] | undefined {
  const clamps: ClampedArgument[] = [];
  for (const [key, { clamp, rename = key }] of settings) {
    if (clamp !== true) continue;
    const schema = schemaOf(key);
    const number = (bound: unknown) => (typeof bound === 'number' ? bound : undefined);
    const { minimum, maximum } = isObject(schema) ? schema : {};
    const bounds = omitUndefined({ minimum: number(minimum), maximum: number(maximum) });
    const message = 'has no minimum and no maximum, so there is nothing to clamp it to';
    if (Object.keys(bounds).length === 0) problems.push({ path: [...at, key, 'clamp'], message });
    else clamps.push({ key: rename, ...bounds });
  }
  return clamps.length === 0 ? undefined : clamps;
}
