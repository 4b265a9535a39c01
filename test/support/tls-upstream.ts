// A real HTTPS API on loopback, which remembers who asked: the common name of each client certificate, by connection.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';

export interface TlsUpstream {
  /** `https://localhost:<port>` */
  readonly url: string;
  readonly port: number;
  readonly seen: { readonly url: string; readonly client: string | undefined; readonly authorization?: string }[];
  /** Sockets that came as far as TLS. */
  connections(): number;
  close(): Promise<void>;
}

export type AnswerTls = (request: IncomingMessage, response: ServerResponse) => void;

export async function startTlsUpstream(options: ServerOptions, answer: AnswerTls = echo): Promise<TlsUpstream> {
  const seen: TlsUpstream['seen'] = [];
  let connections = 0;
  const server = createServer(options, (request, response) => {
    const subject = (request.socket as TLSSocket).getPeerCertificate()?.subject as { CN?: string } | undefined;
    const { authorization } = request.headers;
    seen.push({ url: request.url!, client: subject?.CN, ...(authorization !== undefined && { authorization }) });
    request.resume();
    answer(request, response);
  });
  server.on('secureConnection', () => connections++);
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://localhost:${port}`,
    port,
    seen,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const echo: AnswerTls = ({ url }, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(/token/.test(url!) ? { access_token: 'handed-out' } : { url }));
};
