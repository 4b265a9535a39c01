import { expect, test } from 'vitest';
import { fillText } from '../../src/catalog/resources-and-prompts/prompt-text.ts';

const PLAN =
  'Plan the day of {{person}}. Take only tasks labelled "{{label}}". Be short.\n- until {{ hour }}\n- nothing else';

test.each([
  [
    PLAN,
    { person: 'Ada', label: 'bug', hour: '5' },
    'Plan the day of Ada. Take only tasks labelled "bug". Be short.\n- until 5\n- nothing else',
  ],
  [PLAN, { person: 'Ada' }, 'Plan the day of Ada. Be short.\n- nothing else'],
  [PLAN, {}, 'Plan the day. Be short.\n- nothing else'],
  [
    'Summarise the tasks of {{person}} with the label {{label}}.',
    { person: 'Ada' },
    'Summarise the tasks of Ada with the label.',
  ],
  [
    'Summarise the tasks of {{person}} from {{day}}, by priority.',
    { person: 'Ada' },
    'Summarise the tasks of Ada by priority.',
  ],
  ['See https://a.example/v1.2/{{id}}?', { id: 7 }, 'See https://a.example/v1.2/7?'],
])('an argument that was left out takes with it what speaks of nothing else: %j with %j', (text, args, filled) => {
  expect(fillText(text, args)).toBe(filled);
});
