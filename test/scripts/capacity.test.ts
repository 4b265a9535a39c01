// The capacity model: its arithmetic against what can be worked out by hand, and SCALE.md against the model.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import * as model from '../../bench/capacity-model.mjs';
import { buildTables, MIX, predictPoints, replaceTables } from '../../bench/capacity-tables.mjs';

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
const figures = JSON.parse(read('bench/capacity.json'));

const ROUND = {
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

  test('solves a closed loop: one caller sees every demand once, many see the slowest station alone', () => {
    const stations = [{ demandUs: 100 }, { demandUs: 50 }];
    expect(model.solveClosed(stations, 1)).toEqual({ callsPerSecond: 1e6 / 150, meanMs: 0.15 });
    expect(model.solveClosed(stations, 1_000).callsPerSecond).toBeCloseTo(10_000, 0);
    // Two balanced stations: N / (N + 1) of what one of them can do.
    expect(model.solveClosed([{ demandUs: 100 }, { demandUs: 100 }], 4).callsPerSecond).toBeCloseTo(8_000);
    expect(model.solveClosed([{ demandUs: 100, servers: 2 }], 1_000).callsPerSecond).toBeCloseTo(20_000, -2);
  });

  test('knows how long an open stream of calls waits', () => {
    // M/M/1 at a half: as long as it is served. M/M/2 at a half: a third of it.
    expect(model.waitUs(5_000, 100, 1)).toBeCloseTo(100);
    expect(model.waitUs(10_000, 100, 2)).toBeCloseTo(100 / 3);
    expect(model.waitUs(20_000, 100, 1)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('SCALE.md', () => {
  test('has the tables that the model makes of the figures', () => {
    const text = read('SCALE.md');
    expect(replaceTables(text, buildTables(figures)), 'node bench/capacity.mjs writes them').toBe(text);
  });

  test('names metrics that there are', () => {
    const there = read('docs/metrics.md');
    const names = [...new Set(read('SCALE.md').match(/landbridge_\w+/g))];
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !there.includes(`## ${name}\n`))).toEqual([]);
  });

  test('is made of figures of every part', () => {
    for (const kind of Object.keys(MIX)) expect(figures.calls[kind].cpuUs).toBeGreaterThan(0);
    expect(Object.keys(figures.features)).toEqual(
      expect.arrayContaining(['API key', 'JWT', 'audit', 'metrics', 'redis', 'workers']),
    );
  });

  test('shows measured points that the model reproduces where the API takes its time, as most do', () => {
    const errors = predictPoints(figures.points)
      .filter(({ latencyMs }) => latencyMs > 0)
      .map(({ error }) => Math.abs(error))
      .sort((a, b) => a - b);
    expect(errors.length).toBeGreaterThanOrEqual(8);
    expect(errors[Math.floor(errors.length / 2)]).toBeLessThan(0.2);
  });
});
