// Turns operation ids that a generator wrote into the names that a person would have chosen. Only uses the operation itself:
// its id, method, path and tags.
import { EDITION, isPluralWord, isVerb, toSingular } from '../../endpoint/conventions/short-name.ts';
import { nameRoute, type PathPiece, toOne, wordsIn } from './route-names.ts';

/** The words of an id without the generator's additions; unchanged if there are none. */
export function cleanId(
  id: string,
  words: readonly string[],
  { method, pieces, tags }: OperationFacts,
): readonly string[] {
  return (
    withoutRoute(id, words, method, pieces) ??
    withoutController(id, words, method, pieces) ??
    withoutClass(id, method, pieces) ??
    withoutSpringMethod(words, method, pieces) ??
    fromResource(id, method, pieces) ??
    (isRoute(words, method, pieces)
      ? nameRoute(method, pieces)
      : (aboutPath(withoutNumber(words), method, pieces, tags) ?? withoutRepeat(id) ?? withoutEdition(words, pieces)))
  );
}

/** What is known about an operation beside its id. */
interface OperationFacts {
  readonly method: string;
  readonly pieces: readonly PathPiece[];
  readonly tags: readonly string[];
}

/** FastAPI writes function, path and method: `list_orders_orders_get`; for the path /, `root__get`. */
function withoutRoute(
  id: string,
  words: readonly string[],
  method: string,
  pieces: readonly PathPiece[],
): readonly string[] | undefined {
  if (words.at(-1) !== method || (pieces.length === 0 && !id.endsWith(`__${method}`))) return undefined;
  const route = pieces.flatMap((piece) => piece.words);
  const start = words.length - 1 - route.length;
  if (start < 1 || route.some((word, index) => word !== words[start + index])) return undefined;
  const own = words.slice(0, start);
  return aboutPath(own, method, pieces) ?? withoutRepeat(id.slice(0, own.join('_').length)) ?? own;
}

/**
 * NestJS and gRPC write class and method: `CatsController_findAll` → `find_all_cats`, `UserService_ListUsers` → `list_users`. In
 * some APIs, controllers and services are resources.
 */
function withoutController(
  id: string,
  words: readonly string[],
  method: string,
  pieces: readonly PathPiece[],
): readonly string[] | undefined {
  const place = words.findIndex((word) => word === 'controller' || word === 'service');
  if (place < 1 || place === words.length - 1 || isVerb(words[0]!)) return undefined;
  const mark = words[place] === 'controller' ? /controller[^a-z0-9]/i : /^[A-Z][A-Za-z0-9]{0,80}Service_[A-Z]/;
  if (!mark.test(id)) return undefined;
  const owner = words.slice(0, place);
  const [own, edition] = splitEdition(words.slice(place + 1));
  if (owner.length === 1 && owner[0] === 'app') return [...(aboutPath(own, method, pieces) ?? own), ...edition];
  const nouns = own.map(toSingular);
  if (owner.every((word) => nouns.includes(toSingular(word)))) return [...own, ...edition];
  if (own.every((word) => GENERIC.has(word))) {
    // UserController of /users: the path shows whether one or many are meant; the class does not.
    const last = subjectOf(pieces, own);
    const isSame = last !== undefined && toOne(last.words).join('_') === toOne(owner).join('_');
    return [
      ...withNoun(own, isSame ? last.words : owner, isAboutMany(own, method, isSame ? last : undefined)),
      ...edition,
    ];
  }
  // `signIn` of AuthController must not become `sign_auth_in`.
  const isAboutOwner = isVerb(own[0]!) && own.length > 1 && !PARTICLES.has(own[1]!);
  const name = isAboutOwner ? [own[0]!, ...owner, ...own.slice(1)] : [...owner, ...own];
  return [...name, ...edition];
}

const PARTICLES = new Set(['in', 'out', 'up', 'off', 'on', 'down']);

/**
 * NSwag also writes class and method: `Orders_GetAll` of /api/Orders → `get_all_orders`, `Orders_Post` → `create_order`. Azure's
 * `Operations_List` looks the same, but was chosen by people; its paths are longer and its methods are called `List`.
 */
function withoutClass(id: string, method: string, pieces: readonly PathPiece[]): readonly string[] | undefined {
  const [, owner, action] = /^([A-Z][A-Za-z0-9]{0,80})_([A-Z][A-Za-z0-9]{0,80})$/.exec(id) ?? [];
  if (owner === undefined || action === undefined || pieces.length > 3) return undefined;
  const own = wordsIn(action);
  const last = subjectOf(pieces, own);
  if (last === undefined || own[0] === 'list' || !own.every((word) => GENERIC.has(word))) return undefined;
  if (toOne(last.words).join('_') !== toOne(wordsIn(owner)).join('_')) return undefined;
  if (own.length === 1 && own[0] === method && method !== 'get') return nameRoute(method, pieces);
  return withNoun(own, last.words, isAboutMany(own, method, last));
}

/** `findAll_v1`: NestJS appends the version of a route. */
function splitEdition(words: readonly string[]): readonly [own: readonly string[], edition: readonly string[]] {
  const hasEdition = words.length > 1 && /^v\d{1,4}$/.test(words.at(-1)!);
  return hasEdition ? [words.slice(0, -1), words.slice(-1)] : [words, []];
}

/** Laravel writes the names of the path and the action: `orders.items.index` of /orders/{order}/items. */
function fromResource(id: string, method: string, pieces: readonly PathPiece[]): readonly string[] | undefined {
  const names = id.split('.', MAX_SEGMENTS);
  const own = wordsIn(names.pop()!);
  if (names.length === 0 || own.length === 0 || !own.every((word) => GENERIC.has(word))) return undefined;
  const nouns = names.slice(names.findIndex((name) => !EDITION.test(name))).map(wordsIn);
  const literals = pieces.filter(({ variable, edition }) => !variable && !edition);
  // The paths of `posts.create` and `posts.edit` end with the action.
  const places = literals.at(-1)?.words.join() === own.join() ? literals.slice(0, -1) : literals;
  // Class names are singular where the path is plural: `user.index` of /users.
  const isSame = (words: readonly string[], place: number) =>
    toOne(words).join() === toOne(places[place]!.words).join();
  if (nouns.length !== places.length || !nouns.every(isSame)) return undefined;
  const noun = places.flatMap(({ words }, place) => (place === places.length - 1 ? words : toOne(words)));
  return withNoun(own, noun, isAboutMany(own, method, subjectOf(pieces, own)));
}

const MAX_SEGMENTS = 12;

/** A tag, and the name of a function that repeats it: `items-list_items`, `users:patch_user`. */
function withoutRepeat(id: string): readonly string[] | undefined {
  const place = id.search(/[-:]/);
  const rest = id.slice(place + 1);
  if (place < 1 || !rest.includes('_') || /[^A-Za-z0-9_]/.test(rest)) return undefined;
  const words = wordsIn(rest);
  const nouns = words.map(toSingular);
  const isRepeat = wordsIn(id.slice(0, place)).every((word) => nouns.includes(toSingular(word)));
  return isRepeat && isVerb(words[0] ?? '') ? words : undefined;
}

/** Springfox: `listUsersUsingGET_1`. */
function withoutSpringMethod(
  words: readonly string[],
  method: string,
  pieces: readonly PathPiece[],
): readonly string[] | undefined {
  const bare = /^\d+$/.test(words.at(-1) ?? '') ? words.slice(0, -1) : words;
  const isSpring = bare.length > 2 && bare.at(-1) === method && bare.at(-2) === 'using';
  return isSpring ? (aboutPath(bare.slice(0, -2), method, pieces) ?? bare.slice(0, -2)) : undefined;
}

/** Removes the repeated front of the path, or the end of that front: `api_v1_users_list` or `v1_users_list` of /api/v1/users. */
function withoutEdition(words: readonly string[], pieces: readonly PathPiece[]): readonly string[] {
  const front = pieces.filter(({ edition }) => edition).flatMap((piece) => piece.words);
  while (front.length > 0 && front.some((word, place) => word !== words[place])) front.shift();
  const rest = front.length > 0 && front.length < words.length ? words.slice(front.length) : words;
  return /^[a-z]/.test(rest[0] ?? '') ? rest : words;
}

/**
 * Whether the words are only the method and the path: `get_api_v1_users`, `PostCustomersCustomer`, `usersIdGet`. `getUsers` or
 * `users_delete` of /users may just as well have been chosen by a person.
 */
function isRoute(words: readonly string[], method: string, pieces: readonly PathPiece[]): boolean {
  const isFirst = words[0] === method;
  if (!isFirst && words.at(-1) !== method) return false;
  const text = (isFirst ? words.slice(1) : words.slice(0, -1)).join('');
  // Every position where the pieces so far may end, and whether only a generator would have written that. People only begin with
  // `post` or `put` for a path of one word.
  let ends = new Map<number, boolean>([[0, isFirst && (method === 'post' || method === 'put') && pieces.length > 1]]);
  for (const { words: own, variable, edition } of pieces) {
    if (ends.size === 0) return false;
    const spelling = own.join('');
    const next = new Map<number, boolean>();
    const reach = (end: number, isGenerated: boolean) => next.set(end, (next.get(end) ?? false) || isGenerated);
    for (const [end, isGenerated] of ends) {
      if (text.startsWith(spelling, end)) reach(end + spelling.length, isGenerated || variable || edition);
      if (!variable && !edition) continue;
      reach(end, isGenerated);
      if (!variable) continue;
      if (text.startsWith('id', end)) reach(end + 2, true);
      if (text.startsWith(`by${spelling}`, end)) reach(end + 2 + spelling.length, isGenerated);
    }
    ends = next;
  }
  return ends.get(text.length) ?? false;
}

/** Method names that every controller has, so they carry no information. */
const GENERIC = new Set(
  'add all by create delete destroy edit fetch find get id index insert list many new one patch post put read remove replace retrieve save search show store update'.split(
    ' ',
  ),
);
const MANY = new Set(['all', 'index', 'list', 'many', 'search']);
const ONE = new Set(['by', 'create', 'id', 'new', 'one', 'show', 'store']);
/** Tags that carry no information, and suffixes of frameworks: `user-controller`. */
const NO_SUBJECT = new Set('api controller default endpoint endpoints general misc other resource rest'.split(' '));

/** A trailing number of springdoc: `get_by_id_3`. */
function withoutNumber(words: readonly string[]): readonly string[] {
  return words.length > 1 && /^\d{1,3}$/.test(words.at(-1)!) ? words.slice(0, -1) : words;
}

/**
 * Adds a noun to an id without one, from the path or else the tag: `list` of /users becomes `list_users`, `findByEmail`
 * `find_user_by_email`, `activate` of /users/{id}/activate `activate_user`. Undefined if the id has words of its own, and for
 * `login` of /auth/login, which must not become `login_auth`.
 */
function aboutPath(
  words: readonly string[],
  method: string,
  pieces: readonly PathPiece[],
  tags: readonly string[] = [],
): readonly string[] | undefined {
  const by = words.indexOf('by');
  const action = by < 1 ? words : words.slice(0, by);
  const isGeneric = action.every((word) => GENERIC.has(word));
  if (words.length === 0 || (!isGeneric && !(words.length === 1 && isVerb(words[0]!)))) return undefined;
  const subject = subjectOf(pieces, words);
  if (!isGeneric) {
    const isResource = subject !== undefined && (subject.hasVariable || isPluralWord(subject.words.at(-1)!));
    return isResource ? [...words, ...(subject.hasVariable ? toOne(subject.words) : subject.words)] : undefined;
  }
  const noun =
    subject?.words ?? wordsIn(tags[0] ?? '').filter((word) => !NO_SUBJECT.has(word) && !words.includes(word));
  return noun.length === 0 ? undefined : withNoun(words, noun, isAboutMany(words, method, subject));
}

/** Whether many are meant: by the words, or else by the request. */
function isAboutMany(words: readonly string[], method: string, subject: Subject | undefined): boolean {
  if (words.some((word) => MANY.has(word))) return true;
  if (words.some((word) => ONE.has(word)) || subject === undefined || subject.hasVariable) return false;
  return method === 'get' || method === 'delete';
}

/** `find_all` → `find_all_cats`, `create` → `create_cat`; `index` and `store` of Rails and Laravel become `list` and `create`. */
function withNoun(words: readonly string[], noun: readonly string[], isMany: boolean): readonly string[] {
  const object = isMany ? noun : toOne(noun);
  const [only] = words.length === 1 ? words : [];
  if (only === 'index' && isPluralWord(noun.at(-1)!)) return ['list', ...object];
  if (only === 'store') return ['create', ...object];
  const by = words.indexOf('by');
  return by < 1 ? [...words, ...object] : [...words.slice(0, by), ...object, ...words.slice(by)];
}

interface Subject {
  readonly words: readonly string[];
  /** Whether a variable follows, as in /users/{id}. */
  readonly hasVariable: boolean;
}

/** The resource in the path: its last literal words that the id does not contain, and what they belong to. */
function subjectOf(pieces: readonly PathPiece[], words: readonly string[]): Subject | undefined {
  const literals = pieces.filter(({ variable, edition }) => !variable && !edition);
  const isInId = (piece: PathPiece) => piece.words.every((word) => GENERIC.has(word) || words.includes(word));
  const last = literals.findLast((piece) => !isInId(piece));
  if (last === undefined) return undefined;
  const place = pieces.lastIndexOf(last);
  const before = pieces[place - 1];
  // /orders/recent, /users/bulk: some of the resources before it.
  const isPart =
    before !== undefined && !before.variable && isPluralWord(before.words.at(-1)!) && !isPluralWord(last.words.at(-1)!);
  const hasVariable = pieces[place + 1]?.variable === true;
  return { words: isPart && !isInId(before) ? [...before.words, ...last.words] : last.words, hasVariable };
}
