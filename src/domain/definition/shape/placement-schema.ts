// The shape of where arguments go and how they are written: placements, the encoding of form fields, and bodies.
import { z } from 'zod';
import { ARGUMENT_KEY } from '../../../endpoint/names.ts';
import { about, flag, headerName, named, strict, text, texts } from './fields.ts';

export const argumentName = named(
  ARGUMENT_KEY,
  'an argument name is letters, digits and _, at most 64, not starting with a digit',
);
const style = about(
  z.enum(['simple', 'label', 'matrix', 'form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'cookie']),
  'How lists and objects are written, as OpenAPI names it. Default: `form`, and `simple` in paths and headers.',
  'form',
);
const explode = about(
  flag,
  'Every item of a list (or field of an object) as a parameter of its own: `tag=a&tag=b` and not `tag=a,b`.',
  false,
);
const allowReserved = about(
  flag,
  'Leaves `/`, `?`, `:` and the like as they are instead of percent-encoding them.',
  true,
);
export const headers = z.record(headerName('is not a header name'), z.string());

export const location = z.enum(['path', 'query', 'header', 'cookie', 'body', 'body-root']);

export const placementShape = {
  in: about(
    location,
    'Where it goes; `body-root` is the whole body. Default: the path where it has a variable of that name, else the query for GET, HEAD and DELETE, else the body.',
    'query',
  ),
  name: about(text, 'Its name in the request. Default: the argument’s own.', 'per_page'),
  at: about(texts, 'Where it goes inside the body, key by key, instead of `name`.', ['customer', 'email']),
  style,
  explode,
  allowReserved,
  mediaType: about(text, 'Written as this media type, then encoded (JSON in a query parameter).', 'application/json'),
  arrays: about(
    z.enum(['indices', 'brackets', 'repeat']),
    'How lists inside a `deepObject` are written: `a[0]=`, `a[]=` or `a=`.',
    'brackets',
  ),
  file: about(flag, 'A file: the argument is `{ filename, mimeType, base64 | text }`.', true),
  clamp: about(flag, 'Moves a number that is out of bounds to the nearest bound, with a note in the answer.', true),
};
export const placement = strict(placementShape).meta({
  id: 'placement',
  description: 'Where an argument goes, and how it is written.',
});
/** The keys an argument of a YAML file may carry beside its JSON Schema. */
export const PLACEMENT_KEYS: ReadonlySet<string> = new Set(Object.keys(placementShape));

const partEncoding = strict({
  contentType: about(text, 'Media type of the part.', 'application/json'),
  style,
  explode,
  allowReserved,
  headers: about(headers, 'Headers of the part.', { 'X-Part': 'meta' }),
  file: about(flag, 'The part is a file.', true),
}).meta({ id: 'encoding', description: 'How one field of a form or multipart body is written.' });

export const bodyKind = z.enum(['json', 'form', 'multipart', 'binary', 'text']);
export const body = z.union([
  bodyKind,
  strict(
    {
      kind: about(bodyKind, 'What the body is. Default: `multipart` where an argument is a file, else `json`.', 'form'),
      mediaType: about(text, 'The Content-Type. Default: that of the kind.', 'application/vnd.shop+json'),
      wrap: about(texts, 'Wraps the body in these keys, outermost first: `{"data": {…}}`.', ['data']),
      encoding: about(z.record(z.string(), partEncoding), 'How single fields are written, by name.', {
        note: { contentType: 'text/plain' },
      }),
    },
    'kind',
  ),
]);
