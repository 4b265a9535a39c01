// A gateway as users run it: documents by URL or file, the public API, HTTP, the official client.
import { readFile } from 'node:fs/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll } from 'vitest';
import { createGateway, type Gateway, type GatewayOptions, loadDomains, serveHttp } from '../../src/index.ts';
import { type Echo, type Received, startEcho } from './echo.ts';

export interface Result {
  readonly content: readonly Record<string, unknown>[];
  readonly isError: boolean;
  readonly structuredContent?: Record<string, unknown>;
  /** The text blocks, joined. */
  readonly text: string;
}

export interface Called {
  readonly result: Result;
  /** What reached the API because of it. */
  readonly requests: readonly Received[];
  /** What reached the other origin. */
  readonly elsewhere: readonly Received[];
}

export interface Opened {
  readonly echo: Echo;
  /** Another origin: a second API, or where redirects lead. */
  readonly other: Echo;
  readonly client: Client;
  readonly gateway: Gateway;
  /** Calls a tool, whatever the exposure: by the name it has as a tool of its own. */
  call(tool: string, args?: Record<string, unknown>): Promise<Called>;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Files in documents/ (served by the API itself) or `[name, text]`. `{{origin}}` and `{{other}}` are filled in. */
  readonly documents: readonly (string | readonly [name: string, text: string])[];
  readonly env?: Record<string, string>;
  /** Uses the running servers, for documents that must know them. */
  readonly prepare?: (echo: Echo, other: Echo) => void | Promise<void>;
  readonly baseUrl?: (echo: Echo, other: Echo) => string;
  readonly headers?: readonly string[];
  /** Instead of the documents' URLs. */
  readonly paths?: (echo: Echo, other: Echo) => readonly string[] | Promise<readonly string[]>;
  readonly exposure?: 'tools' | 'grouped' | 'search';
  readonly gateway?: Partial<GatewayOptions>;
}

export async function open(options: OpenOptions): Promise<Opened> {
  const [echo, other] = [await startEcho(), await startEcho()];
  const urls: string[] = [];
  for (const given of options.documents) {
    const [name, text] = typeof given === 'string' ? [given, await readDocument(given)] : given;
    echo.documents.set(name, text.replaceAll('{{origin}}', echo.origin).replaceAll('{{other}}', other.origin));
    urls.push(`${echo.origin}/documents/${name}`);
  }
  await options.prepare?.(echo, other);
  const domains = await loadDomains({
    paths: (await options.paths?.(echo, other)) ?? urls,
    env: options.env ?? {},
    ...(options.baseUrl && { baseUrl: options.baseUrl(echo, other) }),
    ...(options.headers && { headers: options.headers }),
  });
  const internal: unknown[] = [];
  const gateway = createGateway({ domains, exposure: options.exposure ?? 'tools', ...options.gateway });
  const server = await serveHttp(gateway, { port: 0, onInternalError: (error) => internal.push(error) });
  const client = await connect(`http://127.0.0.1:${server.port}/mcp`);
  echo.take();
  const place = createPlaces(client, gateway, options.exposure ?? 'tools');
  return {
    echo,
    other,
    client,
    gateway,
    call: async (tool, args = {}) => {
      const { content, isError, structuredContent } = await client.callTool(await place(tool, args));
      const blocks = content as Result['content'];
      return {
        result: {
          content: blocks,
          isError: isError === true,
          ...(structuredContent !== undefined && { structuredContent: structuredContent as Record<string, unknown> }),
          text: blocks.flatMap((block) => (block.type === 'text' ? [String(block.text)] : [])).join('\n'),
        },
        requests: echo.take(),
        elsewhere: other.take(),
      };
    },
    close: async () => {
      await client.close();
      await server.close(0);
      await gateway.close();
      await echo.close();
      await other.close();
      if (internal.length > 0) throw internal[0];
    },
  };
}

/** Open from the first test of a suite to its last. */
export function openDuring(options: OpenOptions): Opened {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open(options);
  });
  afterAll(() => opened.close());
  return {
    get echo() {
      return opened.echo;
    },
    get other() {
      return opened.other;
    },
    get client() {
      return opened.client;
    },
    get gateway() {
      return opened.gateway;
    },
    call: (tool, args) => opened.call(tool, args),
    close: () => opened.close(),
  };
}

export function readDocument(name: string): Promise<string> {
  return readFile(new URL(`documents/${name}`, import.meta.url), 'utf8');
}

/** A person who agrees to everything. */
async function connect(url: string): Promise<Client> {
  const client = new Client(
    { name: 'fidelity', version: '0' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } },
  );
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { confirm: true } }));
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

type Placed = { name: string; arguments: Record<string, unknown> };

/** How an operation is called in each exposure, found out from what the client can see. */
function createPlaces(
  client: Client,
  gateway: Gateway,
  exposure: 'tools' | 'grouped' | 'search',
): (tool: string, args: Record<string, unknown>) => Promise<Placed> {
  if (exposure === 'tools') return async (name, args) => ({ name, arguments: args });
  if (exposure === 'search') {
    return async (operation, args) => ({ name: 'call_operation', arguments: { operation, arguments: args } });
  }
  return async (tool, args) => {
    const description = await client.callTool({ name: 'describe_operation', arguments: { operation: tool } });
    const [{ text = '' } = {}] = description.content as { text?: string }[];
    const [, name, pick] = /^Call (\S+) with (\{.*\}) and /m.exec(text) ?? [];
    if (name === undefined) throw new Error(`${tool} is no action of ${[...gateway.registry.tools.keys()]}: ${text}`);
    const { action: own, ...others } = args;
    // The discriminator has the name; an argument called the same gives way.
    return { name, arguments: { ...others, ...(own !== undefined && { action_: own }), ...JSON.parse(pick!) } };
  };
}

export async function listAll(client: Client) {
  const tools: Awaited<ReturnType<Client['listTools']>>['tools'] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return tools;
}
