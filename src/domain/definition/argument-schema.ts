// JSON Schemas that people write by hand for arguments: checked for typing errors, and older keywords converted to 2020-12.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import type { Problem } from '../../endpoint/problems.ts';
import { didYouMean, hint } from '../../endpoint/suggest.ts';
import { usablePattern } from '../../openapi/schema/schema-values.ts';
import {
  DEFINITION_KEYWORDS,
  KEYWORDS,
  mapSubschemas,
  SCHEMA_KEYWORDS,
  SCHEMA_LIST_KEYWORDS,
  SCHEMA_MAP_KEYWORDS,
  splitDependencies,
  TYPES,
} from '../../schema/keywords.ts';

type Path = readonly (string | number)[];
type Node = Record<string, unknown>;

const MAX_DEPTH = 32;

const KNOWN = new Set(KEYWORDS);

/** Mistakes in a schema: misspelt keywords, types that do not exist, keywords with a value of the wrong type. */
export function checkSchema(schema: unknown, path: Path, depth = 0): Problem[] {
  if (typeof schema === 'boolean') return [];
  if (!isObject(schema)) return [{ path, message: 'must be a JSON Schema (an object), such as { type: string }' }];
  if (depth > MAX_DEPTH) return [{ path, message: `is nested deeper than ${MAX_DEPTH} levels; simplify it` }];
  const problems: Problem[] = [];
  const report = (key: string, message: string) => problems.push({ path: [...path, key], message });
  for (const [key, value] of Object.entries(schema)) {
    if (!KNOWN.has(key) && !key.startsWith('x-')) {
      const fix = didYouMean(key, KEYWORDS, 'remove it or call it x-…');
      // YAML: a comma inside { } ends an unquoted text
      const comma = value === null && /\s/.test(key);
      report(
        key,
        comma
          ? 'looks like text after a comma; put the whole text in quotes'
          : `"${key}" is not a JSON Schema keyword; ${fix}`,
      );
    } else if (SCHEMA_KEYWORDS.has(key)) problems.push(...checkSchema(value, [...path, key], depth + 1));
    else if (SCHEMA_LIST_KEYWORDS.has(key)) {
      if (!Array.isArray(value) || value.length === 0) report(key, 'must be a list of schemas');
      else problems.push(...value.flatMap((item, index) => checkSchema(item, [...path, key, index], depth + 1)));
    } else if (isNamed(key)) {
      if (!isObject(value)) report(key, 'must be an object of schemas');
      else
        for (const name of Object.keys(value))
          problems.push(...checkSchema(value[name], [...path, key, name], depth + 1));
    }
  }
  for (const type of [schema.type ?? []].flat()) {
    if (!TYPES.includes(type as string))
      report('type', `${JSON.stringify(type)} is not a JSON Schema type; ${hint(String(type), TYPES)}`);
  }
  if (schema.enum !== undefined && !(Array.isArray(schema.enum) && schema.enum.length > 0))
    report('enum', 'must be a list of values');
  if (schema.required !== undefined && !isWords(schema.required))
    report('required', 'must be a list of property names');
  for (const key of ['description', 'title', 'pattern', 'format', '$ref']) {
    if (schema[key] !== undefined && typeof schema[key] !== 'string') report(key, 'must be a string');
  }
  for (const key of ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'multipleOf']) {
    if (schema[key] !== undefined && typeof schema[key] !== 'number') report(key, 'must be a number');
  }
  if (typeof schema.pattern === 'string' && !usablePattern(schema.pattern))
    report('pattern', 'is not a regular expression');
  if (typeof schema.$ref === 'string' && !schema.$ref.startsWith('#'))
    report('$ref', 'must point inside this schema (#/$defs/…)');
  if (schema.dependencies !== undefined && !isObject(schema.dependencies))
    report('dependencies', 'must be an object: { field: [fields it needs] }');
  return problems;
}

/** `dependencies` (draft 7 and before) becomes dependentRequired and dependentSchemas, at every depth. */
export function toCurrentSchema(schema: JsonSchema): JsonSchema {
  if (!isObject(schema)) return schema;
  const {
    dependencies,
    $schema: _,
    ...current
  } = mapSubschemas(schema, (inner) => toCurrentSchema(inner as JsonSchema));
  if (!isObject(dependencies)) return current;
  const { dependentRequired, dependentSchemas } = splitDependencies(dependencies, (inner) => inner);
  return {
    ...current,
    ...(dependentRequired && { dependentRequired: { ...(current.dependentRequired as Node), ...dependentRequired } }),
    ...(dependentSchemas && { dependentSchemas: { ...(current.dependentSchemas as Node), ...dependentSchemas } }),
  };
}

function isNamed(keyword: string): boolean {
  return SCHEMA_MAP_KEYWORDS.has(keyword) || DEFINITION_KEYWORDS.has(keyword);
}

function isWords(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
