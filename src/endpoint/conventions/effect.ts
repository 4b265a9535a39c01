// What an operation does to data, as far as its method and its names tell. A domain file may say otherwise; a document
// may only be stricter.
import type { Effect } from '../model.ts';
import { toSnakeCase } from '../names.ts';

export const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY', 'TRACE']);
export const IDEMPOTENT: ReadonlySet<string> = new Set([...READS, 'PUT', 'DELETE']);

const DELETIONS = /^(?:delete|remove|destroy|purge|erase|wipe|drop|revoke|terminate)$/;
/** What has none of these letters, and no accents to take off, names no deletion: most names need no closer look. */
const MAYBE_DELETION = /delete|remove|destroy|purge|erase|wipe|drop|revoke|terminate|[^\x00-\x7f]/i;
/** Verbs that make a deletion after them the object of something else: `get_delete_request`, `cancel_removal`. */
const OTHER_VERBS =
  /^(?:un|undo|get|list|read|find|fetch|search|query|count|check|is|has|can|preview|validate|test|create|add|update|set|edit|save|replace|restore|cancel|approve|reject)$/;

export interface NamedOperation {
  readonly method: string;
  readonly path: string;
  /** operationId or action. */
  readonly name?: string | undefined;
  readonly summary?: string | undefined;
}

/** An effect, and what says so. */
export interface Baseline {
  readonly effect: Effect;
  readonly from: string;
}

/**
 * DELETE destroys, and so does whatever is named for deletion by its name (`users/delete-user`, `purge_queue`), by the last
 * literal segment of its path (`/users/{id}/delete`, `/users/{id}:purge`) or by the verb its summary begins with.
 */
export function effectOf(operation: NamedOperation): Baseline {
  const { method } = operation;
  if (method === 'DELETE') return { effect: 'destructive', from: 'the HTTP method' };
  const from = deletionIn(operation);
  if (from !== undefined) return { effect: 'destructive', from };
  return { effect: READS.has(method) ? 'read' : 'write', from: 'the HTTP method' };
}

function deletionIn({ path, name = '', summary = '' }: NamedOperation): string | undefined {
  if (isDeletion(name)) return 'its name';
  const segments = path.split(/[?#]/, 1)[0]!.split('/');
  const last = segments.findLast((segment) => segment !== '' && !/^\{[^{}]*\}$/.test(segment)) ?? '';
  if (isDeletion(last.replaceAll(/\{[^{}]*\}/g, ' '))) return 'its path';
  if (!MAYBE_DELETION.test(summary)) return undefined;
  const [first = '', second = ''] = toSnakeCase(summary.slice(0, 100)).split('_');
  const verb = /^(?:bulk|batch|mass|permanently|hard|soft|force)$/.test(first) ? second : first;
  return DELETIONS.test(verb.replace(/s$/, '')) ? 'its summary' : undefined;
}

/** Whether the first verb of a name, the resource often stands before it, is one of deletion. */
function isDeletion(name: string): boolean {
  if (!MAYBE_DELETION.test(name)) return false;
  const verb = toSnakeCase(name)
    .split('_')
    .find((word) => DELETIONS.test(word) || OTHER_VERBS.test(word));
  return verb !== undefined && DELETIONS.test(verb);
}
