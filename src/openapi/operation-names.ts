// The names of a document's operations. A name depends only on its operation and, if it is too long, on what nearly all ids of
// the document begin with. If several operations would get the same name, each adds the words that distinguish it from the
// others. The order of the document does not matter, so adding or removing an operation renames at most those that share its
// name.
import { EDITION, isVerb, type NameSurroundings, shortenName, toSingular } from '../endpoint/conventions/short-name.ts';
import { hashName } from '../endpoint/names.ts';
import { cleanId } from './generated-ids.ts';
import type { OperationInfo } from './import-options.ts';
import { createPathReader, type PathPiece, wordsIn } from './path-pieces.ts';
import { nameRoute } from './route-names.ts';

export interface NamedInfo {
  readonly info: OperationInfo;
  /** x-mcp. */
  readonly extensionName: string | undefined;
}

export interface OperationName {
  readonly action: string;
  readonly from: string;
}

/** An operation and the words it would like to be called. */
interface Claim {
  readonly info: OperationInfo;
  readonly pieces: readonly PathPiece[];
  readonly words: readonly string[];
  readonly from: string;
  /** Which claim is stronger: x-mcp, then an unchanged operationId, then anything derived from one. */
  readonly right: number;
  readonly name: string;
}

/** The names, in the order of the operations, of at most `room` characters each. */
export function nameOperations(operations: readonly NamedInfo[], domain: string, room: number): OperationName[] {
  const ids = new Set(operations.map(({ info }) => info.operationId));
  const shorten = createShortening(domain, room, commonFront(operations));
  const piecesOf = createPathReader();
  const claims = operations.map((operation) => {
    const draft = draftClaim(operation, piecesOf(operation.info.path), ids);
    return { ...draft, name: shorten(draft, draft.words) };
  });
  const names = settle(claims, shorten, room);
  return claims.map((claim) => ({ action: names.get(claim)!, from: claim.from }));
}

type Draft = Omit<Claim, 'name'>;
type Shorten = (draft: Draft, words: readonly string[], keep?: ReadonlySet<string>) => string;

/** x-mcp, else the operationId, else method and path. */
function draftClaim(
  { info, extensionName }: NamedInfo,
  pieces: readonly PathPiece[],
  ids: ReadonlySet<string | undefined>,
): Draft {
  const method = info.method.toLowerCase();
  const explicit = usableWords(extensionName);
  if (explicit !== undefined) return { info, pieces, words: explicit, from: 'x-mcp', right: 2 };
  const idWords = usableWords(info.operationId);
  if (idWords === undefined) {
    const words = usableWords(nameRoute(method, pieces).join('_')) ?? ['operation'];
    return { info, pieces, words, from: 'method and path', right: 0 };
  }
  const id = withoutNumber(info.operationId!, ids);
  const words = cleanId(id, id === info.operationId ? idWords : wordsIn(id), { method, pieces, tags: info.tags });
  if (words === idWords) return { info, pieces, words, from: 'operationId', right: 1 };
  return { info, pieces, words: usableWords(words.join('_')) ?? idWords, from: 'operationId, cleaned', right: 0 };
}

/** An id without a single Latin letter would leave digits at best, and one of hex digits says nothing. */
function usableWords(text: string | undefined): readonly string[] | undefined {
  if (text === undefined || /^[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i.test(text)) return undefined;
  const words = wordsIn(text);
  if (!words.some((word) => /[a-z]/.test(word))) return undefined;
  return /^[a-z]/.test(words[0]!) ? words : ['op', ...words];
}

/** springdoc numbers what it finds twice, in the order it finds it: `list`, `list_1`. */
function withoutNumber(id: string, ids: ReadonlySet<string | undefined>): string {
  const place = /\d$/.test(id) ? id.lastIndexOf('_') : -1;
  const bare = id.slice(0, place);
  return place > 0 && /^\d{1,3}$/.test(id.slice(place + 1)) && ids.has(bare) ? bare : id;
}

/** Fewer ids may begin alike by chance. */
const MIN_ALIKE = 8;
const NEARLY_ALL = 0.9;

/**
 * The words that nearly all ids begin with: `MicrosoftNetworkResourceProvider_` in front of every one. Whole segments of the
 * ids, since ids about one kind of thing share its first words as well. One id that comes or goes hardly changes it.
 */
function commonFront(operations: readonly NamedInfo[]): readonly string[] {
  const ids = operations.flatMap(({ info }) => (info.operationId === undefined ? [] : [segmentsOf(info.operationId)]));
  let alike = ids;
  const front: string[] = [];
  for (;;) {
    // The last segment is what an operation is called itself.
    const groups = groupByName(
      alike.filter(({ length }) => length > front.length + 1),
      (segments) => segments[front.length]!,
    );
    const [segment, group] = [...groups].reduce(
      (most, each) => (each[1].length > most[1].length ? each : most),
      ['', [] as string[][]],
    );
    if (group.length < MIN_ALIKE || group.length < ids.length * NEARLY_ALL || isVerb(segment)) break;
    front.push(segment);
    alike = group;
  }
  return front.flatMap(wordsIn);
}

function segmentsOf(id: string): string[] {
  return id.slice(0, MAX_ID).split(/[^A-Za-z0-9]+/, MAX_SEGMENTS);
}

const MAX_ID = 1_000;
const MAX_SEGMENTS = 12;

/** How many words at the front say what all operations of the document are about. */
function frontOf(words: readonly string[], front: readonly string[], domain: string): number {
  if (front.length > 0 && front.every((word, place) => word === words[place])) return front.length;
  let spelling = '';
  for (const [place, word] of words.entries()) {
    spelling += word;
    if (isVerb(word) || spelling.length > domain.length) return 0;
    if (spelling === domain) return place + 1;
  }
  return 0;
}

function createShortening(domain: string, room: number, front: readonly string[]): Shorten {
  const domainWords = domain.split('_').filter((word) => !EDITION.test(word));
  const domainSpelling = domainWords.join('');
  return ({ info, pieces }, all, keep) => {
    const whole = all.join('_');
    if (whole.length <= room) return whole;
    // Removed first, before any meaningful word, and as a whole.
    const length = frontOf(all, front, domainSpelling);
    const rest = all.slice(length);
    const isTold = all.slice(0, length).some((word) => keep?.has(word));
    const words = rest.length > 1 && /^[a-z]/.test(rest[0]!) && !isTold ? rest : all;
    const last = pieces.findLastIndex(({ variable }) => !variable);
    const own = new Set(pieces[last]?.words.map(toSingular));
    const around = pieces.filter(({ edition }, place) => place !== last && !edition).flatMap((piece) => piece.words);
    const surroundings: NameSurroundings = {
      domain: domainWords,
      // A brand, unless the path has a thing of that name.
      brand: pieces.some((piece) => piece.words.includes(domainWords[0]!)) ? undefined : domainWords[0],
      tags: info.tags.map(wordsIn),
      path: around.map(toSingular).filter((word) => !own.has(word)),
      thing: pieces[last]?.words.join('') ?? '',
    };
    return shortenName(words, room, surroundings, keep);
  };
}

/** Something two operations may differ in. */
interface Difference {
  readonly of: (claim: Claim) => readonly string[];
  /** Stands before the words: `by_id`. */
  readonly joint?: string;
}

/** The most telling first. */
const DIFFERENCES: readonly Difference[] = [
  { of: ({ words }) => words },
  { of: ({ pieces }) => pieces.findLast(({ variable }) => !variable)?.words ?? [] },
  { of: ({ pieces }) => pieces.flatMap(({ words, variable }) => (variable ? [] : words)) },
  { of: ({ info }) => [info.method.toLowerCase()] },
  { of: ({ info }) => info.tags.flatMap(wordsIn) },
  { of: ({ info }) => wordsIn(info.operationId ?? '') },
  { of: ({ pieces }) => pieces.flatMap(({ words, variable }) => (variable ? words : [])), joint: 'by' },
  {
    of: ({ info: { path } }) => [
      ...wordsIn(path.slice(path.search(/[?#]|$/))),
      ...(path.endsWith('/') ? ['slash'] : []),
    ],
  },
];

/** A claim with the words it has taken so far. */
interface Rival {
  readonly claim: Claim;
  readonly words: readonly string[];
  readonly keep: ReadonlySet<string>;
}

function settle(claims: readonly Claim[], shorten: Shorten, room: number): ReadonlyMap<Claim, string> {
  const rivals = groupByName(claims, ({ name }) => name);
  const names = new Map<Claim, string>();
  const namesInUse = new Set(rivals.keys());
  /** Names that several claim with the same right: one of them may still end up with it. */
  const open = new Set<string>();
  const give = (claim: Claim, name: string): boolean => {
    if (namesInUse.has(name) && !(name === claim.name && open.delete(name))) return false;
    namesInUse.add(name);
    names.set(claim, name);
    return true;
  };
  const divide = (group: readonly Rival[], level: number): void => {
    const difference = DIFFERENCES[level];
    if (difference === undefined) {
      for (const { claim, words } of group)
        names.set(claim, lastResort(claim, shorten(claim, words), room, namesInUse));
      return;
    }
    const next = group.length === 1 && level === 0 ? group : withDifference(group, difference, level > 0);
    const parts = groupByName(next, ({ claim, words, keep }) => shorten(claim, words, keep));
    for (const [name, members] of parts) {
      if (members.length > 1 || !give(members[0]!.claim, name)) divide(members, level + 1);
    }
  };
  for (const name of [...rivals.keys()].sort()) {
    const members = rivals.get(name)!;
    const owner = members.length === 1 ? members[0] : ownerOf(members);
    if (owner) names.set(owner, name);
    else open.add(name);
    // The first one gets a name that two end up with, so they are sorted by request, not by the order of the document.
    const others = members.filter((claim) => claim !== owner).sort(byRequest);
    if (others.length > 0)
      divide(
        others.map((claim) => ({ claim, words: claim.words, keep: new Set<string>() })),
        0,
      );
  }
  return names;
}

function byRequest({ info: one }: Claim, { info: other }: Claim): number {
  if (one.path !== other.path) return one.path < other.path ? -1 : 1;
  return one.method < other.method ? -1 : 1;
}

/** The one whose right to the name is best, if there is one. */
function ownerOf(members: readonly Claim[]): Claim | undefined {
  const best = Math.max(...members.map(({ right }) => right));
  const owners = members.filter(({ right }) => right === best);
  return best > 0 && owners.length === 1 ? owners[0] : undefined;
}

/** Each claim with the words that not all have: kept in its name, or appended if they come from elsewhere. */
function withDifference(group: readonly Rival[], { of, joint }: Difference, isElsewhere: boolean): Rival[] {
  const lists = group.map(({ claim }) => [...new Set(of(claim))]);
  const counts = new Map<string, number>();
  for (const list of lists) for (const word of list) counts.set(word, (counts.get(word) ?? 0) + 1);
  return group.map(({ claim, words, keep }, place) => {
    const own = lists[place]!.filter((word) => group.length === 1 || counts.get(word)! < group.length);
    const missing = own.filter((word) => joint !== undefined || !words.includes(word));
    const more = !isElsewhere || missing.length === 0 || joint === undefined ? missing : [joint, ...missing];
    return { claim, words: isElsewhere ? [...words, ...more] : words, keep: new Set([...keep, ...own]) };
  });
}

function lastResort({ info }: Claim, name: string, room: number, namesInUse: Set<string>): string {
  const request = `${info.method} ${info.path}`;
  let result = hashName(name, request, room);
  for (let count = 2; namesInUse.has(result); count++) result = hashName(name, `${request} ${count}`, room);
  namesInUse.add(result);
  return result;
}

function groupByName<Item>(items: readonly Item[], nameOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const name = nameOf(item);
    const group = groups.get(name);
    if (group) group.push(item);
    else groups.set(name, [item]);
  }
  return groups;
}
