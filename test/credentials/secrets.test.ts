import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KnownCredential } from '../../src/credentials/kind-table.ts';
import { collectSecrets, endpointSecrets } from '../../src/credentials/secrets.ts';
import type { Domain } from '../../src/endpoint/model.ts';
import { createRedactor } from '../../src/endpoint/redaction/redact.ts';
import { createExecutor } from '../../src/executor/executor.ts';
import { readProxyRules } from '../../src/network/proxy-rules.ts';
import { endpoint } from '../executor/support.ts';

describe('collectSecrets()', () => {
  test('finds every secret value once, and no client id', () => {
    const security: KnownCredential[][] = [
      [{ kind: 'apiKey', name: 'a', in: 'header', field: 'x', secret: { variable: 'A', value: 'key-1' } }],
      [{ kind: 'bearer', name: 'b', secret: { variable: 'B', value: undefined } }],
      [
        {
          kind: 'basic',
          name: 'c',
          username: { variable: 'U', value: 'ann' },
          password: { variable: 'P', value: 'pass-word' },
        },
      ],
      [
        {
          kind: 'oauth2',
          name: 'd',
          tokenUrl: 'https://x.test/t',
          clientId: { variable: 'I', value: 'client-id' },
          clientSecret: { variable: 'S', value: 'client-secret' },
          scopes: [],
        },
      ],
    ];
    const domain = {
      endpoints: [endpoint('http://x.test', { security }), endpoint('http://x.test', { security })],
    } as unknown as Domain;
    expect(collectSecrets([domain, domain])).toEqual([
      'key-1',
      'pass-word',
      Buffer.from('ann:pass-word').toString('base64'),
      'client-secret',
    ]);
  });
});

test('a user name is a secret only if there is no password', () => {
  const basic = (username: string, password: string) =>
    endpointSecrets(
      endpoint('https://api.example', {
        security: [
          [
            {
              kind: 'basic',
              name: 'c',
              username: { variable: 'U', value: username },
              password: { variable: 'P', value: password },
            },
          ],
        ],
      }),
    );
  expect(basic('admin', 'pass-word')).not.toContain('admin');
  expect(basic('sk_live_123', '')).toContain('sk_live_123');
});

describe('createRedactor()', () => {
  test.each([
    ['as it is', 'key sk-a/b+c "1"! here'],
    ['JSON-escaped', JSON.stringify({ k: 'sk-a/b+c "1"!' })],
    ['percent-encoded', `?k=${encodeURIComponent('sk-a/b+c "1"!')}&x`],
    [
      'percent-encoded, lower case',
      `?k=${encodeURIComponent('sk-a/b+c "1"!').replace(/%../g, (t) => t.toLowerCase())}`,
    ],
    ['form-encoded', new URLSearchParams({ k: 'sk-a/b+c "1"!' }).toString()],
    ['base64', Buffer.from('sk-a/b+c "1"!').toString('base64')],
    ['base64url', Buffer.from('sk-a/b+c "1"!').toString('base64url')],
    ['inside base64', Buffer.from('user:sk-a/b+c "1"!').toString('base64')],
    ['inside base64, shifted', Buffer.from('us:sk-a/b+c "1"!;x').toString('base64')],
  ])('takes a secret out %s', (_, text) => {
    const clean = createRedactor(['sk-a/b+c "1"!'])(text);
    expect(clean).toContain('[redacted]');
    expect(
      Buffer.from(clean, 'base64').toString('latin1') + decodeURIComponent(clean.replace(/%(?![0-9a-f]{2})/gi, '')),
    ).not.toContain('a/b+c');
  });

  test.each([
    ['by PHP', String.raw`sk-a\/b+c&d="1"`],
    ['by PHP, in JSON in JSON', String.raw`sk-a\\\/b+c&d=\\\"1\\\"`],
    ['by .NET', String.raw`sk-a/b\u002Bc\u0026d=\u00221\u0022`],
    ['by Go', String.raw`sk-a/b+c\u0026d=\"1\"`],
    ['in HTML', 'sk-a/b+c&amp;d=&quot;1&quot;'],
    ['in HTML, by number', 'sk-a&#x2F;b&#43;c&#38;d&#x3D;&#34;1&#034;'],
    ['in part of a URL', 'sk-a/b%2bc%26d=%221%22'],
  ])('takes a secret out whose punctuation was escaped %s', (_, text) => {
    expect(createRedactor(['sk-a/b+c&d="1"'])(`{"k":"${text}"}`)).toBe('{"k":"[redacted]"}');
  });

  test('leaves other text alone and ignores tiny secrets', () => {
    const redact = createRedactor(['abc', '', 'longer-secret']);
    expect(redact('abc abcdef nothing here')).toBe('abc abcdef nothing here');
  });

  test('takes the longer of two overlapping secrets first', () => {
    expect(createRedactor(['token', 'token-extended'])('a token-extended b token')).toBe('a [redacted] b [redacted]');
  });

  test('learns secrets while running, and forgets the oldest of very many', () => {
    const redact = createRedactor(['configured-one']);
    redact.addSecret('fresh-token');
    expect(redact('x fresh-token configured-one')).toBe('x [redacted] [redacted]');
    for (let round = 0; round < 1000; round++) redact.addSecret(`rotated-${round}`);
    expect(redact('configured-one rotated-999')).toBe('[redacted] [redacted]');
    expect(redact('fresh-token')).toBe('fresh-token');
  });

  test('forgets no secret of the configuration, however many tokens come and go', () => {
    const redact = createRedactor([]);
    redact.addSecret('redis-password');
    redact.keepSecret('redis-password');
    createExecutor({ redact, proxies: readProxyRules({ HTTPS_PROXY: 'http://ann:proxy-password@127.0.0.1:3128' }) });
    for (let round = 0; round < 1000; round++) redact.addSecret(`rotated-${round}`);
    expect(redact('redis-password proxy-password')).toBe('[redacted] [redacted]');
  });

  test('for any secret in any text, the secret is gone', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', minLength: 4, maxLength: 30 }),
        fc.string(),
        fc.string(),
        (value, before, after) => {
          fc.pre(!'[redacted]'.includes(value));
          const redact = createRedactor([value]);
          expect(
            redact(`${before}${value}${after}`)
              .split('[redacted]')
              .some((part) => part.includes(value)),
          ).toBe(false);
        },
      ),
    );
  });
});
