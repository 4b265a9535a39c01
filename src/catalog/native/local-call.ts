// A call from within this process, without a real caller: supplies defaults for everything that is not known about it.
import { ExecutionContext, type RequestFacts } from '../../call/execution-context.ts';

const LOCAL: RequestFacts = Object.freeze({
  requestId: 'local',
  method: 'tools/call',
  principal: Object.freeze({ id: 'local' }),
  transport: 'local',
  signal: new AbortController().signal,
  client: Object.freeze({ era: 'modern', takesRounds: true, version: '2026-07-28', capabilities: Object.freeze({}) }),
});

/** The context of a call of `tool`: the given one if it is complete, otherwise a new one from what is known. */
export function toLocalContext<Data>(
  partial: ExecutionContext<Data> | Partial<RequestFacts<Data>>,
  tool: string,
): ExecutionContext<Data> {
  if (partial instanceof ExecutionContext) return partial.tool === undefined ? partial.withToolCall(tool) : partial;
  return ExecutionContext.fromRequest<Data>({ ...(LOCAL as RequestFacts<Data>), ...partial }).withToolCall(tool);
}
