// Parameter Objects of every version → one shape: where it goes, how it is written, and the schema of its value.
// https://spec.openapis.org/oas/v3.2.0.html#parameter-object

import { isObject } from '../../endpoint/is-object.ts';
import { toEssence } from '../../endpoint/media-type.ts';
import type { ParameterStyle, Target } from '../../endpoint/model.ts';
import { listAt, type Node, nodeAt, omitUndefined, own, textAt } from '../../endpoint/untrusted.ts';
import { COMPOSITIONS, OPENINGS, typesOf } from '../../schema/keywords.ts';
import type { Guesses } from '../guesses.ts';
import { inside, OperationProblem, orProblem, type Place, pointerOf, type Resolver } from '../source/resolve.ts';

type PlainLocation = 'path' | 'query' | 'header' | 'cookie';
type Location = PlainLocation | 'querystring';

export interface Parameter {
  readonly in: Location;
  /** Wire name. */
  readonly name: string;
  readonly required: boolean;
  readonly target: Target;
  /** The schema of the value; for 2.0 the parameter object itself. */
  readonly schema: Place;
  /** The parameter object, for its words and extensions. */
  readonly object: Node;
  /** A description beside the `$ref` that led here (3.1). */
  readonly description?: string;
}

/** 2.0 only: what ends up in the body. */
export interface BodyParameter {
  readonly in: 'body' | 'formData';
  readonly name: string;
  readonly place: Place;
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

/** Reads path-level and operation-level parameters; the operation's win, by name and place. */
export type ReadParameters = (pathItem: Place, operation: Place) => ParameterList;

/** A parameter that many operations refer to is read once. */
export function createParameterReader(resolver: Resolver, guesses: Guesses): ReadParameters {
  const cache = new Map<object, Parameter>();
  const read = (object: Place, description: string | undefined): Parameter => {
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
    const byPlace = new Map<string, { object: Place; description: string | undefined }>();
    for (const owner of [pathItem, operation]) {
      for (const [index, item] of listAt(owner.value, 'parameters').entries()) {
        if (!isObject(item)) continue;
        const pointer = `${owner.pointer}/parameters/${index}`;
        const description = typeof item.$ref === 'string' ? textAt(item, 'description') : undefined;
        const object = settlePlace({ document: owner.document, pointer, value: item }, resolver);
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

/** `body` and `formData` belong to 2.0, but also occur in 3.x documents; `querystring` is 3.2. */
const PLACES = new Set<unknown>(['path', 'query', 'header', 'cookie', 'querystring', 'body', 'formData']);

function keyOf(node: Node, pointer: string): string {
  const place = own(node, 'in');
  if (typeof node.name !== 'string' && typeof node.name !== 'number' && place !== 'querystring') {
    throw new OperationProblem(pointer, 'its parameter has no name; give it `name` and `in`');
  }
  if (!PLACES.has(place)) {
    throw new OperationProblem(
      pointer,
      `its parameter "${String(node.name)}" says in: ${JSON.stringify(place)}; it must be path, query, header or cookie`,
    );
  }
  // There is one body, whatever it is called; header names have no case.
  if (place === 'body' || place === 'querystring') return place;
  return `${place} ${place === 'header' ? String(node.name).toLowerCase() : node.name}`;
}

function readParameter(
  place: Place,
  node: Node,
  description: string | undefined,
  resolver: Resolver,
  guesses: Guesses,
): Parameter {
  const location = node.in as Location;
  const content = nodeAt(node, 'content');
  const mediaType = content && toEssence(Object.keys(content)[0] ?? 'application/json');
  const media = content ? settlePlace(inside(place, 'content', Object.keys(content)[0] ?? ''), resolver) : place;
  const name = String(node.name ?? 'query_string');
  const isInline = !content && location !== 'querystring' && isWrittenInline(place, node, name, guesses);
  const schema = isInline ? place : inside(media, 'schema');
  if (!content && location !== 'querystring' && saysNoType(schema.value)) guesses.note('untyped', name);
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
        : { in: location, name, ...writingOf(node, location, isInline, mediaType) },
  });
}

/** Whether the schema's keywords are in the parameter itself, as in 2.0. Documents of each version also use the other's way. */
function isWrittenInline({ document }: Place, node: Node, name: string, guesses: Guesses): boolean {
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

/** Keywords from which the type of a value can be told. */
const TELLING = [...COMPOSITIONS, ...OPENINGS, '$recursiveRef', 'enum', 'const', 'properties', 'items', 'prefixItems'];

/** Whether a schema leaves open what kind of value it is about. */
export function saysNoType(schema: unknown): boolean {
  if (!isObject(schema)) return schema !== false;
  return typesOf(schema).length === 0 && schema.type !== 'file' && !TELLING.some((word) => Object.hasOwn(schema, word));
}

/** How a value is written at its place. */
function writingOf(node: Node, location: PlainLocation, isInline: boolean, mediaType: string | undefined) {
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

/** 2.0 `collectionFormat`; where no style means the same, the delimiter is given beside one. */
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

/** Follows `$ref`s of a parameter, body or response object; a dangling one is the operation's problem. */
export function settlePlace(place: Place, resolver: Resolver): Place {
  return orProblem(pointerOf(place), () => resolver.settle(place));
}

/** A schema written into a parameter: the keywords it may have, nothing else. */
export function schemaOfParameter(node: Node): Node {
  const out: Record<string, unknown> = {};
  for (const keyword of PARAMETER_KEYWORDS) if (Object.hasOwn(node, keyword)) out[keyword] = node[keyword];
  return out;
}

const PARAMETER_KEYWORDS =
  `type format items default enum maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength
  pattern maxItems minItems uniqueItems multipleOf x-nullable x-example`.split(/\s+/);
