// Parameters that are credentials though no security scheme says so: `api_key` in the query of every operation, a required
// `X-ListenAPI-Key` header. They are taken from variables, like the keys of schemes, and never asked from a model.
import { isObject } from '../endpoint/is-object.ts';
import { listAt, type Node, nodeAt, own, textAt } from '../endpoint/untrusted.ts';
import type { ImportOptions } from './import-options.ts';
import type { Operation } from './objects/paths.ts';
import { orNothing, type Resolver } from './source/resolve.ts';

export interface KeyParameter {
  /** `key`: certainly a key. `token`: where a security scheme identifies the caller, it only repeats that. */
  readonly kind: 'key' | 'token';
  readonly in: 'header' | 'query' | 'cookie' | 'body';
  readonly name: string;
  /** The parameter object (of a body field: what would be one), for its words and examples. */
  readonly object: Node;
}

/** Names that are API keys wherever they stand, compared without their separators. */
const KEY =
  /(?:apikey|apisecret|apitoken|subscriptionkey|rapidapikey|secretkey|accesskey|privatetoken|applicationkey|appkey)$/;
/** Names of tokens that an operation may be about (`/oauth/introspect`): credentials only if other operations require them. */
const TOKEN =
  /^x?(?:access|auth|authentication|authorization|bearer)token$|^authorization$|accesstoken$|authtoken$|authkey$/;
/** `X-Acme-Key`, `X-Acme-Token` */
const HEADER = /^x[a-z0-9]+(?:key|token)$/;
/** Names that mean a credential where several operations take them. */
const SHARED = /^x?(?:access|auth|authentication|authorization|api|bearer|session|user)(?:token|jwt)$|^x?jwt$|^xtoken$/;
/** Names that mean a key only if most operations require them. */
const VAGUE = /^(?:appid|auth|secret|signature)$/;
/** Names that are just as often ordinary arguments: the key of a value, the token of a chain. */
const PLAIN = /^(?:key|token)$/;
/** Names that are a key where the description says so: `user_key`, `consumer_secret`. */
const DESCRIBED = /(?:key|token|secret|appid|auth|signature|jwt)$/;
/** A description of a credential. */
const SAYS_KEY =
  /\b(?:api|app|access|auth|authentication|authorization|subscription|secret|developer)[ _-]?(?:key|token|secret)\b|\bappid\b/i;
/** Tokens and keys of other kinds. */
const OTHER =
  /csrf|xsrf|idempoten|page|next|continu|device|push|refresh|sync|cursor|partition|sort|encrypt|captcha|verif|reset|invit|confirm|previous|start|after|before|object|public|foreign|primary|cache|lock|resume|upload|customer|lookup|search|order/;
const TOKEN_PATH =
  /token|oauth|introspect|revoke|logout|login|session|auth(?!or(?!iz))|(?:^|[/_-])(?:api)?keys?(?:[/_.-]|$)/i;

/** The credentials among the parameters of a document, by how its operations use them. */
export function findKeyParameters(
  operations: readonly Operation[],
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
        const node = settle(item, owner.document, resolver, objects);
        const name = node && bareName(node);
        if (node === undefined || name === undefined || names.has(name)) continue;
        names.add(name);
        const use = uses.get(name) ?? newUse();
        uses.set(name, use);
        use.objects.set(`${node.in} ${node.name}`, node);
        use.operations++;
        if (node.required === true) use.required++;
        if (!TOKEN_PATH.test(info.path)) use.elsewhere++;
        if (SAYS_KEY.test((textAt(node, 'description') ?? '').slice(0, MAX_TEXT_CHARS))) use.described++;
        if (isOfValues(node)) use.ofValues++;
        if (hasOthers(operation)) use.besides++;
      }
    }
  }
  return [...uses].flatMap(([name, use]) => {
    const kind = kindOf(name, use, operations.length);
    if (kind === undefined) return [];
    const parameters = [...use.objects.values()].map((object): KeyParameter => {
      return { kind, in: object.in as KeyParameter['in'], name: textAt(object, 'name')!, object };
    });
    return parameters.filter((parameter) => options.credentials?.[parameter.name]?.argument !== true);
  });
}

/** How the operations of a document use the parameters of one name, wherever these stand. */
interface Use {
  readonly objects: Map<string, Node>;
  operations: number;
  required: number;
  /** Operations that are not about tokens or keys themselves. */
  elsewhere: number;
  /** Operations whose description of it says that it is a credential. */
  described: number;
  /** Operations that list its values, or take no text for it. */
  ofValues: number;
  /** Operations that take something beside it. */
  besides: number;
}

function newUse(): Use {
  return { objects: new Map(), operations: 0, required: 0, elsewhere: 0, described: 0, ofValues: 0, besides: 0 };
}

/** An optional parameter counts if most operations have it; it is sent if its variable is set. */
function kindOf(name: string, use: Use, operations: number): KeyParameter['kind'] | undefined {
  if (use.ofValues > 0) return undefined;
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
  // In a key-value store, operations that read or delete take the key and nothing else.
  const isBeside = name === 'token' || use.besides >= use.operations * 0.9;
  return isIn(0.9) && isRequired && isBeside ? 'token' : undefined;
}

const MAX_TEXT_CHARS = 300;

/** Whether a required field of a body is unmistakably an API key. A store of values has keys too, and a login a password. */
export function isBodyKey(name: string, schema: Node): boolean {
  const bare = toBareName(name);
  if (bare === undefined || isOfValues(schema)) return false;
  if (KEY.test(bare)) return true;
  return DESCRIBED.test(bare) && SAYS_KEY.test((textAt(schema, 'description') ?? '').slice(0, MAX_TEXT_CHARS));
}

function isOfValues(parameter: Node): boolean {
  const schema = nodeAt(parameter, 'schema') ?? parameter;
  const type = own(schema, 'type');
  return listAt(schema, 'enum').length > 1 || (typeof type === 'string' && type !== 'string');
}

function hasOthers({ pathItem, place, info }: Operation): boolean {
  const parameters = listAt(pathItem.value, 'parameters').length + listAt(place.value, 'parameters').length;
  return parameters > 1 || info.path.includes('{') || own(place.value, 'requestBody') !== undefined;
}

function settle(
  item: unknown,
  document: Operation['place']['document'],
  resolver: Resolver,
  objects: Map<string, Node | undefined>,
): Node | undefined {
  if (!isObject(item)) return undefined;
  const { $ref } = item;
  if (typeof $ref !== 'string') return item;
  const key = `${document.uri} ${$ref}`;
  if (!objects.has(key)) {
    const target = orNothing(() => resolver.followAll(document, $ref))?.value;
    objects.set(key, isObject(target) ? target : undefined);
  }
  return objects.get(key);
}

/** The name of a parameter that may be a credential, without separators. Nothing in a path is one. */
function bareName(node: Node): string | undefined {
  const name = textAt(node, 'name');
  if (name === undefined || (node.in !== 'header' && node.in !== 'query' && node.in !== 'cookie')) return undefined;
  return toBareName(name);
}

function toBareName(name: string): string | undefined {
  if (name.length > 64 || !/key|token|secret|auth|appid|jwt|signature/i.test(name)) return undefined;
  const bare = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return OTHER.test(bare) ? undefined : bare;
}
