// What an operation does to data, derived from its method, name, path and summary. If these disagree, the strictest one is used. A domain
// file may override it; a document can only make it stricter.
import type { Effect } from '../model.ts';
import { once } from '../untrusted.ts';
import {
  beginsWithRead,
  describesChange,
  describesOnlyRead,
  irreversibleIn,
  isActionSegment,
  isDeletionSegment,
  isDeletionThing,
  isOnlyQuery,
  meaningOf,
  mentionsAction,
  mentionsDeletion,
  mentionsRead,
  nameMayDelete,
  namesChange,
  namesDeletion,
  namesEnding,
  namesRead,
  namesUpdate,
  pathMayDelete,
  sentenceMayDelete,
  toWords,
  verbOf,
} from './effect-words.ts';

export const READ_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY', 'TRACE']);
export const IDEMPOTENT_METHODS: ReadonlySet<string> = new Set([...READ_METHODS, 'PUT', 'DELETE']);

export interface NamedOperation {
  readonly method: string;
  readonly path: string;
  /** operationId or action. */
  readonly name?: string | undefined;
  /** The summary, or the description if there is none. */
  readonly summary?: string | undefined;
  /** Only read for a POST that seems to read. */
  readonly description?: string | undefined;
  /** Whether its body may contain a statement (SQL, GraphQL, a script), which matters for a query by POST. Undefined: it may. */
  readonly takesStatement?: (() => boolean) | undefined;
}

/** An effect, and what it was derived from. */
export interface DerivedEffect {
  readonly effect: Effect;
  /** `the HTTP method`, or `POST, but named delete_points`. */
  readonly from: string;
}

const METHOD = 'the HTTP method';

/** The words of an operation, each read once. */
interface Reading {
  readonly operation: NamedOperation;
  readonly name: readonly string[];
  /** The last literal segment of the path, or the action after its colon or in its target (`/#Action=DeleteVolume`). */
  readonly segment: readonly string[];
  /** The last literal segment as a whole. */
  readonly end: readonly string[];
  /** The first verb of the summary. */
  readonly verb: () => string;
  readonly mayChange: boolean;
}

/**
 * DELETE destroys. So does every operation whose name (`users/delete-user`, `purge_queue`), path (`/users/{id}/delete`,
 * `/users/{id}:purge`) or first verb of the summary means a deletion: one of them is enough. A GET that is named for a change writes. A
 * POST counts as a read only if name, path and summary all mean a read.
 */
export function effectOf(operation: NamedOperation): DerivedEffect {
  const { method, path, name = '', summary = '' } = operation;
  if (method === 'DELETE') return { effect: 'destructive', from: METHOD };
  const mayChange = !READ_METHODS.has(method);
  const last = lastSegment(path);
  const action = actionIn(path, last);
  const end = toWords(last);
  const reading: Reading = {
    operation,
    name: toWords(name),
    segment: action === last ? end : toWords(action),
    end,
    verb: once(() => verbOf(summary, mayChange)),
    mayChange,
  };
  const deletion = deletionIn(reading);
  if (deletion !== undefined) return { effect: 'destructive', from: `${method}, but ${deletion}` };
  if (!mayChange) {
    // If one address serves every action (AWS: `/#Action=RunInstances`), the method does not show the effect.
    const isAction = ACTION.test(path) && reading.segment.length > 0;
    const changes = isAction
      ? !beginsWithRead(reading.segment)
      : (namesChange(reading.name) || isNamedAsAction(reading)) && meaningOf(reading.verb()) !== 'reads';
    return changes
      ? { effect: 'write', from: `${method}, but named ${name || path}` }
      : { effect: 'read', from: METHOD };
  }
  const reason = method === 'POST' && readIn(reading);
  return reason ? { effect: 'read', from: `POST, but ${reason}` } : { effect: 'write', from: METHOD };
}

/** `GET /logout`, `GET /system/restart`. A name that starts with `get` is no evidence of a read: it may come from the method. */
function isNamedAsAction({ name, end }: Reading): boolean {
  return isActionSegment(end) && (!beginsWithRead(name) || name[0] === 'get');
}

/** Why a GET may do more than read. Stricter than `effectOf`, which decides about guards. */
export function doubtRead({ path, name = '', summary = '' }: NamedOperation): string | undefined {
  const segment = path
    .split(/[/?#:.]/)
    .find((part) => !part.includes('{') && part !== '' && mentionsAction(toWords(part)));
  if (segment !== undefined && !(beginsWithRead(toWords(name)) && !isActionSegment(toWords(segment))))
    return `its path says "${segment}"`;
  if (mentionsAction(toWords(name))) return `it is named ${name}`;
  const verb = verbOf(summary, false);
  const meaning = meaningOf(verb);
  return meaning === undefined || meaning === 'reads' ? undefined : `its summary says "${verb}"`;
}

/** Whether a write replaces existing data, judged by its method, by the one thing its path ends with, or by its name. */
export function overwrites({ method, path, action }: { method: string; path: string; action: string }): boolean {
  if (method === 'PUT' || method === 'PATCH') return true;
  return (
    method === 'POST' &&
    (/\}\/?$/.test(path) || namesUpdate(toWords(action)) || namesUpdate(toWords(actionIn(path, lastSegment(path)))))
  );
}

function deletionIn(reading: Reading): string | undefined {
  const { operation, name, segment, mayChange } = reading;
  if (!mayDelete(operation)) return mayChange ? irreversibly(operation) : undefined;
  const verb = reading.verb();
  const meaning = meaningOf(verb);
  const byName = `named ${operation.name}`;
  const byPath = `its path is ${operation.path}`;
  const bySummary = `its summary says "${verb}"`;
  if (namesDeletion(name, mayChange) || isMethodAndDeletion(reading)) return byName;
  if (isDeletionPath(reading)) return byPath;
  if (meaning === 'deletes') return bySummary;
  // A GET usually reads. A name or summary of a read outweighs one word for an ending; without such a name or summary, two are needed.
  if (!mayChange && (meaning === 'reads' || beginsWithRead(name))) return undefined;
  const isEndingPath = namesEnding(segment) && !(segment.includes('reset') && /password/i.test(operation.path));
  const signs = [namesEnding(name) && byName, isEndingPath && byPath, meaning === 'ends' && bySummary].filter(
    (sign): sign is string => sign !== false,
  );
  if (!mayChange) return signs.length > 1 ? signs[0] : undefined;
  return signs[0] ?? irreversibly(operation);
}

function mayDelete({ name = '', path, summary = '' }: NamedOperation): boolean {
  return nameMayDelete(name) || pathMayDelete(path) || sentenceMayDelete(summary);
}

function irreversibly({ summary = '', description = '' }: NamedOperation): string | undefined {
  const inSummary = irreversibleIn(summary);
  if (inSummary !== undefined) return `its summary says "${inSummary}"`;
  const inDescription = irreversibleIn(description);
  return inDescription && `its description says "${inDescription}"`;
}

/** `getDeleteUsersId` of `GET /delete/users/{id}`: the first word is the method's. */
function isMethodAndDeletion({ operation: { method, path }, name, verb }: Reading): boolean {
  if (name[0] !== method.toLowerCase() || meaningOf(verb()) === 'reads') return false;
  return hasDeletionSegment(path) && namesDeletion(name.slice(1), false);
}

/** `/users/{id}/delete`, `/_delete_by_query`, `/delete/users/{id}`. */
function isDeletionPath(reading: Reading): boolean {
  const { operation, name, segment, end, verb, mayChange } = reading;
  if (isDeletionSegment(segment) || isDeletionSegment(end)) return true;
  const isAboutDeletion = mentionsDeletion(name) && !namesDeletion(name, mayChange);
  // `create_remove_token` at `/remove-token`. A leading `get` is no evidence: it may come from the method.
  const isAbout = mayChange
    ? isAboutDeletion
    : meaningOf(verb()) === 'reads' || (beginsWithRead(name) && name[0] !== 'get');
  const isThing = isAbout && isDeletionThing(end);
  if (!isThing && (namesDeletion(segment, mayChange) || namesDeletion(end, mayChange))) return true;
  const isOther = beginsWithRead(name) || isAboutDeletion;
  return mayChange && !isOther && !mentionsRead(segment) && hasDeletionSegment(operation.path);
}

function hasDeletionSegment(path: string): boolean {
  return pathMayDelete(path) && path.split('/').some((part) => isDeletionSegment(toWords(part)));
}

/** Why a POST counts as a read. This must be certain, because reads are allowed in read-only gateways. */
function readIn({ operation, name, segment }: Reading): string | undefined {
  const { summary = '', description = '' } = operation;
  if (!namesRead(segment) || (name.length > 0 && !mentionsRead(name))) return undefined;
  // `files/list_folder`: the action follows the resource.
  const last = operation.name?.split(/[/.:]/).at(-1) ?? '';
  const isNamed = name.length === 0 || namesRead(name) || namesRead(toWords(last));
  if (!isNamed && segment.length > 1) return undefined;
  if (isOnlyQuery([...segment, ...name]) && operation.takesStatement?.() !== false) return undefined;
  if (!describesOnlyRead(summary) || describesChange(description)) return undefined;
  return name.length > 0 ? `named ${operation.name} at ${operation.path}` : `its path is ${operation.path}`;
}

const ACTION = /#[^#/]*[=.]([A-Za-z]+)$/;

function actionIn(path: string, last: string): string {
  const target = ACTION.exec(path);
  if (target !== null) return target[1]!;
  // `/users/{id}:purge`, `/chat.delete`
  return last.slice(last.lastIndexOf(':') + 1);
}

function lastSegment(path: string): string {
  const segments = path.split(/[?#]/, 1)[0]!.split('/');
  const last = segments.findLast((segment) => segment !== '' && !/^\{[^{}]*\}$/.test(segment)) ?? '';
  return last.replaceAll(/\{[^{}]*\}/g, ' ');
}
