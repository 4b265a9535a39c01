// Messages of both eras, and ways to bring them to a gateway: over HTTP, stdio and TCP, all for real.
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import type { Gateway } from '../../src/gateway.ts';
import { type HttpOptions, startHttp } from '../../src/transport/http-listener.ts';
import { startStdio } from '../../src/transport/lines/stdio.ts';
import { startTcp } from '../../src/transport/lines/tcp.ts';
import { createRoutes } from '../../src/transport/routes.ts';

export const MODERN = '2026-07-28';

export interface Rpc {
  readonly jsonrpc: '2.0';
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { code: number; message: string; data?: unknown };
}

/** A modern request, enveloped. */
export function modern(
  id: string | number,
  method: string,
  params: Record<string, unknown> = {},
  capabilities = {},
): Rpc {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...(params._meta as object | undefined),
  };
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta } };
}

export function legacy(id: string | number, method: string, params?: Record<string, unknown>): Rpc {
  return { jsonrpc: '2.0', id, method, ...(params && { params }) };
}

/** The headers a modern client sends along with a message. */
export function headersOf(message: Rpc): Record<string, string> {
  const name = message.params?.name ?? message.params?.uri;
  return {
    'mcp-protocol-version': MODERN,
    'mcp-method': message.method ?? '',
    ...(typeof name === 'string' && { 'mcp-name': name }),
  };
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: string;
}

export function post(url: string, body: string, headers: Record<string, string> = {}): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      url,
      {
        method: 'POST',
        agent: false,
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
          }),
        );
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

export interface Link {
  readonly name: 'http' | 'stdio' | 'tcp';
  /** Sends raw text; resolves with the answer's text, or undefined when there is none. */
  send(text: string, headers?: Record<string, string>): Promise<string | undefined>;
  close(): Promise<void>;
}

const LIMITS = { maxLineBytes: 1024 * 1024, maxConcurrent: 100 };
const HTTP: HttpOptions = {
  host: '127.0.0.1',
  port: 0,
  allowedHosts: [],
  allowedOrigins: [],
  maxBodyBytes: LIMITS.maxLineBytes,
  maxInFlight: 1_000,
};

export async function serveHttp(gateway: Gateway, changes: Partial<HttpOptions> = {}) {
  const options = { ...HTTP, ...changes };
  let ready = true;
  const server = await startHttp(
    {
      protocolOf: (profile) => (profile === '' ? gateway.protocol : undefined),
      hasProfile: (profile) => profile === '',
      otherwise: createRoutes(
        {
          name: 'landbridge',
          version: '0',
          ready: () => ready,
          hasProfile: (profile) => profile === '',
          tools: () => 0,
        },
        options,
      ),
      onInternalError: (error) => {
        throw error;
      },
    },
    options,
  );
  return {
    ...server,
    url: `http://127.0.0.1:${server.port}/mcp`,
    drain: () => {
      ready = false;
    },
  };
}

export async function httpLink(gateway: Gateway): Promise<Link> {
  const server = await serveHttp(gateway);
  return {
    name: 'http',
    async send(text, headers) {
      const { status, body } = await post(server.url, text, {
        accept: 'application/json',
        ...(headers ?? guessHeaders(text)),
      });
      return status === 202 ? undefined : body;
    },
    close: () => server.close(0),
  };
}

/** Whatever looks like a modern message gets the headers a client would send. */
function guessHeaders(text: string): Record<string, string> {
  try {
    const message = JSON.parse(text) as Rpc;
    const version = (message.params?._meta as Record<string, unknown> | undefined)?.[
      'io.modelcontextprotocol/protocolVersion'
    ];
    if (version === undefined) return {};
    return { ...headersOf(message), 'mcp-protocol-version': String(version) };
  } catch {
    return {};
  }
}

export async function stdioLink(gateway: Gateway): Promise<Link> {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const server = startStdio(gateway.protocol, LIMITS, stdin as never, stdout as never);
  const lines = lineLink('stdio', (text) => stdin.write(`${text}\n`), stdout);
  return { ...lines, close: () => server.close(0) };
}

export async function tcpLink(gateway: Gateway): Promise<Link> {
  const server = await startTcp(gateway.protocol, {
    ...LIMITS,
    host: '127.0.0.1',
    port: 0,
    maxConnections: 10,
    idleMs: 60_000,
  });
  const socket = connect(server.port, '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  const lines = lineLink('tcp', (text) => socket.write(`${text}\n`), socket);
  return {
    ...lines,
    close: async () => {
      socket.destroy();
      await server.close(0);
    },
  };
}

/** After each message a ping: what comes before its answer belongs to the message. */
function lineLink(name: 'stdio' | 'tcp', write: (text: string) => void, output: NodeJS.ReadableStream): Link {
  let buffer = '';
  let wake = () => {};
  output.on('data', (chunk: Buffer) => {
    buffer += chunk.toString();
    wake();
  });
  let count = 0;
  return {
    name,
    async send(text) {
      const mark = `mark-${++count}`;
      write(text);
      let before: string[] = [];
      const silent = /"method":"notifications\//.test(text) && !text.startsWith('[');
      // A call may take a while, and a ping overtakes it: wait for something first, unless nothing may come.
      for (;;) {
        const lines = buffer.split('\n');
        before = lines.slice(0, -1);
        if (before.length > 0 || silent) break;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      write(JSON.stringify(legacy(mark, 'ping')));
      while (!buffer.includes(mark)) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const lines = buffer.split('\n').filter((line) => line !== '' && !line.includes(mark));
      buffer = '';
      return lines.length > 0 ? lines.join('\n') : undefined;
    },
    close: async () => {},
  };
}

export const LINKS = { http: httpLink, stdio: stdioLink, tcp: tcpLink } as const;
