// stdin and stdout of this process: nothing but protocol on stdout. Ends when stdin does.
import type { Protocol } from '../../protocol/handle.ts';
import { within } from '../in-flight.ts';
import { Conversation, type LineLimits } from './lines.ts';

export interface StdioServer {
  /** stdin ended and everything is answered. */
  readonly finished: Promise<void>;
  close(graceMs: number): Promise<void>;
}

export function startStdio(
  protocol: Protocol,
  limits: LineLimits,
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
    async close(graceMs) {
      // As if stdin had ended: whoever is still being served may finish, within the grace time.
      stdin.destroy();
      await within(graceMs, conversation.finished);
      conversation.abandon();
    },
  };
}
