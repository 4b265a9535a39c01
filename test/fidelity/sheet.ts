// A line of the fidelity sheet: one call, and either the exact request it must become or the refusal it must meet.
import { expect } from 'vitest';
import { echoText, type Received } from './echo.ts';
import type { Opened } from './gateway.ts';

export interface Sent {
  /** `GET /v1/items/7?full=true`, byte for byte. */
  readonly line: string;
  /** All headers besides those every request has. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: none at all. */
  readonly body?: string | Buffer;
}

export interface Line {
  readonly name: string;
  readonly tool: string;
  readonly args?: Record<string, unknown>;
  readonly sent?: Sent;
  /** Nothing may reach the API, and the refusal must say this. */
  readonly refused?: RegExp;
}

/** Written by the HTTP client or the same in every request. */
const ALWAYS = new Set(['host', 'connection', 'accept', 'accept-encoding', 'user-agent', 'content-length']);

/** A request as the sheet writes it. */
export function written({ method, target, headers, body }: Received): Sent {
  const own = Object.entries(headers).filter(([name]) => !ALWAYS.has(name));
  return {
    line: `${method} ${target}`,
    ...(own.length > 0 && { headers: Object.fromEntries(own) }),
    ...(body.length > 0 && { body: readable(body) }),
  };
}

function readable(body: Buffer): string | Buffer {
  const text = body.toString('utf8');
  return Buffer.from(text).equals(body) ? text : body;
}

export async function check({ call }: Opened, { tool, args, sent, refused }: Line): Promise<void> {
  const { result, requests, elsewhere } = await call(tool, args);
  expect(elsewhere).toEqual([]);
  if (sent === undefined) {
    expect(requests.map(written), 'nothing may be sent').toEqual([]);
    expect(result.text).toMatch(refused!);
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toMatchObject({ failure_mode: 'validation' });
    return;
  }
  expect(requests.map(written), result.text).toEqual([sent]);
  const [method, target] = splitLine(sent.line);
  if (method !== 'HEAD') expect(result.content).toEqual([{ type: 'text', text: echoText(method, target) }]);
  expect(result.isError).toBe(false);
  // An empty body still has a framing header where the method wants one; a body has its exact length.
  const length = requests[0]!.headers['content-length'];
  expect(length ?? '0').toBe(String(Buffer.byteLength(sent.body ?? '')));
}

function splitLine(line: string): [string, string] {
  const at = line.indexOf(' ');
  return [line.slice(0, at), line.slice(at + 1)];
}
