// What an operation may be called by, exactly: its names, its operationId, its method and path. In lower case.
import { rememberByObject } from '../../schema/memoize.ts';
import type { CatalogOperation } from '../tree.ts';

export type OperationKeys = ReadonlyMap<string, CatalogOperation>;

/** More of a name is never looked at. */
const MAX_KEY = 400;

/** Made once for a list of operations. */
export const indexKeys: (operations: readonly CatalogOperation[]) => OperationKeys = rememberByObject(buildKeys);

/** Public names first: an id or operationId never hides another operation's name. */
function buildKeys(operations: readonly CatalogOperation[]): OperationKeys {
  const keys = new Map<string, CatalogOperation>();
  const add = (key: string | undefined, operation: CatalogOperation) => {
    const lower = key?.toLowerCase();
    if (lower !== undefined && !keys.has(lower)) keys.set(lower, operation);
  };
  for (const operation of operations) add(operation.name, operation);
  for (const operation of operations) {
    const { id, toolName, source, method, path } = operation.endpoint;
    for (const key of [toolName, id, source.operationId, `${method} ${path}`, ...operation.qualifiedNames])
      add(key, operation);
  }
  return keys;
}

export function findByKey(keys: OperationKeys, text: string): CatalogOperation | undefined {
  return keys.get(text.slice(0, MAX_KEY).trim().toLowerCase());
}
