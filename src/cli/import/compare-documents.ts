// Compares two versions of a document as models see them: operations that were added, removed, moved or changed.
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../endpoint/is-object.ts';
import type { Endpoint } from '../../endpoint/model.ts';
import { own } from '../../endpoint/untrusted.ts';

/** One operation, as a report names it. */
export interface ReportedOperation {
  readonly tool: string;
  readonly operation: string;
  readonly effect: Endpoint['effect'];
}

export interface OperationChange extends ReportedOperation {
  readonly changes: readonly string[];
}

export interface DocumentChanges {
  readonly came: readonly ReportedOperation[];
  readonly went: readonly ReportedOperation[];
  readonly changed: readonly OperationChange[];
  /** The operations of the old version that are in the new one, by identity. */
  readonly successors: ReadonlyMap<Endpoint, Endpoint>;
}

/**
 * An operation is the same at the same method and path; else by its operationId, or by a path that differs in its variables.
 * `toolOf`: the tool an operation is served as.
 */
export function compareDocuments(
  before: readonly Endpoint[],
  after: readonly Endpoint[],
  toolOf: (endpoint: Endpoint) => string,
): DocumentChanges {
  const nameOf = (endpoint: Endpoint): ReportedOperation => ({
    tool: toolOf(endpoint),
    operation: labelOf(endpoint),
    effect: endpoint.effect,
  });
  const successors = new Map<Endpoint, Endpoint>();
  const identities: ((endpoint: Endpoint) => string | undefined)[] = [
    labelOf,
    ({ source, method }) => source.operationId && `${method} ${source.operationId}`,
    ({ method, path }) => `${method} ${path.replace(/\{[^{}]*\}/g, '{}')}`,
    ({ source }) => source.operationId,
  ];
  let open = after;
  for (const identify of identities) {
    const byIdentity = new Map<string | undefined, Endpoint>();
    for (const endpoint of open) if (!byIdentity.has(identify(endpoint))) byIdentity.set(identify(endpoint), endpoint);
    for (const endpoint of before) {
      const identity = identify(endpoint);
      const successor = identity === undefined || successors.has(endpoint) ? undefined : byIdentity.get(identity);
      if (successor === undefined) continue;
      successors.set(endpoint, successor);
      byIdentity.delete(identity);
    }
    const successorSet = new Set(successors.values());
    open = after.filter((endpoint) => !successorSet.has(endpoint));
  }
  const differences = [...successors].flatMap(([old, now]): OperationChange[] => {
    const changes = changesOf(old, now, toolOf);
    return changes.length === 0 ? [] : [{ ...nameOf(now), changes }];
  });
  return {
    came: open.map(nameOf),
    went: before.filter((endpoint) => !successors.has(endpoint)).map(nameOf),
    changed: differences,
    successors,
  };
}

export function labelOf({ method, path }: Pick<Endpoint, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

function changesOf(old: Endpoint, now: Endpoint, toolOf: (endpoint: Endpoint) => string): string[] {
  const changes: string[] = [];
  const addChange = (what: string, before: string, after: string) => {
    if (before !== after) changes.push(`${what}${before} → ${after}`);
  };
  addChange('moved: ', labelOf(old), labelOf(now));
  addChange('renamed: ', toolOf(old), toolOf(now));
  addChange('effect ', old.effect, now.effect);
  changes.push(...argumentChanges(old, now));
  if (old.deprecated !== now.deprecated) changes.push(now.deprecated ? 'now deprecated' : 'no longer deprecated');
  addChange('credentials ', credentialsOf(old), credentialsOf(now));
  if (old.summary !== now.summary || old.description !== now.description) changes.push('description changed');
  return changes;
}

function argumentChanges(old: Endpoint, now: Endpoint): string[] {
  const [before, after] = [argumentsOf(old), argumentsOf(now)];
  const changes: string[] = [];
  for (const [key, { required }] of after)
    if (!before.has(key)) changes.push(`argument ${key} added${required ? ' (required)' : ''}`);
  for (const [key, arg] of before) {
    const next = after.get(key);
    if (next === undefined) changes.push(`argument ${key} removed`);
    else if (arg.required !== next.required)
      changes.push(`argument ${key} is now ${next.required ? 'required' : 'optional'}`);
  }
  const schemas = [own(old.inputSchema, 'properties'), own(now.inputSchema, 'properties')] as const;
  for (const key of before.keys()) {
    const [was, is] = [own(schemas[0], key), own(schemas[1], key)];
    if (!after.has(key) || isDeepStrictEqual(was, is)) continue;
    const [oldType, newType] = [typeOf(was), typeOf(is)];
    changes.push(oldType === newType ? `argument ${key} changed` : `argument ${key} ${oldType} → ${newType}`);
  }
  // Changes inside $defs do not show in the arguments themselves.
  const details = [old, now].map(({ inputSchema }) => ({ ...(inputSchema as object), properties: 0, required: 0 }));
  if (changes.length === 0 && !isDeepStrictEqual(details[0], details[1])) changes.push('details of arguments changed');
  return changes;
}

function argumentsOf({ args }: Endpoint) {
  return new Map(args.filter(({ readOnly }) => readOnly !== true).map((arg) => [arg.key, arg]));
}

function typeOf(schema: unknown): string {
  const type = isObject(schema) ? schema.type : undefined;
  return type === undefined ? 'any value' : [type].flat().join(' or ');
}

function credentialsOf({ security }: Endpoint): string {
  const sets = security.map((set) => set.map(({ name }) => name).join(' and ') || 'none');
  return sets.join(' or ') || 'none';
}
