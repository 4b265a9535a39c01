// The API behind the gateways, with a second one beside it: both write down every request they get. The second can be told
// to hang.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Seen {
  readonly method: string;
  /** The id that the client made, from the path or the body. */
  readonly id: string;
  readonly at: number;
  /** The port of the gateway's socket: tells which process asked. */
  readonly fromPort: number;
  isAnswered: boolean;
}

export interface Api {
  readonly url: string;
  readonly seen: Seen[];
  /** From now on requests are taken and not answered. */
  hang(): void;
  /** Answers those that wait, and all that come. */
  goOn(): void;
  close(): Promise<void>;
}

/** Long enough that something is always under way, short enough that a run has thousands of calls. */
const WORK_MS = 12;
const LIST = Array.from({ length: 60 }, (_, index) => ({
  id: index,
  name: `Item number ${index}`,
  note: 'In the second row, behind the ladder.',
}));
const PAD = 'x'.repeat(200_000);

export async function startApi(): Promise<Api> {
  const seen: Seen[] = [];
  const held: (() => void)[] = [];
  let hangs = false;
  const server = createServer((request, response) => {
    void take(request).then((body) => {
      const entry: Seen = {
        method: request.method ?? '',
        id: idOf(request.url ?? '', body),
        at: performance.now(),
        fromPort: request.socket.remotePort ?? 0,
        isAnswered: false,
      };
      seen.push(entry);
      const reply = () => answer(request.url ?? '', response, entry);
      if (hangs) held.push(reply);
      else setTimeout(reply, WORK_MS);
    });
  });
  // A gateway keeps its connections; it is not for the API to end them in the middle of a run.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    hang: () => {
      hangs = true;
    },
    goOn: () => {
      hangs = false;
      for (const reply of held.splice(0)) reply();
    },
    close: () => closeServer(server),
  };
}

async function take(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

function idOf(url: string, body: string): string {
  const inPath = /^\/(?:items|things)\/([^/?]+)/.exec(url)?.[1];
  if (inPath !== undefined) return decodeURIComponent(inPath);
  return body === '' ? '' : String((JSON.parse(body) as { id?: unknown }).id);
}

function answer(url: string, response: ServerResponse, entry: Seen): void {
  entry.isAnswered = true;
  const value = url.startsWith('/items?')
    ? { items: LIST, total: LIST.length }
    : url.startsWith('/large')
      ? { pad: PAD }
      : { id: entry.id, name: 'An item', done: entry.method };
  const body = JSON.stringify(value);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
