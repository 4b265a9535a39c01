// A real REST API on loopback for tests: each test says what it answers, and can see what it was asked.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { startRecorder } from './recorder.ts';

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Upstream {
  readonly url: string;
  readonly seen: Seen[];
  close(): Promise<void>;
}

export type Answer = (request: Seen, response: ServerResponse) => void;

/** Starts an API; without `answer` it echoes method, url and body as JSON. */
export async function startUpstream(answer: Answer = echo): Promise<Upstream> {
  const seen: Seen[] = [];
  const { origin, close } = await startRecorder(({ method, url, headers, body }, response) => {
    const request = { method, url, headers, body: body.toString() };
    seen.push(request);
    answer(request, response);
  });
  return { url: origin, seen, close };
}

const echo: Answer = ({ method, url, body }, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ method, url, ...(body && { body }) }));
};
