// Chooses the names of a document's operations. A name depends only on its operation and, if it is too long, on what nearly all ids
// of the document begin with. If several operations would get the same name, each adds the words that distinguish it from the
// others. The order of the document does not matter, so adding or removing an operation renames at most those that would have the
// same name.
import { EDITION, isVerb, type NameContext, shortenName, toSingular } from '../../endpoint/conventions/short-name.ts';
import { hashName } from '../../endpoint/names.ts';
import type { OperationInfo } from '../import-options.ts';
import { cleanId } from './generated-ids.ts';
import { createPathReader, nameRoute, type PathPiece, wordsIn } from './route-names.ts';

export interface NamedInfo {
  readonly info: OperationInfo;
  /** x-mcp. */
  readonly extensionName: string | undefined;
}

export interface ChosenName {
  readonly action: string;
  readonly from: string;
}

/** An operation and the name it would get if no other operation had the same. */
interface NameClaim {
  readonly info: OperationInfo;
  readonly pieces: readonly PathPiece[];
  readonly words: readonly string[];
  readonly from: string;
  /** The highest wins: x-mcp, then an unchanged operationId, then anything else. */
  readonly priority: number;
  readonly name: string;
}

/** The names, in the order of the operations, of at most `maxChars` characters each. */
export function chooseOperationNames(operations: readonly NamedInfo[], domain: string, maxChars: number): ChosenName[] {
  const ids = new Set(operations.map(({ info }) => info.operationId));
  const shorten = createShorten(domain, maxChars, commonFront(operations));
  const piecesOf = createPathReader();
  const claims = operations.map((operation) => {
    const draft = draftClaim(operation, piecesOf(operation.info.path), ids);
    return { ...draft, name: shorten(draft, draft.words) };
  });
  const names = resolveClaims(claims, shorten, maxChars);
  return claims.map((claim) => ({ action: names.get(claim)!, from: claim.from }));
}

type Draft = Omit<NameClaim, 'name'>;
type Shorten = (draft: Draft, words: readonly string[], keep?: ReadonlySet<string>) => string;

/** The name from x-mcp, else from the operationId, else from method and path. */
function draftClaim(
  { info, extensionName }: NamedInfo,
  pieces: readonly PathPiece[],
  ids: ReadonlySet<string | undefined>,
): Draft {
  const method = info.method.toLowerCase();
  const explicit = usableWords(extensionName);
  if (explicit !== undefined) return { info, pieces, words: explicit, from: 'x-mcp', priority: 2 };
  const idWords = usableWords(info.operationId);
  if (idWords === undefined) {
    const words = usableWords(nameRoute(method, pieces).join('_')) ?? ['operation'];
    return { info, pieces, words, from: 'method and path', priority: 0 };
  }
  const id = withoutNumber(info.operationId!, ids);
  const words = cleanId(id, id === info.operationId ? idWords : wordsIn(id), { method, pieces, tags: info.tags });
  if (words === idWords) return { info, pieces, words, from: 'operationId', priority: 1 };
  return { info, pieces, words: usableWords(words.join('_')) ?? idWords, from: 'operationId, cleaned', priority: 0 };
}

/** Undefined for an id without a Latin letter, which would leave digits at best, and for a UUID, which has no meaning. */
function usableWords(text: string | undefined): readonly string[] | undefined {
  if (text === undefined || /^[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i.test(text)) return undefined;
  const words = wordsIn(text);
  if (!words.some((word) => /[a-z]/.test(word))) return undefined;
  return /^[a-z]/.test(words[0]!) ? words : ['op', ...words];
}

/** springdoc numbers duplicate ids in the order of the code: `list`, `list_1`. */
function withoutNumber(id: string, ids: ReadonlySet<string | undefined>): string {
  const place = /\d$/.test(id) ? id.lastIndexOf('_') : -1;
  const bare = id.slice(0, place);
  return place > 0 && /^\d{1,3}$/.test(id.slice(place + 1)) && ids.has(bare) ? bare : id;
}

/** Fewer ids may begin with the same words by chance. */
const MIN_ALIKE = 8;
const NEARLY_ALL = 0.9;

/**
 * The words that nearly all ids begin with, such as `MicrosoftNetworkResourceProvider_`. Compared in whole segments of the ids,
 * because ids about one resource share their first words as well. Adding or removing one id hardly ever changes the result.
 */
function commonFront(operations: readonly NamedInfo[]): readonly string[] {
  const ids = operations.flatMap(({ info }) => (info.operationId === undefined ? [] : [segmentsOf(info.operationId)]));
  let alike = ids;
  const front: string[] = [];
  for (;;) {
    // The last segment is the operation's own name.
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

/** How many words at the front are common to all operations of the document. */
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

function createShorten(domain: string, maxChars: number, front: readonly string[]): Shorten {
  const domainWords = domain.split('_').filter((word) => !EDITION.test(word));
  const domainSpelling = domainWords.join('');
  return ({ info, pieces }, all, keep) => {
    const whole = all.join('_');
    if (whole.length <= maxChars) return whole;
    // The common front is removed first, before any meaningful word, and as a whole.
    const length = frontOf(all, front, domainSpelling);
    const rest = all.slice(length);
    const isKept = all.slice(0, length).some((word) => keep?.has(word));
    const words = rest.length > 1 && /^[a-z]/.test(rest[0]!) && !isKept ? rest : all;
    const last = pieces.findLastIndex(({ variable }) => !variable);
    const own = new Set(pieces[last]?.words.map(toSingular));
    const around = pieces.filter(({ edition }, place) => place !== last && !edition).flatMap((piece) => piece.words);
    const context: NameContext = {
      domain: domainWords,
      // The brand, unless it is also the name of a resource in the path.
      brand: pieces.some((piece) => piece.words.includes(domainWords[0]!)) ? undefined : domainWords[0],
      tags: info.tags.map(wordsIn),
      path: around.map(toSingular).filter((word) => !own.has(word)),
      thing: pieces[last]?.words.join('') ?? '',
    };
    return shortenName(words, maxChars, context, keep);
  };
}

/** Something in which two operations may differ. */
interface Difference {
  readonly of: (claim: NameClaim) => readonly string[];
  /** Put before the words: `by_id`. */
  readonly preposition?: string;
}

/** The most informative first. */
const DIFFERENCES: readonly Difference[] = [
  { of: ({ words }) => words },
  { of: ({ pieces }) => pieces.findLast(({ variable }) => !variable)?.words ?? [] },
  { of: ({ pieces }) => pieces.flatMap(({ words, variable }) => (variable ? [] : words)) },
  { of: ({ info }) => [info.method.toLowerCase()] },
  { of: ({ info }) => info.tags.flatMap(wordsIn) },
  { of: ({ info }) => wordsIn(info.operationId ?? '') },
  { of: ({ pieces }) => pieces.flatMap(({ words, variable }) => (variable ? words : [])), preposition: 'by' },
  {
    of: ({ info: { path } }) => [
      ...wordsIn(path.slice(path.search(/[?#]|$/))),
      ...(path.endsWith('/') ? ['slash'] : []),
    ],
  },
];

/** A claim with the words added so far. */
interface Candidate {
  readonly claim: NameClaim;
  readonly words: readonly string[];
  readonly keep: ReadonlySet<string>;
}

function resolveClaims(
  claims: readonly NameClaim[],
  shorten: Shorten,
  maxChars: number,
): ReadonlyMap<NameClaim, string> {
  const groups = groupByName(claims, ({ name }) => name);
  const names = new Map<NameClaim, string>();
  const namesInUse = new Set(groups.keys());
  /** Names that several claim with the same priority: one of them may still get it. */
  const openNames = new Set<string>();
  const assign = (claim: NameClaim, name: string): boolean => {
    if (namesInUse.has(name) && !(name === claim.name && openNames.delete(name))) return false;
    namesInUse.add(name);
    names.set(claim, name);
    return true;
  };
  const disambiguate = (group: readonly Candidate[], level: number): void => {
    const difference = DIFFERENCES[level];
    if (difference === undefined) {
      for (const { claim, words } of group)
        names.set(claim, nameWithHash(claim, shorten(claim, words), maxChars, namesInUse));
      return;
    }
    const next = group.length === 1 && level === 0 ? group : withDifference(group, difference, level > 0);
    const parts = groupByName(next, ({ claim, words, keep }) => shorten(claim, words, keep));
    for (const [name, members] of parts) {
      if (members.length > 1 || !assign(members[0]!.claim, name)) disambiguate(members, level + 1);
    }
  };
  for (const name of [...groups.keys()].sort()) {
    const members = groups.get(name)!;
    const owner = members.length === 1 ? members[0] : ownerOf(members);
    if (owner) names.set(owner, name);
    else openNames.add(name);
    // If two end up with the same name, the first one gets it. So they are sorted by request, not by the order of the document.
    const others = members.filter((claim) => claim !== owner).sort(byRequest);
    if (others.length > 0)
      disambiguate(
        others.map((claim) => ({ claim, words: claim.words, keep: new Set<string>() })),
        0,
      );
  }
  return names;
}

function byRequest({ info: one }: NameClaim, { info: other }: NameClaim): number {
  if (one.path !== other.path) return one.path < other.path ? -1 : 1;
  return one.method < other.method ? -1 : 1;
}

/** The claim with the highest priority, if there is only one. */
function ownerOf(members: readonly NameClaim[]): NameClaim | undefined {
  const best = Math.max(...members.map(({ priority }) => priority));
  const owners = members.filter(({ priority }) => priority === best);
  return best > 0 && owners.length === 1 ? owners[0] : undefined;
}

/** Adds the words that not all claims have: they are kept in the name, or appended if they are not in it. */
function withDifference(
  group: readonly Candidate[],
  { of, preposition }: Difference,
  isElsewhere: boolean,
): Candidate[] {
  const lists = group.map(({ claim }) => [...new Set(of(claim))]);
  const counts = new Map<string, number>();
  for (const list of lists) for (const word of list) counts.set(word, (counts.get(word) ?? 0) + 1);
  return group.map(({ claim, words, keep }, place) => {
    const own = lists[place]!.filter((word) => group.length === 1 || counts.get(word)! < group.length);
    const missing = own.filter((word) => preposition !== undefined || !words.includes(word));
    const more =
      !isElsewhere || missing.length === 0 || preposition === undefined ? missing : [preposition, ...missing];
    return { claim, words: isElsewhere ? [...words, ...more] : words, keep: new Set([...keep, ...own]) };
  });
}

function nameWithHash({ info }: NameClaim, name: string, maxChars: number, namesInUse: Set<string>): string {
  const request = `${info.method} ${info.path}`;
  let result = hashName(name, request, maxChars);
  for (let count = 2; namesInUse.has(result); count++) result = hashName(name, `${request} ${count}`, maxChars);
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
