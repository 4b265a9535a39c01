// The ways in: HTTP, TCP and stdio, each in both eras. A door carries one request and resolves with its answer; a refusal
// of the transport (a status, a closed connection) is an answer too.
import { Agent, request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Gateway } from './gateway.ts';

export const MODERN = '2026-07-28';
const LEGACY = '2025-11-25';

export type Params = Readonly<Record<string, unknown>>;

export interface Answer {
  /** HTTP only. */
  readonly status?: number;
  readonly text: string;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
  /** The connection ended without an answer. */
  readonly closed?: boolean;
}

export interface Door {
  readonly name: string;
  readonly era: 'modern' | 'legacy';
  ask(method: string, params: Params): Promise<Answer>;
  /** Writes text as it is (stdio, TCP) or posts it (HTTP). */
  raw(text: string): Promise<Answer>;
  close(): void;
}

export function envelope(params: Params, capabilities: object = {}): Params {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...(params._meta as object | undefined),
  };
  return { ...params, _meta };
}

/** What cannot stand in a header as it is goes in base64, as clients send it. */
function headerText(value: string): string {
  return /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value)
    ? value
    : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}

export function modernHeaders(method: string, params: Params): Record<string, string> {
  const name = params.name ?? params.uri;
  return {
    'mcp-protocol-version': MODERN,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': headerText(name) }),
  };
}

export function parseAnswer(text: string, status?: number): Answer {
  // Several messages of a stream: the last one is the answer.
  const line =
    text.startsWith('{') || text.startsWith('[') ? text : (/^data: (.*)$/gm.exec(lastEvent(text))?.[1] ?? '');
  try {
    const message = JSON.parse(line) as Pick<Answer, 'result' | 'error'>;
    return { text, ...(status !== undefined && { status }), ...message };
  } catch {
    return { text, ...(status !== undefined && { status }) };
  }
}

function lastEvent(text: string): string {
  return text.slice(Math.max(0, text.lastIndexOf('\ndata: ')));
}

export function post(url: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve) => {
    const asking = httpRequest(
      url,
      {
        method: 'POST',
        agent: new Agent({ keepAlive: false }),
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        const finish = () => resolve(parseAnswer(Buffer.concat(chunks).toString(), response.statusCode ?? 0));
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('end', finish);
        response.once('error', finish);
      },
    );
    asking.once('error', (error) => resolve({ text: error.message, closed: true }));
    asking.end(body);
  });
}

let nextId = 1;

export function httpDoor(gateway: Pick<Gateway, 'http'>, era: Door['era'], profile = ''): Door {
  const url = profile === '' ? gateway.http : `${gateway.http}/${profile}`;
  return {
    name: `http-${era}`,
    era,
    ask: (method, params) => {
      const full = era === 'modern' ? envelope(params) : params;
      const headers = era === 'modern' ? modernHeaders(method, full) : { 'mcp-protocol-version': LEGACY };
      return post(url, JSON.stringify({ jsonrpc: '2.0', id: nextId++, method, params: full }), headers);
    },
    raw: (text) => post(url, text),
    close: () => {},
  };
}

interface Lines {
  write(text: string): void;
  onData(listener: (chunk: Buffer) => void): void;
  onClose(listener: () => void): void;
  close(): void;
}

/** Answers on a line transport, found by their id. */
function lineDoor(name: string, era: Door['era'], lines: Lines): Door {
  const waiting = new Map<number, (answer: Answer) => void>();
  let parts: string[] = [];
  lines.onData((chunk) => {
    parts.push(chunk.toString());
    if (!parts.at(-1)!.includes('\n')) return;
    const all = parts.join('').split('\n');
    parts = [all.pop() ?? ''];
    for (const line of all) {
      const id = (JSON.parse(line) as { id?: unknown }).id;
      // An error without an id answers whoever waits: one request at a time is under way here.
      const keys = typeof id === 'number' && waiting.has(id) ? [id] : id === undefined ? [...waiting.keys()] : [];
      for (const key of keys) {
        waiting.get(key)?.(parseAnswer(line));
        waiting.delete(key);
      }
    }
  });
  lines.onClose(() => {
    for (const resolve of waiting.values()) resolve({ text: '', closed: true });
    waiting.clear();
  });
  const ask = (method: string, params: Params) => {
    const id = nextId++;
    const full = era === 'modern' ? envelope(params) : params;
    const answer = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    lines.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: full })}\n`);
    return answer;
  };
  return {
    name,
    era,
    ask,
    raw: (text) => {
      lines.write(text);
      return ask('ping', {});
    },
    close: () => lines.close(),
  };
}

const INITIALIZE = { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: 'attack', version: '0' } };

export async function openSocket(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => {});
  await new Promise<void>((resolve) => {
    socket.once('connect', () => resolve());
    socket.once('close', () => resolve());
  });
  return socket;
}

export async function tcpDoor(gateway: Pick<Gateway, 'tcpPort'>, era: Door['era']): Promise<Door> {
  const socket = await openSocket(gateway.tcpPort);
  const door = lineDoor(`tcp-${era}`, era, {
    write: (text) => void socket.write(text),
    onData: (listener) => void socket.on('data', listener),
    onClose: (listener) => void socket.once('close', listener),
    close: () => socket.destroy(),
  });
  if (era === 'legacy') await door.ask('initialize', INITIALIZE);
  return door;
}

export async function stdioDoor({ child }: Pick<Gateway, 'child'>, era: Door['era']): Promise<Door> {
  let listen: ((chunk: Buffer) => void) | undefined;
  const door = lineDoor(`stdio-${era}`, era, {
    write: (text) => void child.stdin?.write(text),
    onData: (listener) => {
      listen = listener;
      child.stdout?.on('data', listener);
    },
    onClose: (listener) => void child.once('exit', listener),
    close: () => {
      if (listen) child.stdout?.off('data', listen);
    },
  });
  if (era === 'legacy') await door.ask('initialize', INITIALIZE);
  return door;
}

/** Every way in, one after the other. */
export function doorsOf(gateway: Gateway): readonly { readonly name: string; open(): Promise<Door> }[] {
  return [
    { name: 'http-modern', open: async () => httpDoor(gateway, 'modern') },
    { name: 'http-legacy', open: async () => httpDoor(gateway, 'legacy') },
    { name: 'tcp-modern', open: () => tcpDoor(gateway, 'modern') },
    { name: 'tcp-legacy', open: () => tcpDoor(gateway, 'legacy') },
    { name: 'stdio-modern', open: () => stdioDoor(gateway, 'modern') },
    { name: 'stdio-legacy', open: () => stdioDoor(gateway, 'legacy') },
  ];
}
