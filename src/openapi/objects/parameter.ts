// Reads Parameter Objects of all versions: where a parameter is sent, how it is written, and the schema of its value.
// https://spec.openapis.org/oas/v3.2.0.html#parameter-object
import { isObject } from '../../endpoint/is-object.ts';
import { toEssence } from '../../endpoint/media-type.ts';
import type { ParameterStyle, Target } from '../../endpoint/model.ts';
import { listAt, type Node, nodeAt, omitUndefined, own, textAt } from '../../endpoint/untrusted.ts';
import { COMPOSITIONS, OPENINGS, typesOf } from '../../schema/keywords.ts';
import {
  type DocumentPlace,
  inside,
  OperationProblem,
  orOperationProblem,
  pointerOf,
  type Resolver,
} from '../source/resolve.ts';

type PlainLocation = 'path' | 'query' | 'header' | 'cookie';
type Location = PlainLocation | 'querystring';

export interface Parameter {
  readonly in: Location;
  /** The name in the request. */
  readonly name: string;
  readonly required: boolean;
  readonly target: Target;
  /** The schema of the value; in 2.0 the parameter object itself. */
  readonly schema: DocumentPlace;
  /** The parameter object, for its description and extensions. */
  readonly object: Node;
  /** A description beside the `$ref` to this parameter (3.1). */
  readonly description?: string;
}

/** 2.0 only: parameters that are sent in the body. */
export interface BodyParameter {
  readonly in: 'body' | 'formData';
  readonly name: string;
  readonly place: DocumentPlace;
  readonly object: Node;
}

export interface ParameterList {
  readonly parameters: readonly Parameter[];
  readonly bodyParameters: readonly BodyParameter[];
}

const STYLES: Readonly<Record<Location, readonly ParameterStyle[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form', 'cookie'],
  querystring: ['form'],
};

/**
 * Reads the parameters of a path item and of an operation. Those of the operation replace others with the same name and location.
 */
export type ReadParameters = (pathItem: DocumentPlace, operation: DocumentPlace) => ParameterList;

/** A parameter that many operations refer to is read once. */
export function createParameterReader(resolver: Resolver, guesses: ParameterGuesses): ReadParameters {
  const cache = new Map<object, Parameter>();
  const read = (object: DocumentPlace, description: string | undefined): Parameter => {
    const node = object.value as Node;
    if (description !== undefined) return readParameter(object, node, description, resolver, guesses);
    let parameter = cache.get(node);
    if (!parameter) {
      parameter = readParameter(object, node, undefined, resolver, guesses);
      cache.set(node, parameter);
    }
    return parameter;
  };
  return (pathItem, operation) => {
    const byPlace = new Map<string, { object: DocumentPlace; description: string | undefined }>();
    for (const owner of [pathItem, operation]) {
      for (const [index, item] of listAt(owner.value, 'parameters').entries()) {
        if (!isObject(item)) continue;
        const pointer = `${owner.pointer}/parameters/${index}`;
        const description = typeof item.$ref === 'string' ? textAt(item, 'description') : undefined;
        const object = dereferenceInOperation({ document: owner.document, pointer, value: item }, resolver);
        if (!isObject(object.value)) throw new OperationProblem(pointer, 'its parameter is not an object');
        byPlace.set(keyOf(object.value, pointer), { object, description });
      }
    }
    const parameters: Parameter[] = [];
    const bodyParameters: BodyParameter[] = [];
    for (const { object, description } of byPlace.values()) {
      const node = object.value as Node;
      if (node.in === 'body' || node.in === 'formData') {
        bodyParameters.push({ in: node.in, name: String(node.name), place: object, object: node });
      } else parameters.push(read(object, description));
    }
    return { parameters, bodyParameters };
  };
}

/** `body` and `formData` are 2.0, but also occur in 3.x documents; `querystring` is 3.2. */
const LOCATIONS = new Set<unknown>(['path', 'query', 'header', 'cookie', 'querystring', 'body', 'formData']);

function keyOf(node: Node, pointer: string): string {
  const place = own(node, 'in');
  if (typeof node.name !== 'string' && typeof node.name !== 'number' && place !== 'querystring') {
    throw new OperationProblem(pointer, 'its parameter has no name; give it `name` and `in`');
  }
  if (!LOCATIONS.has(place)) {
    throw new OperationProblem(
      pointer,
      `its parameter "${String(node.name)}" says in: ${JSON.stringify(place)}; it must be path, query, header or cookie`,
    );
  }
  // There is only one body, whatever its name; header names are case-insensitive.
  if (place === 'body' || place === 'querystring') return place;
  return `${place} ${place === 'header' ? String(node.name).toLowerCase() : node.name}`;
}

function readParameter(
  place: DocumentPlace,
  node: Node,
  description: string | undefined,
  resolver: Resolver,
  guesses: ParameterGuesses,
): Parameter {
  const location = node.in as Location;
  const content = nodeAt(node, 'content');
  const mediaType = content && toEssence(Object.keys(content)[0] ?? 'application/json');
  const media = content
    ? dereferenceInOperation(inside(place, 'content', Object.keys(content)[0] ?? ''), resolver)
    : place;
  const name = String(node.name ?? 'query_string');
  const isInline = !content && location !== 'querystring' && isWrittenInline(place, node, name, guesses);
  const schema = isInline ? place : inside(media, 'schema');
  if (!content && location !== 'querystring' && isUntyped(schema.value)) guesses.note('untyped', name);
  return omitUndefined<Parameter>({
    in: location,
    name,
    object: node,
    required: location === 'path' || node.required === true,
    description,
    schema,
    target:
      location === 'querystring'
        ? { in: location, mediaType: mediaType ?? 'application/x-www-form-urlencoded' }
        : { in: location, name, ...styleFields(node, location, isInline, mediaType) },
  });
}

/** Whether the schema's keywords are in the parameter itself, as in 2.0. Some documents use the form of the other version. */
function isWrittenInline({ document }: DocumentPlace, node: Node, name: string, guesses: ParameterGuesses): boolean {
  const isNested = Object.hasOwn(node, 'schema');
  const isTyped = Object.hasOwn(node, 'type') || Object.hasOwn(node, 'enum');
  if (document.dialect.major === 2) {
    if (!isNested || isTyped) return true;
    guesses.note('nested', name);
    return false;
  }
  if (isNested || !isTyped) return false;
  guesses.note('inline', name);
  return true;
}

/** Keywords that show the type of a value. */
const TYPED = [...COMPOSITIONS, ...OPENINGS, '$recursiveRef', 'enum', 'const', 'properties', 'items', 'prefixItems'];

/** Whether a schema does not show the type of its value. */
export function isUntyped(schema: unknown): boolean {
  if (!isObject(schema)) return schema !== false;
  return typesOf(schema).length === 0 && schema.type !== 'file' && !TYPED.some((word) => Object.hasOwn(schema, word));
}

/** How a value is written in the request. */
function styleFields(node: Node, location: PlainLocation, isInline: boolean, mediaType: string | undefined) {
  if (mediaType !== undefined) return { ...styleOf(node, location), mediaType };
  if (isInline && !Object.hasOwn(node, 'style') && !Object.hasOwn(node, 'explode'))
    return collectionStyle(textAt(node, 'collectionFormat'), location);
  return { ...styleOf(node, location), ...(node.allowReserved === true ? { allowReserved: true } : {}) };
}

function styleOf(node: Node, place: PlainLocation): { style: ParameterStyle; explode: boolean } {
  const styles = STYLES[place];
  const declaration = textAt(node, 'style') as ParameterStyle | undefined;
  const style = declaration !== undefined && styles.includes(declaration) ? declaration : styles[0]!;
  const explode =
    typeof node.explode === 'boolean' ? node.explode : style === 'form' || style === 'cookie' || style === 'deepObject';
  return { style, explode };
}

const DELIMITERS: Readonly<Record<string, string>> = { ssv: ' ', tsv: '\t', pipes: '|' };

/** `collectionFormat` of 2.0. If no style means the same, the delimiter is given beside a style. */
export function collectionStyle(
  format: string | undefined,
  place: PlainLocation | 'formData',
): { style: ParameterStyle; explode: boolean; delimiter?: string } {
  const inQuery = place === 'query' || place === 'formData';
  if (format === 'multi' && inQuery) return { style: 'form', explode: true };
  if (format === 'ssv' && inQuery) return { style: 'spaceDelimited', explode: false };
  if (format === 'pipes' && inQuery) return { style: 'pipeDelimited', explode: false };
  const style: ParameterStyle = inQuery || place === 'cookie' ? 'form' : 'simple';
  const delimiter = DELIMITERS[format ?? ''];
  return { style, explode: false, ...(delimiter === undefined ? {} : { delimiter }) };
}

/** Follows the `$ref`s of a parameter, body or response object; throws OperationProblem if one cannot be resolved. */
export function dereferenceInOperation(place: DocumentPlace, resolver: Resolver): DocumentPlace {
  return orOperationProblem(pointerOf(place), () => resolver.dereference(place));
}

/** The schema of a 2.0 parameter: its schema keywords, nothing else. */
export function schemaOfParameter(node: Node): Node {
  const out: Record<string, unknown> = {};
  for (const keyword of PARAMETER_KEYWORDS) if (Object.hasOwn(node, keyword)) out[keyword] = node[keyword];
  return out;
}

const PARAMETER_KEYWORDS =
  `type format items default enum maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength
  pattern maxItems minItems uniqueItems multipleOf x-nullable x-example`.split(/\s+/);

/** Interpretations that differ from what the document says literally. */
const GUESSES = {
  untyped: 'have no type; Landbridge takes strings and numbers for them',
  inline: 'are written as in Swagger 2.0, with a type and no schema; the type is kept',
  nested: 'are written as in OpenAPI 3, with a schema; it is kept',
} as const;

type Guess = keyof typeof GUESSES;

/** Counts guesses about parameters, which are reported once for each kind. */
export interface ParameterGuesses {
  readonly note: (kind: Guess, name: string) => void;
  /** `12 parameters (q, sort, page, …) say nothing about their type; …` */
  readonly sentences: () => readonly string[];
}

const MAX_NAMES_SHOWN = 3;

export function createParameterGuesses(): ParameterGuesses {
  const counts = new Map<Guess, { count: number; readonly names: Set<string> }>();
  return {
    note: (kind, name) => {
      const entry = counts.get(kind) ?? { count: 0, names: new Set() };
      entry.count++;
      if (entry.names.size <= MAX_NAMES_SHOWN) entry.names.add(name);
      counts.set(kind, entry);
    },
    sentences: () =>
      [...counts].map(([kind, { count, names }]) => {
        const some = [...names].slice(0, MAX_NAMES_SHOWN).map((name) => JSON.stringify(name));
        const list = names.size > MAX_NAMES_SHOWN ? [...some, '…'] : some;
        return `${count} parameter${count === 1 ? '' : 's'} (${list.join(', ')}) ${GUESSES[kind]}.`;
      }),
  };
}
