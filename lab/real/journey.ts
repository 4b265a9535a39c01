// One way through a server, step by step, with one client in one exposure: what the client reads and what the server has
// stored are compared after every step.
import { isDeepStrictEqual } from 'node:util';
import { type Answer, type ConnectOptions, connect, type Launch } from './clients.ts';
import { type Caller, createCaller, type Exposure } from './exposures.ts';
import type { Server } from './servers.ts';

export const STEPS = ['login', 'create', 'list', 'update', 'upload', 'download', 'refuse', 'delete'] as const;
export type Step = (typeof STEPS)[number];

export interface StepResult {
  readonly step: Step;
  /** Undefined: it went well. */
  readonly problem?: string;
}

/** A PNG of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const PDF = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n\u00e4', 'latin1');

export interface Way extends ConnectOptions {
  readonly exposure: Exposure;
}

/** Stops at the first step that goes wrong: those after it would only repeat it. */
export async function travel(server: Server, url: string, launch: Launch, way: Way): Promise<StepResult[]> {
  const results: StepResult[] = [];
  const connection = await connect({ ...launch, args: [...launch.args, '--exposure', way.exposure] }, way).catch(
    (error: Error) => error,
  );
  if (connection instanceof Error) return [{ step: 'login', problem: connection.message }];
  try {
    const call = createCaller(connection, way.exposure);
    const steps = await openJourney(server, url, call, way, connection.questions);
    for (const step of STEPS) {
      // A server that takes everything has nothing to refuse: the step is left out, and the table shows that.
      if (step === 'refuse' && server.journey.isLenient === true) continue;
      try {
        await steps[step]();
        results.push({ step });
      } catch (error) {
        results.push({ step, problem: (error as Error).message });
        break;
      }
    }
  } finally {
    await connection.close();
  }
  return results;
}

async function openJourney(
  { journey, logIn }: Server,
  url: string,
  call: Caller,
  { person, wire }: Way,
  questions: readonly string[],
): Promise<Record<Step, () => Promise<void>>> {
  const headers = await logIn(url);
  const look = (path: string) => fetch(url + path, { headers });
  const { unwrap = (answer) => answer } = journey;
  const stored = async (id: unknown) => unwrap(await (await look(journey.path(id))).json());
  const file =
    wire === 'http'
      ? { bytes: PNG, filename: 'pixel.png', type: 'image/png' }
      : { bytes: PDF, filename: 'scan.pdf', type: 'application/pdf' };
  const created: unknown[] = [];
  let uploaded: unknown;

  const create = async () => {
    const answer = readJson(await call(journey.create.operation, journey.create.arguments));
    return journey.create.id(answer);
  };
  const last = () => created.at(-1);

  return {
    login: async () => {
      readJson(await call(journey.first));
    },
    create: async () => {
      for (let count = 0; count < 3; count++) created.push(await create());
      expectPart(await stored(last()), journey.create.stored ?? journey.create.arguments, 'what the server has stored');
    },
    list: async () => {
      const { operation, arguments: args, next, ids } = journey.list;
      // Other ways have left nothing behind, and the first page is full.
      const first = ids(readJson(await call(operation, args)));
      const second = ids(readJson(await call(operation, next(first))));
      expectEqual([first.length, [...first, ...second]], [2, created], 'two pages');
    },
    update: async () => {
      const { operation, arguments: args, after } = journey.update;
      readJson(await call(operation, args(last())));
      expectPart(await stored(last()), after, 'what the server has stored');
    },
    upload: async () => {
      const { operation, arguments: args } = journey.upload;
      const { bytes, filename } = file;
      uploaded = readJson(await call(operation, args(last(), { base64: bytes.toString('base64'), filename })));
      const response = await look(journey.filePath(last(), uploaded));
      expectEqual(response.headers.get('content-type'), file.type, 'the type the server has stored');
      const same = Buffer.from(await response.arrayBuffer()).equals(bytes);
      expectEqual(same, true, 'the bytes the server has stored');
    },
    download: async () => {
      const { operation, arguments: args } = journey.download;
      const answer = taken(await call(operation, args(last(), uploaded)));
      expectEqual(bytesOf(answer), [file.type, file.bytes.toString('base64')], 'the file in the answer');
      if (answer.text === '') throw new Error('no line of text stands beside the file');
    },
    refuse: async () => {
      const { operation } = journey.create;
      const answer = await call(operation, {});
      expectEqual(
        [answer.isError, answer.structured?.failure_mode],
        [true, 'validation'],
        'a create without its fields',
      );
    },
    delete: async () => {
      const { operation, arguments: args } = journey.delete;
      for (const id of created) {
        const before = questions.length;
        const answer = await call(operation, args(id));
        if (person === 'agrees') {
          taken(answer);
          expectEqual(questions.length, before + 1, 'questions to the person');
        } else {
          expectEqual(
            [answer.structured?.failure_mode, (await look(journey.path(id))).status],
            ['not_confirmed', 200],
            'a delete nobody confirmed',
          );
          const confirmation_token = /confirmation_token: "([\w.-]+)"/.exec(answer.text)?.[1];
          taken(await call(operation, { ...args(id), confirmation_token }));
        }
        const { status } = await look(journey.path(id));
        if (status < 400) throw new Error(`${journey.path(id)} is still there`);
      }
      created.length = 0;
    },
  };
}

function taken(answer: Answer): Answer {
  if (answer.isError) throw new Error(answer.text);
  return answer;
}

/** The first line; notes of the gateway stand below it. */
function readJson(answer: Answer): unknown {
  const [line = ''] = taken(answer).text.split('\n');
  return JSON.parse(line);
}

/** Media type and base64 of a file in an answer, whichever kind of content carries it. */
function bytesOf({ content, text }: Answer): [string, string] {
  for (const block of content) {
    if (block.type === 'image') return [String(block.mimeType), String(block.data)];
    const resource = block.resource as { mimeType?: string; blob?: string } | undefined;
    if (block.type === 'resource' && resource?.blob !== undefined) return [String(resource.mimeType), resource.blob];
  }
  throw new Error(`no file in the answer: ${text.slice(0, 300)}`);
}

function expectEqual(value: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(value, expected))
    throw new Error(`${what}: ${JSON.stringify(value)} instead of ${JSON.stringify(expected)}`);
}

function expectPart(value: unknown, expected: Record<string, unknown>, what: string): void {
  const fields = value as Record<string, unknown>;
  const part = Object.fromEntries(Object.keys(expected).map((key) => [key, fields[key]]));
  expectEqual(part, expected, what);
}
