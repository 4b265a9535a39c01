// What a person reads on a terminal, and what a program reads about the same calls.

import { stripVTControlCharacters } from 'node:util';
import { expect, test, vi } from 'vitest';
import { createGateway } from '../src/gateway.ts';
import { createLog } from '../src/log.ts';
import { META } from '../src/protocol/eras.ts';
import { legacy, modern } from './support/mcp.ts';
import { petsDomain } from './support/pets.ts';
import { useRealHttp } from './support/real-http.ts';

useRealHttp();

/** A call without a required argument, by a modern client and by a legacy client that has introduced itself. */
async function logOf(pretty: boolean): Promise<string[]> {
  const lines: string[] = [];
  const log = createLog({ level: 'info', pretty, destination: { write: (line) => void lines.push(line) } });
  const gateway = createGateway({ domains: [petsDomain('http://127.0.0.1:9')], exposure: 'tools', log });
  const call = { name: 'pets_get', arguments: {} };
  const message = modern(1, 'tools/call', call) as unknown as { params: { _meta: object } };
  Object.assign(message.params._meta, { [META.clientInfo]: { name: 'ada', version: '2' } });
  await gateway.handle(message);
  const clientInfo = { name: 'bab\u001bbage', version: '1.2' };
  const hello = legacy(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  const sender = { transport: 'http' as const, principal: { id: 'anonymous' } };
  const opening = await gateway.handle(hello, { ...sender, headers: {} });
  const headers = { 'mcp-session-id': opening!.sessionId!, 'mcp-protocol-version': '2025-11-25' };
  await gateway.handle(legacy(2, 'tools/call', call), { ...sender, headers });
  log.info({ why: 'SIGINT' }, 'stopping');
  await gateway.close();
  return lines;
}

test('on a terminal, a line says what failed, who called and why the process stops, without JSON', async () => {
  const lines = (await logOf(true)).map((line) =>
    stripVTControlCharacters(line)
      .replace(/^\S+ /, '')
      .replace(/[\d.]+ ms/, 'n ms')
      .trimEnd(),
  );
  expect(lines).toEqual([
    'warn  pets_get - n ms validation: missing id  ada (2026-07-28)',
    'info  client bab\\u001bbage 1.2 2025-11-25, http',
    'warn  pets_get - n ms validation: missing id  bab?bage (2025-11-25)',
    'info  stopping: SIGINT',
  ]);
});

test('in a pipe, the same facts are fields of JSON lines', async () => {
  const lines = (await logOf(false)).map((line) => JSON.parse(line) as object);
  expect(lines).toMatchObject([
    { msg: 'call', failureMode: 'validation', reason: 'missing id', client: 'ada', revision: '2026-07-28' },
    { msg: 'client', client: { name: 'bab\u001bbage' }, version: '2025-11-25' },
    { msg: 'call', failureMode: 'validation', reason: 'missing id', client: 'bab?bage', revision: '2025-11-25' },
    { msg: 'stopping', why: 'SIGINT' },
  ]);
});

test('the line of a call has its fields in a fixed order, and leaves out those without a value', async () => {
  const lines: string[] = [];
  const log = createLog({ level: 'info', worker: 2, destination: { write: (line) => void lines.push(line) } });
  const gateway = createGateway({ domains: [petsDomain('http://127.0.0.1:9')], exposure: 'tools', log });
  const call = { name: 'pets_get', arguments: {} };
  await gateway.handle(modern(1, 'tools/call', call), { principal: { id: 'key:"ci"' }, remote: '::1' });
  await gateway.close();
  const line = lines[0]!
    .replace(/(?<="time":")[^"]+/, 'TIME')
    .replace(/(?<="requestId":")[^"]+/, 'ID')
    .replace(/(?<="args":")[^"]+/, 'DIGEST')
    .replace(/(?<="durationMs":)\d+(\.\d)?/, 'MS');
  expect(line).toBe(
    '{"level":40,"time":"TIME","worker":2,"requestId":"ID","method":"tools/call","tool":"pets_get","operation":"pets.get",' +
      '"effect":"read","principal":"key:\\"ci\\"","transport":"local","remote":"::1","revision":"2026-07-28",' +
      '"args":"DIGEST","outcome":"failed","failureMode":"validation","reason":"missing id","durationMs":MS,"msg":"call"}\n',
  );
});

test.each([true, false])('the log line of an unknown tool suggests similar names (pretty: %s)', async (pretty) => {
  const lines: string[] = [];
  const log = createLog({ level: 'info', pretty, destination: { write: (line) => void lines.push(line) } });
  const gateway = createGateway({ domains: [petsDomain('http://127.0.0.1:9')], exposure: 'tools', log });
  await gateway.handle(modern(1, 'tools/call', { name: 'pets_gett', arguments: { id: 'secret' } }));
  await gateway.close();
  const reason = 'Unknown tool: pets_gett. Did you mean pets_get? tools/list shows what there is.';
  expect(lines).toHaveLength(1);
  if (pretty) expect(stripVTControlCharacters(lines[0]!)).toContain(` error: ${reason}`);
  else expect(JSON.parse(lines[0]!)).toMatchObject({ tool: 'pets_gett', outcome: 'error', errorCode: -32602, reason });
  expect(lines[0]).not.toContain('secret');
});

test('clients that introduce themselves are only counted after the hundredth line', async () => {
  vi.useFakeTimers();
  try {
    const lines: string[] = [];
    const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(line) } });
    const gateway = createGateway({ domains: [petsDomain('http://127.0.0.1:9')], exposure: 'tools', log });
    const clientInfo = { name: 'noisy', version: '1' };
    const hello = legacy(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    for (let time = 0; time < 250; time++) await gateway.handle(hello);
    expect(lines.filter((line) => line.includes('"msg":"client"'))).toHaveLength(100);
    vi.advanceTimersByTime(10_000);
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ introductions: 150, msg: 'more clients' });
    await gateway.handle(hello);
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ msg: 'client' });
    await gateway.close();
  } finally {
    vi.useRealTimers();
  }
});
