// What an operation is called that has nothing but a method and a path.
import { isDoneToMany, isPluralWord, isVerb, toSingular } from '../endpoint/conventions/short-name.ts';
import { type PathPiece, toOne } from './path-pieces.ts';

/** GET /orgs/{org}/members → list_org_members; of /orgs/{org}/members/{user} → get_org_member. */
export function nameRoute(method: string, pieces: readonly PathPiece[]): readonly string[] {
  const route = pieces.filter(({ edition }) => !edition);
  const literals = route.filter(({ variable }) => !variable);
  const last = route.at(-1);
  if (last === undefined || literals.length === 0) {
    return [VERB_OF_METHOD.get(method) ?? method, ...(last?.words ?? pieces.at(-1)?.words ?? ['root'])];
  }
  const things = route.flatMap(({ words, variable }, place) => {
    // A variable is named by the word before it.
    if (variable) return place === 0 || route[place - 1]!.variable ? words : [];
    return route[place + 1]?.variable ? toOne(words) : words;
  });
  const owner = route.at(-2);
  const action = nameAction(route, method);
  if (action !== undefined) return action;
  // /orders/{id}/cancel, /orders/search: what is done to one of them or to all; /admin/reset is neither.
  const hasOwner = owner !== undefined && (owner.variable || isPluralWord(owner.words.at(-1)!));
  const isDeed = owner !== undefined && !last.variable && isVerb(last.words[0]!) && !isPluralWord(last.words.at(-1)!);
  if (isDeed && hasOwner) return [...last.words, ...things.slice(0, things.length - last.words.length)];
  // /auth/login
  if (isDeed && method === 'post') return things;
  // /users/terminate_sessions
  if (hasOwner && !last.variable && method !== 'get' && isDoneToMany(last.words)) {
    const [verb, ...objects] = last.words;
    return [verb!, ...toOne(things.slice(0, things.length - last.words.length)), ...objects];
  }
  const many = !last.variable && isPluralWord(last.words.at(-1)!);
  if (method === 'get') return [many ? 'list' : 'get', ...things];
  if (method === 'post' && many) return ['create', ...toOne(things)];
  if (method === 'post' && last.variable) return ['update', ...things];
  return [VERB_OF_METHOD.get(method) ?? method, ...things];
}

/** What controllers call their methods. */
const METHODS = new Set('add create delete fetch find get insert remove save update'.split(' '));

/**
 * ASP.NET, where the method of a class is a part of the path: /Orders/Delete/{id} → delete_order,
 * /Orders/GetByCustomer/{id} → get_orders_by_customer, /Product/GetProducts → get_products.
 */
function nameAction(route: readonly PathPiece[], method: string): readonly string[] | undefined {
  const place = route.findLastIndex(({ variable }) => !variable);
  const owner = route[place - 1];
  const [verb = '', ...objects] = route[place]!.words;
  if (owner === undefined || owner.variable || !METHODS.has(verb)) return undefined;
  if (objects.length === 0) {
    const isOne = verb !== 'get' || place < route.length - 1;
    return [verb, ...(isOne ? toOne(owner.words) : owner.words)];
  }
  if (objects[0] === 'by') return [verb, ...owner.words, ...objects];
  if (objects[0] === 'all') return [verb, ...objects, ...(objects.length === 1 ? owner.words : [])];
  const things = objects.map(toSingular);
  if (owner.words.every((word) => things.includes(toSingular(word)))) return [verb, ...objects];
  // Only in a read is the object something the owner has: /Users/GetOrders → get_user_orders. Others are named by their path.
  return method === 'get' && verb === 'get' ? [verb, ...toOne(owner.words), ...objects] : undefined;
}

const VERB_OF_METHOD: ReadonlyMap<string, string> = new Map([['put', 'update']]);
