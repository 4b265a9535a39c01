// Messages to a gateway without a transport, and what came back as values.
import type { Gateway } from '../../src/index.ts';
import { legacy, type Rpc } from '../support/mcp.ts';

/** A request of the era of the seeds: no envelope. */
export async function ask(gateway: Pick<Gateway, 'handle'>, method: string, params?: Record<string, unknown>) {
  const reply = await gateway.handle(legacy(1, method, params));
  return JSON.parse(reply?.body ?? 'null') as Rpc;
}

export function call(gateway: Pick<Gateway, 'handle'>, name: string, args: Record<string, unknown> = {}) {
  return ask(gateway, 'tools/call', { name, arguments: args });
}

export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly isError?: boolean;
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}

export async function callResult(gateway: Pick<Gateway, 'handle'>, name: string, args: Record<string, unknown> = {}) {
  const { result } = await call(gateway, name, args);
  return result as unknown as ToolResult;
}
