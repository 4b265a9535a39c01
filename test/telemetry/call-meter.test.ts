// How calls are counted: the tests check a scrape of a whole gateway.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildDomain } from '../../src/domain/definition/build-domain.ts';
import { defineDomain } from '../../src/domain/definition/define-domain.ts';
import { createGateway, type Gateway, type GatewayOptions } from '../../src/gateway.ts';
import type { Sender } from '../../src/protocol/sender.ts';
import { createCallMetrics } from '../../src/telemetry/call-meter.ts';
import { renderMetrics } from '../../src/telemetry/exposition.ts';
import { LINKS, legacy, modern, type Rpc } from '../support/mcp.ts';
import { petsDomain } from '../support/pets.ts';
import { parseScrape, type Scrape } from '../support/scrape.ts';
import { gate, until } from '../support/until.ts';
import { type Answer, startUpstream, type Upstream } from '../support/upstream.ts';

let upstream: Upstream;
let gateway: Gateway;
let answer: Answer;
let metrics: ReturnType<typeof createCallMetrics>;

beforeEach(async () => {
  answer = (_request, response) => void response.end('[]');
  upstream = await startUpstream((request, response) => answer(request, response));
  metrics = createCallMetrics();
});
afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

function open(more: Partial<GatewayOptions> = {}): Gateway {
  gateway = createGateway({
    domains: [petsDomain(upstream.url)],
    exposure: 'tools',
    openMeter: metrics.openMeter,
    ...more,
  });
  return gateway;
}

async function call(name: string, args: Record<string, unknown> = {}, sender: Partial<Sender> = {}): Promise<Rpc> {
  const reply = await gateway.handle(modern(1, 'tools/call', { name, arguments: args }), sender);
  return JSON.parse(reply!.body) as Rpc;
}

const look = async (): Promise<Scrape> => parseScrape((await renderMetrics(metrics.snapshot())).text);

describe('calls', () => {
  test('are counted by exposure, tool, operation and outcome', async () => {
    open();
    await call('pets_list');
    await call('pets_list');
    const { series } = await look();
    expect(series.filter(({ name }) => name === 'landbridge_calls_total')).toEqual([
      {
        name: 'landbridge_calls_total',
        labels: {
          transport: 'local',
          era: 'modern',
          profile: '',
          exposure: 'tools',
          method: 'tools/call',
          tool: 'pets_list',
          operation: 'pets.list',
          outcome: 'ok',
          failure_mode: '',
        },
        value: 2,
      },
    ]);
  });

  test('that fail are counted by failure mode and by the status of the API', async () => {
    open();
    answer = (_request, response) => void response.writeHead(503).end();
    await call('pets_list');
    answer = (_request, response) => void response.socket?.destroy();
    await call('pets_list');
    await call('pets_get', { id: 'seven' });
    const found = await look();
    const failed = (mode: string) => found.sum('landbridge_calls_total', { outcome: 'failed', failure_mode: mode });
    expect([failed('upstream_error'), failed('unreachable'), failed('validation')]).toEqual([1, 1, 1]);
    const answers = (status: string) => found.sum('landbridge_upstream_answers_total', { domain: 'pets', status });
    expect([answers('5xx'), answers('none'), answers('2xx')]).toEqual([1, 1, 0]);
    // A call that was never sent took no time of the API.
    expect(found.sum('landbridge_upstream_duration_seconds_count', { domain: 'pets' })).toBe(2);
  });

  test('with made-up tool names never become labels', async () => {
    open();
    for (let index = 0; index < 50; index++) await call(`made_up_${index}"} 1`);
    const found = await look();
    expect(found.sum('landbridge_calls_total', { tool: 'unknown', outcome: 'error' })).toBe(50);
    expect(found.series.filter(({ name }) => name === 'landbridge_calls_total')).toHaveLength(1);
  });

  test('of operations beyond the limit of series are counted together', async () => {
    const endpoints = Object.fromEntries(
      Array.from({ length: 230 }, (_, index) => [`op_${index}`, { path: '/pets', summary: `Operation ${index}.` }]),
    );
    const many = defineDomain({ name: 'many', baseUrl: upstream.url, endpoints } as never);
    open({ domains: [buildDomain(many, { env: {} })] });
    for (let index = 0; index < 230; index++) await call(`many_op_${index}`);
    const found = await look();
    const tools = new Set(
      found.series.flatMap(({ name, labels }) => (name === 'landbridge_calls_total' ? labels.tool! : [])),
    );
    expect(tools.size).toBe(201);
    expect(found.sum('landbridge_calls_total', { tool: 'other', operation: 'other' })).toBe(30);
    expect(found.sum('landbridge_calls_total')).toBe(230);
  });

  test('that limits refuse are all counted, although few of them are recorded', async () => {
    open({ limits: { perPrincipal: { rate: '5/hour' } } });
    for (let index = 0; index < 30; index++) await call('pets_list', {}, { principal: { id: 'key:ci' } });
    const found = await look();
    expect(found.sum('landbridge_calls_total', { outcome: 'ok' })).toBe(5);
    expect(found.sum('landbridge_calls_total', { failure_mode: 'rate_limited' })).toBe(25);
  });

  test('that waited for a permit have that time in a separate histogram', async () => {
    open({ limits: { perUpstream: { concurrent: 1 } } });
    const first = gate();
    answer = (_request, response) => void first.opened.then(() => response.end('[]'));
    const both = [call('pets_list'), call('pets_list')];
    await until(() => upstream.seen.length === 1 && gateway.limits.upstreams[0]?.waiting === 1);
    first.open();
    await Promise.all(both);
    const found = await look();
    expect(found.sum('landbridge_wait_duration_seconds_count')).toBe(1);
    const waited = found.sum('landbridge_wait_duration_seconds_sum');
    const own = found.sum('landbridge_gateway_duration_seconds_sum');
    const api = found.sum('landbridge_upstream_duration_seconds_sum');
    const whole = found.sum('landbridge_call_duration_seconds_sum');
    expect(own + api + waited).toBeCloseTo(whole, 6);
    expect(Math.min(waited, own, api)).toBeGreaterThan(0);
  });
});

test.each(Object.entries(LINKS))(
  'requests over %s are counted by method, and unknown methods together',
  async (_name, openLink) => {
    open();
    const link = await openLink(gateway);
    await link.send(JSON.stringify(modern(1, 'tools/list')));
    await link.send(JSON.stringify(legacy(2, 'ping')));
    await link.send(JSON.stringify(legacy(3, 'no/such/method')));
    const found = await look();
    await link.close();
    const of = (method: string, era: string) =>
      found.sum('landbridge_requests_total', { transport: link.name, method, era });
    expect([of('tools/list', 'modern'), of('other', 'legacy')]).toEqual([1, 1]);
    expect(of('ping', 'legacy')).toBeGreaterThanOrEqual(1);
  },
);

describe('confirmations', () => {
  const count = async () => {
    const found = await look();
    const of = (result: string) => found.sum('landbridge_confirmations_total', { result });
    return { asked: of('asked'), accepted: of('accepted'), refused: of('refused'), invalid: of('invalid') };
  };

  test('by token are counted as asked, as accepted once, and as invalid the second time', async () => {
    open();
    const { result } = await call('pets_delete', { id: 7 });
    const { confirmation_token } = (result as { structuredContent: Record<string, string> }).structuredContent;
    expect(await count()).toEqual({ asked: 1, accepted: 0, refused: 0, invalid: 0 });
    await call('pets_delete', { id: 7, confirmation_token });
    await call('pets_delete', { id: 7, confirmation_token });
    expect(await count()).toEqual({ asked: 1, accepted: 1, refused: 0, invalid: 1 });
  });

  test('by question are counted as asked, and as accepted or refused', async () => {
    open();
    const say = async (action: string) => {
      const ask = { name: 'pets_delete', arguments: { id: 7 } };
      const first = await gateway.handle(modern(1, 'tools/call', ask, { elicitation: {} }));
      const { requestState, inputRequests } = (JSON.parse(first!.body) as Rpc).result as {
        requestState: string;
        inputRequests: object;
      };
      const content = { confirm: true };
      const inputResponses = Object.fromEntries(
        Object.keys(inputRequests).map((key) => [key, { action, ...(action === 'accept' && { content }) }]),
      );
      await gateway.handle(modern(2, 'tools/call', { ...ask, requestState, inputResponses }, { elicitation: {} }));
    };
    await say('accept');
    expect(await count()).toEqual({ asked: 1, accepted: 1, refused: 0, invalid: 0 });
    await say('decline');
    expect(await count()).toMatchObject({ accepted: 1, refused: 1, invalid: 0 });
  });
});

test('answers of tools are counted by tokens, a quarter of their characters', async () => {
  open();
  answer = (_request, response) => void response.end(JSON.stringify('x'.repeat(398)));
  await call('pets_list');
  expect((await look()).sum('landbridge_answer_tokens_sum')).toBe(100);
});

test('without a meter nothing is counted', async () => {
  gateway = createGateway({ domains: [petsDomain(upstream.url)] });
  await call('pets_list');
  expect((await look()).sum('landbridge_calls_total')).toBe(0);
});
