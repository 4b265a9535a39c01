// The official clients, each over HTTP and over stdio, with the built program at the other end as its user would start it.
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { BIN, serve } from '../../test/support/program.ts';
import { track } from './children.ts';

/** What both versions of the client have in common, as far as it is used here. */
type Client = Pick<ClientV2, 'listTools' | 'callTool' | 'close' | 'getInstructions'>;
type Tool = Awaited<ReturnType<ClientV2['listTools']>>['tools'][number];

/** A client that cannot ask declares no elicitation; one that declines does so without a person, as headless agents do. */
export type Person = 'agrees' | 'declines' | 'cannot be asked';
export type ClientVersion = 'v1' | 'v2';
export type Wire = 'http' | 'stdio';

export interface Launch {
  /** Of `landbridge serve`: documents, domain files, flags. */
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly isError: boolean;
  readonly content: readonly Record<string, unknown>[];
  readonly structured: Record<string, unknown> | undefined;
  /** The text blocks, joined. */
  readonly text: string;
}

export interface Connection {
  readonly tools: readonly Tool[];
  readonly instructions: string;
  /** What the person was asked, oldest first. */
  readonly questions: readonly string[];
  call(name: string, args: Record<string, unknown>): Promise<Answer>;
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly version: ClientVersion;
  readonly wire: Wire;
  readonly person: Person;
}

const INFO = { name: 'real', version: '1' };
const ENV = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', NO_COLOR: '1' };

export async function connect(launch: Launch, { version, wire, person }: ConnectOptions): Promise<Connection> {
  const questions: string[] = [];
  const reply = (message: string) => {
    questions.push(message);
    return person === 'agrees'
      ? { action: 'accept' as const, content: { confirm: true } }
      : { action: 'decline' as const };
  };
  const served = wire === 'http' ? await serve(launch.args, { ...launch, onSpawn: track }) : undefined;
  const program = {
    command: process.execPath,
    args: [BIN, 'serve', '--stdio', '--log-level', 'warn', ...launch.args],
    env: { ...ENV, ...launch.env },
    stderr: 'ignore' as const,
    ...(launch.cwd !== undefined && { cwd: launch.cwd }),
  };
  try {
    const client = await (version === 'v2' ? openV2 : openV1)(
      person === 'cannot be asked' ? undefined : reply,
      served?.http,
      program,
    );
    return {
      tools: await listAll(client),
      instructions: client.getInstructions() ?? '',
      questions,
      call: async (name, args) => toAnswer(await client.callTool({ name, arguments: args })),
      close: async () => {
        await client.close();
        await served?.stop();
      },
    };
  } catch (error) {
    await served?.stop();
    throw error;
  }
}

type Reply = (
  message: string,
) => { readonly action: 'accept'; readonly content: { confirm: boolean } } | { readonly action: 'decline' };
type Spawned = ConstructorParameters<typeof StdioV2>[0];

async function openV2(reply: Reply | undefined, url: string | undefined, program: Spawned): Promise<Client> {
  const client = new ClientV2(INFO, {
    capabilities: reply === undefined ? {} : { elicitation: { form: {} } },
    versionNegotiation: { mode: 'auto' },
  });
  if (reply) client.setRequestHandler('elicitation/create', ({ params }) => reply(params.message));
  await client.connect(url === undefined ? new StdioV2(program) : new HttpV2(new URL(url)));
  return client;
}

async function openV1(reply: Reply | undefined, url: string | undefined, program: Spawned): Promise<Client> {
  const client = new ClientV1(INFO, { capabilities: reply === undefined ? {} : { elicitation: {} } });
  if (reply) client.setRequestHandler(ElicitRequestSchema, ({ params }) => reply(params.message));
  await client.connect((url === undefined ? new StdioV1(program as never) : new HttpV1(new URL(url))) as never);
  return client as unknown as Client;
}

async function listAll(client: Client): Promise<Tool[]> {
  const tools: Tool[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

function toAnswer({ isError, content, structuredContent }: Awaited<ReturnType<Client['callTool']>>): Answer {
  const blocks = content as Answer['content'];
  return {
    isError: isError === true,
    content: blocks,
    structured: structuredContent as Answer['structured'],
    text: blocks.flatMap((block) => (block.type === 'text' ? [String(block.text)] : [])).join('\n'),
  };
}
