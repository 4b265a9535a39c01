// A real REST API on loopback for tests: each test says what it answers, and can see what it was asked.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Upstream {
  readonly url: string;
  readonly seen: Seen[];
  close(): Promise<void>;
}

export type Answer = (request: Seen, response: ServerResponse) => void;

/** Starts an API; without `answer` it echoes method, url and body as JSON. */
export async function startUpstream(answer: Answer = echo): Promise<Upstream> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      };
      seen.push(one);
      answer(one, response);
    });
    request.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const echo: Answer = ({ method, url, body }, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ method, url, ...(body && { body }) }));
};
