import { describe, expect, test } from 'vitest';
import { createRedaction } from '../../src/orchestration/redaction.ts';

const redaction = createRedaction((text) => text.replaceAll('secret', '[redacted]'));

describe('redaction', () => {
  test('removes secrets wherever they are', () => {
    const text = { type: 'text', text: 'a secret' } as const;
    const resource = { type: 'resource', resource: { uri: 'a://b', text: 'another secret' } } as const;
    for (const content of [[text], [text, resource], [resource]]) {
      const outcome = redaction.outcome({ content, isError: false, structured: { key: ['secret'], secret: 1 } });
      expect(JSON.stringify(outcome)).not.toContain('secret');
      expect(outcome.structured).toEqual({ key: ['[redacted]'], '[redacted]': 1 });
    }
  });

  test('removes secrets from what toJSON() returns, and calls it once', () => {
    const inner = { name: 'secret', toJSON: () => 'never asked' };
    const value = { toJSON: () => inner };
    expect(JSON.stringify(redaction.value({ value }))).toBe('{"value":{"name":"[redacted]"}}');
    expect(JSON.stringify(redaction.value({ at: new Date(0) }))).toBe('{"at":"1970-01-01T00:00:00.000Z"}');
  });

  test('returns the same value if it has no secrets', () => {
    const outcome = {
      content: [{ type: 'text', text: 'fine' } as const],
      isError: false,
      structured: { a: [1, { b: 'c' }] },
    };
    expect(redaction.outcome(outcome)).toBe(outcome);
    expect(redaction.value(outcome.structured)).toBe(outcome.structured);
  });

  test('does not redact an outcome twice', () => {
    const outcome = redaction.trust({
      content: [{ type: 'text', text: 'secret, but redacted upstream' }],
      isError: false,
    });
    expect(redaction.outcome(outcome)).toBe(outcome);
  });

  test('does not change base64 and dates', () => {
    const image = { type: 'image', data: 'secret', mimeType: 'image/png' } as const;
    expect(redaction.outcome({ content: [image], isError: false }).content).toEqual([image]);
    const date = new Date(0);
    expect(redaction.value({ date }).date).toBe(date);
  });
});
