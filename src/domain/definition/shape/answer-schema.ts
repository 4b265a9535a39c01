// The shape of what is said about answers: how they are cut down, and how the next page is asked for.
import { z } from 'zod';
import { about, flag, strict, text, texts } from './fields.ts';
import { argumentName } from './placement-schema.ts';

export const response = strict({
  accept: about(text, 'The Accept header. Default: JSON, else anything.', 'text/csv'),
  pick: about(
    texts,
    'Keeps only these dot paths, in every item of a list. An answer that has none of them is not shown.',
    ['id', 'customer.name'],
  ),
  drop: about(
    texts,
    'Takes keys away: a name or a glob wherever it stands, a dot path (`$.meta` for the root) just there.',
    ['*_url', 'owner.login'],
  ),
  maxChars: about(
    z.int().min(200).max(1_000_000),
    'Characters of an answer that reach the model; longer answers are cut between items, with a note. Default: 20000.',
    8000,
  ),
  format: about(
    z.enum(['auto', 'json', 'toon', 'text']),
    'How an answer is written. `toon` is a shorter form of JSON tables, used where it is shorter. Default: `auto`.',
    'toon',
  ),
  structured: about(flag, 'Also gives the answer as `structuredContent`. Default: false.', true),
  maxFileBytes: about(
    z
      .int()
      .min(0)
      .max(32 * 1024 * 1024),
    'Pictures, sounds and other files up to this size are passed on; larger ones are described. 0 for none. Default: 1048576.',
    4_194_304,
  ),
}).meta({ id: 'response', description: 'How answers are cut down before they reach the model.' });

export const pagination = strict(
  {
    kind: about(
      z.enum(['page', 'offset', 'cursor']),
      'What the argument is: a page number, a number of items to skip, or a cursor.',
      'page',
    ),
    arg: about(argumentName, 'The argument that selects the page.', 'page'),
    sizeArg: about(argumentName, 'The argument that sets how many items a page has.', 'limit'),
    nextFrom: about(text, 'Dot path of the next cursor in the answer.', 'meta.next_cursor'),
  },
  'kind',
  'arg',
).meta({
  id: 'pagination',
  description: 'How to get the next page, so that an answer can say which argument to pass.',
});
