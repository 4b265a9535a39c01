// Serves MCP on stdin and stdout of this process; nothing else is written to stdout. Ends when stdin does.
import type { Protocol } from '../../protocol/mcp-protocol.ts';
import { CHECK_MS, FLUSH_MS, within } from '../closing.ts';
import type { TransportLoad } from '../in-flight.ts';
import { Conversation, type LineLimits } from './conversation.ts';

/** MCP on stdin and stdout of this process. */
export interface StdioServer {
  /** Resolves when stdin has ended and everything is answered. */
  readonly finished: Promise<void>;
  readonly load: TransportLoad;
  close(graceMs: number): Promise<void>;
}

export interface StdioOptions extends LineLimits {
  /** Called when the grace time of `close()` is over: calls in progress must be answered now. */
  readonly giveUp?: (() => void) | undefined;
}

/**
 * Serves MCP on stdin and stdout. Nothing else may be written to stdout.
 *
 * ```ts
 * const serveStdio = () => startStdio(gateway.protocol, { maxLineBytes: 1024 * 1024, maxConcurrent: 64 });
 * ```
 */
export function startStdio(
  protocol: Protocol,
  { giveUp, ...limits }: StdioOptions,
  stdin = process.stdin,
  stdout = process.stdout,
): StdioServer {
  const conversation = new Conversation({
    protocol,
    transport: 'stdio',
    principal: { id: 'local' },
    input: stdin,
    output: stdout,
    limits,
  });
  return {
    finished: conversation.finished,
    get load() {
      return { connections: stdin.destroyed ? 0 : 1, underWay: conversation.active };
    },
    async close(graceMs) {
      // Lines that were sent are answered. A client that keeps sending can do so only until the grace time ends.
      conversation.stopAsking();
      let checking: NodeJS.Timeout | undefined;
      const quiet = new Promise<void>((resolve) => {
        checking = setInterval(() => conversation.isQuiet && resolve(), CHECK_MS);
      });
      const isOver = await within(graceMs, Promise.race([conversation.finished, quiet]));
      clearInterval(checking);
      if (!isOver) giveUp?.();
      await within(FLUSH_MS, conversation.drain());
      stdin.destroy();
      conversation.abandon();
    },
  };
}
