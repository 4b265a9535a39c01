// Bytes to a port and back, with nothing in between: for requests no HTTP client would send.
import { connect, type Socket } from 'node:net';

export interface Raw {
  readonly socket: Socket;
  /** All bytes so far. */
  text(): string;
  /** Resolves with all bytes when the server has closed. */
  readonly closed: Promise<string>;
  /** Resolves when the bytes so far fit. */
  wait(fits: (text: string) => boolean): Promise<string>;
}

export async function openRaw(port: number): Promise<Raw> {
  const socket = connect({ port, host: '127.0.0.1' });
  let text = '';
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const one of waiting) one();
  };
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    wake();
  });
  // A reset is a close like any other here.
  socket.on('error', () => {});
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  return {
    socket,
    text: () => text,
    closed,
    wait: async (fits) => {
      while (!fits(text)) await new Promise<void>((resolve) => waiting.add(resolve));
      return text;
    },
  };
}

/** A whole POST /mcp as text. */
export function rawPost(body: string, headers: Record<string, string> = {}): string {
  const all = {
    host: '127.0.0.1',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `POST /mcp HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}
