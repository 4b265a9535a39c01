// A call from within this process, by nobody in particular: what is not known about a call is taken from here.
import { ExecutionContext, type RequestFacts } from '../../call/execution-context.ts';

const LOCAL: RequestFacts = Object.freeze({
  requestId: 'local',
  method: 'tools/call',
  principal: Object.freeze({ id: 'local' }),
  transport: 'local',
  signal: new AbortController().signal,
  client: Object.freeze({ era: 'modern', takesRounds: true, version: '2026-07-28', capabilities: Object.freeze({}) }),
});

/** The context of a call of `tool`: as it is where the caller has one, else made of whatever is known. */
export function toLocalContext<Data>(
  partial: ExecutionContext<Data> | Partial<RequestFacts<Data>>,
  tool: string,
): ExecutionContext<Data> {
  if (partial instanceof ExecutionContext) return partial.tool === undefined ? partial.withToolCall(tool) : partial;
  return ExecutionContext.fromRequest<Data>({ ...(LOCAL as RequestFacts<Data>), ...partial }).withToolCall(tool);
}
