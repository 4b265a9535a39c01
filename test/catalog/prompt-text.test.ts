import { expect, test } from 'vitest';
import { fillPrompt } from '../../src/catalog/resources-and-prompts/prompt-text.ts';

const PLAN =
  'Plan the day of {{person}}. Take only tasks labelled "{{label}}". Be short.\n- until {{ hour }}\n- nothing else';

const BOARD = 'Summarise the board in {{language}}, in at most {{n}} sentences.';

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
  [BOARD, {}, 'Summarise the board.'],
  [BOARD, { language: 'French' }, 'Summarise the board in French.'],
  [BOARD, { n: 3 }, 'Summarise the board in at most 3 sentences.'],
  [BOARD, { language: 'French', n: 3 }, 'Summarise the board in French, in at most 3 sentences.'],
  ['Summarise the board in at most {{n}} sentences.', {}, 'Summarise the board.'],
  ['Summarise the board in {{ language }}.', {}, 'Summarise the board.'],
  ['Give me at most {{n}} ideas.', {}, 'Give me ideas.'],
  ['Show the board of {{team}} within {{n}} days!', { team: 'Ada' }, 'Show the board of Ada!'],
  ['Show the board (newest {{n}} first).', {}, 'Show the board.'],
  ['Show the board (newest {{n}} first) of {{team}}.', { team: 'Ada' }, 'Show the board of Ada.'],
  ['Show the board (of {{team}}, newest {{n}} first).', { team: 'Ada' }, 'Show the board (of Ada).'],
  [
    'Show the board of {{team}}, written for {{who}} to read, as a list.',
    { team: 'A' },
    'Show the board of A, as a list.',
  ],
  ['In {{language}}, show the board of {{team}}.', { team: 'Ada' }, 'Show the board of Ada.'],
  ['Tell me about a {{kind}}, {{ tone }}.', { kind: 'cat' }, 'Tell me about a cat.'],
  ['Show the tasks of {{person}} sorted by priority.', {}, 'Show the tasks sorted by priority.'],
  ['See https://a.example/v1.2/{{id}}?', { id: 7 }, 'See https://a.example/v1.2/7?'],
])('a missing argument removes the text that is only about it: %j with %j', (text, args, filled) => {
  expect(fillPrompt(text, args)).toBe(filled);
});
