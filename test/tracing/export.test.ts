// The export of spans: where they are sent, with which attributes, and what happens if the collector does not accept them.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { trace } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { GroupedToolBuilder } from '../../src/catalog/grouped/grouped-tool-builder.ts';
import { createGateway } from '../../src/gateway.ts';
import { ToolRegistry } from '../../src/sdk/tool-registry.ts';
import { type ExportOptions, openTraceExport, type TraceExport } from '../../src/tracing/otlp-export.ts';
import { findTracing } from '../../src/tracing/tracing.ts';
import { modern } from '../support/mcp.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../support/otlp-receiver.ts';
import { petsDomain } from '../support/pets.ts';
import { useRealHttp } from '../support/real-http.ts';
import { startUpstream } from '../support/upstream.ts';

useRealHttp();

let receiver: OtlpReceiver;
beforeEach(async () => {
  receiver = await startOtlpReceiver();
});
afterEach(() => receiver.close());

function open(changes: Partial<ExportOptions> = {}): TraceExport {
  return openTraceExport({
    version: '1.2.3',
    endpoint: `${receiver.url}/v1/traces`,
    protocol: 'http/protobuf',
    headers: {},
    serviceName: 'gateway',
    resource: {},
    sampleRatio: 1,
    callers: 'own',
    tls: {},
    queue: {},
    onChange: () => {},
    onWarning: () => {},
    ...changes,
  });
}

/** Ends this many spans. */
function record({ provider }: TraceExport, count: number): void {
  const tracing = findTracing('0', provider)!;
  for (let index = 0; index < count; index++) {
    tracing.open('work', {}, { meta: undefined, headers: undefined }).end();
  }
}

describe('spans', () => {
  test('have the resource attributes, and are sent with the configured headers', async () => {
    const traces = open({
      headers: { 'x-api-key': 'k' },
      resource: { 'deployment.environment.name': 'test', 'service.instance.id': 'one' },
      compression: 'gzip',
    });
    record(traces, 1);
    expect(await traces.close()).toEqual({ losses: 0 });
    expect(receiver.exports).toMatchObject([
      {
        url: '/v1/traces',
        'content-type': 'application/x-protobuf',
        'content-encoding': 'gzip',
        'x-api-key': 'k',
      },
    ]);
    expect(receiver.spans[0]!.resource).toMatchObject({
      'service.name': 'gateway',
      'service.version': '1.2.3',
      'service.instance.id': 'one',
      'deployment.environment.name': 'test',
      'process.pid': process.pid,
    });
  });

  test('of two processes differ in their instance id', async () => {
    for (const traces of [open(), open()]) {
      record(traces, 1);
      await traces.close();
    }
    const ids = receiver.spans.map(({ resource }) => resource['service.instance.id']);
    expect(new Set(ids).size).toBe(2);
  });

  test('that the collector refuses are reported once, and once more when they arrive again', async () => {
    const said: unknown[] = [];
    const traces = open({ onChange: (isArriving, facts) => said.push([isArriving, facts]) });
    receiver.status = 400;
    for (let round = 0; round < 3; round++) {
      record(traces, 2);
      await traces.provider.forceFlush();
    }
    receiver.status = 200;
    record(traces, 1);
    await traces.provider.forceFlush();
    expect(said).toEqual([
      [false, { losses: 2, why: 'Bad Request' }],
      [true, { losses: 6 }],
    ]);
    expect(await traces.close()).toEqual({ losses: 6 });
  });

  test('wait in a bounded queue', async () => {
    const warnings: string[] = [];
    const traces = open({
      queue: { maxQueueSize: 10, maxExportBatchSize: 10, scheduledDelayMillis: 3_600_000 },
      onWarning: (message) => warnings.push(message),
    });
    // The tenth span starts an export of ten spans; ten more fit into the queue.
    record(traces, 50);
    await traces.provider.forceFlush();
    record(traces, 1);
    await traces.close();
    expect(receiver.spans.length).toBe(21);
    expect(warnings).toEqual(['Dropped 30 spans because maxQueueSize reached']);
  });

  test('do not delay the end of the process when the collector does not answer', async () => {
    const silent = await startUpstream(() => {});
    const traces = open({ endpoint: `${silent.url}/v1/traces` });
    record(traces, 3);
    expect(await traces.close()).toEqual({ losses: 3 });
    await silent.close();
  });

  test('that cannot be sent do not affect their calls', async () => {
    const upstream = await startUpstream();
    const traces = open({
      endpoint: 'http://127.0.0.1:1/v1/traces',
      queue: { scheduledDelayMillis: 1 },
      timeoutMs: 50,
    });
    const gateway = createGateway({
      domains: [petsDomain(upstream.url)],
      exposure: 'tools',
      tracerProvider: traces.provider,
    });
    for (let id = 0; id < 20; id++) {
      const reply = await gateway.handle(modern(id, 'tools/call', { name: 'pets_get', arguments: { id: 7 } }));
      expect(JSON.parse(reply!.body)).toMatchObject({ result: { resultType: 'complete' } });
    }
    await gateway.close();
    expect(await traces.close()).toEqual({ losses: 60 });
    await upstream.close();
  });
});

describe('an application with its own OpenTelemetry SDK', () => {
  afterEach(() => trace.disable());

  test('gets the spans of tools that it serves with the official MCP SDK', async () => {
    const exporter = new InMemorySpanExporter();
    trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
    const server = new McpServer({ name: 'host', version: '1' });
    const tool = new GroupedToolBuilder('echo').action({ name: 'say', handler: () => 'hi' });
    new ToolRegistry().registerAll(tool).attachToServer(server);
    const [near, far] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: 'test', version: '1' });
    await Promise.all([server.connect(far), client.connect(near)]);
    const _meta = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' };
    await client.callTool({ name: 'echo', arguments: { action: 'say' }, _meta });
    await client.close();
    const spans = exporter.getFinishedSpans();
    expect(spans.map(({ name }) => name)).toEqual(['validate', 'tools/call echo']);
    expect(spans[1]!.parentSpanContext?.spanId).toBe('00f067aa0ba902b7');
    expect(spans[1]!.attributes).toMatchObject({ 'gen_ai.tool.name': 'echo', 'landbridge.operation': 'echo.say' });
  });

  test('gets the spans through OpenTelemetry’s API, except of a gateway that was created before', async () => {
    const upstream = await startUpstream();
    const call = modern(1, 'tools/call', { name: 'pets_get', arguments: { id: 7 } });
    const before = createGateway({ domains: [petsDomain(upstream.url)], exposure: 'tools' });
    const exporter = new InMemorySpanExporter();
    trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
    const after = createGateway({ domains: [petsDomain(upstream.url)], exposure: 'tools' });
    await before.handle(call);
    expect(exporter.getFinishedSpans()).toEqual([]);
    await after.handle(call);
    expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual([
      'validate',
      'GET /pets/{id}',
      'tools/call pets_get',
    ]);
    await before.close();
    await after.close();
    await upstream.close();
  });
});
