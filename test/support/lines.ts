// Clients of the line transports for tests: in-process streams for stdio, a real socket for TCP. Messages are kept in
// the order they came, and waited for without clocks.
import { connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import type { Protocol } from '../../src/protocol/mcp-protocol.ts';
import { startStdio } from '../../src/transport/lines/stdio.ts';
import { type ProtocolOf, startTcp, type TcpOptions } from '../../src/transport/lines/tcp.ts';
import type { Rpc } from './mcp.ts';

export interface LineClient {
  readonly name: 'stdio' | 'tcp';
  /** Everything received so far, and its text. */
  readonly received: readonly Rpc[];
  readonly texts: readonly string[];
  send(message: Rpc | string): void;
  write(bytes: Buffer | string): void;
  /** The first message, among those before and after now, that fits. */
  find(fits: (message: Rpc) => boolean): Promise<Rpc>;
  /** Sends a request and waits for its answer. */
  ask(message: Rpc): Promise<Rpc>;
  /** Ends the sending side. */
  end(): void;
  /** Resolves when the server has closed, or has finished with a client that ended its side. */
  readonly closed: Promise<void>;
  close(graceMs?: number): Promise<void>;
}

export const LINE_LIMITS = { maxLineBytes: 1024 * 1024, maxConcurrent: 100 };

function receive(output: NodeJS.ReadableStream) {
  const received: Rpc[] = [];
  const texts: string[] = [];
  let rest = '';
  let waiting: (() => void)[] = [];
  output.on('data', (chunk: Buffer) => {
    rest += chunk.toString();
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    texts.push(...lines);
    for (const line of lines) received.push(JSON.parse(line) as Rpc);
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  });
  const find = async (fits: (message: Rpc) => boolean): Promise<Rpc> => {
    for (;;) {
      const found = received.find(fits);
      if (found) return found;
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  };
  return { received, texts, find };
}

function toClient(
  name: LineClient['name'],
  input: PassThrough | Socket,
  output: NodeJS.ReadableStream,
  closed: Promise<void>,
  close: LineClient['close'],
): LineClient {
  const { received, texts, find } = receive(output);
  const send = (message: Rpc | string) =>
    void input.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  return {
    name,
    received,
    texts,
    find,
    send,
    write: (bytes) => void input.write(bytes),
    ask: (message) => {
      send(message);
      return find(({ id, method }) => id === message.id && method === undefined);
    },
    end: () => void input.end(),
    closed,
    close,
  };
}

export function openStdio(protocol: Protocol, limits = LINE_LIMITS): LineClient {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const server = startStdio(protocol, limits, stdin as never, stdout as never);
  return toClient('stdio', stdin, stdout, server.finished, (graceMs = 0) => server.close(graceMs));
}

export async function listenTcp(protocol: Protocol | ProtocolOf, options: Partial<TcpOptions> = {}) {
  return startTcp(protocol, {
    ...LINE_LIMITS,
    host: '127.0.0.1',
    port: 0,
    maxConnections: 100,
    idleMs: 60_000,
    ...options,
  });
}

/** A client of a TCP server that is running; closing it leaves the server alone. */
export async function connectTcp(port: number): Promise<LineClient & { readonly socket: Socket }> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('connect', resolve));
  const closed = new Promise<void>((resolve) => {
    socket.once('end', resolve);
    socket.once('close', () => resolve());
  });
  const client = toClient('tcp', socket, socket, closed, async () => void socket.destroy());
  return { ...client, socket };
}

export async function openTcp(protocol: Protocol, options: Partial<TcpOptions> = {}): Promise<LineClient> {
  const server = await listenTcp(protocol, options);
  const client = await connectTcp(server.port);
  return {
    ...client,
    close: async (graceMs = 0) => {
      const closing = server.close(graceMs);
      // With a grace time the last answers are still on their way.
      if (graceMs > 0) await client.closed;
      client.socket.destroy();
      await closing;
    },
  };
}

export const LINE_CLIENTS = { stdio: async (protocol: Protocol) => openStdio(protocol), tcp: openTcp } as const;
