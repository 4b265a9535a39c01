// The shape of what an API offers beside its operations: prompts and resources.
import { z } from 'zod';
import { about, flag, list, strict, text } from './fields.ts';
import { argumentName } from './placement-schema.ts';

export const prompt = strict({
  title: about(text, 'What people see in place of the name.', 'Plan my day'),
  description: about(text, 'What the prompt is for.', 'Picks what to work on today.'),
  arguments: about(
    z.record(
      argumentName,
      strict({
        description: about(text, 'What to give.', 'Whose day, e.g. ada.'),
        required: about(flag, 'Whether it must be given. Default: false.', true),
        values: about(list(z.string()), 'Values offered while typing.', ['ada', 'grace']),
      }),
    ),
    'What a person fills in, by name.',
    { person: { required: true } },
  ),
  text: about(text, 'One message of the user; `{{argument}}` is replaced. Or `messages`, for more.', 'Plan the day.'),
  messages: about(
    list(
      strict({
        role: about(z.enum(['user', 'assistant']), 'Who says it. Default: `user`.', 'assistant'),
        text: about(text, 'What is said; `{{argument}}` is replaced.', 'Plan the day.'),
        resource: about(text, 'URI of a resource to embed, instead of `text`.', 'shop://guide'),
      }),
    ),
    'Several messages, instead of `text`.',
    [{ text: 'Plan the day.' }, { role: 'assistant', text: 'Whose day?' }],
  ),
}).meta({ id: 'prompt', description: 'A text that people choose in their client, and fill in.' });

export const resource = strict(
  {
    name: about(text, 'Its name.', 'guide'),
    title: about(text, 'What people see in place of the name.', 'How the shop works'),
    description: about(text, 'What it holds.', 'States of an order, and who may change them.'),
    mimeType: about(text, 'Media type. Default: `text/markdown`.', 'text/plain'),
    text: about(z.string(), 'What it says.', 'An order is open, paid or shipped.'),
    file: about(text, 'Instead of `text`: a file in the folder of the domain file.', './guide.md'),
  },
  'name',
).meta({ id: 'resource', description: 'A text that clients can read. Its key is its URI: `shop://guide`.' });
