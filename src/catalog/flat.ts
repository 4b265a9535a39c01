// One tool per operation: what the client sees is what the API has.
import type { Group } from '../model/group.ts';
import type { Tool } from '../model/tool.ts';
import type { ToolEntry } from './tool-entry.ts';
import { toEntry } from './tool-entry.ts';
import type { Tree } from './tree.ts';

/** Every operation of these groups as a tool of its own, in tree order, once each. */
export function buildFlat(
  tree: Tree,
  groups: readonly Group[],
  keep: (tool: Tool) => boolean = () => true,
): ToolEntry[] {
  return groups.flatMap((group) =>
    group
      .allTools()
      .filter(keep)
      .map((tool) => {
        const operation = tree.operations.get(tool)!;
        return toEntry(tool, operation.run, operation.endpoint.domain, [operation]);
      }),
  );
}
