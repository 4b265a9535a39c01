// The official clients, each with a way of its own to say yes: v2 in the modern era answers the question in a second round,
// v1 in the legacy era answers a request on the stream of the call, and one that cannot ask anybody repeats the call with the token.
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Agent, fetch as fetchWith } from 'undici';
import type { Call, Exchange, Face } from './ledger.ts';

export interface Answer {
  readonly isError: boolean;
  readonly structured: Record<string, unknown>;
  readonly text: string;
}

export interface Caller {
  readonly face: Face;
  /** One at a time. What goes over the wire is noted in `call`. */
  call(call: Call, name: string, args: Record<string, unknown>): Promise<Answer>;
  close(): Promise<void>;
}

const INFO = { name: 'chaos', version: '1' };
const YES = { action: 'accept' as const, content: { confirm: true } };
/** Longer than any time limit of the gateway: whoever gets no answer by then gets none. */
const CALL_MS = 25_000;

/** Connections are kept and used again, as the clients' own fetch does it; `alone`: a connection for every request. */
let kept = new Agent();
const alone = new Agent({ pipelining: 0 });
let current: Agent = kept;

/** Who closes a proxy before 1.27.4 of nginx under its clients takes them off its connections first: resolves when none is kept. */
export async function leaveConnections(): Promise<void> {
  current = alone;
  await kept.close();
}

export function keepConnections(): void {
  kept = new Agent();
  current = kept;
}

export async function openCaller(face: Face, url: string): Promise<Caller> {
  let call: Call | undefined;
  const watch = async (address: string | URL, init?: RequestInit): Promise<Response> => {
    const exchange: Exchange = { startedAt: performance.now() };
    call?.exchanges.push(exchange);
    const response = await fetchWith(address, { ...(init as object), dispatcher: current });
    exchange.endedAt = performance.now();
    exchange.status = response.status;
    exchange.servedBy = response.headers.get('x-served-by') ?? '';
    return response as unknown as Response;
  };
  const open = face === 'v1 legacy' ? openV1 : openV2;
  const client = await open(url, watch as typeof fetch, face !== 'token');
  return {
    face,
    async call(one, name, args) {
      call = one;
      return toAnswer(await client.call(name, args));
    },
    close: client.close,
  };
}

async function openV2(url: string, watch: typeof fetch, canAsk: boolean) {
  const client = new ClientV2(INFO, {
    capabilities: canAsk ? { elicitation: { form: {} } } : {},
    versionNegotiation: { mode: 'auto' },
  });
  if (canAsk) client.setRequestHandler('elicitation/create', () => YES);
  await client.connect(new HttpV2(new URL(`${url}/mcp`), { fetch: watch }));
  return {
    call: (name: string, args: Record<string, unknown>): Promise<object> =>
      client.callTool({ name, arguments: args }, { timeout: CALL_MS }),
    close: () => client.close(),
  };
}

async function openV1(url: string, watch: typeof fetch, canAsk: boolean) {
  const client = new ClientV1(INFO, { capabilities: canAsk ? { elicitation: {} } : {} });
  if (canAsk) client.setRequestHandler(ElicitRequestSchema, () => YES);
  await client.connect(new HttpV1(new URL(`${url}/mcp`), { fetch: watch }) as never);
  return {
    call: (name: string, args: Record<string, unknown>): Promise<object> =>
      client.callTool({ name, arguments: args }, undefined, { timeout: CALL_MS }),
    close: () => client.close(),
  };
}

function toAnswer(result: object): Answer {
  const { isError, content, structuredContent } = result as {
    isError?: boolean;
    content?: readonly { type: string; text?: string }[];
    structuredContent?: Record<string, unknown>;
  };
  return {
    isError: isError === true,
    structured: structuredContent ?? {},
    text: (content ?? []).flatMap(({ text }) => text ?? []).join('\n'),
  };
}
