// Whether a body is required although the document does not say so. Generators forget `required: true` (74 of Box's 118 bodies,
// 34 of Twilio's 62), and a call without arguments would then create an empty record. A body counts as required if every form of
// it has a required field, or if it is a list of such things (JSON Patch).
import { isObject } from '../../endpoint/is-object.ts';
import { listAt, textsAt } from '../../endpoint/untrusted.ts';
import { isNullable, typesOf, UNIONS } from '../../schema/keywords.ts';
import { type Follow, orNothing, type Place } from '../source/resolve.ts';
import type { OneWayProperties } from './one-way-properties.ts';
import { hidesSiblings, refOf } from './schema-refs.ts';

/** Whether every value a schema takes is an object with some field that a request has to give, or a list of those. */
export type DemandsFields = (schema: Place) => boolean;

/** Schemas looked at for one body: unions of unions would otherwise be walked 2^n times. */
const MAX_SCHEMAS = 500;

export function createBodyDemands(follow: Follow, oneWay: OneWayProperties): DemandsFields {
  const demands = ({ document, value }: Pick<Place, 'document' | 'value'>, budget: { left: number }): boolean => {
    if (!isObject(value) || --budget.left < 0 || isNullable(value)) return false;
    const inner = (schema: unknown) => demands({ document, value: schema }, budget);
    const ref = refOf(value);
    if (ref !== undefined) {
      const target = orNothing(() => follow(document, ref));
      if (target && demands(target, budget)) return true;
      if (hidesSiblings(document)) return false;
    }
    const types = typesOf(value);
    // Box writes `required: [items]` beside the items of a list.
    if (types.length === 1 && types[0] === 'array')
      return textsAt(value, 'required').length > 0 || Number(value.minItems) > 0 || inner(value.items);
    // If a list, a text or null may be sent as well, the required fields of an object prove nothing.
    if (types.some((type) => type !== 'object')) return false;
    if (oneWay.demands(document, value, 'request').length > 0) return true;
    if (listAt(value, 'allOf').some(inner)) return true;
    return UNIONS.some((union) => {
      const branches = listAt(value, union);
      return branches.length > 0 && branches.every(inner);
    });
  };
  return (schema) => demands(schema, { left: MAX_SCHEMAS });
}
