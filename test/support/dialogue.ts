// Recorded exchanges, replayed: a dialogue is a text of what a client sent and what came back, line by line. Replaying one
// produces the same text anew, to be compared literally. Only what is new every time has a name in it: `<seal-1>`.
//
//   over: http | stdio, tcp       first line; `gateway: {"pageSize":2}` may follow
//   # a remark
//   POST call                     (HTTP) a request, headers, then its body; the name is for a stream that stays open
//   mcp-method: tools/list
//   > {"jsonrpc":"2.0",…}         what the client sends; over lines this is all there is
//   < 200 application/json        what comes back: status and type over HTTP, then message by message
//   < {"jsonrpc":"2.0",…}
//   < end                         the stream is over
//   SEND call | WAIT call | LEAVE call      (HTTP) send without waiting, wait for more, go away
//   END                           (lines) the client ends its side
//   CLOSE | UPSTREAM asked | UPSTREAM abandoned    the server closes; the API has the request for pet 99, or has lost it
import { createGateway, type Gateway } from '../../src/gateway.ts';
import { LINE_CLIENTS, type LineClient } from './lines.ts';
import { type Rpc, serveHttp } from './mcp.ts';
import { petsDomain } from './pets.ts';
import { type Stream, sendText } from './stream.ts';
import { startUpstream } from './upstream.ts';

export type Over = 'http' | keyof typeof LINE_CLIENTS;

interface Step {
  /** The client's lines, as they stand in the file. */
  readonly lines: string[];
  /** How many messages the recording shows after them. */
  messages: number;
  ends: boolean;
}

/** When nothing comes any more, what came is compared: a difference says more than a timeout. */
const PATIENCE_MS = 10_000;

export function transportsOf(text: string): Over[] {
  return (/^over: (.*)$/m.exec(text)?.[1] ?? '').split(', ') as Over[];
}

/** Replays a dialogue and returns it as it went this time. `recording` waits for whatever comes instead of counting. */
export async function replay(text: string, over: Over, recording = false): Promise<string> {
  const stage = await setStage(text);
  const played: string[] = [];
  const play = over === 'http' ? await playHttp(stage) : await playLines(stage, over);
  try {
    for (const step of parse(text)) {
      played.push(...step.lines);
      if (isSilent(step)) continue;
      const came = await play.step(step, recording);
      played.push(...came.map((line) => `< ${stage.names.hide(line)}`));
    }
    for (const line of await play.rest()) played.push(`< ${stage.names.hide(line)} # nobody expected this`);
  } finally {
    await play.close();
    await stage.close();
  }
  return `${played.join('\n')}\n`;
}

function isSilent({ lines }: Step): boolean {
  return lines.every((line) => line === '' || line.startsWith('#') || /^(over|gateway): /.test(line));
}

function parse(text: string): Step[] {
  const steps: Step[] = [];
  let step: Step | undefined;
  for (const line of text.trimEnd().split('\n')) {
    if (line.startsWith('< ')) {
      if (!step) throw new Error(`A dialogue cannot begin with ${line}`);
      if (/^< [[{]/.test(line)) step.messages++;
      if (line === '< end') step.ends = true;
      continue;
    }
    const isHeader = /^[a-z-]+: /.test(line) && !/^(over|gateway): /.test(line);
    const continues =
      step?.lines.at(-1) !== undefined &&
      step.messages === 0 &&
      (isHeader || line.startsWith('> ')) &&
      startsPost(step);
    if (step && continues) step.lines.push(line);
    else {
      step = { lines: [line], messages: 0, ends: false };
      steps.push(step);
    }
  }
  return steps;
}

const startsPost = ({ lines }: Step) =>
  /^(POST|SEND)\b/.test(lines[0] ?? '') && !lines.some((line) => line.startsWith('> '));

interface Player {
  step(step: Step, recording: boolean): Promise<string[]>;
  /** What came that no step waited for. */
  rest(): Promise<string[]>;
  close(): Promise<void>;
}

type Stage = Awaited<ReturnType<typeof setStage>>;

async function setStage(text: string) {
  let held = 0;
  let abandoned = 0;
  const wake = new Set<() => void>();
  const upstream = await startUpstream(({ method, url, body }, response) => {
    if (url === '/pets/99') {
      held++;
      response.once('close', () => {
        abandoned++;
        for (const one of wake) one();
      });
    } else if (url === '/pets/404') {
      response.writeHead(404, { 'content-type': 'application/problem+json' });
      response.end('{"title":"No such pet","status":404}');
    } else {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ method, url, ...(body && { body: JSON.parse(body) }) }));
    }
    for (const one of wake) one();
  });
  const options = JSON.parse(/^gateway: (.*)$/m.exec(text)?.[1] ?? '{}') as object;
  const gateway: Gateway = createGateway({ domains: [petsDomain(upstream.url)], exposure: 'tools', ...options });
  const reached = async (condition: () => boolean) => {
    while (!condition()) await new Promise<void>((resolve) => wake.add(resolve));
  };
  return {
    gateway,
    names: createNames(upstream.url, gateway.version),
    /** What happens beside the conversation. */
    act: async (line: string) => {
      if (line === 'CLOSE') gateway.protocol.close();
      else if (line === 'UPSTREAM asked') await reached(() => held > 0);
      else if (line === 'UPSTREAM abandoned') await reached(() => abandoned > 0);
      else throw new Error(`What is "${line}"?`);
    },
    close: async () => {
      await gateway.close();
      await upstream.close();
    },
  };
}

/** What is new every time gets a name when it first shows up, and is put back when the client sends it. */
function createNames(upstreamUrl: string, version: string) {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  const nameOf = (kind: string) => (value: string) => {
    let name = names.get(value);
    if (name === undefined) {
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      name = `<${kind}-${count}>`;
      names.set(value, name);
    }
    return name;
  };
  return {
    hide: (text: string) =>
      text
        .replaceAll(upstreamUrl, 'http://pets.test')
        .replaceAll(new URL(upstreamUrl).host, 'pets.test')
        .replaceAll(`"version":"${version}"`, '"version":"<version>"')
        .replaceAll(`landbridge/${version}`, 'landbridge/<version>')
        .replace(/landbridge-[0-9a-f-]{36}/g, nameOf('question'))
        // The payload begins with `["` and a random character, whose upper bits decide between I and J.
        .replace(/Wy[IJ][\w-]+\.[\w-]{43}/g, nameOf('session'))
        .replace(/(?<![\w-])[\w-]{43}(?![\w-])/g, nameOf('seal')),
    show: (text: string) => {
      let shown = text;
      for (const [value, name] of names) shown = shown.replaceAll(name, value);
      return shown;
    },
  };
}

const inTime = (promise: Promise<unknown>, ms = PATIENCE_MS): Promise<unknown> =>
  Promise.race([promise, new Promise<void>((resolve) => setTimeout(() => resolve(), ms).unref())]);
/** Only while recording: long enough for everything to come. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 400));

async function playLines(stage: Stage, over: keyof typeof LINE_CLIENTS): Promise<Player> {
  const client: LineClient = await LINE_CLIENTS[over](stage.gateway.protocol);
  let taken = 0;
  const take = (count: number) => {
    const came = client.texts.slice(taken, taken + count);
    taken += came.length;
    return came;
  };
  return {
    async step({ lines: [line = ''], messages, ends }, recording) {
      if (line.startsWith('> ')) client.send(stage.names.show(line.slice(2)));
      else if (line === 'END') client.end();
      else await stage.act(line);
      if (recording) {
        await settle();
        const came = take(client.texts.length);
        return line === 'END' ? [...came, 'end'] : came;
      }
      await inTime(client.find(() => client.received.length >= taken + messages));
      const came = take(messages);
      if (ends) await client.closed;
      return ends ? [...came, 'end'] : came;
    },
    async rest() {
      await inTime(client.ask({ jsonrpc: '2.0', id: 'the end', method: 'ping' } as Rpc), 50);
      return take(client.texts.length).filter((text) => !text.includes('"the end"'));
    },
    close: () => client.close(),
  };
}

interface Sent {
  readonly request: { destroy(): void };
  readonly begun: Promise<Stream>;
  begins: boolean;
  taken: number;
}

async function playHttp(stage: Stage): Promise<Player> {
  const server = await serveHttp(stage.gateway);
  const open = new Map<string, Sent>();

  const send = (name: string, lines: readonly string[]) => {
    const headers: Record<string, string> = {};
    let body = '';
    for (const line of lines) {
      const colon = line.indexOf(': ');
      if (line.startsWith('> ')) body = stage.names.show(line.slice(2));
      else headers[line.slice(0, colon)] = stage.names.show(line.slice(colon + 2));
    }
    const sent = { ...sendText(server.url, body, headers), begins: true, taken: 0 };
    sent.begun.catch(() => {});
    open.set(name, sent);
  };
  const follow = async (name: string, { messages, ends }: Step, recording: boolean): Promise<string[]> => {
    const sent = open.get(name);
    if (!sent) throw new Error(`No request is called "${name}".`);
    const stream = await sent.begun;
    const isStream = stream.headers['content-type'] === 'text/event-stream';
    const session = stream.headers['mcp-session-id'];
    const head = [`${stream.status} ${stream.headers['content-type'] ?? ''}`.trim()];
    if (session !== undefined) head.push(`mcp-session-id: ${session}`);
    if (recording || !isStream) await Promise.race([stream.ended, ...(recording ? [settle()] : [])]);
    else await inTime(ends ? stream.ended : stream.find(() => stream.messages.length >= sent.taken + messages));
    const came = stream.texts.slice(sent.taken, recording || !isStream || ends ? undefined : sent.taken + messages);
    sent.taken += came.length;
    const isOver = isStream && stream.isOver();
    const begins = sent.begins;
    sent.begins = false;
    return [...(begins ? head : []), ...came, ...(isOver ? ['end'] : [])];
  };

  return {
    async step(step, recording) {
      const [first = '', ...lines] = step.lines;
      const [verb, name = ''] = first.split(' ');
      if (verb === 'POST' || verb === 'SEND') send(name, lines);
      if (verb === 'POST' || verb === 'WAIT') return follow(name, step, recording);
      if (verb === 'LEAVE') open.get(name)?.request.destroy();
      else if (verb !== 'SEND') await stage.act(first);
      return [];
    },
    rest: async () => [],
    close: () => server.close(0),
  };
}
