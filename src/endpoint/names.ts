// Names that every client accepts: snake_case tool names and argument keys. The same text always gives the same name.
import { createHash } from 'node:crypto';
import { trimEnd, trimStart } from './plain-text.ts';
import { remember } from './untrusted.ts';

/** Leaves room for the prefixes that clients add: Cursor drops tools if server and tool name together are longer than 60. */
export const MAX_TOOL_NAME = 48;
export const MAX_DOMAIN_NAME = 32;
export const MAX_ARGUMENT_KEY = 64;

const SNAKE_CASE = /^[a-z0-9]+(?:_[a-z0-9]+)*$/;
export const TOOL_NAME = /^[a-z][a-z0-9_]{0,47}$/;
export const DOMAIN_NAME = /^[a-z][a-z0-9_]{0,31}$/;
export const ARGUMENT_KEY = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
/** What a domain file calls a credential. */
export const CREDENTIAL_NAME = /^[\w.-]{1,64}$/;

/** Keys that plain objects inherit; no argument has such a name. */
const UNSAFE_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/** Longer texts are cut and get a hash, so that two of them stay different. */
const MAX_INPUT = 512;

/** `listHTTPServers`, `repos/list-for-user`, `Été 2` → `list_http_servers`, `repos_list_for_user`, `ete_2`. May be empty. */
export function toSnakeCase(text: string): string {
  if (SNAKE_CASE.test(text) && text.length <= MAX_INPUT) return text;
  return text.length <= MAX_SHORT ? snakeOf(text) : convertToSnake(text);
}

/** Texts up to this length are cached: an id and the segments of a path are read several times for a name, an effect and a group. */
const MAX_SHORT = 64;
const MAX_TEXTS = 4_000;
const snakeOf = remember(MAX_TEXTS, convertToSnake);

function convertToSnake(text: string): string {
  const ascii = toAscii(text);
  // Most ids, paths and tags are in one case.
  const lower = /[A-Z]/.test(ascii)
    ? ascii
        .replace(/OAuth/g, 'Oauth')
        .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
        .replace(/([A-Z])(?=[A-Z][a-z])/g, '$1_')
        .toLowerCase()
    : ascii;
  const snake = lower.replace(/[^a-z0-9]+/g, '_');
  return trimEnd(trimStart(snake, '_'), '_');
}

/** snake_case that starts with a letter; `fallback` if nothing is left. */
export function toName(text: string, fallback: string): string {
  const snake = toSnakeCase(text);
  if (snake === '') return fallback;
  return /^[a-z]/.test(snake) ? snake : `${fallback}_${snake}`;
}

/** Any text as a tool name: lower snake case, a letter first, cut to leave room for a suffix. */
export function toToolName(text: string, maxLength: number = MAX_TOOL_NAME): string {
  return trimEnd(toName(text, 't').slice(0, maxLength), '_');
}

/** What decides the place of an operation in the tree. */
export interface OperationPlace {
  readonly domain: string;
  readonly tags: readonly string[];
  readonly action: string;
}

/** A cache: selection, tree and log read the groups of the same operations, which share a few tags. */
const groupNames = new Map<string, string>();
const MAX_GROUP_NAMES = 4_000;

/** The groups of an operation: its tags as names. Two spellings of one tag are one group. */
export function groupNamesOf({ tags }: Pick<OperationPlace, 'tags'>): readonly string[] {
  const names = tags.map(groupNameOf);
  return names.length < 2 ? names : [...new Set(names)];
}

function groupNameOf(tag: string): string {
  const before = groupNames.get(tag);
  if (before !== undefined) return before;
  const name = toToolName(tag);
  if (groupNames.size >= MAX_GROUP_NAMES) groupNames.clear();
  groupNames.set(tag, name);
  return name;
}

/**
 * The fully-qualified names of an operation, one per group: `platform.users.list`, `platform.admin.list`; without tags
 * `platform.list`. Neither other domains nor the exposure change them. The first one is logged.
 */
export function qualifiedNamesOf(place: OperationPlace): readonly [string, ...string[]] {
  const [first, ...others] = groupNamesOf(place).map((group) => `${place.domain}.${group}.${place.action}`);
  return [first ?? `${place.domain}.${place.action}`, ...others];
}

/** Cuts a name to `maxLength`, with a six-character hash of the whole name, so that two long names stay different. */
export function fitName(name: string, maxLength: number = MAX_TOOL_NAME): string {
  return name.length <= maxLength ? name : hashName(name, name, maxLength);
}

/** A name followed by a hash of `text`. */
export function hashName(name: string, text: string, maxLength: number): string {
  const hash = shortHash(text);
  const room = Math.max(1, maxLength - hash.length - 1);
  const words = name.slice(0, room);
  const boundary = words.lastIndexOf('_');
  const isWordCut = name.length > room && name[room] !== '_' && boundary > room * 0.6;
  return `${trimEnd(isWordCut ? words.slice(0, boundary) : words, '_')}_${hash}`;
}

/**
 * A wire name as an argument key: `filter[name]` → `filter_name`, `$top` → `top`, `ids[]` → `ids`, `X-Request-Id` →
 * `X_Request_Id`. A valid name stays unchanged.
 */
export function toArgumentKey(name: string, fallback: string): string {
  if (ARGUMENT_KEY.test(name) && !UNSAFE_KEYS.has(name)) return name;
  const clean = trimEnd(trimStart(toAscii(name).replace(/[^A-Za-z0-9_]+/g, '_'), '_'), '_');
  const key = clean === '' ? fallback : /^[0-9]/.test(clean) ? `_${clean}` : clean;
  return fitName(UNSAFE_KEYS.has(key) ? `${key}_` : key, MAX_ARGUMENT_KEY);
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 6);
}

/** Removes accents; characters without a Latin base letter become separators later. */
function toAscii(text: string): string {
  const short = text.length > MAX_INPUT ? `${text.slice(0, MAX_INPUT)}_${shortHash(text)}` : text;
  return /^[\x20-\x7e]*$/.test(short) ? short : short.normalize('NFKD').replace(/\p{M}+/gu, '');
}

/** Arguments that are meant for the gateway itself (orchestration/controls.ts). */
export function isControlName(name: string): boolean {
  return /^(?:landbridge_)?(?:fields|dry_run|confirmation_token)$/.test(name);
}
