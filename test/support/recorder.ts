// An HTTP server on loopback that records every request whole, before anybody answers it.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Recorded {
  readonly method: string;
  /** Path and query exactly as they stood in the request line. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

export interface Recorder {
  readonly origin: string;
  readonly port: number;
  readonly server: Server;
  close(): Promise<void>;
}

export async function startRecorder(answer: (request: Recorded, response: ServerResponse) => void): Promise<Recorder> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    request.on('end', () => {
      const { method = '', url = '', headers, rawHeaders } = request;
      answer({ method, url, headers, rawHeaders, body: Buffer.concat(chunks) }, response);
    });
  });
  // It closes no idle connection: on a slow machine a request could be on its way on it, and a write would fail for nothing.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    server,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
