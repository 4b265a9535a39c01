// Unusual cases, and what Landbridge adds: dry runs, logs.
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { useRealHttp } from '../support/real-http.ts';
import { reply } from './echo.ts';
import { open, openDuring } from './gateway.ts';
import { NEIGHBOUR_LINES } from './neighbours.ts';
import { check, written } from './sheet.ts';

useRealHttp();

describe('unusual cases', () => {
  const opened = openDuring({ documents: ['neighbours.yaml'] });
  test.each(NEIGHBOUR_LINES)('$name', (line) => check(opened, line));

  test('the gateway’s own arguments are renamed if the API has arguments with their names', async () => {
    const { requests, result } = await opened.call('controls_read', { landbridge_fields: 'method' });
    expect(requests.map(written)).toEqual([{ line: 'GET /v1/controls' }]);
    expect(result.text).toBe('{"method":"GET"}');
    const dry = await opened.call('controls_write', { landbridge_dry_run: true, dry_run: false });
    expect(dry.requests).toEqual([]);
    expect(dry.result.text).toContain('/v1/controls?dry_run=false');
  });
});

describe('a dry run', () => {
  test('shows the exact request without its secret, and sends nothing', async () => {
    const opened = await open({
      documents: ['credentials.yaml'],
      env: { LANDBRIDGE_CRED_CREDENTIALS_KEY_HEADER: 's3cret' },
    });
    const { requests, result } = await opened.call('post_key_header', { a: 'x', dry_run: true });
    expect(requests).toEqual([]);
    const shown = JSON.parse(result.text.slice(result.text.indexOf('{'))) as Record<string, unknown>;
    expect(shown).toMatchObject({
      method: 'POST',
      url: `${opened.echo.origin}/v1/header`,
      headers: { 'x-api-key': '[redacted]', 'content-type': 'application/json' },
      body: '{"a":"x"}',
    });
    expect(JSON.stringify(result)).not.toContain('s3cret');
    await opened.close();
  });
});

describe('the log', () => {
  test('contains no secret and no argument, whatever happens', async () => {
    const lines: string[] = [];
    const opened = await open({
      documents: ['credentials.yaml'],
      env: {
        LANDBRIDGE_CRED_CREDENTIALS_KEY_HEADER: 's3cret-1',
        LANDBRIDGE_CRED_CREDENTIALS_KEY_QUERY: 's3cret-2',
        LANDBRIDGE_CRED_CREDENTIALS_BEARER: 's3cret-3',
      },
      gateway: { log: pino({ level: 'trace' }, { write: (line) => lines.push(line) }) },
    });
    opened.echo.answers.set('/v1/query', reply(500, 'text/plain', 's3cret-2 is wrong'));
    await opened.call('key_header');
    await opened.call('post_key_header', { a: 'private words' });
    await opened.call('key_query', { q: 'private words' });
    await opened.call('by_default', { nonsense: 'private words' });
    await opened.call('basic');
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join('')).not.toContain('s3cret');
    expect(lines.join('')).not.toContain('private');
    await opened.close();
  });
});
