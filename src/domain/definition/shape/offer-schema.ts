// The shape of prompts and resources in a domain file.
import { z } from 'zod';
import { about, flag, list, strict, text, withDefault } from './fields.ts';
import { argumentName } from './placement-schema.ts';

export const prompt = strict({
  title: about(text, 'The title that people see instead of the name.', 'Plan my day'),
  description: about(text, 'What the prompt is for.', 'Picks what to work on today.'),
  arguments: about(
    z.record(
      argumentName,
      strict({
        description: about(text, 'What to fill in.', 'Whose day, e.g. ada.'),
        required: about(flag, withDefault('The argument must be filled in.', false), true),
        values: about(list(z.string()), 'Values that clients suggest.', ['ada', 'grace']),
      }),
    ),
    'What people fill in, by name.',
    { person: { required: true } },
  ),
  text: about(text, 'The text, as one message of the user. `{{argument}}` is replaced.', 'Plan the day.'),
  messages: about(
    list(
      strict({
        role: about(z.enum(['user', 'assistant']), withDefault('The role of the message.', '`user`'), 'assistant'),
        text: about(text, 'The text of the message. `{{argument}}` is replaced.', 'Plan the day.'),
        resource: about(text, 'Instead of `text`: the URI of a resource to embed.', 'shop://guide'),
      }),
    ),
    'Instead of `text`: several messages.',
    [{ text: 'Plan the day.' }, { role: 'assistant', text: 'Whose day?' }],
  ),
}).meta({ id: 'prompt', description: 'A text that people choose in their client and fill in.' });

export const resource = strict(
  {
    name: about(text, 'The name of the resource.', 'guide'),
    title: about(text, 'The title that people see instead of the name.', 'How the shop works'),
    description: about(text, 'What the resource contains.', 'States of an order, and who may change them.'),
    mimeType: about(text, withDefault('The media type.', '`text/markdown`'), 'text/plain'),
    text: about(z.string(), 'The text of the resource.', 'An order is open, paid or shipped.'),
    file: about(text, 'Instead of `text`: the path of a file in the folder of the domain file.', './guide.md'),
  },
  'name',
).meta({ id: 'resource', description: 'A text that clients can read. Its key is its URI: `shop://guide`.' });
