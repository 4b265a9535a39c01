// A page of the reference: fields in groups, each with a sentence, an example and tables. The words come from the schemas.
import { stringify } from 'yaml';
import { type Field, isNode, type JsonNode, listFields } from './reference.ts';

/** Fields with one purpose. */
export interface Group {
  readonly title: string;
  readonly intro: string;
  /** A file that loads. */
  readonly example?: string;
  /** What a reader wants, and the field for it: a row of the index. */
  readonly wants?: Readonly<Record<string, string>>;
  /** Names of fields of the main objects: `title` of all of them, `operation.name` of one. */
  readonly fields?: string;
  /** Objects with a table of their own. */
  readonly objects?: string;
}

export interface Page {
  readonly intro: string;
  readonly groups: readonly Group[];
  readonly outro: string;
  readonly schema: JsonNode;
  /** The objects whose fields are spread over the groups. */
  readonly mains: readonly string[];
  /** Where objects are explained that have no section of their own, by name. */
  readonly elsewhere?: Readonly<Record<string, string>>;
  /** Other names of a field: its flag, its variable. */
  readonly namesOf?: (field: Field) => readonly string[];
}

export function renderPage(page: Page): string {
  const { intro, groups, outro, schema, mains, elsewhere = {}, namesOf = () => [] } = page;
  const fields = listFields(schema).filter(({ section }) => mains.includes(section) || !(section in elsewhere));
  const definitions = schema.definitions as Record<string, JsonNode>;
  refuseGaps(fields, groups, mains);
  const parts = groups.map(({ title, intro: about, example, fields: own = '', objects = '' }) => {
    const rows = words(own).flatMap((name) =>
      fields.filter((field) => mains.includes(field.section) && isNamed(field, name)),
    );
    const tables = words(objects).map((id) => [
      `### ${id}`,
      ...introOf(id),
      renderTable(fields.filter(({ section }) => section === id)),
    ]);
    return [
      `## ${title}`,
      about,
      ...(example === undefined ? [] : [`\`\`\`yaml\n${example.trim()}\n\`\`\``]),
      ...(rows.length === 0 ? [] : [renderTable(rows)]),
      ...tables.flat(),
    ].join('\n\n');
  });
  return `${[intro.trim(), renderIndex(groups), ...parts, outro.trim()].join('\n\n')}\n`;

  /** A credential has no description of its own: its `kind` says what it does. */
  function introOf(id: string): string[] {
    const kind = fields.find(({ section, name }) => section === id && name === 'kind');
    const text = definitions[id]?.description ?? kind?.schema.description;
    return text === undefined ? [] : [String(text)];
  }

  function renderTable(rows: readonly Field[]): string {
    // The same field of several objects is one row.
    const merged = new Map<string, { field: Field; places: string[] }>();
    for (const field of rows) {
      const key = `${field.name} ${JSON.stringify(field.schema)} ${String(field.required)}`;
      const known = merged.get(key);
      if (known) known.places.push(field.section);
      else merged.set(key, { field, places: [field.section] });
    }
    const isMixed = mains.length > 1 && rows.some(({ section }) => mains.includes(section));
    const head = ['field', ...(isMixed ? ['in'] : []), 'type', 'default', 'what it does', 'example'];
    // Of several objects, rows of one name stand together.
    const names = [...new Set([...merged.values()].map(({ field }) => field.name))];
    const sorted = [...merged.values()].sort((a, b) => names.indexOf(a.field.name) - names.indexOf(b.field.name));
    const lines = sorted.map(({ field, places }) => {
      const { what, fallback } = splitDefault(String(field.schema.description));
      const other = namesOf(field).map((name) => `\`${name}\``);
      const name = [`\`${field.name}\``, ...(other.length > 0 ? [other.join(', ')] : [])].join('<br>');
      return [
        name,
        ...(isMixed ? [places.join(', ')] : []),
        describeType(field.schema).replace(/\(#(\w+)\)/g, (link, id: string) =>
          elsewhere[id] ? `(${elsewhere[id]})` : link,
        ),
        field.required ? '**required**' : fallback,
        what,
        showExample(field),
      ];
    });
    return [head, head.map(() => '---'), ...lines].map(toRow).join('\n');
  }
}

/** `I want to …`, in the order of the page. */
function renderIndex(groups: readonly Group[]): string {
  const rows = groups.flatMap(({ title, wants = {} }) =>
    Object.entries(wants).map(([want, field]) => [want, field, `[${title}](#${toAnchor(title)})`]),
  );
  return [['I want to …', 'use', 'section'], ['---', '---', '---'], ...rows].map(toRow).join('\n');
}

/** Throws unless every field is in exactly one group: a new field must be added to one. */
function refuseGaps(fields: readonly Field[], groups: readonly Group[], mains: readonly string[]): void {
  const isMain = ({ section }: Field) => mains.includes(section);
  const wrong = fields.flatMap((field) => {
    const places = groups.flatMap(({ fields: own = '', objects = '' }) =>
      isMain(field)
        ? words(own).filter((name) => isNamed(field, name))
        : words(objects).filter((id) => id === field.section),
    );
    return places.length === 1 ? [] : [`${field.section}.${field.name} is in ${places.length} groups, not in one`];
  });
  const unknown = groups
    .flatMap(({ fields: own = '' }) => words(own))
    .filter((name) => !fields.some((field) => isMain(field) && isNamed(field, name)));
  wrong.push(...unknown.map((name) => `${name} is in a group, and there is no such field`));
  if (wrong.length > 0) throw new Error(`The groups of the reference do not fit the schemas:\n${wrong.join('\n')}`);
}

function isNamed({ section, name }: Field, word: string): boolean {
  const top = topOf(name);
  return word === top || word === `${section}.${top}`;
}

/** Splits what withDefault() has joined. */
export function splitDefault(description: string): { readonly what: string; readonly fallback: string } {
  const [what = '', fallback] = description.split(' Default: ');
  return { what, fallback: fallback === undefined ? '' : fallback.replace(/\.$/, '') };
}

const words = (text: string) => text.split(/\s+/).filter(Boolean);
const topOf = (name: string) => name.split(/[.[]/, 1)[0]!;

/** The anchor that GitHub makes of a heading. */
export function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

export function toRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}

function showExample({ name, schema }: Field): string {
  const key = name.split('.').at(-1) ?? name;
  const [example] = schema.examples as unknown[];
  const flow = stringify({ [key.replace('[]', '')]: example }, { collectionStyle: 'flow', lineWidth: 0 }).trim();
  return `\`${flow
    .replace(/^\{ | \}$/g, '')
    .replaceAll('[ ', '[')
    .replaceAll(' ]', ']')}\``;
}

function describeType(schema: JsonNode): string {
  const { $ref, anyOf, oneOf, allOf: parts, enum: values, const: constant, type, items, additionalProperties } = schema;
  if (typeof $ref === 'string') {
    const name = $ref.split('/').at(-1)!;
    return name === 'jsonSchema' ? 'JSON Schema' : `[${name}](#${name.toLowerCase()})`;
  }
  if (Array.isArray(parts)) return parts.map((part) => describeType(part as JsonNode)).join(' and ');
  const branches = (anyOf ?? oneOf) as JsonNode[] | undefined;
  if (branches) return [...new Set(branches.map(describeType))].join(' or ');
  if (constant !== undefined) return `\`${String(constant)}\``;
  if (Array.isArray(values)) return values.map((value) => `\`${String(value)}\``).join(', ');
  if (Array.isArray(type)) return type.map((one) => describeType({ type: one })).join(' or ');
  if (type === 'array') return isNode(items) ? `list of ${describeType(items)}` : 'list';
  if (type === 'object' && isNode(additionalProperties)) {
    const inner = describeType(additionalProperties);
    return `${inner === 'anything' ? 'values' : inner} by name`;
  }
  if (type === 'integer' || type === 'number') return describeNumber(schema);
  if (type === 'boolean') return '`true` or `false`';
  return type === undefined ? 'anything' : type === 'string' ? 'text' : String(type);
}

function describeNumber({ type, minimum, maximum }: JsonNode): string {
  const word = type === 'integer' ? 'whole number' : 'number';
  if (minimum === undefined) return word;
  const isOpen = maximum === undefined || Number(maximum) >= Number.MAX_SAFE_INTEGER;
  return isOpen ? `${word}, at least ${String(minimum)}` : `${word}, ${String(minimum)} to ${String(maximum)}`;
}
