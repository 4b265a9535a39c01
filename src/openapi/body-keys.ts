// API keys in the bodies of requests: Mandrill takes `{key: "a valid API key", …}` with every call. They are taken from
// variables, like the keys of parameters, and written into the body when it is sent.
import { isObject } from '../endpoint/is-object.ts';
import { listAt, nodeAt, own, textAt, textsAt } from '../endpoint/untrusted.ts';
import type { ImportOptions } from './import-options.ts';
import { isBodyKey, type KeyParameter } from './key-parameters.ts';
import type { Operation } from './objects/paths.ts';
import { inside, orNothing, type Place, type Resolver } from './source/resolve.ts';

/** The fields of each operation's body that are keys. */
export type BodyKeys = ReadonlyMap<Operation, readonly string[]>;

/** Operations that create, change or check keys take one as a real argument. */
const ABOUT_KEYS =
  /(?:^|[/_.-])(?:api[_-]?)?(?:keys?|tokens?|secrets?)(?:[/_.-]|$)|(?:api|access)keys?\b|login|oauth|introspect|rotate|revoke/i;

/**
 * A field in a single body may be the key of another API, to be stored. So nearly every body must have the field, in most
 * operations of the document; or the other operations take a key as a parameter.
 */
export function findBodyKeys(
  operations: readonly Operation[],
  parameters: readonly KeyParameter[],
  resolver: Resolver,
  options: ImportOptions,
): { readonly keys: readonly KeyParameter[]; readonly byOperation: BodyKeys } {
  const others = operations.filter(({ info }) => !ABOUT_KEYS.test(`${info.path} ${info.operationId ?? ''}`));
  const fields = new Map<string, KeyParameter>();
  const byOperation = new Map<Operation, string[]>();
  let bodies = 0;
  for (const operation of others) {
    const body = requiredFields(operation, resolver);
    if (body === undefined) continue;
    bodies++;
    const keys = body.filter(({ name, node }) => isBodyKey(name, node));
    if (keys.length > 0)
      byOperation.set(
        operation,
        keys.map(({ name }) => name),
      );
    for (const { name, node } of keys) {
      const description = textAt(node, 'description') ?? '';
      fields.set(name, { kind: 'key', in: 'body', name, object: { in: 'body', name, description } });
    }
  }
  if (byOperation.size === 0) return { keys: [], byOperation };
  const names = new Set(parameters.map(({ name }) => name));
  const coverage = others.filter((one) => byOperation.has(one) || takesParameter(one, names, resolver)).length;
  const isMost = byOperation.size > 1 && byOperation.size >= others.length * 0.5;
  const isEverywhere =
    byOperation.size >= bodies * 0.8 && (isMost || (coverage > 1 && coverage >= others.length * 0.8));
  if (!isEverywhere) return { keys: [], byOperation: new Map() };
  const isKey = (name: string) => options.credentials?.[name]?.argument !== true;
  const keys = [...fields.values()].filter(({ name }) => isKey(name));
  for (const [operation, names] of byOperation) byOperation.set(operation, names.filter(isKey));
  return { keys, byOperation };
}

interface RequiredField {
  readonly name: string;
  readonly node: Readonly<Record<string, unknown>>;
}

/** What every body of an operation has to have; undefined where it takes none. */
function requiredFields(operation: Operation, resolver: Resolver): RequiredField[] | undefined {
  const { place } = operation;
  const content = settle(inside(place, 'requestBody'), resolver);
  if (content !== undefined) {
    const types = nodeAt(content.value, 'content') ?? {};
    const type = Object.keys(types).find((one) => /json|x-www-form|multipart|^\*/i.test(one));
    if (type === undefined) return undefined;
    return fieldsOf(inside(content, 'content', type, 'schema'), resolver, MAX_DEPTH);
  }
  const parameters = parametersOf(operation, resolver);
  const body = parameters.find(({ value }) => own(value, 'in') === 'body');
  if (body !== undefined) return fieldsOf(inside(body, 'schema'), resolver, MAX_DEPTH);
  const form = parameters.filter(({ value }) => own(value, 'in') === 'formData');
  if (form.length === 0) return undefined;
  return form.flatMap(({ value }) => {
    const name = textAt(value, 'name');
    return name !== undefined && isObject(value) && value.required === true ? [{ name, node: value }] : [];
  });
}

/** Nobody reads the pointers of these, so all have that of their owner. */
function parametersOf({ place, pathItem }: Operation, resolver: Resolver): Place[] {
  const parameters: Place[] = [];
  for (const { document, pointer, value: owner } of [pathItem, place]) {
    for (const value of listAt(owner, 'parameters')) {
      const parameter = settle({ document, pointer, value }, resolver);
      if (parameter !== undefined) parameters.push(parameter);
    }
  }
  return parameters;
}

function takesParameter(operation: Operation, names: ReadonlySet<string>, resolver: Resolver): boolean {
  if (names.size === 0) return false;
  return parametersOf(operation, resolver).some(({ value }) => names.has(textAt(value, 'name') ?? ''));
}

/** An allOf in an allOf, as generators nest them. */
const MAX_DEPTH = 2;
const MAX_BRANCHES = 20;

function fieldsOf(schema: Place, resolver: Resolver, depth: number): RequiredField[] {
  const target = settle(schema, resolver);
  if (target === undefined) return [];
  const fields = textsAt(target.value, 'required').flatMap((name): RequiredField[] => {
    if (!MAYBE_KEY.test(name)) return [];
    const node = settle(inside(target, 'properties', name), resolver)?.value;
    return isObject(node) ? [{ name, node }] : [];
  });
  const branches = depth === 0 ? [] : listAt(target.value, 'allOf').slice(0, MAX_BRANCHES);
  return [
    ...fields,
    ...branches.flatMap((_, index) => fieldsOf(inside(target, 'allOf', String(index)), resolver, depth - 1)),
  ];
}

const MAYBE_KEY = /key|token|secret|appid/i;

function settle(place: Place, resolver: Resolver): Place | undefined {
  if (!isObject(place.value)) return undefined;
  return typeof place.value.$ref === 'string' ? orNothing(() => resolver.settle(place)) : place;
}
