// What a person sees at the start, for the width of their terminal and the exposure of the gateway.
import '../support/real-http.ts';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { renderBanner, renderLine } from '../../src/cli/serve/banner.ts';
import { clientUrl, listDoorWarnings } from '../../src/cli/serve/doors.ts';
import { type Flags, readConfig } from '../../src/config/read-config.ts';
import { createGateway } from '../../src/gateway.ts';
import { petsDomain } from '../support/pets.ts';

const at = { http: 'http://127.0.0.1:3333/mcp', stdio: false };

function bannerOf(exposure: 'tools' | 'grouped' | 'search', columns: number): string[] {
  const gateway = createGateway({ domains: [petsDomain('http://127.0.0.1:9/a/rather/long/address')], exposure });
  const launch = { config: readConfig({ paths: ['pets.yaml'] }, {}), envFiles: [], verbose: false };
  return stripVTControlCharacters(renderBanner(gateway, at, launch, columns)).split('\n');
}

test('addresses come first, costs stand on one line, and lines to paste for four clients are whole', () => {
  const lines = bannerOf('tools', 200);
  expect(lines[0]).toMatch(/^landbridge \S+ {2}1 domain, \d+ operations, \d+ tools \(exposure tools\)$/);
  expect(lines.slice(1, 4)).toEqual(['', 'Listening', '  MCP over HTTP   http://127.0.0.1:3333/mcp']);
  expect(lines).toContainEqual(
    expect.stringMatching(
      /^tools\/list costs about [\d,]+ tokens; "landbridge tools" counts them, for every exposure\.$/,
    ),
  );
  for (const part of [
    'pets_get',
    'claude mcp add',
    'claude_desktop_config.json',
    '.cursor/mcp.json',
    '.vscode/mcp.json',
  ])
    expect(lines.join('\n')).toContain(part);
});

test('in search mode it names the three tools there are, and sums up each domain', () => {
  const text = bannerOf('search', 200).join('\n');
  for (const name of ['search_operations', 'describe_operation', 'call_operation']) expect(text).toContain(`  ${name}`);
  expect(text).toMatch(/^ {2}pets +\d+ operations +.*\d+ read.* {2}http:\/\/127\.0\.0\.1:9\/a\/rather/m);
  expect(text).not.toMatch(/^ {2}pets_get /m);
});

test('in grouped mode it names the grouped tools, and no operation as if it were one', () => {
  const lines = bannerOf('grouped', 200);
  const gateway = createGateway({ domains: [petsDomain('http://127.0.0.1:9')], exposure: 'grouped' });
  const names = [...gateway.registry.tools.keys()];
  expect(names.length).toBeGreaterThan(1);
  const from = lines.findIndex((line) => /^ {2}tool +does$/.test(line)) + 1;
  expect(lines.slice(from, lines.indexOf('', from)).map((line) => line.trim().split(' ')[0])).toEqual(names);
  expect(lines.join('\n')).toMatch(/^ {2}pets +\d+ operations +.*\d+ read.* {2}http:\/\/127\.0\.0\.1:9\/a\/rather/m);
  expect(lines.join('\n')).not.toMatch(/^ {2}pets_get /m);
});

test.each(['tools', 'grouped', 'search'] as const)(
  'with %s, on a terminal of 40 columns, tables are cut, and addresses and sentences go on on a line of their own',
  (exposure) => {
    const lines = bannerOf(exposure, 40);
    const about = lines.slice(0, lines.indexOf('Connect a client'));
    expect(about.length).toBeGreaterThan(5);
    expect(about.filter((line) => line.length > 40 && !line.trim().startsWith('http://'))).toEqual([]);
    const words = about.map((line) => line.trim());
    for (const address of ['http://127.0.0.1:3333/mcp', 'http://127.0.0.1:9/a/rather/long/address'])
      expect(words).toContain(address);
    expect(words.join(' ')).toMatch(/tools\/list costs about [\d,]+ tokens; "landbridge tools" counts them/);
    expect(about.some((line) => line.endsWith('…'))).toBe(true);
  },
);

test('says who may call, and how a client sends its key without holding it', () => {
  const gateway = createGateway({ domains: [petsDomain('http://127.0.0.1:9')], exposure: 'tools' });
  const launch = { config: readConfig({ paths: ['pets.yaml'] }, {}), envFiles: [], verbose: false };
  const text = stripVTControlCharacters(renderBanner(gateway, { ...at, authentication: '2 keys' }, launch, 300));
  expect(text).toContain('\nauthentication: 2 keys\n');
  const url = 'http://127.0.0.1:3333/mcp';
  expect(text).toContain(`landbridge ${url} --header 'Authorization: Bearer \${MCP_GATEWAY_KEY}'`);
  const headers = { Authorization: `Bearer \${env:MCP_GATEWAY_KEY}` };
  expect(text).toContain(JSON.stringify({ mcpServers: { landbridge: { url, headers } } }));
  expect(text).toContain(JSON.stringify({ servers: { landbridge: { type: 'http', url, headers } } }));
  expect(text).toContain(`-H "Authorization: Bearer $MCP_GATEWAY_KEY" -d`);
  expect(renderLine(gateway, { ...at, authentication: '2 keys' })).toMatch(/tokens; authentication: 2 keys\n$/);
});

test('what people paste is where clients reach the gateway', () => {
  const bound = 'http://0.0.0.0:3333/mcp';
  const urlOf = (flags: Flags) => clientUrl(readConfig({ paths: ['pets.yaml'], host: '0.0.0.0', ...flags }, {}), bound);
  expect(urlOf({})).toBe('http://127.0.0.1:3333/mcp');
  expect(urlOf({ publicUrl: 'https://gw.corp/' })).toBe('https://gw.corp/mcp');
  expect(urlOf({ allowedHost: ['gw.internal'] })).toBe('http://gw.internal:3333/mcp');
  const gateway = createGateway({ domains: [petsDomain('http://127.0.0.1:9')], exposure: 'tools' });
  const launch = { config: readConfig({ paths: ['pets.yaml'] }, {}), envFiles: [], verbose: false };
  const text = renderBanner(gateway, { ...at, url: 'https://gw.corp/mcp' }, launch, 300);
  expect(text).toContain('claude mcp add --transport http landbridge https://gw.corp/mcp');
  expect(text).toContain('curl -s https://gw.corp/mcp');
});

test('replicas that share their state are told to share a secret', () => {
  const warningsOf = (env: Record<string, string>) =>
    listDoorWarnings(readConfig({ paths: ['pets.yaml'], state: 'redis://127.0.0.1:1' }, env), false);
  expect(warningsOf({})).toEqual([expect.stringContaining('LANDBRIDGE_SECRET')]);
  expect(warningsOf({ LANDBRIDGE_SECRET: 's'.repeat(32) })).toEqual([]);
});

test('says in words that a wide bind asks nobody who calls', () => {
  const gateway = createGateway({ domains: [petsDomain('http://127.0.0.1:9')], exposure: 'tools' });
  const launch = { config: readConfig({ paths: ['pets.yaml'] }, {}), envFiles: [], verbose: false };
  const open = { ...at, isWideOpen: true };
  const words = 'No authentication: whoever reaches this port from another machine may call these APIs';
  expect(stripVTControlCharacters(renderBanner(gateway, open, launch, 300))).toContain(words);
  expect(renderLine(gateway, open)).toContain(words);
  expect(bannerOf('tools', 300).join('\n')).not.toContain('uthentication');
});
