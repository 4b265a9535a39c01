// Does a value written in a domain file fit the argument it is for? What plainly does not must stop the start: such
// values are sent without passing validation. Keywords not looked at here count as satisfied.
import type { JsonSchema } from '../endpoint/model.ts';

type Node = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 8;

/** What is wrong, as the end of a sentence; undefined when nothing plainly is. */
export function misfit(
  value: unknown,
  schema: JsonSchema | undefined,
  root: JsonSchema,
  depth = 0,
): string | undefined {
  if (schema === false) return 'is not accepted by the API';
  if (schema === undefined || schema === true || depth > MAX_DEPTH) return undefined;
  const { $ref, type, enum: values, anyOf, oneOf } = schema as Node;
  if (typeof $ref === 'string' && $ref.startsWith('#/$defs/')) {
    const $defs = (root as Node).$defs as Readonly<Record<string, JsonSchema>> | undefined;
    const why = misfit(value, $defs?.[$ref.slice(8)], root, depth + 1);
    if (why) return why;
  }
  const types = typeof type === 'string' ? [type] : Array.isArray(type) ? (type as string[]) : [];
  if (types.length > 0 && !types.some((one) => isOfType(value, one))) return `must be of type ${types.join(' or ')}`;
  if (Array.isArray(values) && !values.some((one) => JSON.stringify(one) === JSON.stringify(value))) {
    return `must be one of ${values.slice(0, 20).map(String).join(', ')}`;
  }
  for (const union of [anyOf, oneOf]) {
    if (!Array.isArray(union) || union.length === 0) continue;
    const whys = union.map((branch: JsonSchema) => misfit(value, branch, root, depth + 1));
    if (whys.every((why) => why !== undefined)) return whys[0];
  }
  return outOfRange(value, schema as Node);
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'null') return value === null;
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}

function outOfRange(value: unknown, { minimum, maximum, minLength, maxLength }: Node): string | undefined {
  if (typeof value === 'number') {
    if (typeof minimum === 'number' && value < minimum) return `must be at least ${minimum}`;
    if (typeof maximum === 'number' && value > maximum) return `must be at most ${maximum}`;
  }
  if (typeof value === 'string') {
    if (typeof minLength === 'number' && value.length < minLength) return `must have at least ${minLength} characters`;
    if (typeof maxLength === 'number' && value.length > maxLength) return `must have at most ${maxLength} characters`;
  }
  return undefined;
}
