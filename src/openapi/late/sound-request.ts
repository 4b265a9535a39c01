// Which requests can certainly be read: without a problem that keeps the operation out, a warning, or a guess that is reported.
// They are read when their operations are first used. All others are read at the start, as if this file did not exist, so it
// may doubt too much, but never too little.
import { HEADER_NAME, isArgumentHeader, isMethodParameter } from '../../endpoint/headers/header-names.ts';
import { isObject } from '../../endpoint/is-object.ts';
import { listAt, type Node, nodeAt, own, remember } from '../../endpoint/untrusted.ts';
import type { BodyKeys } from '../body-keys.ts';
import { kindOf } from '../objects/media-type-object.ts';
import { saysNoType } from '../objects/parameter.ts';
import type { Operation } from '../objects/paths.ts';
import { MAX_REFERENCE_FIELDS } from '../objects/request-body.ts';
import { mediaTypesOf } from '../objects/response.ts';
import type { ApiKeyPlace } from '../objects/security-scheme.ts';
import type { ScanRequest } from '../schema/scan.ts';
import type { DocumentSet, SourceDocument } from '../source/documents.ts';
import type { Limits } from '../source/limits.ts';
import { inside, OperationProblem, orNothing, type Place, type Resolver } from '../source/resolve.ts';
import { judgeSchemas } from './sound-schemas.ts';

/** Whether the request of an operation can be read at any time, with nothing to report. */
export type IsSound = (operation: Operation) => boolean;

interface Parts {
  readonly documents: DocumentSet;
  readonly resolver: Resolver;
  readonly scan: ScanRequest;
  readonly apiKeys: readonly ApiKeyPlace[];
  readonly bodyKeys: BodyKeys;
  readonly limits: Limits;
}

/** A parameter with nothing unusual about it. */
interface PlainParameter {
  readonly in: string;
  readonly name: string;
  readonly place: Place;
}

/** Types and names of which all documents together have a few. */
const MAX_NAMES = 4_000;

export function createSoundness({ documents, resolver, scan, apiKeys, bodyKeys, limits }: Parts): IsSound {
  const verdict = judgeSchemas(documents, resolver, limits);
  if (verdict === 'doubtful') return () => false;
  const { isExtended } = documents.census;
  const keyNames = new Set(apiKeys.map(({ in: where, field }) => `${where} ${field.toLowerCase()}`));
  const isMultipart = remember(MAX_NAMES, (type) => kindOf(type) === 'multipart');
  /** Shared parameters are looked at once. */
  const parameters = new Map<object, PlainParameter | undefined>();
  const parameterAt = (place: Place): PlainParameter | undefined => {
    const settlement = isReference(place.value) ? orNothing(() => resolver.settle(place)) : place;
    if (!isObject(settlement?.value)) return undefined;
    const { value } = settlement;
    if (!parameters.has(value)) parameters.set(value, toPlain(settlement, value, keyNames));
    return parameters.get(value);
  };
  const parametersOf = ({ pathItem, place }: Operation): PlainParameter[] | undefined => {
    const list: PlainParameter[] = [];
    for (const { document, pointer, value } of [pathItem, place]) {
      for (const [index, item] of listAt(value, 'parameters').entries()) {
        if (!isObject(item)) continue;
        const parameter = parameterAt({ document, pointer: `${pointer}/parameters/${index}`, value: item });
        if (parameter === undefined) return undefined;
        list.push(parameter);
      }
    }
    // The body brings at most `maxArguments` and these few.
    return list.length + MAX_REFERENCE_FIELDS + 1 > limits.maxArguments ? undefined : list;
  };
  /** The bodies of 3.x, one for each media type; undefined where one of them may be a problem. */
  const mediaOf = ({ place }: Operation): Place[] | undefined => {
    const body = orNothing(() => resolver.settle(inside(place, 'requestBody')));
    const types = Object.keys(nodeAt(body?.value, 'content') ?? {});
    if (body === undefined || types.some(isMultipart)) return undefined;
    return types.flatMap((type) => orNothing(() => resolver.settle(inside(body, 'content', type))) ?? []);
  };
  const bodiesOf = (operation: Operation, list: readonly PlainParameter[]): Place[] | undefined => {
    const bodies = list.filter((parameter) => parameter.in === 'body');
    const isForm = list.some((parameter) => parameter.in === 'formData');
    const { place } = operation;
    const isSwagger = place.document.dialect.major === 2;
    const hasBody = own(place.value, 'requestBody') !== undefined;
    if (!isSwagger) return bodies.length > 0 || isForm ? undefined : hasBody ? mediaOf(operation) : [];
    if (isForm) return bodies.length > 0 || verdict === 'large' ? undefined : [];
    const isWritable = !mediaTypesOf(documents.root.value, place.value, 'consumes').some(isMultipart);
    return bodies.length === 0 ? [] : isWritable ? bodies.map((body) => body.place) : undefined;
  };
  return (operation) => {
    if (bodyKeys.has(operation)) return false;
    const list = parametersOf(operation);
    if (list === undefined || !namesVariables(operation.info.path, list)) return false;
    const bodies = bodiesOf(operation, list);
    // Fields of bodies can be extended as well.
    if (bodies === undefined || (isExtended && (bodies.length > 0 || list.length > 0))) return false;
    return verdict === 'sound' || passes(scan, [...list.filter(isArgument).map(schemaOf), ...bodies.map(schemaIn)]);
  };
}

function passes(scan: ScanRequest, schemas: readonly Place[]): boolean {
  try {
    scan(schemas);
    return true;
  } catch (error) {
    if (error instanceof OperationProblem) return false;
    throw error;
  }
}

function isReference(value: unknown): boolean {
  return isObject(value) && typeof value.$ref === 'string';
}

function isArgument({ in: where }: PlainParameter): boolean {
  return where !== 'body' && where !== 'formData';
}

function schemaOf({ place }: PlainParameter): Place {
  return isInline(place.document, place.value as Node) ? place : schemaIn(place);
}

function schemaIn(place: Place): Place {
  return inside(place, 'schema');
}

/** 2.0 writes the schema into the parameter itself. */
function isInline({ dialect }: SourceDocument, node: Node): boolean {
  return dialect.major === 2 && !Object.hasOwn(node, 'schema');
}

/** Undefined where anything about a parameter may have to be reported. */
function toPlain(place: Place, node: Node, keyNames: ReadonlySet<string>): PlainParameter | undefined {
  const { name, in: where } = node;
  if (typeof name !== 'string' || name === '' || typeof where !== 'string') return undefined;
  const plain = { in: where, name, place };
  if (where === 'body' || where === 'formData') return plain;
  const schema = isInline(place.document, node) ? node : own(node, 'schema');
  if (own(node, 'content') !== undefined || schema === undefined || saysNoType(schema)) return undefined;
  if (place.document.dialect.major === 2 && schema !== node) return undefined;
  if (keyNames.has(`${where} ${name.toLowerCase()}`) || isMethodParameter(name)) return undefined;
  if (where === 'path' || where === 'query' || where === 'cookie') return plain;
  const isHeader = where === 'header' && HEADER_NAME.test(name) && isArgumentHeader(name, 'read');
  return isHeader ? plain : undefined;
}

/** Whether the path has exactly the variables that the parameters declare, each in plain braces. */
function namesVariables(path: string, parameters: readonly PlainParameter[]): boolean {
  if (!path.startsWith('/') || /[?#&]/.test(path)) return false;
  const names = new Set<string>();
  for (const { in: where, name } of parameters) if (where === 'path') names.add(name);
  const variables = new Set<string>();
  for (let open = path.indexOf('{'); open >= 0; open = path.indexOf('{', open + 1)) {
    const close = path.indexOf('}', open);
    const variable = path.slice(open + 1, close);
    if (close < 0 || variable.includes('{') || !names.has(variable)) return false;
    variables.add(variable);
  }
  return variables.size === names.size;
}
