// Which operation a tools/call is about, whichever way it is called: as a tool of its own, as an action of a grouped one, through
// call_operation, or by a name that is no tool.
import type { Args } from '../../endpoint/model.ts';
import type { Registry } from '../registry.ts';
import { findByKey, indexKeys } from '../search/operation-keys.ts';
import type { ToolEntry } from '../tool-entry.ts';
import type { CatalogOperation } from '../tree.ts';

export type FindCalled = (tool: string, args: Args) => CatalogOperation | undefined;

const finders = new WeakMap<Registry, FindCalled>();

/** Undefined: there is no such operation, or the call does not say which one it means. */
export function findCalledIn(registry: Registry): FindCalled {
  let finder = finders.get(registry);
  if (finder === undefined) {
    finder = createFindCalled(registry);
    finders.set(registry, finder);
  }
  return finder;
}

function createFindCalled({ tools, operations }: Registry): FindCalled {
  const picks = new WeakMap<ToolEntry, ReadonlyMap<string, CatalogOperation>>();
  const picksOf = (entry: ToolEntry): ReadonlyMap<string, CatalogOperation> => {
    let index = picks.get(entry);
    if (index === undefined) {
      index = indexPicks(entry);
      picks.set(entry, index);
    }
    return index;
  };
  return (tool, args) => {
    const entry = tools.get(tool);
    if (entry === undefined) return findByKey(indexKeys(operations), tool);
    if (entry.pickOf === undefined) return entry.operations[0] as CatalogOperation | undefined;
    const field = pickField(entry);
    const choice = field === undefined ? undefined : args[field];
    if (typeof choice !== 'string') return undefined;
    const operation = picksOf(entry).get(choice) ?? findByKey(indexKeys(operations), choice);
    return operation && entry.operations.includes(operation) ? operation : undefined;
  };
}

/** Every operation of a tool is picked by the same argument. */
function pickField({ pickOf, operations: [first] }: ToolEntry): string | undefined {
  return Object.keys((first && pickOf?.(first)) ?? {})[0];
}

function indexPicks({ pickOf, operations }: ToolEntry): ReadonlyMap<string, CatalogOperation> {
  return new Map(
    operations.flatMap((operation) => {
      const [choice] = Object.values(pickOf?.(operation) ?? {});
      return typeof choice === 'string' ? [[choice, operation as CatalogOperation] as const] : [];
    }),
  );
}
