// docs/logs.md tells of every field of a call's line and of every message there is.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createGateway } from '../../src/gateway.ts';
import { createLog } from '../../src/log.ts';
import { openTraceExport } from '../../src/tracing/otlp-export.ts';
import { legacy, modern } from '../support/mcp.ts';
import { startOtlpReceiver } from '../support/otlp-receiver.ts';
import { petsDomain } from '../support/pets.ts';
import { useRealHttp } from '../support/real-http.ts';
import { startUpstream } from '../support/upstream.ts';

useRealHttp();

const SRC = new URL('../../src/', import.meta.url).pathname;
const TEXT = readFileSync(new URL('../../docs/logs.md', import.meta.url), 'utf8');

/** What stands first in the rows of a section's table. */
function namesIn(section: string): string[] {
  const [, after = ''] = TEXT.split(`\n## ${section}\n`);
  const [body = ''] = after.split('\n## ', 1);
  return [...body.matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1]!);
}

test('every field of a call’s line is told of, and every one that is told of is there', async () => {
  const upstream = await startUpstream();
  const receiver = await startOtlpReceiver();
  const traces = openTraceExport({
    version: '0',
    endpoint: `${receiver.url}/v1/traces`,
    protocol: 'http/json',
    headers: {},
    serviceName: 'test',
    resource: {},
    sampleRatio: 1,
    callers: 'own',
    tls: {},
    queue: {},
    onChange: () => {},
    onWarning: () => {},
  });
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const gateway = createGateway({
    domains: [petsDomain(upstream.url)],
    exposure: 'grouped',
    policy: { readOnly: false, destructive: 'deny' },
    profiles: { reader: { effects: ['read'] } },
    tracerProvider: traces.provider,
    log: createLog({ level: 'info', destination }),
  });
  const call = (params: object) => modern(1, 'tools/call', params as Record<string, unknown>);
  const [name, writing] = ['pets.get', 'pets.delete'].map(
    (id) =>
      [...gateway.registry.tools.values()].find(
        ({ operations, tool }) => tool.name.startsWith('pets') && operations.some(({ endpoint }) => endpoint.id === id),
      )!.tool.name,
  );
  const sender = { remote: '192.0.2.7' };
  const get = (id: unknown) => call({ name, arguments: { action: 'get', id } });
  await gateway.serviceOf('reader')!.handle(get(7), sender);
  await gateway.handle(get('seven'), sender);
  await gateway.handle(call({ name: writing, arguments: { action: 'delete', id: 7 } }), sender);
  await gateway.handle(call({ name: 'nothing' }), sender);
  const info = { 'io.modelcontextprotocol/clientInfo': { name: 'tester', version: '1' } };
  await gateway.handle(call({ name, arguments: { action: 'get', id: 7 }, _meta: info }), sender);
  await gateway.handle(legacy(1, 'resources/read', { uri: 'pets://nothing' }), sender);
  await gateway.close();
  await traces.close();
  await receiver.close();
  await upstream.close();
  const calls = lines.filter(({ msg }) => msg === 'call');
  expect(calls.length).toBe(6);
  const { level: _level, time: _time, msg: _msg, ...fields } = Object.assign({}, ...calls);
  expect(Object.keys(fields).sort()).toEqual(namesIn('A call').sort());
});

/** The text of a call's arguments: from after its opening bracket to the one that closes it. */
function argumentsAt(source: string, from: number): string {
  let depth = 1;
  for (let at = from; at < source.length; at++) {
    if ('([{'.includes(source[at]!)) depth++;
    else if (')]}'.includes(source[at]!) && --depth === 0) return source.slice(from, at);
  }
  return '';
}

/** Messages that stand in the code as they are; those that are put together are sentences of their own. */
function listMessages(): string[] {
  const files = (readdirSync(SRC, { recursive: true }) as string[]).filter((file) => file.endsWith('.ts'));
  return files.flatMap((file) => {
    const source = readFileSync(join(SRC, file), 'utf8');
    return [...source.matchAll(/\blog(?:\.(?:debug|info|warn|error|fatal)|\[[^\]]*\])\(/g)].flatMap((match) => {
      const last = argumentsAt(source, match.index + match[0].length)
        .replace(/,\s*$/, '')
        .replace(/^\{[\s\S]*?\},|^\s*\{[\s\S]*\},/, '');
      return [...last.matchAll(/'([^'\n]{4,})'/g)].map(([, text]) => text!);
    });
  });
}

test('every message of the log is told of', () => {
  const told = new Set(namesIn('Everything else'));
  const messages = listMessages();
  expect(messages.length).toBeGreaterThan(15);
  expect([...new Set(messages)].filter((message) => !told.has(message))).toEqual([]);
});

test('no message is told of that there is not', () => {
  const all = (readdirSync(SRC, { recursive: true }) as string[])
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(SRC, file), 'utf8'))
    .join('\n');
  expect(namesIn('Everything else').filter((message) => !all.includes(`'${message}'`))).toEqual([]);
});
