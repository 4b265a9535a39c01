// `clamp: true` beside an argument, as the bounds that hold for it.
import { isObject } from '../../endpoint/is-object.ts';
import type { ClampedArgument, JsonSchema } from '../../endpoint/model.ts';
import { pickDefined } from '../pick-defined.ts';

/** The bounds of the argument's schema, or a sentence saying that it has none. */
export function readClamp(key: string, schema: JsonSchema | undefined): ClampedArgument | string {
  const { minimum, maximum } = isObject(schema) ? schema : {};
  if (typeof minimum !== 'number' && typeof maximum !== 'number') {
    return 'has no minimum and no maximum, so there is nothing to clamp it to';
  }
  const number = (bound: unknown) => (typeof bound === 'number' ? bound : undefined);
  return { key, ...pickDefined({ minimum: number(minimum), maximum: number(maximum) }) };
}
