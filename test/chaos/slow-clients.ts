// Clients that take their time: heads and bodies that come byte by byte, and readers that read nothing.
import { connect, type Socket } from 'node:net';

const DRIP_MS = 400;

export interface SlowClients {
  /** How many connections are still there, and how many were ended by the other side. */
  count(): { open: number; ended: number };
  close(): void;
}

type Manner = (socket: Socket, port: number) => NodeJS.Timeout | undefined;

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

const MANNERS: readonly Manner[] = [
  // A head that never ends.
  (socket, port) => {
    socket.write(`POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`);
    let at = 0;
    return drip(socket, () => `X-Slow-${at++}: 1\r\n`);
  },
  // A body of which a byte comes now and then.
  (socket, port) => {
    socket.write(head(port, 100_000));
    return drip(socket, () => ' ');
  },
  // Whoever asks for much, and reads nothing.
  (socket, port) => {
    socket.write(head(port, BODY.length) + BODY);
    socket.pause();
    return undefined;
  },
];

/** In turn by manner and by port. */
export async function openSlowClients(count: number, ports: readonly number[]): Promise<SlowClients> {
  const sockets: Socket[] = [];
  const timers: NodeJS.Timeout[] = [];
  let ended = 0;
  for (let at = 0; at < count; at++) {
    const port = ports[Math.floor(at / MANNERS.length) % ports.length]!;
    const socket = connect({ port, host: '127.0.0.1' });
    sockets.push(socket);
    socket.on('error', () => {});
    socket.once('close', () => ended++);
    socket.once('connect', () => {
      const timer = MANNERS[at % MANNERS.length]!(socket, port);
      if (timer !== undefined) timers.push(timer);
      // A reader that reads nothing stays paused.
      if (timer !== undefined) socket.resume();
    });
    // Not all in the same turn of the loop: the load goes on beside them.
    if (at % 50 === 49) await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return {
    count: () => ({ open: sockets.filter(({ destroyed }) => !destroyed).length, ended }),
    close() {
      for (const timer of timers) clearInterval(timer);
      for (const socket of sockets) socket.destroy();
    },
  };
}
