// doctor --online, the part that touches the network: whether anybody listens, then reads through a gateway of their own, which
// refuses everything else.
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Finding } from '../doctor/finding.ts';
import { checkReads, type ReadAnswer } from '../doctor/online/check-reads.ts';
import type { Args } from '../endpoint/model.ts';
import type { RawResponse } from '../executor/send.ts';
import { createGateway, type Gateway, withoutExposure } from '../gateway.ts';

export interface OnlineReport {
  readonly findings: readonly Finding[];
  /** Reads that were called. */
  readonly calls: number;
}

const CONNECT_MS = 5_000;
export const MAX_CALLS = 40;
/** Larger answers are not compared. */
const MAX_COMPARED_BYTES = 1024 * 1024;

export async function tryReads({ domains }: Gateway): Promise<OnlineReport> {
  const silent = await findSilent(domains);
  const reachable = domains.map(withoutExposure).map((domain) => ({
    ...domain,
    endpoints: domain.endpoints.filter(({ baseUrl }) => !silent.has(originOf(baseUrl))),
  }));
  const last: { raw?: RawResponse | undefined } = {};
  const gateway = createGateway({
    domains: reachable,
    exposure: 'tools',
    policy: { readOnly: true },
    onAnswer: (answer) => {
      last.raw = { ...answer, body: Buffer.from(answer.body) };
      return undefined;
    },
  });
  // One after the other: an API is looked at, not loaded, and an answer belongs to its call.
  const call = async (name: string, args: Args): Promise<ReadAnswer> => {
    last.raw = undefined;
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
    const reply = JSON.parse((await gateway.handle(message))?.body ?? '{}') as Reply;
    const text = reply.result?.content?.[0]?.text ?? reply.error?.message ?? '';
    const { raw } = last as { readonly raw?: RawResponse };
    if (raw === undefined) return { status: undefined, text };
    const isOk = raw.status < 300 && raw.cut === undefined;
    return { status: raw.status, text, ...(isOk && valueIn(raw)) };
  };
  try {
    const { findings, calls } = await checkReads(gateway.registry.operations, { call, maxCalls: MAX_CALLS });
    return { findings: [...silent.values(), ...findings], calls };
  } finally {
    await gateway.close();
  }
}

interface Reply {
  readonly result?: { readonly content?: readonly { readonly text?: string }[] };
  readonly error?: { readonly message?: string };
}

function valueIn({ headers, body }: RawResponse): { readonly value?: unknown } {
  if (!/json/i.test(String(headers['content-type'])) || body.length > MAX_COMPARED_BYTES) return {};
  try {
    return { value: JSON.parse(body.toString('utf8')) };
  } catch {
    return {};
  }
}

function originOf(baseUrl: string): string {
  return baseUrl === '' ? '' : new URL(baseUrl).origin;
}

/** Origins at which nobody listens. */
async function findSilent(domains: Gateway['domains']): Promise<ReadonlyMap<string, Finding>> {
  const origins = new Map<string, string>();
  for (const { name, endpoints } of domains) {
    for (const { baseUrl } of endpoints) if (baseUrl !== '') origins.set(originOf(baseUrl), name);
  }
  const silent = new Map<string, Finding>();
  const attempts = [...origins].map(async ([origin, where]) => {
    const problem = await tryConnect(new URL(origin));
    if (problem === undefined) return;
    const message = `${origin} cannot be reached: ${problem}`;
    const fix = 'check the base URL and the network';
    silent.set(origin, { severity: 'error', check: 'base_url', where, message, fix });
  });
  await Promise.all(attempts);
  return silent;
}

function tryConnect({ protocol, hostname, port }: URL): Promise<string | undefined> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const secure = protocol === 'https:';
  const options = { host, port: Number(port) || (secure ? 443 : 80), timeout: CONNECT_MS };
  return new Promise((resolve) => {
    const socket = secure ? connectTls({ ...options, servername: host }) : connectTcp(options);
    const finish = (problem?: string) => {
      socket.destroy();
      resolve(problem);
    };
    socket.once(secure ? 'secureConnect' : 'connect', () => finish());
    socket.once('timeout', () => finish(`no answer within ${CONNECT_MS / 1000} s`));
    socket.once('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message));
  });
}
