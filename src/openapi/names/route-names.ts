// Names an operation that has only a method and a path, and splits paths into words.
import { EDITION, isPluralWord, isVerb, isVerbWithObjects, toSingular } from '../../endpoint/conventions/short-name.ts';
import { toSnakeCase } from '../../endpoint/names.ts';

/** GET /orgs/{org}/members → list_org_members; of /orgs/{org}/members/{user} → get_org_member. */
export function nameRoute(method: string, pieces: readonly PathPiece[]): readonly string[] {
  const route = pieces.filter(({ edition }) => !edition);
  const literals = route.filter(({ variable }) => !variable);
  const last = route.at(-1);
  if (last === undefined || literals.length === 0) {
    return [VERB_OF_METHOD.get(method) ?? method, ...(last?.words ?? pieces.at(-1)?.words ?? ['root'])];
  }
  const nouns = route.flatMap(({ words, variable }, place) => {
    // A variable is described by the word before it.
    if (variable) return place === 0 || route[place - 1]!.variable ? words : [];
    return route[place + 1]?.variable ? toOne(words) : words;
  });
  const owner = route.at(-2);
  const action = nameAction(route, method);
  if (action !== undefined) return action;
  // /orders/{id}/cancel, /orders/search: an action on one of them or on all; /admin/reset is neither.
  const hasOwner = owner !== undefined && (owner.variable || isPluralWord(owner.words.at(-1)!));
  const isAction = owner !== undefined && !last.variable && isVerb(last.words[0]!) && !isPluralWord(last.words.at(-1)!);
  if (isAction && hasOwner) return [...last.words, ...nouns.slice(0, nouns.length - last.words.length)];
  // /auth/login
  if (isAction && method === 'post') return nouns;
  // /users/terminate_sessions
  if (hasOwner && !last.variable && method !== 'get' && isVerbWithObjects(last.words)) {
    const [verb, ...objects] = last.words;
    return [verb!, ...toOne(nouns.slice(0, nouns.length - last.words.length)), ...objects];
  }
  const many = !last.variable && isPluralWord(last.words.at(-1)!);
  if (method === 'get') return [many ? 'list' : 'get', ...nouns];
  if (method === 'post' && many) return ['create', ...toOne(nouns)];
  if (method === 'post' && last.variable) return ['update', ...nouns];
  return [VERB_OF_METHOD.get(method) ?? method, ...nouns];
}

/** Usual names of controller methods. */
const CONTROLLER_METHODS = new Set('add create delete fetch find get insert remove save update'.split(' '));

/**
 * ASP.NET has the method of a controller in the path: /Orders/Delete/{id} → delete_order, /Orders/GetByCustomer/{id} →
 * get_orders_by_customer, /Product/GetProducts → get_products.
 */
function nameAction(route: readonly PathPiece[], method: string): readonly string[] | undefined {
  const place = route.findLastIndex(({ variable }) => !variable);
  const owner = route[place - 1];
  const [verb = '', ...objects] = route[place]!.words;
  if (owner === undefined || owner.variable || !CONTROLLER_METHODS.has(verb)) return undefined;
  if (objects.length === 0) {
    const isOne = verb !== 'get' || place < route.length - 1;
    return [verb, ...(isOne ? toOne(owner.words) : owner.words)];
  }
  if (objects[0] === 'by') return [verb, ...owner.words, ...objects];
  if (objects[0] === 'all') return [verb, ...objects, ...(objects.length === 1 ? owner.words : [])];
  const nouns = objects.map(toSingular);
  if (owner.words.every((word) => nouns.includes(toSingular(word)))) return [verb, ...objects];
  // Only in reads does the object belong to the owner: /Users/GetOrders → get_user_orders. Others are named by their path.
  return method === 'get' && verb === 'get' ? [verb, ...toOne(owner.words), ...objects] : undefined;
}

const VERB_OF_METHOD: ReadonlyMap<string, string> = new Map([['put', 'update']]);

/** A part of a path: literal words, or a variable. */
export interface PathPiece {
  readonly words: readonly string[];
  readonly variable: boolean;
  /** `api`, `v1` … at the front. */
  readonly edition: boolean;
}

/** The rest of a longer path is ignored. */
const MAX_PATH = 1_000;

/** Reads the paths of one document, which share most of their segments. */
export function createPathReader(): (path: string) => readonly PathPiece[] {
  const segments = new Map<string, readonly PathPiece[]>();
  const read = (segment: string) => {
    const pieces = segments.get(segment) ?? readSegment(segment);
    segments.set(segment, pieces);
    return pieces;
  };
  let before: { path: string; pieces: readonly PathPiece[] } | undefined;
  return (path) => {
    // The operations of a path come one after another.
    if (before?.path === path) return before.pieces;
    const pieces: PathPiece[] = [];
    let atFront = true;
    for (const segment of path.slice(0, MAX_PATH).split(/[?#]/, 1)[0]!.split('/')) {
      if (segment === '') continue;
      const own = read(segment);
      atFront &&= own.every(({ edition }) => edition);
      // Further back in the path, the same words may name a resource.
      for (const piece of own) pieces.push(piece.edition && !atFront ? { ...piece, edition: false } : piece);
    }
    before = { path, pieces };
    return pieces;
  };
}

function readSegment(segment: string): PathPiece[] {
  const edition = EDITION.test(segment);
  return segment.split(/[{}]/).flatMap((text, place) => {
    const variable = place % 2 === 1;
    const words = wordsIn(variable ? text : text.replace(/\.(?:json|xml)$/i, ''));
    return words.length === 0 ? [] : [{ words, variable, edition }];
  });
}

export function wordsIn(text: string): string[] {
  const snake = toSnakeCase(text);
  return snake === '' ? [] : snake.split('_');
}

/** `order items` → `order item`. */
export function toOne(words: readonly string[]): string[] {
  return words.map((word, place) => (place === words.length - 1 ? toSingular(word) : word));
}
