// A gateway of several workers, as people run it, and what a test wants to know of its processes.
import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { Agent, fetch as undiciFetch } from 'undici';
import type { Served } from './program.ts';
import { until } from './until.ts';

/** The log, line by line; a line that is no JSON is a text. */
export function readLog({ log }: Pick<Served, 'log'>): Record<string, unknown>[] {
  return log()
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      try {
        return JSON.parse(line) as Record<string, unknown>;
      } catch {
        return { text: line };
      }
    });
}

/** The process in a slot now: `before` is the one that is no more. The log tells, a moment later. */
export async function pidOf(gateway: Pick<Served, 'log'>, slot: number, before?: number): Promise<number> {
  const find = () => readLog(gateway).findLast(({ worker, msg }) => worker === slot && msg === 'a worker serves')?.pid;
  await until(() => find() !== undefined && find() !== before);
  return find() as number;
}

/** Whether a process runs; one that has ended and nobody has asked about is none. */
export function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Each request on a connection of its own, so that it may come to any worker. */
const fresh = new Agent({ pipelining: 0 });
export const freshFetch = ((url: string, init: object) =>
  undiciFetch(url, { ...init, dispatcher: fresh })) as unknown as typeof fetch;

/** The official client of the legacy eras, connected. `onQuestion`: what its user says when asked. */
export async function connectFresh(
  url: string,
  headers: Record<string, string> = {},
  onQuestion?: () => ElicitResult,
): Promise<Client> {
  const capabilities = onQuestion ? { elicitation: {} } : {};
  const client = new Client({ name: 'a client', version: '1.0.0' }, { capabilities });
  if (onQuestion) client.setRequestHandler(ElicitRequestSchema, onQuestion);
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { fetch: freshFetch, requestInit: { headers } }) as never,
  );
  return client;
}
