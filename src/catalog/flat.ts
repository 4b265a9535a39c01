// One tool per operation: what the client sees is what the API has.
import { createEntry, type ToolEntry } from './tool-entry.ts';
import type { CatalogOperation } from './tree.ts';

export function buildFlat(operations: readonly CatalogOperation[]): ToolEntry[] {
  return operations.map((operation) =>
    createEntry(operation.tool, operation.run, operation.endpoint.domain, [operation]),
  );
}
