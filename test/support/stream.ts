// One POST whose answer is read as it comes: JSON at once, or an event stream message by message.
import { type ClientRequest, request as httpRequest } from 'node:http';
import { headersOf, type Rpc } from './mcp.ts';

export interface Stream {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  /** Messages received so far, and their text. */
  readonly messages: readonly Rpc[];
  readonly texts: readonly string[];
  find(fits: (message: Rpc) => boolean): Promise<Rpc>;
  /** Resolves with all messages when the server has ended the answer. */
  readonly ended: Promise<readonly Rpc[]>;
  isOver(): boolean;
  /** Leaves, as a client does that closes its window. */
  leave(): void;
}

/** Sends a message and resolves when the answer begins. Modern messages get the headers a client would send. */
export function stream(url: string, message: Rpc, headers: Record<string, string> = {}): Promise<Stream> {
  return sending(url, message, headers).begun;
}

/** The same, with the request in hand: to leave before the answer has begun. */
export function sending(
  url: string,
  message: Rpc,
  headers: Record<string, string> = {},
): { readonly request: ClientRequest; readonly begun: Promise<Stream> } {
  const meta = message.params?._meta as Record<string, unknown> | undefined;
  const isModern = meta?.['io.modelcontextprotocol/protocolVersion'] !== undefined;
  return sendText(url, JSON.stringify(message), { ...(isModern && headersOf(message)), ...headers });
}

/** Any text, with exactly these headers beside the media types. */
export function sendText(
  url: string,
  text: string,
  headers: Record<string, string>,
): { readonly request: ClientRequest; readonly begun: Promise<Stream> } {
  const request = httpRequest(url, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
  });
  const begun = new Promise<Stream>((resolve, reject) => {
    request.once('error', reject);
    request.once('response', (response) => {
      const messages: Rpc[] = [];
      const texts: string[] = [];
      const keep = (json: string) => {
        texts.push(json);
        messages.push(JSON.parse(json) as Rpc);
      };
      let isOver = false;
      const waiting = new Set<() => void>();
      let rest = '';
      const isStream = response.headers['content-type'] === 'text/event-stream';
      response.on('data', (chunk: Buffer) => {
        rest += chunk.toString();
        if (!isStream) return;
        const events = rest.split('\n\n');
        rest = events.pop() ?? '';
        for (const event of events) {
          const data = event.split('\n').find((line) => line.startsWith('data: '));
          if (data) keep(data.slice(6));
        }
        for (const wake of waiting) wake();
      });
      const ended = new Promise<readonly Rpc[]>((done, failed) => {
        response.once('end', () => {
          if (!isStream && rest !== '') keep(rest);
          isOver = true;
          for (const wake of waiting) wake();
          done(messages);
        });
        response.once('error', failed);
      });
      ended.catch(() => {});
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        messages,
        texts,
        ended,
        isOver: () => isOver,
        find: async (fits) => {
          for (;;) {
            const found = messages.find(fits);
            if (found) return found;
            await new Promise<void>((wake) => waiting.add(wake));
          }
        },
        leave: () => request.destroy(),
      });
    });
  });
  request.end(text);
  return { request, begun };
}
