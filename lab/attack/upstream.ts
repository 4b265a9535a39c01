// A real REST API on loopback that notes what reached it. A case says what it answers; without one it echoes.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Arrival {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Respond = (arrival: Arrival, response: ServerResponse) => void;

export interface Upstream {
  readonly url: string;
  readonly port: number;
  /** What reached the API since the case began. */
  readonly arrivals: Arrival[];
  respond(how: Respond): void;
  /** Forgets arrivals and the way to answer. */
  reset(): void;
  close(): Promise<void>;
}

const echo: Respond = ({ method, url, body }, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ method, url, bytes: body.length }));
};

export async function startUpstream(): Promise<Upstream> {
  const arrivals: Arrival[] = [];
  let how = echo;
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    response.on('error', () => {});
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const arrival = { method, url, headers, body: Buffer.concat(chunks).toString() };
      arrivals.push(arrival);
      how(arrival, response);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    arrivals,
    respond: (next) => {
      how = next;
    },
    reset: () => {
      arrivals.length = 0;
      how = echo;
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

export function json(value: unknown): Respond {
  return (_arrival, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(typeof value === 'string' ? value : JSON.stringify(value));
  };
}
