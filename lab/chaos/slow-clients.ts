// Clients that take their time: heads and bodies that come byte by byte, and readers that read nothing.
import { connect, type Socket } from 'node:net';

const DRIP_MS = 400;

export interface SlowClients {
  /** How many connections are still there, and how many were ended by the other side; of those to one of these ports, and of one manner. */
  count(ports?: readonly number[], manner?: Manner): { open: number; ended: number };
  close(): void;
}

export type Manner = 'a head that never ends' | 'a body that never ends' | 'a reader that reads nothing';

/** What it does now, and again and again. */
type Act = (socket: Socket, port: number) => NodeJS.Timeout | undefined;

const BODY = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'shop_large', arguments: {} },
});

const head = (port: number, length: number) =>
  `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n` +
  `Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-06-18\r\nContent-Length: ${length}\r\n\r\n`;

function drip(socket: Socket, text: () => string): NodeJS.Timeout {
  return setInterval(() => {
    if (socket.writable) socket.write(text());
  }, DRIP_MS);
}

const ACTS: Readonly<Record<Manner, Act>> = {
  'a head that never ends': (socket, port) => {
    socket.write(`POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`);
    let at = 0;
    return drip(socket, () => `X-Slow-${at++}: 1\r\n`);
  },
  // A byte comes now and then.
  'a body that never ends': (socket, port) => {
    socket.write(head(port, 100_000));
    return drip(socket, () => ' ');
  },
  // It has asked for much.
  'a reader that reads nothing': (socket, port) => {
    socket.write(head(port, BODY.length) + BODY);
    socket.pause();
    return undefined;
  },
};
const MANNERS = Object.keys(ACTS) as readonly Manner[];

/** In turn by manner and by port. */
export async function openSlowClients(count: number, ports: readonly number[]): Promise<SlowClients> {
  const clients: { readonly socket: Socket; readonly port: number; readonly manner: Manner; isEnded: boolean }[] = [];
  const timers: NodeJS.Timeout[] = [];
  for (let at = 0; at < count; at++) {
    const port = ports[Math.floor(at / MANNERS.length) % ports.length]!;
    const manner = MANNERS[at % MANNERS.length]!;
    const socket = connect({ port, host: '127.0.0.1' });
    const client = { socket, port, manner, isEnded: false };
    clients.push(client);
    socket.on('error', () => {});
    socket.once('close', () => {
      client.isEnded = true;
    });
    socket.once('connect', () => {
      const timer = ACTS[manner](socket, port);
      if (timer !== undefined) timers.push(timer);
      // A reader that reads nothing stays paused.
      if (timer !== undefined) socket.resume();
    });
    // Not all in the same turn of the loop: the load goes on beside them.
    if (at % 50 === 49) await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return {
    count(only, manner) {
      const some = clients.filter((one) => (only?.includes(one.port) ?? true) && (manner ?? one.manner) === one.manner);
      const ended = some.filter(({ isEnded }) => isEnded).length;
      return { open: some.length - ended, ended };
    },
    close() {
      for (const timer of timers) clearInterval(timer);
      for (const { socket } of clients) socket.destroy();
    },
  };
}
