// Raw TCP with the framing of stdio: one conversation per socket, with limits on all of it.
import { createServer, type Socket } from 'node:net';
import { GatewayError } from '../../errors.ts';
import type { Protocol } from '../../protocol/handle.ts';
import { within } from '../in-flight.ts';
import { explainListenError } from '../listen.ts';
import { Conversation, type LineLimits } from './lines.ts';

/** Lines in a row that are no messages; whoever goes on does not speak our language. */
const MAX_SLIPS = 20;
/** What was answered a moment ago must still reach its client. */
const FLUSH_MS = 500;

export interface TcpOptions extends LineLimits {
  readonly host: string;
  readonly port: number;
  readonly maxConnections: number;
  readonly idleMs: number;
}

export interface TcpServer {
  readonly port: number;
  close(graceMs: number): Promise<void>;
}

export async function startTcp(protocol: Protocol, options: TcpOptions): Promise<TcpServer> {
  const open = new Map<Socket, Conversation>();
  const server = createServer({ allowHalfOpen: true, noDelay: true, keepAlive: true }, (socket) => {
    const conversation = new Conversation({
      protocol,
      transport: 'tcp',
      principal: { id: 'local' },
      input: socket,
      output: socket,
      limits: options,
      manners: { maxSlips: MAX_SLIPS, onStranger: () => socket.end(() => socket.destroy()) },
    });
    open.set(socket, conversation);
    void conversation.finished.then(() => socket.end());
    socket.setTimeout(options.idleMs);
    socket.on('timeout', () => {
      if (conversation.active === 0) socket.destroy();
    });
    socket.once('close', () => {
      open.delete(socket);
      conversation.abandon();
    });
  });
  server.maxConnections = options.maxConnections;
  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', (error) => reject(explainListenError(error, 'TCP', options.host, options.port)));
    server.listen(options.port, options.host, () => {
      const address = server.address();
      if (typeof address === 'object' && address) resolve(address.port);
      else reject(new GatewayError('CANNOT_LISTEN', `Cannot tell the port of ${options.host}:${options.port}.`));
    });
  });
  return {
    port,
    async close(graceMs) {
      const closed = new Promise((resolve) => server.close(resolve));
      const busy = [...open].map(async ([socket, conversation]) => {
        await within(graceMs, conversation.drain());
        // A peer that does not read cannot keep us from ending.
        await within(FLUSH_MS, new Promise<void>((resolve) => socket.end(resolve).once('close', resolve)));
        socket.destroy();
      });
      await Promise.all(busy);
      await closed;
    },
  };
}
