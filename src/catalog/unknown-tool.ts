// The refusal of a call to a tool that does not exist, with what its caller probably meant.
import { suggestion } from '../endpoint/suggest.ts';
import { once } from '../endpoint/untrusted.ts';
import { GatewayError } from '../errors.ts';
import { inTurn } from '../executor/turns.ts';
import type { Operation } from '../orchestration/operation.ts';
import type { Registry } from './registry.ts';
import { findByKey, indexKeys } from './search/operation-keys.ts';
import type { ToolEntry } from './tool-entry.ts';

/** If the name is that of an operation without a tool of its own, the error says which tool calls it. */
export function createUnknownTool({ operations, tools }: Registry): (name: string) => Promise<GatewayError> {
  // Any caller may send any name, so the tables are built once; and only on demand, because most gateways never need them.
  const entries = once(() => indexOperations(tools.values()));
  const names = once(() => new Set([...tools.keys(), ...operations.map((one) => one.name)]));
  const advise = async (name: string): Promise<{ advice: string; call?: object }> => {
    // With five thousand operations each step takes 20 ms: the names are collected in one turn of the event loop, compared in
    // another.
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
    const question = await inTurn(() => suggestion(name, names()));
    return { advice: `${question} tools/list shows what there is.` };
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
