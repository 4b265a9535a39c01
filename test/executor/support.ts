// A loopback REST API and endpoints to call it with.
import type { Server, ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { afterAll } from 'vitest';
import type { KnownCredential } from '../../src/credentials/kind-table.ts';
import type { Credential } from '../../src/endpoint/credential.ts';
import {
  DEFAULT_ENDPOINT_LIMITS,
  DEFAULT_RESPONSE,
  type Endpoint,
  type ResponsePlan,
  type Target,
} from '../../src/endpoint/model.ts';
import type { Answer } from '../../src/executor/answer/build-answer.ts';
import { createExecutor } from '../../src/executor/executor.ts';
import { type ContextChanges, contextOf } from '../support/context.ts';
import { type Recorded, startRecorder } from '../support/recorder.ts';

export interface Upstream {
  readonly origin: string;
  readonly seen: Recorded[];
  readonly server: Server;
  /** Replaced by each test. */
  answer: (request: Recorded, response: ServerResponse) => void;
  last(): Recorded;
  close(): Promise<void>;
}

const closers: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A server that records what it is asked and answers as told (default: 200 and `{}`). */
export async function startUpstream(): Promise<Upstream> {
  const seen: Recorded[] = [];
  const { origin, server, close } = await startRecorder((request, response) => {
    seen.push(request);
    upstream.answer(request, response);
  });
  const upstream: Upstream = {
    origin,
    seen,
    server,
    answer: (_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end('{}');
    },
    last: () => seen.at(-1)!,
    close,
  };
  closers.push(upstream.close);
  return upstream;
}

/** Bytes in, bytes out: for answers no HTTP server would give. */
export async function startRaw(onSocket: (socket: Socket) => void): Promise<{ origin: string; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(
    () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  );
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
}

export type Overrides = Omit<Partial<Endpoint>, 'response' | 'security'> & {
  response?: Partial<ResponsePlan>;
  security?: readonly (readonly (KnownCredential | Credential)[])[];
};

export function endpoint(baseUrl: string, overrides: Overrides = {}): Endpoint {
  const { response, ...rest } = overrides;
  return {
    id: 'test.get_thing',
    domain: 'test',
    action: 'get_thing',
    toolName: 'get_thing',
    summary: 'Get a thing.',
    tags: [],
    effect: 'read',
    idempotent: true,
    deprecated: false,
    method: 'GET',
    path: '/things',
    baseUrl,
    headers: {},
    args: [],
    fixed: [],
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    security: [],
    response: { ...DEFAULT_RESPONSE, ...response },
    limits: DEFAULT_ENDPOINT_LIMITS,
    examples: [],
    expose: 'tool',
    source: { kind: 'module', file: 'test' },
    ...rest,
  };
}

export function arg(key: string, to: Target, required = false): Endpoint['args'][number] {
  return { key, required, to: [to] };
}

export const inPath = (name: string): Target => ({ in: 'path', name, style: 'simple', explode: false });
export const inQuery = (name: string): Target => ({ in: 'query', name, style: 'form', explode: true });
export const inHeader = (name: string): Target => ({ in: 'header', name, style: 'simple', explode: false });
export const inCookie = (name: string): Target => ({ in: 'cookie', name, style: 'form', explode: true });
export const inBody = (...at: string[]): Target => ({ in: 'body', at });

const executor = createExecutor();
closers.push(() => executor.close());

/** Runs an endpoint once, on an executor shared by the test file. */
export function run(
  target: Endpoint,
  args: Record<string, unknown> = {},
  changes: ContextChanges = {},
): Promise<Answer> {
  return executor.compile(target).run(contextOf({ tool: target.toolName, ...changes }), args);
}

export function preview(target: Endpoint, args: Record<string, unknown> = {}) {
  return executor.compile(target).preview(args, target.toolName);
}

export function textOf(answer: Answer): string {
  return answer.content.map((block) => (block.type === 'text' ? block.text : `<${block.type}>`)).join('\n');
}
