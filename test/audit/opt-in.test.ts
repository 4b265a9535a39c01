import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadDomains } from '../../src/domain/load.ts';
import { compileRedactPaths } from '../../src/endpoint/redaction/redact-paths.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'landbridge-optin-'));
  const operation = (operationId: string) => ({ operationId, responses: { 200: { description: 'Fine' } } });
  const document = {
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    servers: [{ url: 'http://127.0.0.1:9' }],
    paths: {
      '/pets': {
        get: { ...operation('listPets'), 'x-mcp': { audit: { arguments: true } } },
        post: operation('addPet'),
      },
    },
  };
  writeFileSync(join(folder, 'api.json'), JSON.stringify(document));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function plansOf(lines: string): Promise<Record<string, unknown>> {
  const file = join(folder, 'pets.yaml');
  writeFileSync(file, `name: pets\nopenapi: ./api.json\n${lines}\n`);
  const [domain] = await loadDomains({ paths: [file], env: {} });
  return Object.fromEntries(domain!.endpoints.map(({ method, audit }) => [method, audit]));
}

describe('which arguments the audit trail may record', () => {
  test('is decided by the domain file, never by the document', async () => {
    expect(await plansOf('')).toEqual({ GET: undefined, POST: undefined });
  });

  test('applies to all operations, and an operation can add to it', async () => {
    const audit = 'audit: { arguments: true, redact: [password] }';
    const ofOne = 'operations: { addPet: { audit: { arguments: false, redact: [$.owner.name] } } }';
    expect(await plansOf(`${audit}\n${ofOne}`)).toEqual({
      GET: { arguments: true, redact: ['password'] },
      POST: { arguments: false, redact: ['password', '$.owner.name'] },
    });
  });

  test.each(['audit: { argument: true }', 'audit: { redact: ["a b"] }', 'audit: { redact: ["$.a[0]"] }', 'audit: yes'])(
    'is refused as %s',
    async (lines) => {
      await expect(plansOf(lines)).rejects.toThrow('audit');
    },
  );
});

describe('a redacted path', () => {
  test.each<[string, string[], boolean]>([
    ['password', ['password'], true],
    ['password', ['user', 'Password'], true],
    ['password', ['password', 'hint'], false],
    ['*_token', ['a', 'reset_token'], true],
    ['card.number', ['card', 'number'], true],
    ['card.number', ['order', 'card', 'number'], true],
    ['card.number', ['number'], false],
    ['$.card.number', ['order', 'card', 'number'], false],
    ['$.cards[*].number', ['cards', 'number'], true],
  ])('%s: %j is one: %s', (path, keys, isOne) => {
    expect(compileRedactPaths([path])(keys)).toBe(isOne);
  });
});
