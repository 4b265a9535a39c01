// What an operation does to data, from its method, its name, its path and its summary; stricter where these disagree. A
// domain file may say otherwise; a document may only be stricter.
import type { Effect } from '../model.ts';
import {
  beginsWithRead,
  firstVerb,
  isDeletionSegment,
  isOnlyQuery,
  meaningOf,
  mentionsDeletion,
  namesChange,
  namesDeletion,
  namesEnding,
  namesRead,
  namesUpdate,
  toWords,
} from './effect-words.ts';

export const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY', 'TRACE']);
export const IDEMPOTENT: ReadonlySet<string> = new Set([...READS, 'PUT', 'DELETE']);

export interface NamedOperation {
  readonly method: string;
  readonly path: string;
  /** operationId or action. */
  readonly name?: string | undefined;
  /** The summary; where there is none, the description. */
  readonly summary?: string | undefined;
  /** Whether its body takes a statement (SQL, GraphQL, a script): asked of a query by POST. Unsaid: it may. */
  readonly takesStatement?: (() => boolean) | undefined;
}

/** An effect, and what says so. */
export interface Baseline {
  readonly effect: Effect;
  /** `the HTTP method`, or `POST, but named delete_points`. */
  readonly from: string;
}

const METHOD = 'the HTTP method';

/** The words of an operation, each read once. */
interface Reading {
  readonly operation: NamedOperation;
  readonly name: readonly string[];
  /** The last literal segment of the path, the action behind its colon or target (`/#Action=DeleteVolume`). */
  readonly segment: readonly string[];
  readonly verb: string;
  readonly mayChange: boolean;
}

/**
 * DELETE destroys, and so does whatever is named for it by its name (`users/delete-user`, `purge_queue`), by its path
 * (`/users/{id}/delete`, `/users/{id}:purge`) or by the verb its summary begins with. A GET that is named for a change writes.
 * A POST reads only where name, path and summary all say so.
 */
export function effectOf(operation: NamedOperation): Baseline {
  const { method, path, name = '', summary = '' } = operation;
  if (method === 'DELETE') return { effect: 'destructive', from: METHOD };
  const mayChange = !READS.has(method);
  const reading: Reading = {
    operation,
    name: toWords(name),
    segment: toWords(lastSegment(path)),
    verb: firstVerb(summary),
    mayChange,
  };
  const deletion = deletionIn(reading);
  if (deletion !== undefined) return { effect: 'destructive', from: `${method}, but ${deletion}` };
  if (!mayChange) {
    // A path that is one address for every action (AWS: `/#Action=RunInstances`) says nothing by its method.
    const isAction = ACTION.test(path) && reading.segment.length > 0;
    const changes = isAction
      ? !beginsWithRead(reading.segment)
      : namesChange(reading.name) && meaningOf(reading.verb) !== 'reads';
    return changes
      ? { effect: 'write', from: `${method}, but named ${name || path}` }
      : { effect: 'read', from: METHOD };
  }
  const read = method === 'POST' && readIn(reading);
  return read ? { effect: 'read', from: `POST, but ${read}` } : { effect: 'write', from: METHOD };
}

/** Whether a write replaces what is there: an update by its method, by the one thing its path ends with, or by its name. */
export function overwrites({ method, path, action }: { method: string; path: string; action: string }): boolean {
  if (method === 'PUT' || method === 'PATCH') return true;
  return (
    method === 'POST' &&
    (/\}\/?$/.test(path) || namesUpdate(toWords(action)) || namesUpdate(toWords(lastSegment(path))))
  );
}

function deletionIn(reading: Reading): string | undefined {
  const { operation, name, segment, verb, mayChange } = reading;
  const meaning = meaningOf(verb);
  // A GET reads by nature: that it is said to read outweighs a word in its name.
  const isSaidToRead = !mayChange && (meaning === 'reads' || beginsWithRead(name));
  if (isSaidToRead) return undefined;
  const isEndingPath = namesEnding(segment) && !(segment.includes('reset') && /password/i.test(operation.path));
  const signs = [
    (namesDeletion(name, mayChange) || namesEnding(name)) && `named ${operation.name}`,
    (isDeletionPath(reading) || isEndingPath) && `its path is ${operation.path}`,
    (meaning === 'deletes' || meaning === 'ends') && `its summary says "${verb}"`,
  ].filter((sign): sign is string => sign !== false);
  const isSure = namesDeletion(name, mayChange) || isDeletionPath(reading) || meaning === 'deletes';
  // Words that are no verbs elsewhere take two who say so where the method is a read's.
  return isSure || mayChange || signs.length > 1 ? signs[0] : undefined;
}

/** `/users/{id}/delete`, `/_delete_by_query`, `/delete/users/{id}`; where the name says what else is done, the bare verb only. */
function isDeletionPath({ operation: { path }, name, segment, mayChange }: Reading): boolean {
  if (isDeletionSegment(segment)) return true;
  // `create_remove_token` at `/remove-token`
  const isOther = beginsWithRead(name) || (mentionsDeletion(name) && !namesDeletion(name, mayChange));
  if (!isOther && namesDeletion(segment, mayChange)) return true;
  return (
    mayChange &&
    !isOther &&
    MAYBE_DELETION.test(path) &&
    !namesRead(segment) &&
    path.split('/').some((part) => isDeletionSegment(toWords(part)))
  );
}

/** In what words a POST is a read. */
function readIn({ operation, name, segment, verb }: Reading): string | undefined {
  if (!namesRead(segment) || (name.length > 0 && !namesRead(name))) return undefined;
  if (isOnlyQuery([...segment, ...name]) && operation.takesStatement?.() !== false) return undefined;
  const meaning = meaningOf(verb);
  if (meaning !== 'reads' && (verb !== '' || name.length === 0)) return undefined;
  return name.length > 0 ? `named ${operation.name} at ${operation.path}` : `its path is ${operation.path}`;
}

/** What has none of these letters has no segment for deletion: most paths need no closer look. */
const MAYBE_DELETION =
  /del|destroy|purge|erase|wipe|remove|rm|revoke|terminate|truncate|uninstall|deprov|decom|regis|expunge|eradic|oblit|deauth/i;

const ACTION = /#[^#/]*[=.]([A-Za-z]+)$/;

function lastSegment(path: string): string {
  const target = ACTION.exec(path);
  if (target !== null) return target[1]!;
  const segments = path.split(/[?#]/, 1)[0]!.split('/');
  const last = segments.findLast((segment) => segment !== '' && !/^\{[^{}]*\}$/.test(segment)) ?? '';
  // `/users/{id}:purge`, `/chat.delete`
  return last.slice(last.lastIndexOf(':') + 1).replaceAll(/\{[^{}]*\}/g, ' ');
}
