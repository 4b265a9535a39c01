// The shape of the settings for answers: how they are shortened, and how the next page is requested.
import { z } from 'zod';
import { about, flag, strict, text, texts, withDefault } from './fields.ts';
import { argumentName } from './placement-schema.ts';

export const response = strict({
  accept: about(text, withDefault('The Accept header of the request.', 'JSON, or else anything'), 'text/csv'),
  pick: about(
    texts,
    'Keeps only these dot paths, in every item of a list. An answer without any of them is not shown.',
    ['id', 'customer.name'],
  ),
  drop: about(
    texts,
    'Removes keys: a name or glob at any depth, a dot path only at that place (`$.meta` for the top level).',
    ['*_url', 'owner.login'],
  ),
  maxChars: about(
    z.int().min(200).max(1_000_000),
    withDefault(
      'The largest answer that reaches the model, in characters. Longer answers are cut between items, with a note.',
      20_000,
    ),
    8000,
  ),
  format: about(
    z.enum(['auto', 'json', 'toon', 'text']),
    withDefault(
      'The format of answers. `toon` is a shorter form of JSON tables; it is used only if it is really shorter.',
      '`auto`',
    ),
    'toon',
  ),
  structured: about(flag, withDefault('Also returns the answer as `structuredContent`.', false), true),
  maxFileBytes: about(
    z
      .int()
      .min(0)
      .max(32 * 1024 * 1024),
    withDefault(
      'The largest file (picture, sound or other) that is passed on, in bytes. Larger ones are only described. 0 passes on none.',
      1_048_576,
    ),
    4_194_304,
  ),
}).meta({ id: 'response', description: 'How answers are shortened before they reach the model.' });

export const pagination = strict(
  {
    kind: about(
      z.enum(['page', 'offset', 'cursor']),
      'What the argument is: a page number (`page`), a number of items to skip (`offset`), or a cursor (`cursor`).',
      'page',
    ),
    arg: about(argumentName, 'The argument that selects the page.', 'page'),
    sizeArg: about(argumentName, 'The argument that sets the number of items per page.', 'limit'),
    nextFrom: about(text, 'The dot path of the next cursor in the answer.', 'meta.next_cursor'),
  },
  'kind',
  'arg',
).meta({
  id: 'pagination',
  description: 'How to get the next page. The answer then tells the model which argument to pass.',
});
