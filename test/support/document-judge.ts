// Whether a value is valid by a schema as a document has it: ajv on the document's own words, with nothing of the importer
// in between. Formats are annotations here, as JSON Schema has them, so that it takes as much as any reader would.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

type Node = Record<string, unknown>;
type Check = (value: unknown) => boolean;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value);
const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
const MAPS = ['properties', 'patternProperties', 'dependentSchemas'];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const SCHEMAS = ['additionalProperties', 'items', 'contains', 'propertyNames', 'not', 'if', 'then', 'else'];
const NUMBERS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties', 'multipleOf'];

export interface Judge {
  /** What stands at a JSON pointer, behind `$ref`s. */
  readonly at: (pointer: string) => unknown;
  readonly settle: (value: unknown) => unknown;
  readonly isValid: (schema: unknown, value: unknown) => boolean;
}

export function createJudge(document: Node): Judge {
  const isModern = /^3\.[12]/.test(String(document.openapi));
  const at = (pointer: string): unknown =>
    pointer
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((value, key) => {
        const holder = settle(value) as Node | undefined;
        return holder?.[key] ?? holder?.[decodeURIComponent(key)];
      }, document);
  const settle = (value: unknown): unknown => {
    let place = value;
    for (let hops = 0; hops < 20 && isNode(place) && typeof place.$ref === 'string'; hops++)
      place = place.$ref.startsWith('#/') ? at(place.$ref.slice(1)) : undefined;
    return place;
  };
  const checks = new Map<unknown, Check>();
  const checkOf = (schema: unknown): Check => {
    const ajv = new Ajv2020({ strict: false, validateSchema: false, unicodeRegExp: false, logger: false });
    return ajv.compile(bundle(schema, isModern, settle)) as ValidateFunction;
  };
  const isValid: Judge['isValid'] = (schema, value) => {
    const check = checks.get(schema) ?? checkOf(schema);
    checks.set(schema, check);
    return check(value);
  };
  return { at, settle, isValid };
}

/** A schema with all it refers to, as JSON Schema 2020-12. */
function bundle(root: unknown, isModern: boolean, settle: Judge['settle']): Node {
  const $defs: Node = {};
  const names = new Map<unknown, string>();
  const convert = (schema: unknown): unknown => {
    if (typeof schema === 'boolean') return schema;
    if (!isNode(schema)) return {};
    if (typeof schema.$ref !== 'string') return convertNode(schema);
    const target = settle(schema);
    if (target === undefined) return {};
    if (!names.has(target)) {
      const name = `d${names.size}`;
      names.set(target, name);
      $defs[name] = convert(target);
    }
    const reference = { $ref: `#/$defs/${names.get(target)}` };
    return isModern ? { ...convertNode({ ...schema, $ref: undefined }), ...reference } : reference;
  };
  const convertNode = (schema: Node): Node => {
    if (schema.type === 'file') return {};
    const out: Node = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (MAPS.includes(keyword) && isNode(value))
        out[keyword] = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, convert(inner)]));
      else if (LISTS.includes(keyword) && Array.isArray(value)) out[keyword] = value.map(convert);
      else if (SCHEMAS.includes(keyword) && (isNode(value) || typeof value === 'boolean'))
        out[keyword] = convert(value);
      else if (NUMBERS.includes(keyword) && typeof value === 'number') out[keyword] = value;
      else if (keyword === 'enum' || keyword === 'const' || keyword === 'uniqueItems') out[keyword] = value;
    }
    const types = [schema.type].flat().filter((type) => TYPES.includes(String(type)));
    if (types.length > 0) out.type = types;
    if (typeof schema.pattern === 'string') out.pattern = schema.pattern;
    Object.assign(out, boundsOf(schema));
    if (Array.isArray(schema.required)) out.required = schema.required.filter((name) => !isReadOnly(schema, name));
    return schema.nullable === true || schema['x-nullable'] === true ? { anyOf: [out, { type: 'null' }] } : out;
  };
  /** `required` of a readOnly property is about answers. */
  const isReadOnly = ({ properties }: Node, name: string) => {
    const property = isNode(properties) ? properties[name] : undefined;
    return [property, settle(property)].some((schema) => isNode(schema) && schema.readOnly === true);
  };
  const schema = convert(root);
  return { ...(isNode(schema) ? schema : schema === false ? { not: {} } : {}), $defs };
}

/** 3.0 writes an exclusive bound as a flag beside the bound. */
function boundsOf(schema: Node): Node {
  const out: Node = {};
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (typeof schema[bound] === 'number') out[schema[exclusive] === true ? exclusive : bound] = schema[bound];
    if (typeof schema[exclusive] === 'number') out[exclusive] = schema[exclusive];
  }
  return out;
}
