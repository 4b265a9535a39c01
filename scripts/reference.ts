// The reference of domain files, profiles and settings (docs/) and their JSON Schemas for editors, made of the schemas that the
// loader itself checks with. `npm run docs` writes them; test/documentation/reference.test.ts holds that they are up to date.
import { z } from 'zod';
import { configFile } from '../src/config/config-file.ts';
import { SETTINGS, type Setting } from '../src/config/settings.ts';
import { domain } from '../src/domain/definition/definition-schema.ts';
import { withDefault } from '../src/domain/definition/shape/fields.ts';
import { profilesFile } from '../src/profiles.ts';
import {
  DEFINITION_KEYWORDS,
  KEYWORDS,
  SCHEMA_KEYWORDS,
  SCHEMA_LIST_KEYWORDS,
  SCHEMA_MAP_KEYWORDS,
  TYPES,
} from '../src/schema/keywords.ts';

export interface JsonNode {
  readonly [keyword: string]: unknown;
}
type Definitions = Record<string, JsonNode>;

const refTo = (name: string): JsonNode => ({ $ref: `#/definitions/${name}` });

/** The JSON Schema of domain files. */
export function buildDomainSchema(): JsonNode {
  const definitions = convertAll(domain);
  const { properties } = definitions.placement as { properties: Record<string, JsonNode> };
  const keywords = Object.fromEntries(KEYWORDS.map((keyword) => [keyword, contentOf(keyword)]));
  const needed = {
    anyOf: [{ type: 'boolean' }, { type: 'array', items: { type: 'string' } }],
    description: 'The argument must be given. A list names required properties, as in JSON Schema.',
    examples: [true],
  };
  const argument = { ...properties, required: needed };
  Object.assign(definitions, {
    argument: {
      description: 'One argument: JSON Schema keywords, and with them these fields.',
      ...object({ ...keywords, ...argument }),
    },
    addition: {
      description:
        'An argument that is missing in the imported document. It has `in`, `type` or `schema`; a change has none of them.',
      ...object({
        ...keywords,
        ...argument,
        schema: {
          ...allOf('jsonSchema'),
          description: 'The JSON Schema of the argument, as one object.',
          examples: [{ type: 'string' }],
        },
      }),
      anyOf: ['in', 'type', 'schema'].map((key) => ({ required: [key] })),
    },
    jsonSchema: {
      description: 'A JSON Schema (2020-12).',
      ...object(keywords),
      type: ['object', 'boolean'],
    },
  });
  return { ...top('Landbridge domain file'), ...refTo('domain'), definitions };
}

/** The JSON Schema of profiles.yaml. */
export function buildProfilesSchema(): JsonNode {
  const { propertyNames, ...schema } = convert(profilesFile(), new Set());
  const $schema = {
    type: 'string',
    description: 'The JSON Schema of this file, for editors. The gateway ignores it.',
    examples: ['./profiles.schema.json'],
  };
  const names = { anyOf: [propertyNames, { const: '$schema' }] };
  return { ...top('Landbridge profiles'), properties: { $schema }, propertyNames: names, ...schema };
}

/** The JSON Schema of landbridge.yaml. */
export function buildConfigSchema(): JsonNode {
  const definitions = convertAll(configFile());
  const { properties, ...rest } = definitions.config as { properties: Record<string, JsonNode> };
  for (const [name, { fallback }] of Object.entries<Setting>(SETTINGS))
    if (fallback !== undefined)
      properties[name] = {
        ...properties[name],
        description: withDefault(String(properties[name]?.description), toDefault(fallback)),
      };
  const $schema = {
    type: 'string',
    description: 'The JSON Schema of this file, for editors. The gateway ignores it.',
    examples: ['./.config.schema.json'],
  };
  definitions.config = { ...rest, properties: { $schema, ...properties } };
  return { ...top('Landbridge settings'), ...refTo('config'), definitions };
}

/** Words, or a value that withDefault() writes. */
function toDefault(fallback: unknown): unknown {
  if (typeof fallback === 'string') return `\`${fallback}\``;
  return Array.isArray(fallback) && fallback.length === 0 ? 'none' : fallback;
}

const REFERENCE = {
  type: 'string',
  pattern: '\\$\\{[A-Za-z_]',
  description: 'An environment variable: $${NAME}, or $${NAME:-default}.',
};

/** The schema, taking a variable wherever a value has a form: the gateway checks what it holds. */
export function withVariables(schema: JsonNode): JsonNode {
  const change = (node: JsonNode): JsonNode => {
    const { type, enum: values, pattern, format, description, examples, ...rest } = node;
    const isFormed = type === 'number' || type === 'integer' || type === 'boolean' || values || pattern || format;
    if (isFormed && node.const === undefined) {
      const own = Object.fromEntries(
        Object.entries({ type, enum: values, pattern, format }).filter(([, value]) => value !== undefined),
      );
      const words = { ...(description !== undefined && { description }), ...(examples !== undefined && { examples }) };
      return { ...words, anyOf: [{ ...own, ...rest }, REFERENCE] };
    }
    return Object.fromEntries(
      Object.entries(node).map(([key, value]) => {
        if (key === 'properties' || key === 'definitions')
          return [
            key,
            Object.fromEntries(
              Object.entries(value as JsonNode).map(([name, inner]) => [name, change(inner as JsonNode)]),
            ),
          ];
        if (isNode(value) && (key === 'items' || key === 'additionalProperties')) return [key, change(value)];
        if (Array.isArray(value) && (key === 'anyOf' || key === 'allOf' || key === 'oneOf'))
          return [key, value.map((branch) => change(branch as JsonNode))];
        return [key, value];
      }),
    );
  };
  return change(schema);
}

function top(title: string): JsonNode {
  return { $schema: 'http://json-schema.org/draft-07/schema#', title };
}

/** A type and all that it names as alternatives, by name. */
function convertAll(type: z.ZodType): Definitions {
  const definitions: Definitions = {};
  const named = new Set([type]);
  for (const one of named) Object.assign(definitions, convert(one, named).definitions);
  return definitions;
}

/** Draft 7 is what editors know best. What zod cannot put into a schema says itself what it is, in its meta. */
function convert(type: z.ZodType, named: Set<z.ZodType>): JsonNode & { definitions?: Definitions } {
  const { $schema: _, ...schema } = z.toJSONSchema(type, {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const node = jsonSchema as Record<string, unknown>;
      const { examples } = z.globalRegistry.get(zodSchema as unknown as z.ZodType) ?? {};
      // zod takes the examples of what is transformed for those of the result.
      if (examples !== undefined) node.examples = examples;
      refuseFlags(zodSchema._zod.bag.patterns);
      if (Array.isArray(node.anyOf)) node.anyOf = node.anyOf.flatMap((branch) => toBranches(branch, named));
      const { additionalProperties } = node;
      if (Array.isArray(additionalProperties))
        Object.assign(node, { type: 'object', additionalProperties: refTo(String(additionalProperties[0])) });
      if (node.id !== undefined) delete node.id;
      // A date is text in YAML and JSON.
      if (zodSchema._zod.def.type === 'date') node.type = 'string';
    },
  });
  return schema as JsonNode;
}

/** A pattern without its flags would be another one. */
function refuseFlags(patterns: unknown): void {
  for (const pattern of patterns instanceof Set ? patterns : [])
    if (pattern instanceof RegExp && pattern.flags.replace('u', '') !== '')
      throw new Error(`The flags of ${String(pattern)} do not pass into a JSON Schema: write [Aa] instead`);
}

function toBranches(branch: unknown, named: Set<z.ZodType>): JsonNode[] {
  if (typeof branch === 'string') return [refTo(branch)];
  if (!(branch instanceof z.ZodType)) return [branch as JsonNode];
  if (branch instanceof z.ZodDiscriminatedUnion) return branch.options.flatMap((option) => toBranches(option, named));
  const { id, anyOf } = z.globalRegistry.get(branch) ?? {};
  if (Array.isArray(anyOf)) return anyOf.flatMap((inner) => toBranches(inner, named));
  if (id === undefined) throw new Error('A type among alternatives needs an id: .meta({ id })');
  named.add(branch);
  return [refTo(id)];
}

const object = (properties: JsonNode): JsonNode => ({
  type: 'object',
  properties,
  patternProperties: { '^x-': {} },
  additionalProperties: false,
});
/** Draft 7 ignores keywords beside a `$ref`. */
const allOf = (name: string): JsonNode => ({ allOf: [refTo(name)] });

function contentOf(keyword: string): JsonNode {
  const inner = refTo('jsonSchema');
  if (SCHEMA_KEYWORDS.has(keyword)) return inner;
  if (SCHEMA_LIST_KEYWORDS.has(keyword)) return { type: 'array', items: inner, minItems: 1 };
  if (SCHEMA_MAP_KEYWORDS.has(keyword) || DEFINITION_KEYWORDS.has(keyword))
    return { type: 'object', additionalProperties: inner };
  if (keyword === 'type') return { anyOf: [{ enum: [...TYPES] }, { type: 'array', items: { enum: [...TYPES] } }] };
  if (keyword === 'enum') return { type: 'array', minItems: 1 };
  if (keyword === 'required') return { type: 'array', items: { type: 'string' } };
  if (keyword === 'dependencies') return { type: 'object' };
  if (['description', 'title', 'pattern', 'format', '$ref'].includes(keyword)) return { type: 'string' };
  return /^(?:min|max)(?:imum|Length|Items)$|^multipleOf$/.test(keyword) ? { type: 'number' } : {};
}

/** A field of a file, as the reference shows it. */
export interface Field {
  /** The object it belongs to: `endpoint`. */
  readonly section: string;
  /** Inside that object: `guard.write`, `messages[].role`, `arguments.*.values`. */
  readonly name: string;
  readonly schema: JsonNode;
  readonly required: boolean;
}

/** Every field of every object with a name. JSON Schema keywords of arguments are not ours to explain. */
export function listFields(schema: JsonNode): Field[] {
  const foreign = new Set<string>(KEYWORDS.filter((keyword) => keyword !== 'required'));
  return Object.entries(schema.definitions as Definitions).flatMap(([section, definition]) => {
    if (section === 'jsonSchema') return [];
    const isMixed = section === 'argument' || section === 'addition';
    return fieldsOf(section, '', definition)
      .filter(({ name }) => !isMixed || !foreign.has(name))
      .map((field) => ({ ...field, schema: withWords(field.schema, schema.definitions as Definitions) }));
  });
}

/** Where a field says the same as the object it refers to, zod says it only there. */
function withWords(field: JsonNode, definitions: Definitions): JsonNode {
  const refs = [field, ...((field.allOf ?? []) as JsonNode[])].flatMap(({ $ref }) =>
    typeof $ref === 'string' ? [$ref] : [],
  );
  const definition = definitions[refs[0]?.split('/').at(-1) ?? ''];
  return definition?.description === undefined ? field : { description: definition.description, ...field };
}

function fieldsOf(section: string, prefix: string, { properties, required = [] }: JsonNode): Field[] {
  return Object.entries((properties ?? {}) as Record<string, JsonNode>).flatMap(([key, schema]) => {
    const name = `${prefix}${key}`;
    const field = { section, name, schema, required: (required as string[]).includes(key) };
    return [field, ...insideOf(schema).flatMap(([way, inner]) => fieldsOf(section, `${name}${way}.`, inner))];
  });
}

/** Objects without a name of their own, with the way to them. */
function insideOf(schema: JsonNode): (readonly [way: string, inner: JsonNode])[] {
  const branches = [schema, ...((schema.anyOf ?? schema.oneOf ?? []) as JsonNode[])];
  return branches.flatMap((branch) => [
    ...(branch.properties === undefined ? [] : [['', branch] as const]),
    ...(isNode(branch.items) && branch.items.properties ? [['[]', branch.items] as const] : []),
    ...(isNode(branch.additionalProperties) && branch.additionalProperties.properties
      ? [['.*', branch.additionalProperties] as const]
      : []),
  ]);
}

export function isNode(value: unknown): value is JsonNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Fields without description or example: the reference must be complete. */
export function listGaps(schema: JsonNode): string[] {
  return listFields(schema).flatMap(({ section, name, schema: field }) => {
    const place = `${section}.${name}`;
    const fix = `write it as about(type, 'What it does.', example) where its schema is declared`;
    return [
      ...(typeof field.description === 'string' ? [] : [`${place} has no description: ${fix}`]),
      ...(Array.isArray(field.examples) && field.examples.length > 0 ? [] : [`${place} has no example: ${fix}`]),
    ];
  });
}
