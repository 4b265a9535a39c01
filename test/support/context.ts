// An ExecutionContext for tests of the layers below the adapter: everything has a value, each can be replaced.
import { ExecutionContext, type OperationFacts, type RequestFacts } from '../../src/call/execution-context.ts';

export const FACTS: RequestFacts = {
  requestId: 'r1',
  method: 'tools/call',
  principal: { id: 'local' },
  transport: 'stdio',
  signal: new AbortController().signal,
  client: { era: 'modern', takesRounds: true, version: '2026-07-28', capabilities: {} },
};

export interface ContextChanges extends Partial<RequestFacts>, Partial<OperationFacts> {
  readonly tool?: string;
}

export function contextOf({ tool = 'pets_get', controls, ...facts }: ContextChanges = {}): ExecutionContext {
  const bound = ExecutionContext.fromRequest({ ...FACTS, ...facts }).withToolCall(tool);
  return controls ? bound.withOperation({ operation: tool, argumentsDigest: 'digest', controls }) : bound;
}
