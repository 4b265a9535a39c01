// The refusal of a call to a tool that does not exist, with what its caller probably meant.
import { closest } from '../endpoint/suggest.ts';
import { GatewayError } from '../errors.ts';
import { inTurn } from '../executor/turns.ts';
import { once } from '../model/base.ts';
import type { Operation } from '../orchestration/operation.ts';
import type { Registry } from './registry.ts';
import { findByKey, indexKeys } from './search/operation-keys.ts';
import type { ToolEntry } from './tool-entry.ts';

/** Whoever calls an operation that is not a tool of its own is told by which tool it can be called. */
export function createUnknownTool({ operations, tools }: Registry): (name: string) => Promise<GatewayError> {
  // Any caller may ask for any name, so nothing is searched twice; and most gateways are never asked for a wrong one.
  const entries = once(() => indexOperations(tools.values()));
  const names = once(() => new Set([...tools.keys(), ...operations.map((one) => one.name)]));
  const advise = async (name: string): Promise<{ advice: string; call?: object }> => {
    // Of five thousand operations each takes 20 ms: the names are collected in one turn, the nearest looked for in another.
    const operation = await inTurn(() => findByKey(indexKeys(operations), name));
    const entry = operation && entries().get(operation);
    if (entry) {
      const pick = entry.pickOf?.(operation);
      const call = pick === undefined ? entry.tool.name : `${entry.tool.name} with ${JSON.stringify(pick)}`;
      return {
        advice: ` It is an operation: call ${call}.`,
        // The same for programs: what to call, and with which arguments beside those of the operation.
        call: { name: entry.tool.name, arguments: pick ?? {} },
      };
    }
    const near = await inTurn(() => closest(name, names()));
    return { advice: `${near ? ` Did you mean ${near}?` : ''} tools/list shows what there is.` };
  };
  return async (name) => {
    const tool = name.slice(0, 100);
    const { advice, ...details } = await advise(name);
    const message = `Unknown tool: ${tool}.${advice}`;
    return new GatewayError('UNKNOWN_TOOL', message, { failure_mode: 'unknown_tool', tool, ...details });
  };
}

/** The first tool each operation can be called by. */
function indexOperations(entries: Iterable<ToolEntry>): ReadonlyMap<Operation, ToolEntry> {
  const owners = new Map<Operation, ToolEntry>();
  for (const entry of entries)
    for (const operation of entry.operations) if (!owners.has(operation)) owners.set(operation, entry);
  return owners;
}
