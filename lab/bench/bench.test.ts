// The benchmarks: what they are told, how two runs are compared, and that what they measure can be measured. No time is asserted.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { compareFigures, type Figure, renderComparison } from './compare.mjs';
import { parseCount } from './instructions.mjs';
import { findTool, toCall } from './messages.mjs';
import { HELP, PART_NAMES, parseOptions } from './options.mjs';
import { median, spreadOf } from './pairs.mjs';
import { listFigures, PARTS } from './parts.mjs';

const BENCH = fileURLToPath(new URL('./', import.meta.url));
const run = promisify(execFile);

describe('npm run bench', () => {
  test('measures everything unless it is told otherwise', () => {
    expect(parseOptions([])).toMatchObject({
      parts: PART_NAMES,
      rounds: undefined,
      seconds: 1,
      connections: 64,
      eras: ['modern', 'legacy'],
      operations: ['list', 'get', 'create', 'biglist'],
      nodeFlags: [],
      json: false,
    });
    expect(Object.keys(PARTS)).toEqual(PART_NAMES);
    for (const name of PART_NAMES) expect(HELP).toContain(name);
  });

  test('says what it does not know', () => {
    expect(() => parseOptions(['--only', 'speed,fast'])).toThrow(/--only: there is no fast; choose of speed, scale/);
    expect(() => parseOptions(['--rounds', 'many'])).toThrow('--rounds must be a number above 0, not "many".');
    expect(() => parseOptions(['--seconds', '0'])).toThrow(/above 0/);
  });

  test('has a README that names every part', () => {
    const readme = readFileSync(`${BENCH}README.md`, 'utf8');
    for (const name of PART_NAMES) expect(readme).toMatch(new RegExp(`^- \`${name}\``, 'm'));
  });
});

describe('samples', () => {
  test('have a middle and a spread', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, Number.NaN, 2, 3])).toBe(2.5);
    expect(spreadOf([9, 10, 12])).toBeCloseTo(0.15);
    expect(spreadOf([10])).toBeNaN();
  });

  test('may be counts of perf', () => {
    expect(parseCount('123456,,instructions:u,1000,100.00,,\n')).toBe(123_456);
    expect(parseCount('<not supported>,,instructions:u,0,100.00,,\n')).toBeUndefined();
    expect(parseCount('')).toBeUndefined();
  });
});

describe('a saved run', () => {
  const figure = (value: number, spread: number, better: 'more' | 'less'): Figure => ({
    part: 'speed',
    label: 'get',
    what: 'CPU/request',
    value,
    spread,
    better,
  });
  const verdictOf = (before: Figure, now: Figure) => compareFigures([before], [now])[0]?.verdict;

  test('is compared figure by figure, and what lies within the scatter of both is noise', () => {
    expect(compareFigures([figure(0.5, 0.03, 'more')], [figure(0.6, 0.04, 'more')])).toEqual([
      expect.objectContaining({ before: 0.5, now: 0.6, change: 1.2, noise: 0.05, verdict: 'better' }),
    ]);
    expect(verdictOf(figure(0.5, 0.3, 'more'), figure(0.6, 0.04, 'more'))).toBe('noise');
    expect(verdictOf(figure(0.6, 0, 'more'), figure(0.5, 0, 'more'))).toBe('worse');
    expect(verdictOf(figure(0.6, 0, 'less'), figure(0.5, 0, 'less'))).toBe('better');
    expect(verdictOf(figure(1, 0, 'less'), figure(1.015, 0, 'less'))).toBe('noise');
    expect(verdictOf(figure(1, Number.NaN, 'less'), figure(2, Number.NaN, 'less'))).toBe('worse');
  });

  test('says nothing about what it has not, nor about what could not be measured', () => {
    expect(compareFigures([], [figure(1, 0, 'more')])).toEqual([]);
    expect(compareFigures([figure(Number.NaN, 0, 'more')], [figure(1, 0, 'more')])).toEqual([]);
  });

  test('is told apart from one of another machine', () => {
    const rows = compareFigures([figure(0.5, 0.03, 'more')], [figure(0.6, 0.04, 'more')]);
    const saved = { at: '2026-01-02T03:04:05Z', node: 'v20.0.0', machine: 'a' };
    const text = renderComparison(rows, saved, { ...saved, machine: 'b' });
    expect(text).toMatch(/saved run of 2026-01-02 03:04/);
    expect(text).toMatch(/speed: get +CPU\/request +0\.50 +0\.60 +\+20 % +5 % +\+ better/);
    expect(text).toMatch(/saved on another machine/);
    expect(renderComparison(rows, saved, saved)).not.toMatch(/another/);
  });
});

describe('a call of an operation', () => {
  test('is made by the names of each exposure mode', () => {
    const grouped = [
      { name: 'describe_operation', inputSchema: { properties: { operation: {} } } },
      { name: 'lab_read', inputSchema: { properties: { action: { enum: ['get_user', 'list_users'] } } } },
    ];
    expect(toCall(grouped, 'grouped', 'listUsers', { limit: 1 })).toEqual({
      tool: 'lab_read',
      arguments: { action: 'list_users', limit: 1 },
    });
    expect(toCall([{ name: 'lab_get_user' }], 'tools', 'getUser', { id: 1 })).toEqual({
      tool: 'lab_get_user',
      arguments: { id: 1 },
    });
    expect(toCall([], 'search', 'getUser', { id: 1 })).toEqual({
      tool: 'call_operation',
      arguments: { operation: 'get_user', arguments: { id: 1 } },
    });
    expect(() => toCall(grouped, 'grouped', 'dropUsers', {})).toThrow('no action for dropUsers');
    expect(() => findTool(['a'], 'getUser')).toThrow('no tool for getUser');
  });
});

// These start the built program (npm run build).
describe('a short run', () => {
  const bench = async (part: string, more: string[] = []) => {
    const args = ['--only', part, '--rounds', '1', '--seconds', '0.1', '--connections', '4', '--own', '--json'];
    const { stdout } = await run(process.execPath, [`${BENCH}run.mjs`, ...args, ...more], { maxBuffer: 1e7 });
    const results = JSON.parse(stdout);
    expect(results).toMatchObject({ node: process.version });
    expect(listFigures(results).length).toBeGreaterThan(0);
    return results[part];
  };

  test('of speed has a row for each operation, and the memory of both sides', async () => {
    const { rows, memory } = await bench('speed', ['--operations', 'get', '--eras', 'modern']);
    expect(rows.map(({ label, aim, errors }: Record<string, unknown>) => ({ label, aim, errors }))).toEqual([
      { label: 'modern  tools/call, get one', aim: 0.83, errors: 0 },
      { label: 'modern  tools/call, get one, semi64', aim: 0.83, errors: 0 },
    ]);
    expect(memory.map(({ label }: { label: string }) => label)).toEqual([
      'landbridge',
      'limit',
      'landbridge, semi64',
      'limit, semi64',
    ]);
  }, 120_000);

  test('of lines has stdio and TCP', async () => {
    const rows = await bench('lines', ['--operations', 'get']);
    expect(rows.map(({ label, errors }: Record<string, unknown>) => ({ label, errors }))).toEqual([
      { label: 'TCP, tools/call, get one', errors: 0 },
      { label: 'stdio, tools/call, get one', errors: 0 },
    ]);
  }, 120_000);

  test('of cold starts has all of them', async () => {
    const rows = await bench('cold');
    expect(rows.map(({ label }: { label: string }) => label)).toEqual([
      'the raw limit',
      'landbridge serve',
      'landbridge serve --stdio',
    ]);
  }, 120_000);

  test('of connections holds them open', async () => {
    const rows = await bench('connections');
    expect(rows.map(({ label, open, failed }: Record<string, unknown>) => ({ label, open, failed }))).toEqual([
      { label: 'idle connections', open: 1_000, failed: 0 },
      { label: 'open streams', open: 100, failed: 0 },
    ]);
  }, 120_000);
});
