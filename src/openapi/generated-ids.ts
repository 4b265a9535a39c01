// Operation ids that a generator wrote, and what their author would have called the operation. Only the operation itself
// is looked at: its id, its method and its path.
import { EDITION, isDoneToMany, isPluralWord, isVerb, toSingular } from '../endpoint/conventions/short-name.ts';
import { toSnakeCase } from '../endpoint/names.ts';

/** A stretch of a path: words as they stand, or a variable. */
export interface PathPiece {
  readonly words: readonly string[];
  readonly variable: boolean;
  /** `api`, `v1` … at the front. */
  readonly edition: boolean;
}

/** Nobody writes longer paths; what is behind is not looked at. */
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
    // The methods of a path come one after the other.
    if (before?.path === path) return before.pieces;
    const pieces: PathPiece[] = [];
    let atFront = true;
    for (const segment of path.slice(0, MAX_PATH).split(/[?#]/, 1)[0]!.split('/')) {
      if (segment === '') continue;
      const own = read(segment);
      atFront &&= own.every(({ edition }) => edition);
      // Further on the same words may name a thing.
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

/** The words of an id as its author would have them; the same words where no generator shows. */
export function cleanId(
  id: string,
  words: readonly string[],
  method: string,
  pieces: readonly PathPiece[],
): readonly string[] {
  return (
    withoutRoute(words, method, pieces) ??
    withoutController(id, words, pieces) ??
    withoutSpringMethod(words, method) ??
    (isRoute(words, method, pieces) ? nameRoute(method, pieces) : withoutEdition(words, pieces))
  );
}

/** FastAPI: function, path and method, `list_orders_orders_get`. */
function withoutRoute(
  words: readonly string[],
  method: string,
  pieces: readonly PathPiece[],
): readonly string[] | undefined {
  if (words.at(-1) !== method || pieces.length === 0) return undefined;
  const route = pieces.flatMap((piece) => piece.words);
  const start = words.length - 1 - route.length;
  if (start < 1 || route.some((word, index) => word !== words[start + index])) return undefined;
  return withNoun(words.slice(0, start), nounOf(pieces));
}

/** NestJS: class and method, `CatsController_findAll` → `find_all_cats`. Some APIs have controllers of another kind. */
function withoutController(
  id: string,
  words: readonly string[],
  pieces: readonly PathPiece[],
): readonly string[] | undefined {
  const place = words.indexOf('controller');
  if (place < 1 || place === words.length - 1 || isVerb(words[0]!) || !/controller[^a-z0-9]/i.test(id))
    return undefined;
  const owner = words.slice(0, place);
  const own = words.slice(place + 1);
  if (owner.length === 1 && owner[0] === 'app') return withNoun(own, nounOf(pieces));
  const things = own.map(toSingular);
  if (owner.every((word) => things.includes(toSingular(word)))) return own;
  if (own.every((word) => GENERIC.has(word))) return withNoun(own, owner);
  return isVerb(own[0]!) && own.length > 1 ? [own[0]!, ...owner, ...own.slice(1)] : [...owner, ...own];
}

/** Springfox: `listUsersUsingGET_1`. */
function withoutSpringMethod(words: readonly string[], method: string): readonly string[] | undefined {
  const bare = /^\d+$/.test(words.at(-1) ?? '') ? words.slice(0, -1) : words;
  const isSpring = bare.length > 2 && bare.at(-1) === method && bare.at(-2) === 'using';
  return isSpring ? bare.slice(0, -2) : undefined;
}

/** The front of the path again: `api_v1_users_list` of /api/v1/users. */
function withoutEdition(words: readonly string[], pieces: readonly PathPiece[]): readonly string[] {
  const front = pieces.filter(({ edition }) => edition).flatMap((piece) => piece.words);
  const isFront =
    front.length > 0 && front.length < words.length && front.every((word, place) => word === words[place]);
  const rest = isFront ? words.slice(front.length) : words;
  return /^[a-z]/.test(rest[0] ?? '') ? rest : words;
}

/**
 * Whether the words are the method and the path and no more: `get_api_v1_users`, `PostCustomersCustomer`, `usersIdGet`.
 * `getUsers` or `users_delete` of /users may as well have been chosen by a person.
 */
function isRoute(words: readonly string[], method: string, pieces: readonly PathPiece[]): boolean {
  const isFirst = words[0] === method;
  if (!isFirst && words.at(-1) !== method) return false;
  const text = (isFirst ? words.slice(1) : words.slice(0, -1)).join('');
  // Every position the pieces so far may end at, and whether only a generator would have got there. People do not begin with
  // `post` or `put` either, but for a path of one word.
  let ends = new Map<number, boolean>([[0, isFirst && (method === 'post' || method === 'put') && pieces.length > 1]]);
  for (const { words: own, variable, edition } of pieces) {
    if (ends.size === 0) return false;
    const spelling = own.join('');
    const next = new Map<number, boolean>();
    const reach = (end: number, isTelling: boolean) => next.set(end, (next.get(end) ?? false) || isTelling);
    for (const [end, isTelling] of ends) {
      if (text.startsWith(spelling, end)) reach(end + spelling.length, isTelling || variable || edition);
      if (!variable && !edition) continue;
      reach(end, isTelling);
      if (!variable) continue;
      if (text.startsWith('id', end)) reach(end + 2, true);
      if (text.startsWith(`by${spelling}`, end)) reach(end + 2 + spelling.length, isTelling);
    }
    ends = next;
  }
  return ends.get(text.length) ?? false;
}

/** GET /orgs/{org}/members → list_org_members; of /orgs/{org}/members/{user} → get_org_member. */
export function nameRoute(method: string, pieces: readonly PathPiece[]): readonly string[] {
  const route = pieces.filter(({ edition }) => !edition);
  const literals = route.filter(({ variable }) => !variable);
  const last = route.at(-1);
  if (last === undefined || literals.length === 0) {
    return [VERB_OF_METHOD.get(method) ?? method, ...(last?.words ?? pieces.at(-1)?.words ?? ['root'])];
  }
  const things = route.flatMap(({ words, variable }, place) => {
    // A variable is said by what stands before it.
    if (variable) return place === 0 || route[place - 1]!.variable ? words : [];
    return route[place + 1]?.variable ? toOne(words) : words;
  });
  const owner = route.at(-2);
  // /orders/{id}/cancel, /orders/search: what is done to one of them or to all; /admin/reset is neither.
  const hasOwner = owner !== undefined && (owner.variable || isPluralWord(owner.words.at(-1)!));
  if (hasOwner && !last.variable && isVerb(last.words[0]!) && !isPluralWord(last.words.at(-1)!)) {
    return [...last.words, ...things.slice(0, things.length - last.words.length)];
  }
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

const VERB_OF_METHOD: ReadonlyMap<string, string> = new Map([['put', 'update']]);

/** Words of methods that name nothing: every controller has them. */
const GENERIC = new Set(
  'all by create delete destroy edit fetch find get id index insert list many new one patch post put read remove replace retrieve save search show store update'.split(
    ' ',
  ),
);
const MANY = new Set(['all', 'index', 'list', 'many', 'search']);

/** `find_all` → `find_all_cats`, `create` → `create_cat`; `login` stays. */
function withNoun(words: readonly string[], noun: readonly string[]): readonly string[] {
  if (noun.length === 0 || !words.every((word) => GENERIC.has(word))) return words;
  const thing = words.some((word) => MANY.has(word)) ? noun : toOne(noun);
  const by = words.indexOf('by');
  return by < 1 ? [...words, ...thing] : [...words.slice(0, by), ...thing, ...words.slice(by)];
}

/** What the path is about: its last words that are no variable. */
function nounOf(pieces: readonly PathPiece[]): readonly string[] {
  return pieces.findLast(({ variable, edition }) => !variable && !edition)?.words ?? [];
}

function toOne(words: readonly string[]): string[] {
  return words.map((word, place) => (place === words.length - 1 ? toSingular(word) : word));
}
