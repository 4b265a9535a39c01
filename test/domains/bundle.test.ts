// What holds for the bundled domains together: their names, texts and variables.
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/read-config.ts';
import { SETTING_VARIABLES } from '../../src/config/setting-table.ts';
import { loadDomains } from '../../src/domain/load.ts';
import type { Domain } from '../../src/endpoint/model.ts';

let domains: Domain[];
beforeAll(async () => {
  domains = await loadDomains({ paths: ['domains'], env: {}, embedded: () => 'http://127.0.0.1:9' });
});

describe('the bundled domains', () => {
  test('are four', () => {
    expect(domains.map((domain) => domain.name)).toEqual(['jsonplaceholder', 'musicbrainz', 'openmeteo', 'tasks']);
    expect(domains.flatMap((domain) => [...domain.warnings, ...domain.quarantined])).toEqual([]);
  });

  test('are few enough to be offered one tool per operation', () => {
    expect(domains.flatMap((domain) => domain.endpoints).length).toBeLessThanOrEqual(40);
  });

  test('name every tool <domain>_<action>, each once', () => {
    const names = domains.flatMap((domain) => domain.endpoints.map((endpoint) => endpoint.toolName));
    expect(new Set(names).size).toBe(names.length);
    for (const domain of domains) {
      for (const { toolName, action } of domain.endpoints) {
        expect(toolName).toBe(`${domain.name}_${action}`);
        expect(toolName).toMatch(/^[a-z][a-z0-9_]{0,47}$/);
      }
    }
  });

  test('describe every tool in a sentence and every argument in words', () => {
    for (const { toolName, summary, inputSchema, args } of domains.flatMap((domain) => domain.endpoints)) {
      expect(summary, toolName).toMatch(/^[A-Z].{10,}\.$/);
      const { properties } = inputSchema as { properties: Record<string, { description?: string }> };
      for (const { key } of args) expect(properties[key]?.description, `${toolName} ${key}`).toMatch(/^\S.{4,}/);
    }
  });

  test('and the gateway read only variables that .env.example documents, and it documents the defaults in use', () => {
    const documented = new Map(
      readFileSync('.env.example', 'utf8')
        .split('\n')
        .flatMap((line) => {
          const match = /^#?\s?([A-Z][A-Z0-9_]+)=(.*)$/.exec(line);
          return match === null ? [] : [[match[1]!, match[2]!] as const];
        }),
    );
    const files = ['jsonplaceholder.yaml', 'musicbrainz.ts', 'openmeteo.yaml', 'tasks.yaml']
      .map((file) => readFileSync(`domains/${file}`, 'utf8'))
      .join('\n');
    const used = new Set([
      ...SETTING_VARIABLES,
      ...[...files.matchAll(/\benv: ['"]?([A-Z][A-Z0-9_]*)/g)].map((match) => match[1]!),
      ...[...files.matchAll(/\$\{([A-Z][A-Z0-9_]*)/g)].map((match) => match[1]!),
    ]);
    expect(used.size).toBeGreaterThan(15);
    expect([...used].filter((name) => !documented.has(name))).toEqual([]);
    for (const [, name, fallback] of files.matchAll(
      /env: ['"]?([A-Z][A-Z0-9_]*)['"]?, default: ['"](https?:[^'"]+)['"]/g,
    )) {
      expect(documented.get(name!)).toBe(fallback);
    }
  });

  test('.env.example starts the gateway with its defaults, as it is', () => {
    const config = readConfig({ dotenv: ['.env.example'] }, {});
    expect(config).toMatchObject({ host: '127.0.0.1', port: 3333, readOnly: false, guard: 'confirm', apiKeys: [] });
    expect(config.auth).toBeUndefined();
  });
});
