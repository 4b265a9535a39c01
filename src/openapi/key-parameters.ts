// Parameters that are credentials though no security scheme says so: `api_key` in the query of every operation, a required
// `X-ListenAPI-Key` header. They are taken from variables, like the keys of schemes, and never asked from a model.
import { isObject } from '../endpoint/is-object.ts';
import { listAt, type Node, textAt } from '../endpoint/untrusted.ts';
import type { ImportOptions } from './import-options.ts';
import type { Operation } from './objects/paths.ts';
import { orNothing, type Resolver } from './source/resolve.ts';

export interface KeyParameter {
  /** `key`: nothing else. `token`: where a scheme of the document says who calls, the same once more. */
  readonly kind: 'key' | 'token';
  readonly in: 'header' | 'query' | 'cookie';
  readonly name: string;
  /** The parameter object, for its words and examples. */
  readonly object: Node;
}

/** Names that are API keys wherever they stand, compared without their separators. */
const KEY = /(?:apikey|apisecret|apitoken|subscriptionkey|rapidapikey|secretkey|privatetoken|applicationkey|appkey)$/;
/** Names of tokens that an operation may be about (`/oauth/introspect`): credentials where several operations take them. */
const TOKEN =
  /^(?:x)?(?:access|auth|authentication|authorization|api|bearer|session|user)?(?:token|jwt)$|^authorization$|accesstoken$|authtoken$|authkey$/;
/** Names that mean a key only where nearly every operation has them. */
const VAGUE = /^(?:key|token|appid|auth|secret|hapikey|signature|x[a-z]+(?:key|token))$/;
/** Tokens and keys of other kinds. */
const OTHER =
  /csrf|xsrf|idempoten|page|next|continu|device|push|refresh|sync|cursor|partition|sort|encrypt|captcha|verif|reset|invit|confirm|previous|start|after|before|object|public|foreign|primary|cache|lock|resume|upload|customer|lookup|search|order/;
const TOKEN_PATH = /token|oauth|introspect|revoke|logout|login|session|auth/i;

/** The credentials among the parameters of a document, by how its operations use them. */
export function findKeyParameters(
  operations: readonly Operation[],
  resolver: Resolver,
  options: ImportOptions,
): KeyParameter[] {
  const uses = new Map<string, Use>();
  const objects = new Map<string, Node | undefined>();
  for (const { pathItem, place, info } of operations) {
    const names = new Set<string>();
    for (const owner of [pathItem, place]) {
      for (const item of listAt(owner.value, 'parameters')) {
        const node = settle(item, owner.document, resolver, objects);
        const name = node && bareName(node);
        if (node === undefined || name === undefined || names.has(name)) continue;
        names.add(name);
        const use = uses.get(name) ?? { objects: new Map(), operations: 0, required: 0, elsewhere: 0 };
        uses.set(name, use);
        use.objects.set(`${node.in} ${node.name}`, node);
        use.operations++;
        if (node.required === true) use.required++;
        if (!TOKEN_PATH.test(info.path)) use.elsewhere++;
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
  /** Operations that are not about tokens themselves. */
  elsewhere: number;
}

function kindOf(name: string, use: Use, operations: number): KeyParameter['kind'] | undefined {
  const isWide = use.operations >= operations * 0.6 && operations > 1;
  if (KEY.test(name) && (use.required > 0 || isWide)) return 'key';
  const isToken = TOKEN.test(name) && use.elsewhere > 0 && (isWide || use.required > 1 || operations === 1);
  const isVague = VAGUE.test(name) && isWide && use.operations > 2 && use.required * 2 > use.operations;
  return isToken || isVague ? 'token' : undefined;
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

/** The name of a parameter that may be a credential, without separators. Nothing in a path or a body is one. */
function bareName(node: Node): string | undefined {
  const name = textAt(node, 'name');
  if (name === undefined || (node.in !== 'header' && node.in !== 'query' && node.in !== 'cookie')) return undefined;
  if (name.length > 64 || !/key|token|secret|auth|appid|jwt|signature/i.test(name)) return undefined;
  const bare = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return OTHER.test(bare) ? undefined : bare;
}
