// The capacity model: its arithmetic and its simulation against what can be worked out by hand, the model against every measured
// point, and SCALE.md against the model.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import * as model from './capacity-model.mjs';
import { fitPrice, simulateClosed, simulateOpen } from './capacity-simulation.mjs';
import { buildTables, replaceTables } from './capacity-tables.mjs';

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
const figures = JSON.parse(read('lab/capacity/capacity.json')) as ReturnType<typeof model.withPrice>;

const ROUND = {
  price: { callUs: 100, turnUs: 0, wakeUs: 0, heldUs: 0 },
  calls: {
    get: { cpuUs: 100, logBytes: 400, networkBytes: 3_000 },
    create: { cpuUs: 200, logBytes: 500, networkBytes: 2_000 },
  },
  features: { audit: { callUs: 20, writeUs: 40 }, redis: { callUs: 30 } },
  audit: { readBytes: 700, writeBytes: 1_300 },
  redis: { opsPerCall: 1, cpuUs: 10 },
  memory: { baseMb: 100, perThousandOperationsMb: { tools: 10 }, perIdleConnectionKb: 4, perStreamKb: 16 },
};
const mix = { get: 0.5, create: 0.5 };

describe('the capacity model', () => {
  test('adds up what a call costs by kind and by what is switched on', () => {
    expect(model.callCpuUs(ROUND, mix)).toBe(150);
    expect(model.callCpuUs(ROUND, mix, ['audit'])).toBe(180);
    expect(model.callCpuUs(ROUND, mix, ['audit', 'redis'])).toBe(210);
  });

  test('brings what was measured at another speed to the speed of the points', () => {
    const points = [{ series: 'one', callers: 32, gatewayUs: 150 }] as unknown as typeof figures.points;
    // A mix costs 50 µs more than a read of 100; where that read took 150, it costs 75 more.
    expect(model.priceOf({ ...ROUND, points }, mix, []).callUs).toBe(100 + 75);
  });

  test('sizes a deployment', () => {
    const sized = model.sizeDeployment(ROUND, {
      callsPerSecond: 10_000,
      mix,
      features: ['audit', 'redis'],
      latencyMs: 49.79,
    });
    expect(sized).toMatchObject({
      cpuUs: 210,
      workers: 4,
      logBytes: 4_500_000,
      auditBytes: 10_000_000,
      networkBytes: 25_000_000,
      redisOps: 10_000,
    });
    expect(sized.cores).toBeCloseTo(3.5);
    expect(sized.underWay).toBeCloseTo(500);
    expect(sized.uses.Redis.needed).toBe(1);
  });

  test('names what is full first', () => {
    const limits = model.findBottlenecks(ROUND, { mix, features: ['redis'], latencyMs: 10 });
    expect(limits.map(({ part }) => part)).toEqual([
      'one core',
      'one Redis',
      'one log disk',
      'sockets of one process',
      'one network',
    ]);
    expect(limits[0]!.callsPerSecond).toBeCloseTo(600_000 / 180);
  });

  test('adds up memory', () => {
    const asked = { exposure: 'tools', operations: 2_000, idleConnections: 1_024, streams: 64 };
    expect(model.memoryMb(ROUND, asked)).toBe(100 + 20 + 4 + 1);
  });

  test('counts what calls under way cost the workers that hold them', () => {
    const asked = { callsPerSecond: 10_000, mix, features: [], latencyMs: 50 };
    const price = { ...ROUND.price, heldUs: 0.4 };
    // 0.1 µs for each of the 0.6 · 50 ms / 162.7 µs = 184 under way at a worker: it takes a young generation four times as large.
    expect(model.sizeDeployment({ ...ROUND, price }, asked).cpuUs).toBeCloseTo(150 + 18, -0.5);
  });
});

describe('the simulation', () => {
  const price = { callUs: 100, turnUs: 20, wakeUs: 30, heldUs: 0 };
  const alone = { price, workers: 1, latencyMs: 0, upstreamUs: 25, loadUs: 25 };
  const near = (value: number, share = 0.03) => [value * (1 - share), value * (1 + share)] as const;
  const within = (value: number, [from, to]: readonly [number, number]) => {
    expect(value).toBeGreaterThan(from);
    expect(value).toBeLessThan(to);
  };

  test('has one caller pay for everything: two turns, each after a sleep', () => {
    const { gatewayUs, callsPerSecond, meanMs } = simulateClosed({ ...alone, callers: 1 });
    within(gatewayUs, near(100 + 2 * (20 + 30)));
    within(callsPerSecond, near(1e6 / (200 + 50)));
    within(meanMs, near(0.25));
  });

  test('has many callers share turns, until the call itself is all that is left', () => {
    const { gatewayUs, callsPerSecond, gatewayCores } = simulateClosed({ ...alone, callers: 200 });
    within(gatewayUs, [100, 103]);
    within(callsPerSecond, near(10_000));
    expect(gatewayCores).toBeCloseTo(1, 5);
  });

  test('has two workers and whoever calls them share two cores', () => {
    const { callsPerSecond, gatewayCores } = simulateClosed({ ...alone, workers: 2, callers: 200 });
    within(callsPerSecond, near(2e6 / (100 + 25 + 25), 0.05));
    within(gatewayCores, near((2 * 100) / 150, 0.05));
  });

  test('has all of it cost more where workers share cores with others', () => {
    const crowded = { ...alone, price: { ...price, crowdShare: 0.5 }, callers: 200 };
    expect(simulateClosed(crowded)).toEqual(simulateClosed({ ...crowded, price }));
    within(simulateClosed({ ...crowded, workers: 2 }).gatewayUs, near(150, 0.05));
  });

  test('waits for a slow API, and has calls under way cost their process more than a worker', () => {
    within(simulateClosed({ ...alone, latencyMs: 50, callers: 10 }).callsPerSecond, near(10 / 0.0512));
    const held = { ...alone, price: { ...price, heldUs: 0.5 }, latencyMs: 50, callers: 400 };
    expect(simulateClosed(held).gatewayUs).toBeGreaterThan(simulateClosed({ ...held, price }).gatewayUs + 50);
    expect(simulateClosed({ ...held, workers: 2 }).gatewayUs).toBeLessThan(simulateClosed(held).gatewayUs - 50);
  });

  test('has calls that come on their own wait the longer the more there are', () => {
    const times = [500, 5_000, 9_000].map((callsPerSecond) => simulateOpen({ price, callsPerSecond, latencyMs: 10 }));
    expect(times[0]!.meanMs).toBeLessThan(10.3);
    expect(times[1]!.meanMs).toBeGreaterThan(times[0]!.meanMs);
    expect(times[2]!.meanMs).toBeGreaterThan(times[1]!.meanMs);
    within(times[1]!.callsPerSecond, near(5_000));
  });

  test('says so where a price is missing', () => {
    const nameless = { ...price, callUs: Number.NaN };
    expect(() => simulateClosed({ ...alone, price: nameless, callers: 2 })).toThrow('a price is missing');
  });

  test('is the same every time', () => {
    expect(simulateClosed({ ...alone, callers: 7 })).toEqual(simulateClosed({ ...alone, callers: 7 }));
  });

  test('loses calls where cores are slow at times, though they are as quick on average', () => {
    const full = { ...alone, latencyMs: 25, callers: 200 };
    const even = simulateClosed(full);
    const uneven = simulateClosed({ ...full, unevenness: 0.5 });
    expect(uneven.callsPerSecond).toBeLessThan(0.95 * even.callsPerSecond);
  });

  test('tells the prices from what calls cost', () => {
    const real = { callUs: 120, turnUs: 40, wakeUs: 45, heldUs: 0.3, crowdShare: 0.2 };
    const quick = [1, 2, 4, 64].map((callers) => ({ ...alone, callers }));
    const slow = [32, 256].map((callers) => ({ ...alone, callers, latencyMs: 25 }));
    const points = [...quick, ...slow, { ...alone, workers: 2, callers: 64 }].map((shape) => ({
      ...shape,
      gatewayUs: simulateClosed({ ...shape, price: real }).gatewayUs,
    }));
    const told = fitPrice(points);
    for (const { gatewayUs, ...shape } of points)
      within(simulateClosed({ ...shape, price: told }).gatewayUs, near(gatewayUs, 0.1));
    within(told.callUs, near(real.callUs, 0.15));
  });
});

describe('SCALE.md', () => {
  test('has the tables that the model makes of the figures', () => {
    const text = read('SCALE.md');
    expect(replaceTables(text, buildTables(figures)), 'node lab/capacity/capacity.mjs writes them').toBe(text);
  });

  test('names metrics that there are', () => {
    const there = read('docs/metrics.md');
    const names = [...new Set(read('SCALE.md').match(/landbridge_\w+/g))];
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !there.includes(`## ${name}\n`))).toEqual([]);
  });

  test('is made of figures of every part', () => {
    for (const kind of Object.keys(model.MIX)) expect(figures.calls[kind]!.cpuUs).toBeGreaterThan(0);
    expect(Object.keys(figures.features)).toEqual(
      expect.arrayContaining(['API key', 'JWT', 'audit', 'metrics', 'redis']),
    );
  });

  test('has every point, measured while no other program used the machine', () => {
    const all = Object.entries(model.SERIES).flatMap(([series, { callers }]) =>
      callers.map((count) => [series, count]),
    );
    expect(figures.points.map(({ series, callers }) => [series, callers])).toEqual(all);
    expect(model.findNoisy(figures.points)).toEqual([]);
  });

  test('has the prices that fit them', { timeout: 120_000 }, () => {
    expect(model.withPrice(figures).price).toEqual(figures.price);
  });

  test('has a model that reproduces them: all of them, one process without rest among them', () => {
    const errors = model
      .predictPoints(figures)
      .map(({ error }) => Math.abs(error))
      .sort((a, b) => a - b);
    expect(errors[Math.floor(errors.length / 2)]).toBeLessThan(0.15);
    expect(errors.at(-1)).toBeLessThan(0.35);
  });

  test('has a model that knows how busy the gateway is', () => {
    const errors = model
      .predictPoints(figures)
      // What a process does for itself counts where it does little else.
      .filter(({ measuredCores }) => measuredCores > 0.3)
      .map(({ measuredCores, predictedCores }) => Math.abs(predictedCores / measuredCores - 1))
      .sort((a, b) => a - b);
    expect(errors.length).toBeGreaterThan(15);
    expect(errors[Math.floor(errors.length / 2)]).toBeLessThan(0.15);
    expect(errors.at(-1)).toBeLessThan(0.45);
  });
});
