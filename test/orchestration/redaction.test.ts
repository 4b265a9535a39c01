import { describe, expect, test } from 'vitest';
import { createRedaction } from '../../src/orchestration/redaction.ts';

const redaction = createRedaction((text) => text.replaceAll('secret', '[redacted]'));

describe('what leaves the gateway', () => {
  test('holds no secret, wherever it stands', () => {
    const text = { type: 'text', text: 'a secret' } as const;
    const resource = { type: 'resource', resource: { uri: 'a://b', text: 'another secret' } } as const;
    for (const content of [[text], [text, resource], [resource]]) {
      const outcome = redaction.outcome({ content, isError: false, structured: { key: ['secret'], secret: 1 } });
      expect(JSON.stringify(outcome)).not.toContain('secret');
      expect(outcome.structured).toEqual({ key: ['[redacted]'], '[redacted]': 1 });
    }
  });

  test('holds no secret of what a value says of itself, which is asked once', () => {
    const inner = { name: 'secret', toJSON: () => 'never asked' };
    const value = { toJSON: () => inner };
    expect(JSON.stringify(redaction.value({ value }))).toBe('{"value":{"name":"[redacted]"}}');
    expect(JSON.stringify(redaction.value({ at: new Date(0) }))).toBe('{"at":"1970-01-01T00:00:00.000Z"}');
  });

  test('is the very same value where there is nothing to take out', () => {
    const outcome = {
      content: [{ type: 'text', text: 'fine' } as const],
      isError: false,
      structured: { a: [1, { b: 'c' }] },
    };
    expect(redaction.outcome(outcome)).toBe(outcome);
    expect(redaction.value(outcome.structured)).toBe(outcome.structured);
  });

  test('leaves alone what was redacted before', () => {
    const outcome = redaction.trust({
      content: [{ type: 'text', text: 'secret, but redacted upstream' }],
      isError: false,
    });
    expect(redaction.outcome(outcome)).toBe(outcome);
  });

  test('leaves base64 and what serialises itself alone', () => {
    const image = { type: 'image', data: 'secret', mimeType: 'image/png' } as const;
    expect(redaction.outcome({ content: [image], isError: false }).content).toEqual([image]);
    const date = new Date(0);
    expect(redaction.value({ date }).date).toBe(date);
  });
});
