// What a person sees at the start, for the width of their terminal and the exposure of the gateway.

import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type Addresses, renderBanner, renderLine } from '../../src/cli/serve/banner.ts';
import { clientUrl } from '../../src/cli/serve/client-url.ts';
import { listSettingWarnings } from '../../src/cli/serve/start-checks.ts';
import type { Invocation } from '../../src/cli/terminal/invocation.ts';
import { type Flags, readConfig } from '../../src/config/read-config.ts';
import { unsetVariables } from '../../src/credentials/secrets.ts';
import { createGateway } from '../../src/gateway.ts';
import { loadDomains } from '../../src/index.ts';
import { petsDomain } from '../support/pets.ts';
import { useRealHttp } from '../support/real-http.ts';

useRealHttp();

const at = { http: 'http://127.0.0.1:3333/mcp', stdio: false };

const LARGE = { columns: 300, rows: 100 };
const invocationOf = (flags: Flags = {}, env = {}): Invocation => ({
  config: readConfig({ paths: ['pets.yaml'], ...flags }, env),
  envFiles: [],
  verbose: false,
  script: '/usr/bin/landbridge',
});

function bannerOf(exposure: 'tools' | 'grouped' | 'search', screen = LARGE, where: Addresses = at): string[] {
  const gateway = createGateway({ domains: [petsDomain('http://127.0.0.1:9/a/rather/long/address')], exposure });
  return stripVTControlCharacters(renderBanner(gateway, where, invocationOf(), screen)).split('\n');
}

describe('the banner of serve', () => {
  const bundled = async (env: Record<string, string> = {}) =>
    createGateway({
      domains: await loadDomains({ paths: ['domains'], env: { TASKS_BASE_URL: 'http://127.0.0.1:9', ...env } }),
    });
  const rowsOf = (text: string, columns: number) =>
    text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0);

  test('shows addresses, APIs and their cost, a call to try, and how to connect each client', async () => {
    const gateway = await bundled();
    const invocation = invocationOf({ paths: ['domains'] });
    const text = stripVTControlCharacters(renderBanner(gateway, at, invocation, { columns: 80, rows: 24 }));
    const lines = text.split('\n');
    expect(lines[0]).toMatch(/^landbridge \S+ serves 4 APIs: 40 operations as 40 tools, about [\d,]+ tokens$/);
    expect(lines.slice(1, 3)).toEqual(['', '  MCP over HTTP   http://127.0.0.1:3333/mcp']);
    for (const name of ['jsonplaceholder', 'musicbrainz', 'openmeteo', 'tasks'])
      expect(text).toMatch(new RegExp(`^  ${name} +\\d+ read`, 'm'));
    expect(text).toContain(' call --url http://127.0.0.1:3333/mcp tasks_');
    for (const client of ['claude-code', 'cursor', 'vscode'])
      expect(text).toMatch(new RegExp(`^  \\S.* install ${client} --url http://127.0.0.1:3333/mcp$`, 'm'));
    expect(text).toMatch(/^ {2}\S.* install claude-desktop$/m);
    expect(text).toMatch(/ tools \(.*--help/);
    // With the line that the cursor needs.
    expect(rowsOf(text, 80)).toBeLessThanOrEqual(24);
  });

  test('fits into 24 lines of 80 columns, and shows more on larger screens', () => {
    const many = Array.from({ length: 12 }, (_, index) => ({
      ...petsDomain(`http://127.0.0.1:9/${index}`),
      name: `pets${index}`,
      resources: [],
      prompts: [],
      warnings: [
        `Something about number ${index} that takes more than one line of a terminal, with what to do about it.`,
      ],
    }));
    const gateway = createGateway({ domains: many, exposure: 'search' });
    const where: Addresses = { ...at, tcp: '127.0.0.1:4444', admin: 'http://127.0.0.1:9464', authentication: '2 keys' };
    const bannerIn = (rows: number) =>
      stripVTControlCharacters(renderBanner(gateway, { ...at }, invocationOf(), { columns: 80, rows }));
    expect(rowsOf(bannerIn(24), 80)).toBeLessThanOrEqual(24);
    expect(bannerIn(24)).toMatch(/^ {2}… and 11 APIs more$/m);
    expect(bannerIn(24)).toMatch(/^ {2}… and 11 more: --verbose shows all$/m);
    expect(bannerIn(60)).not.toContain('…');
    expect(rowsOf(bannerIn(60), 80)).toBeLessThanOrEqual(60);
    // Everything at once does not fit; the lists keep their first lines.
    const all = stripVTControlCharacters(renderBanner(gateway, where, invocationOf(), { columns: 80, rows: 24 }));
    for (const part of ['  pets0', '! pets0: Something', '127.0.0.1:4444', ':9464/metrics', '2 keys'])
      expect(all).toContain(part);
  });

  test('names missing credentials and how many operations need them, without repeating warnings', async () => {
    const document = fileURLToPath(new URL('../documentation/openapi.yaml', import.meta.url));
    const domains = await loadDomains({ paths: [document], env: {} });
    const [domain] = domains;
    const variables = domain!.endpoints.flatMap(({ security }) => security.flat().flatMap(unsetVariables));
    expect(variables.length).toBeGreaterThan(0);
    const text = stripVTControlCharacters(renderBanner(createGateway({ domains }), at, invocationOf(), LARGE));
    const lines = text.split('\n').filter((line) => line.includes(variables[0]!));
    expect(lines).toEqual([
      expect.stringMatching(/^ {2}! \w+: set [A-Z_]+(?: and [A-Z_]+)?, which \d+ operations? needs?/),
    ]);
  });

  test('suggests no call that lacks its credential', async () => {
    const document = fileURLToPath(new URL('../documentation/openapi.yaml', import.meta.url));
    const exampleOf = async (env: Record<string, string>) => {
      const domains = await loadDomains({ paths: [document], env });
      const secured = domains.map((domain) => ({
        ...domain,
        endpoints: domain.endpoints.filter(({ security }) => security.length > 0),
      }));
      return stripVTControlCharacters(renderBanner(createGateway({ domains: secured }), at, invocationOf(), LARGE));
    };
    const [domain] = await loadDomains({ paths: [document], env: {} });
    const variables = domain!.endpoints.flatMap(({ security }) => security.flat().flatMap(unsetVariables));
    expect(await exampleOf({})).not.toMatch(/ call --url/);
    expect(await exampleOf(Object.fromEntries(variables.map((name) => [name, 'secret'])))).toMatch(/ call --url/);
  });
});

test.each(['tools', 'grouped', 'search'] as const)(
  'with exposure %s, the banner shows each API on one line',
  (exposure) => {
    const lines = bannerOf(exposure);
    expect(lines[0]).toMatch(/^landbridge \S+ serves 1 API: \d+ operations as \d+ tools, about [\d,]+ tokens$/);
    expect(lines).toContainEqual(
      expect.stringMatching(/^ {2}pets {2}\d+ read, .* {2}http:\/\/127\.0\.0\.1:9\/a\/rather/),
    );
  },
);

test.each(['tools', 'grouped', 'search'] as const)(
  'with exposure %s on 40 columns, the banner cuts tables and wraps sentences',
  (exposure) => {
    const lines = bannerOf(exposure, { columns: 40, rows: 24 });
    const about = lines.slice(0, lines.indexOf('Try it, in another terminal'));
    expect(about.length).toBeGreaterThan(5);
    expect(about.filter((line) => line.length > 40 && !line.trim().startsWith('http://'))).toEqual([]);
    expect(about.map((line) => line.trim()).join(' ')).toMatch(/as \d+ tools?, about [\d,]+ tokens/);
    expect(about.some((line) => line.endsWith('…'))).toBe(true);
  },
);

test('the banner shows the authentication, and how a client sends its key from a variable', () => {
  const gateway = createGateway({ domains: [petsDomain('http://127.0.0.1:9')], exposure: 'tools' });
  const text = bannerOf('tools', LARGE, { ...at, authentication: '2 keys' }).join('\n');
  expect(text).toContain('\n  authentication  2 keys\n');
  const url = 'http://127.0.0.1:3333/mcp';
  expect(text).toContain(`install cursor --url ${url} --header 'Authorization: Bearer \${MCP_GATEWAY_KEY}'`);
  expect(text).toContain(`call --url ${url} --header "Authorization: Bearer $MCP_GATEWAY_KEY" pets_`);
  expect(renderLine(gateway, { ...at, authentication: '2 keys' })).toMatch(/tokens; authentication: 2 keys\n$/);
});

test('commands in the banner use the public address of the gateway', () => {
  const bound = 'http://0.0.0.0:3333/mcp';
  const urlOf = (flags: Flags) => clientUrl(readConfig({ paths: ['pets.yaml'], host: '0.0.0.0', ...flags }, {}), bound);
  expect(urlOf({})).toBe('http://127.0.0.1:3333/mcp');
  expect(urlOf({ publicUrl: 'https://gw.corp/' })).toBe('https://gw.corp/mcp');
  expect(urlOf({ allowedHost: ['gw.internal'] })).toBe('http://gw.internal:3333/mcp');
  const text = bannerOf('tools', LARGE, { ...at, url: 'https://gw.corp/mcp' }).join('\n');
  expect(text).toContain('install cursor --url https://gw.corp/mcp');
  expect(text).toContain('call --url https://gw.corp/mcp');
});

test('shared state without a secret is a warning', () => {
  const warningsOf = (env: Record<string, string>) =>
    listSettingWarnings(readConfig({ paths: ['pets.yaml'], state: 'redis://127.0.0.1:1' }, env), undefined);
  expect(warningsOf({})).toEqual([expect.stringContaining('LANDBRIDGE_SECRET')]);
  expect(warningsOf({ LANDBRIDGE_SECRET: 's'.repeat(32) })).toEqual([]);
});

test('the banner warns about listening on all interfaces without authentication', () => {
  const gateway = createGateway({ domains: [petsDomain('http://127.0.0.1:9')], exposure: 'tools' });
  const open = { ...at, isOpenToAll: true };
  const words = 'No authentication: anyone who can reach this port from another machine can call these APIs';
  expect(bannerOf('tools', LARGE, open).join('\n')).toContain(words);
  expect(renderLine(gateway, open)).toContain(words);
  expect(bannerOf('tools').join('\n')).not.toContain('uthentication');
});
