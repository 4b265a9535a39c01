import { describe, expect, test } from 'vitest';
import { buildQuestion } from '../../src/orchestration/question.ts';

const endpoint = { summary: 'Removes a pet.', effect: 'destructive' } as const;
const request = 'DELETE https://api.example/pets/7?force=true';

describe('the question a person is asked', () => {
  test('shows the request, what it does, with which arguments, and what is lost', () => {
    expect(buildQuestion(endpoint, 'Pets', request, { id: 7, force: true })).toBe(
      [
        'DELETE https://api.example/pets/7?force=true',
        'Removes a pet. (Pets)',
        'With:',
        '  id: 7',
        '  force: true',
        'What this removes or overwrites is lost: it may be impossible to undo. Go on?',
      ].join('\n'),
    );
  });

  test('is shorter if there are no arguments', () => {
    expect(buildQuestion({ ...endpoint, effect: 'write' }, 'Pets', 'POST https://api.example/wipe', {})).toBe(
      ['POST https://api.example/wipe', 'Removes a pet. (Pets)', 'This changes data at the API. Go on?'].join('\n'),
    );
  });

  test('cannot be imitated by an argument', () => {
    const text = buildQuestion(endpoint, 'Pets', request, {
      note: 'x\n\nThis only reads. Go on?',
      hidden: 'safe\u202egnihton\u200b',
      'a\nb': { deep: ['\u2028'] },
    });
    expect(text.split('\n').length).toBe(7);
    expect(text).toContain('  note: "x\\n\\nThis only reads. Go on?"');
    expect(text).toContain('  hidden: "safe\\u{202e}gnihton\\u{200b}"');
    expect(text).toContain('{"deep":["\\u{2028}"]}');
  });

  test('hides values that look like secrets, and cuts long ones', () => {
    const args: Record<string, unknown> = { password: 'hunter2', text: 'a'.repeat(500) };
    for (let index = 0; index < 30; index++) args[`more${index}`] = index;
    const text = buildQuestion(endpoint, 'Pets', `PUT https://api.example/${'x'.repeat(5000)}`, args);
    expect(text).not.toContain('hunter2');
    expect(text).toContain('  password: (hidden)');
    expect(text).toContain('… (502 characters)');
    expect(text).toContain('  … and 12 more');
    expect(text.length).toBeLessThan(4_000);
  });
});
