// The promises of seeds/003 ("Tool System Architecture" of the Music MCP Server: Overview … Summary), with MusicBrainz as
// the bundled domain file has it and a loopback API in its place.
//
// Decided otherwise, or of another house, so without a test:
// - "string where number expected → error" and "extra fields ignored": strings for numbers are understood unless a domain
//   says `strict: true` (issue 9, decisions), and unknown arguments are errors (DESIGN.md); both are tested as decided.
// - tool names are as they are (`musicbrainz_search_artists`, not `mb_artist_search`; issue 9, decisions).
// - two handlers per tool, threads per request and `spawn_blocking` answer a question of Rust: here one function serves
//   every transport, which is the promise behind them and is tested.
// - file tools (fs_list_dir, fs_rename, metadata) and fingerprints (fpcalc) are no REST APIs; any such function can be a
//   native tool.

import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { createGateway, defineTool, errorResult, type Gateway, loadDomains, textResult } from '../../src/index.ts';
import { contextOf } from '../support/context.ts';
import { LINKS, type Link, legacy, modern, type Rpc } from '../support/mcp.ts';
import { petsDomain } from '../support/pets.ts';
import { useRealHttp } from '../support/real-http.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { ask, callResult, type ToolResult } from './support.ts';

useRealHttp();

const MBID = '10adbe5e-a2c0-4bf3-8249-2b4cbf6e6ca8';
let upstream: Upstream;
let gateway: Gateway;
const links: Link[] = [];
const executed: unknown[] = [];

/** The seed's tool: parameters with a default, business rules inside. */
const search = defineTool({
  name: 'artist_search',
  description: 'Searches artists',
  args: z.object({ artist: z.string().describe('Artist name to search for'), limit: z.int().default(25) }),
  run: (_context, { artist, limit }) => {
    executed.push({ artist, limit });
    if (artist.trim() === '') return errorResult('Artist name cannot be empty');
    if (artist === 'broken') throw new Error('Fetch failed: no route');
    return textResult(`${artist} x ${Math.min(Math.max(limit, 1), 100)}`);
  },
});

beforeAll(async () => {
  upstream = await startUpstream();
  const domains = await loadDomains({ paths: ['domains/musicbrainz.ts'], env: { MUSICBRAINZ_BASE_URL: upstream.url } });
  gateway = createGateway({ domains, exposure: 'tools', native: { tools: [search] } });
  for (const open of Object.values(LINKS)) links.push(await open(gateway));
});
afterAll(async () => {
  await Promise.all(links.map((link) => link.close()));
  await gateway.close();
  await upstream.close();
});
beforeEach(() => {
  upstream.seen.length = 0;
  executed.length = 0;
});
const urls = () => upstream.seen.map(({ url }) => url);
const everywhere = (message: Rpc) =>
  Promise.all(links.map(async (link) => [link.name, JSON.parse((await link.send(JSON.stringify(message))) ?? 'null')]));

describe('Overview: three transport layers, one tool logic', () => {
  test('Consistency: the same tool gives the same answer over STDIO, TCP and HTTP', async () => {
    const answers = await everywhere(
      modern(1, 'tools/call', { name: 'artist_search', arguments: { artist: 'Björk', limit: 500 } }),
    );
    expect(answers.map(([name, { result }]) => [name, result.content])).toEqual(
      ['http', 'stdio', 'tcp'].map((name) => [name, [{ type: 'text', text: 'Björk x 100' }]]),
    );
    expect(executed).toEqual(Array(3).fill({ artist: 'Björk', limit: 500 }));
  });

  test('Consistency Check Test: Registry and Router must have the same tools', async () => {
    const lists = (await everywhere(legacy(1, 'tools/list'))).map(([, { result }]) => result.tools);
    expect(lists[0].map(({ name }: { name: string }) => name)).toContain('artist_search');
    expect(lists).toEqual([lists[0], lists[0], lists[0]]);
  });

  test('Flexibility: a new tool needs no change of infrastructure', async () => {
    const ping = defineTool({ name: 'fs_list_dir', description: 'List directory contents', run: () => ['a', 'b'] });
    const other = createGateway({ domains: [], native: { tools: [ping] } });
    expect((await callResult(other, 'fs_list_dir')).content).toEqual([{ type: 'text', text: '["a","b"]' }]);
    await other.close();
  });

  test('Type Safety: strong typing with compile-time validation', () => {
    defineTool({
      name: 'typed',
      description: 'Typed.',
      args: z.object({ path: z.string(), detailed: z.boolean().default(false) }),
      run: (_context, args) => {
        expectTypeOf(args).toEqualTypeOf<{ path: string; detailed: boolean }>();
        return '';
      },
    });
  });

  test('Testability: tools can be tested independently of transport', async () => {
    expect(await search.run(contextOf({ tool: 'artist_search' }), { artist: 'Tricky' })).toEqual(
      textResult('Tricky x 25'),
    );
  });
});

describe('Tool Lifecycle', () => {
  test('Definition: NAME, DESCRIPTION and parameters are what clients see', async () => {
    const { tools } = (await ask(gateway, 'tools/list')).result as { tools: { name: string }[] };
    expect(tools.find(({ name }) => name === 'artist_search')).toEqual({
      name: 'artist_search',
      description: 'Searches artists',
      inputSchema: {
        type: 'object',
        properties: {
          artist: { type: 'string', description: 'Artist name to search for' },
          limit: { type: 'integer', default: 25 },
        },
        required: ['artist'],
        additionalProperties: false,
      },
    });
  });

  test('Registration: lookup by name; every MusicBrainz search of the seed is there', async () => {
    expect([...gateway.registry.tools.keys()]).toEqual(
      expect.arrayContaining([
        'musicbrainz_search_artists',
        'musicbrainz_search_releases',
        'musicbrainz_search_recordings',
        'musicbrainz_advanced_search',
        'artist_search',
      ]),
    );
  });

  test('Execution: request → lookup → arguments → execute → CallToolResult → JSON-RPC response', async () => {
    const args = { query: 'artist:Tricky' };
    const { result } = await ask(gateway, 'tools/call', { name: 'musicbrainz_search_artists', arguments: args });
    expect((result as unknown as ToolResult).content[0]?.text).toContain(
      '/artist?query=artist%3ATricky&limit=25&fmt=json',
    );
  });
});

describe('Parameter Validation: type level', () => {
  test.each<[string, Record<string, unknown>, string, string]>([
    ['Field presence: missing required fields → error', {}, 'artist', 'missing'],
    ['Type correctness: number where string expected → error', { artist: ['x'] }, 'artist', 'type'],
    ['(decided) extra fields → error', { artist: 'x', extra: 1 }, 'extra', 'unknown'],
  ])('%s', async (_, args, path, problem) => {
    const { isError, structuredContent } = await callResult(gateway, 'artist_search', args);
    expect([isError, structuredContent]).toMatchObject([
      true,
      { failure_mode: 'validation', errors: [{ path, problem }] },
    ]);
    expect(executed).toEqual([]);
  });

  test('Defaults are filled in: default_limit() is 25', async () => {
    await callResult(gateway, 'artist_search', { artist: 'Tricky' });
    expect(executed).toEqual([{ artist: 'Tricky', limit: 25 }]);
  });

  test('(decided) a string for a number is understood', async () => {
    await callResult(gateway, 'artist_search', { artist: 'Tricky', limit: '7' });
    expect(executed).toEqual([{ artist: 'Tricky', limit: 7 }]);
  });
});

describe('Parameter Validation: run time', () => {
  test('Validate business rules: "Artist name cannot be empty"', async () => {
    expect(await callResult(gateway, 'artist_search', { artist: '  ' })).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'Artist name cannot be empty' }],
    });
  });

  test.each([
    [0, 1, 'limit was 0; 1 is the least, so 1 was used'],
    [500, 100, 'limit was 500; 100 is the most, so 100 was used'],
  ])('Clamp limit to valid range (1-100): %i becomes %i, and the answer says so', async (limit, used, note) => {
    const { content, isError } = await callResult(gateway, 'musicbrainz_search_artists', { query: 'x', limit });
    expect(isError ?? false).toBe(false);
    expect(urls()).toEqual([`/artist?query=x&limit=${used}&fmt=json`]);
    expect(content.map(({ text }) => text).join('\n')).toContain(note);
  });

  test.each([
    [MBID, true],
    ['10adbe5e-a2c0-4bf3-8249-2b4cbf6e6ca', false],
    ['10adbe5ea2c04bf382492b4cbf6e6ca8', false],
    ['10adbe5e-a2c0-4bf3-8249-2b4cbf6e6cag', false],
  ])('is_mbid(%j) is %j', async (mbid, valid) => {
    const { isError } = await callResult(gateway, 'musicbrainz_lookup_artist', { mbid });
    expect([!isError, urls()]).toEqual([valid, valid ? [`/artist/${MBID}?fmt=json`] : []]);
  });

  test('Cross-field dependencies: exactly one starting point', async () => {
    expect(await callResult(gateway, 'musicbrainz_browse_releases', { limit: 1 })).toMatchObject({ isError: true });
    expect(urls()).toEqual([]);
  });
});

describe('Error Handling', () => {
  test('CallToolResult::success and ::error: one interface for both', async () => {
    const good = await callResult(gateway, 'artist_search', { artist: 'Tricky' });
    const bad = await callResult(gateway, 'artist_search', { artist: ' ' });
    expect([good.content[0]?.text, good.isError ?? false]).toEqual(['Tricky x 25', false]);
    expect([bad.content[0]?.text, bad.isError]).toEqual(['Artist name cannot be empty', true]);
  });

  test('Pattern 1, early return: nothing is fetched once validation failed', async () => {
    expect(await callResult(gateway, 'musicbrainz_search_artists', { query: ' ' })).toMatchObject({ isError: true });
    expect(urls()).toEqual([]);
  });

  test('Pattern 2: what a tool throws is its error, in its own words', async () => {
    expect(await callResult(gateway, 'artist_search', { artist: 'broken' })).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'Fetch failed: no route' }],
    });
  });

  test('Pattern 3, detailed error context: troubleshooting lines when the API cannot be reached', async () => {
    const dead = createGateway({ domains: [petsDomain('http://127.0.0.1:9')], exposure: 'tools' });
    const { isError, content } = await callResult(dead, 'pets_get', { id: 1 });
    await dead.close();
    expect([isError, content[0]?.text.split('\n')]).toEqual([
      true,
      [
        'pets_get: nothing listens at http://127.0.0.1:9.',
        'Check, in this order:',
        '1. that the API is running',
        '2. the host and port of the base URL',
        '3. from a container: that it names the host, and not the container itself',
        'Changing the arguments will not help; tell the user the API cannot be reached.',
      ],
    ]);
  });

  test('Pattern 3, detailed error context: troubleshooting lines when it does not answer in time', async () => {
    const silent = await startUpstream(() => {});
    const slow = createGateway({ domains: [petsDomain(silent.url, {}, { timeoutMs: 50 })], exposure: 'tools' });
    const { isError, content } = await callResult(slow, 'pets_get', { id: 1 });
    await slow.close();
    await silent.close();
    expect([isError, content[0]?.text.split('\n')]).toEqual([
      true,
      [
        'pets_get did not answer within 0.05 s.',
        'Nothing was changed, so it is safe to call again. Try, in this order:',
        '1. a smaller request: fewer items, a narrower filter',
        '2. to ask the user whether the API is slow or down, and whether timeoutMs in its domain file is too low',
      ],
    ]);
  });
});
