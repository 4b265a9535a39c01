// API keys that no security scheme declares: parameters such as `api_key` in the query of every operation or a required
// `X-ListenAPI-Key` header, and fields of bodies (Mandrill requires `{key: "a valid API key", …}` in every call). Their values come
// from variables, like those of schemes, and never from a model.
import { isObject } from '../endpoint/is-object.ts';
import { listAt, type Node, nodeAt, own, textAt, textsAt } from '../endpoint/untrusted.ts';
import type { ImportOptions } from './import-options.ts';
import type { DocumentOperation } from './objects/paths.ts';
import { type DocumentPlace, inside, orUndefined, type Resolver } from './source/resolve.ts';

export interface KeyParameter {
  /** `key`: certainly a key. `token`: not sent if a security scheme already identifies the caller. */
  readonly kind: 'key' | 'token';
  readonly in: 'header' | 'query' | 'cookie' | 'body';
  readonly name: string;
  /** The parameter object, for its description and examples; of a body field, an object like it. */
  readonly object: Node;
}

/** Names of API keys in any location. All names here are compared without separators. */
const KEY =
  /(?:apikey|apisecret|apitoken|subscriptionkey|rapidapikey|secretkey|accesskey|privatetoken|applicationkey|appkey)$/;
/**
 * Names of tokens. An operation may also be about one (`/oauth/introspect`), so they are credentials only if other operations
 * require them.
 */
const TOKEN =
  /^x?(?:access|auth|authentication|authorization|bearer)token$|^authorization$|accesstoken$|authtoken$|authkey$/;
/** `X-Acme-Key`, `X-Acme-Token` */
const HEADER = /^x[a-z0-9]+(?:key|token)$/;
/** Names of credentials if several operations take them. */
const SHARED = /^x?(?:access|auth|authentication|authorization|api|bearer|session|user)(?:token|jwt)$|^x?jwt$|^xtoken$/;
/** Names of keys if most operations require them. */
const VAGUE = /^(?:appid|auth|secret|signature)$/;
/** Names that are just as often ordinary arguments: the key of a value, the token of a blockchain. */
const PLAIN = /^(?:key|token)$/;
/** Names of keys if the description confirms it: `user_key`, `consumer_secret`. */
const DESCRIBED = /(?:key|token|secret|appid|auth|signature|jwt)$/;
/** Descriptions of credentials. */
const KEY_DESCRIPTION =
  /\b(?:api|app|access|auth|authentication|authorization|subscription|secret|developer)[ _-]?(?:key|token|secret)\b|\bappid\b/i;
/** Tokens and keys that are not credentials. */
const NOT_A_CREDENTIAL =
  /csrf|xsrf|idempoten|page|next|continu|device|push|refresh|sync|cursor|partition|sort|encrypt|captcha|verif|reset|invit|confirm|previous|start|after|before|object|public|foreign|primary|cache|lock|resume|upload|customer|lookup|search|order/;
const TOKEN_PATH =
  /token|oauth|introspect|revoke|logout|login|session|auth(?!or(?!iz))|(?:^|[/_-])(?:api)?keys?(?:[/_.-]|$)/i;

/** The credentials among the parameters of a document, by how its operations use them. */
export function findKeyParameters(
  operations: readonly DocumentOperation[],
  resolver: Resolver,
  options: ImportOptions,
): KeyParameter[] {
  const uses = new Map<string, Use>();
  const objects = new Map<string, Node | undefined>();
  for (const operation of operations) {
    const { pathItem, place, info } = operation;
    const names = new Set<string>();
    for (const owner of [pathItem, place]) {
      for (const item of listAt(owner.value, 'parameters')) {
        const node = parameterNode(item, owner.document, resolver, objects);
        const name = node && bareName(node);
        if (node === undefined || name === undefined || names.has(name)) continue;
        names.add(name);
        const use = uses.get(name) ?? newUse();
        uses.set(name, use);
        use.objects.set(`${node.in} ${node.name}`, node);
        use.operations++;
        if (node.required === true) use.required++;
        if (!TOKEN_PATH.test(info.path)) use.elsewhere++;
        if (KEY_DESCRIPTION.test((textAt(node, 'description') ?? '').slice(0, MAX_TEXT_CHARS))) use.described++;
        if (isOrdinary(node)) use.ordinary++;
        if (hasOtherArguments(operation)) use.withOthers++;
      }
    }
  }
  return [...uses].flatMap(([name, use]) => {
    const kind = classify(name, use, operations.length);
    if (kind === undefined) return [];
    const parameters = [...use.objects.values()].map((object): KeyParameter => {
      return { kind, in: object.in as KeyParameter['in'], name: textAt(object, 'name')!, object };
    });
    return parameters.filter((parameter) => options.credentials?.[parameter.name]?.argument !== true);
  });
}

/** How the operations of a document use the parameters of one name, in any location. */
interface Use {
  readonly objects: Map<string, Node>;
  operations: number;
  required: number;
  /** Operations that are not about tokens or keys themselves. */
  elsewhere: number;
  /** Operations that describe it as a credential. */
  described: number;
  /** Operations in which it has an enum, or is not a string. */
  ordinary: number;
  /** Operations that have other arguments as well. */
  withOthers: number;
}

function newUse(): Use {
  return { objects: new Map(), operations: 0, required: 0, elsewhere: 0, described: 0, ordinary: 0, withOthers: 0 };
}

/** Optional parameters count if most operations have them; they are sent if their variable is set. */
function classify(name: string, use: Use, operations: number): KeyParameter['kind'] | undefined {
  if (use.ordinary > 0) return undefined;
  const isIn = (share: number) => use.operations >= operations * share && operations > 1;
  const isWide = isIn(0.6);
  const isUsed = isWide || (use.required > 0 && use.elsewhere > 0);
  if (KEY.test(name)) return isUsed ? 'key' : undefined;
  const isElsewhere = use.elsewhere > 0;
  if (TOKEN.test(name) || HEADER.test(name)) return isElsewhere && isUsed ? 'token' : undefined;
  const isSeveral = isWide || use.required > 1 || (operations === 1 && use.required === 1);
  if (SHARED.test(name) && isElsewhere && isSeveral) return 'token';
  if (DESCRIBED.test(name) && use.described * 2 > use.operations && isElsewhere && isUsed) return 'token';
  if (!VAGUE.test(name) && !PLAIN.test(name)) return undefined;
  const isRequired = use.required * 2 > use.operations && use.operations > 2;
  if (VAGUE.test(name)) return isWide && isRequired ? 'token' : undefined;
  // In a key-value store, operations that read or delete take the key of the value and nothing else.
  const hasOthers = name === 'token' || use.withOthers >= use.operations * 0.9;
  return isIn(0.9) && isRequired && hasOthers ? 'token' : undefined;
}

const MAX_TEXT_CHARS = 300;

/** Whether a required field of a body is certainly an API key: a key-value store has keys too, and a login has secrets. */
function isBodyKey(name: string, schema: Node): boolean {
  const bare = toBareName(name);
  if (bare === undefined || isOrdinary(schema)) return false;
  if (KEY.test(bare)) return true;
  return DESCRIBED.test(bare) && KEY_DESCRIPTION.test((textAt(schema, 'description') ?? '').slice(0, MAX_TEXT_CHARS));
}

/** Has an enum, or is not a string. */
function isOrdinary(parameter: Node): boolean {
  const schema = nodeAt(parameter, 'schema') ?? parameter;
  const type = own(schema, 'type');
  return listAt(schema, 'enum').length > 1 || (typeof type === 'string' && type !== 'string');
}

function hasOtherArguments({ pathItem, place, info }: DocumentOperation): boolean {
  const parameters = listAt(pathItem.value, 'parameters').length + listAt(place.value, 'parameters').length;
  return parameters > 1 || info.path.includes('{') || own(place.value, 'requestBody') !== undefined;
}

function parameterNode(
  item: unknown,
  document: DocumentOperation['place']['document'],
  resolver: Resolver,
  objects: Map<string, Node | undefined>,
): Node | undefined {
  if (!isObject(item)) return undefined;
  const { $ref } = item;
  if (typeof $ref !== 'string') return item;
  const key = `${document.uri} ${$ref}`;
  if (!objects.has(key)) {
    const target = orUndefined(() => resolver.followAll(document, $ref))?.value;
    objects.set(key, isObject(target) ? target : undefined);
  }
  return objects.get(key);
}

/** The name of a parameter that may be a credential, without separators. Path parameters never are. */
function bareName(node: Node): string | undefined {
  const name = textAt(node, 'name');
  if (name === undefined || (node.in !== 'header' && node.in !== 'query' && node.in !== 'cookie')) return undefined;
  return toBareName(name);
}

function toBareName(name: string): string | undefined {
  if (name.length > 64 || !/key|token|secret|auth|appid|jwt|signature/i.test(name)) return undefined;
  const bare = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return NOT_A_CREDENTIAL.test(bare) ? undefined : bare;
}

/** The fields of each operation's body that are API keys. */
export type BodyKeys = ReadonlyMap<DocumentOperation, readonly string[]>;

/** Operations that create, change or check keys, and so take one as an ordinary argument. */
const ABOUT_KEYS =
  /(?:^|[/_.-])(?:api[_-]?)?(?:keys?|tokens?|secrets?)(?:[/_.-]|$)|(?:api|access)keys?\b|login|oauth|introspect|rotate|revoke/i;

/**
 * The API keys among the fields of bodies. A field in a single body may be the key of another API, to be stored. So nearly every
 * body must have such a field, and most operations must have such a body; or the other operations take a key as a parameter.
 */
export function findBodyKeys(
  operations: readonly DocumentOperation[],
  parameters: readonly KeyParameter[],
  resolver: Resolver,
  options: ImportOptions,
): { readonly keys: readonly KeyParameter[]; readonly byOperation: BodyKeys } {
  const others = operations.filter(({ info }) => !ABOUT_KEYS.test(`${info.path} ${info.operationId ?? ''}`));
  const fields = new Map<string, KeyParameter>();
  const byOperation = new Map<DocumentOperation, string[]>();
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
  const coverage = others.filter((one) => byOperation.has(one) || hasParameter(one, names, resolver)).length;
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

/** The required fields of an operation's body; undefined if it has no body. */
function requiredFields(operation: DocumentOperation, resolver: Resolver): RequiredField[] | undefined {
  const { place } = operation;
  const content = dereferenceOrUndefined(inside(place, 'requestBody'), resolver);
  if (content !== undefined) {
    const types = nodeAt(content.value, 'content') ?? {};
    const type = Object.keys(types).find((one) => /json|x-www-form|multipart|^\*/i.test(one));
    if (type === undefined) return undefined;
    return fieldsOf(inside(content, 'content', type, 'schema'), resolver, MAX_ALL_OF_DEPTH);
  }
  const parameters = parametersOf(operation, resolver);
  const body = parameters.find(({ value }) => own(value, 'in') === 'body');
  if (body !== undefined) return fieldsOf(inside(body, 'schema'), resolver, MAX_ALL_OF_DEPTH);
  const form = parameters.filter(({ value }) => own(value, 'in') === 'formData');
  if (form.length === 0) return undefined;
  return form.flatMap(({ value }) => {
    const name = textAt(value, 'name');
    return name !== undefined && isObject(value) && value.required === true ? [{ name, node: value }] : [];
  });
}

/** The pointers of these places are not used, so they are just those of the owner. */
function parametersOf({ place, pathItem }: DocumentOperation, resolver: Resolver): DocumentPlace[] {
  const parameters: DocumentPlace[] = [];
  for (const { document, pointer, value: owner } of [pathItem, place]) {
    for (const value of listAt(owner, 'parameters')) {
      const parameter = dereferenceOrUndefined({ document, pointer, value }, resolver);
      if (parameter !== undefined) parameters.push(parameter);
    }
  }
  return parameters;
}

function hasParameter(operation: DocumentOperation, names: ReadonlySet<string>, resolver: Resolver): boolean {
  if (names.size === 0) return false;
  return parametersOf(operation, resolver).some(({ value }) => names.has(textAt(value, 'name') ?? ''));
}

/** Generators nest an allOf in an allOf. */
const MAX_ALL_OF_DEPTH = 2;
const MAX_BRANCHES = 20;

function fieldsOf(schema: DocumentPlace, resolver: Resolver, depth: number): RequiredField[] {
  const target = dereferenceOrUndefined(schema, resolver);
  if (target === undefined) return [];
  const fields = textsAt(target.value, 'required').flatMap((name): RequiredField[] => {
    if (!MAYBE_KEY.test(name)) return [];
    const node = dereferenceOrUndefined(inside(target, 'properties', name), resolver)?.value;
    return isObject(node) ? [{ name, node }] : [];
  });
  const branches = depth === 0 ? [] : listAt(target.value, 'allOf').slice(0, MAX_BRANCHES);
  return [
    ...fields,
    ...branches.flatMap((_, index) => fieldsOf(inside(target, 'allOf', String(index)), resolver, depth - 1)),
  ];
}

const MAYBE_KEY = /key|token|secret|appid/i;

function dereferenceOrUndefined(place: DocumentPlace, resolver: Resolver): DocumentPlace | undefined {
  if (!isObject(place.value)) return undefined;
  return typeof place.value.$ref === 'string' ? orUndefined(() => resolver.dereference(place)) : place;
}
