// A real HTTP proxy on loopback: CONNECT tunnels and requests with a whole URL. It can ask for a password, refuse, and remembers all.
import { createServer, request as httpRequest } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface ConnectProxy {
  readonly url: string;
  readonly port: number;
  /** `CONNECT host:port` or `GET http://host/path`, in order. */
  readonly seen: string[];
  /** What Proxy-Authorization said, in order. */
  readonly authorizations: (string | undefined)[];
  close(): Promise<void>;
}

export interface ProxyHabits {
  /** `user:password` it wants. */
  readonly userInfo?: string;
  /** Status it answers to every CONNECT. */
  readonly refuses?: number;
  /** Where every tunnel leads, whatever was asked for. */
  readonly leadsTo?: number;
}

export async function startConnectProxy({ userInfo, refuses, leadsTo }: ProxyHabits = {}): Promise<ConnectProxy> {
  const seen: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const sockets = new Set<Socket>();
  const wanted = userInfo && `Basic ${Buffer.from(userInfo).toString('base64')}`;
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    authorizations.push(request.headers['proxy-authorization']);
    if (wanted !== undefined && request.headers['proxy-authorization'] !== wanted) {
      response.writeHead(407).end();
      return;
    }
    const { 'proxy-authorization': _, ...headers } = request.headers;
    const { hostname, port, pathname, search } = new URL(request.url!);
    const options = { host: hostname, port, path: pathname + search, method: request.method, headers };
    const onward = httpRequest(options, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.writeHead(502).end());
    request.pipe(onward);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  server.on('connect', (request, socket: Socket, head: Buffer) => {
    seen.push(`CONNECT ${request.url}`);
    authorizations.push(request.headers['proxy-authorization']);
    const status = refuses ?? (wanted !== undefined && request.headers['proxy-authorization'] !== wanted ? 407 : 200);
    if (status !== 200) {
      socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const { hostname, port } = new URL(`http://${request.url}`);
    const onward = connect(leadsTo ?? Number(port || 80), leadsTo === undefined ? hostname : '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    sockets.add(onward);
    onward.on('error', () => socket.end('HTTP/1.1 502 No\r\n\r\n'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    seen,
    authorizations,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
