// Finds the actions of grouped tools by any name they may be called by: for calls that pick an action in the wrong tool, and for
// describe_operation.
import { closest } from '../../endpoint/suggest.ts';
import { inSteps } from '../../event-loop/turns.ts';
import { memoizeByObject } from '../../schema/memoize.ts';
import { findOperations } from '../search/find-operations.ts';
import { buildIndex } from '../search/search-index.ts';
import type { ToolEntry } from '../tool-entry.ts';
import type { CatalogOperation } from '../tree.ts';

export interface FoundAction {
  readonly tool: string;
  readonly action: string;
  readonly operation: CatalogOperation;
}

export interface ActionIndex {
  /** The actions with exactly this name: `tool.action`, an action, a public name, an operationId. */
  find(name: string): readonly FoundAction[];
  /** The action that was probably meant by a wrong action of `tool`. */
  guess(tool: string, choice: string): Promise<FoundAction | undefined>;
}

/** Longer names are cut before they are compared. */
const MAX_NAME = 400;

/** Built once per list of tools, in steps: there may be thousands of actions with ten names each. */
export const buildActionIndex: (entries: readonly ToolEntry[]) => Promise<ActionIndex> = memoizeByObject((entries) =>
  inSteps(indexActions(entries)),
);

/** A step is a tool, or a hundred of its actions. */
function* indexActions(entries: readonly ToolEntry[]): Generator<void, ActionIndex> {
  const actions: FoundAction[] = [];
  const byName = new Map<string, FoundAction[]>();
  for (const entry of entries) {
    for (const operation of entry.operations) {
      const one = toAction(entry, operation as CatalogOperation);
      if (actions.push(one) % 100 === 0) yield;
      for (const name of namesOf(one)) {
        const others = byName.get(name);
        if (others) others.push(one);
        else byName.set(name, [one]);
      }
    }
    yield;
  }
  const find = (name: string) => byName.get(fold(name.slice(0, MAX_NAME))) ?? [];
  const inTool = (tool: string, some: readonly FoundAction[]) => some.find((one) => one.tool === tool) ?? some[0];
  let searchIndex: ReturnType<typeof buildIndex> | undefined;
  return {
    find,
    async guess(tool, choice) {
      const exact = inTool(tool, find(choice));
      if (exact) return exact;
      const near = closest(fold(choice), withSameVerb(choice, byName.keys()));
      if (near !== undefined) return inTool(tool, byName.get(near)!);
      searchIndex ??= buildIndex([...new Set(actions.map(({ operation }) => operation))]);
      const [best] = await findOperations(await searchIndex, choice, 1);
      return (
        best &&
        inTool(
          tool,
          actions.filter(({ operation }) => operation === best),
        )
      );
    },
  };
}

/** Only names with the same first word, if there are any: `get_order` is not suggested for a mistyped `delete_order`. */
function withSameVerb(choice: string, names: Iterable<string>): readonly string[] {
  const all = [...names];
  const [verb] = fold(choice).split('_', 1);
  const alike = all.filter((name) => name.split('_', 1)[0] === verb);
  return alike.length > 0 ? alike : all;
}

function toAction({ tool, pickOf }: ToolEntry, operation: CatalogOperation): FoundAction {
  const [action] = Object.values(pickOf?.(operation) ?? {});
  return { tool: tool.name, action: String(action), operation };
}

function namesOf({ tool, action, operation }: FoundAction): ReadonlySet<string> {
  const { endpoint, name, qualifiedNames } = operation;
  const { id, toolName, source, method, path } = endpoint;
  const names = [
    action,
    `${tool}.${action}`,
    `${tool}/${action}`,
    name,
    endpoint.action,
    toolName,
    id,
    source.operationId,
  ];
  return new Set(
    [...names, `${method} ${path}`, ...qualifiedNames].flatMap((one) => (one === undefined ? [] : [fold(one)])),
  );
}

function fold(name: string): string {
  return name.trim().toLowerCase().replaceAll('-', '_');
}

/** How to call it, in words. */
export function describeActionCall({ tool, action }: FoundAction, discriminator = 'action'): string {
  return `${tool} with ${JSON.stringify({ [discriminator]: action })}`;
}
