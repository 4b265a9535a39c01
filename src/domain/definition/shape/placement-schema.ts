// The shape of where arguments go and how they are written: placements, the encoding of form fields, and bodies.
import { z } from 'zod';
import { ARGUMENT_KEY } from '../../../endpoint/names.ts';
import { about, flag, headerName, named, strict, text, texts, withDefault } from './fields.ts';

export const argumentName = named(
  ARGUMENT_KEY,
  'an argument name is letters, digits and _, at most 64, not starting with a digit',
);
const style = about(
  z.enum(['simple', 'label', 'matrix', 'form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'cookie']),
  withDefault('How lists and objects are written, by OpenAPI’s name for it.', '`form`; `simple` in paths and headers'),
  'form',
);
const explode = about(
  flag,
  'Sends every item of a list (or field of an object) as a parameter of its own: `tag=a&tag=b`, not `tag=a,b`.',
  false,
);
const allowReserved = about(flag, 'Does not percent-encode reserved characters such as `/`, `?` and `:`.', true);
export const headers = z.record(headerName('is not a header name'), z.string());

export const location = z.enum(['path', 'query', 'header', 'cookie', 'body', 'body-root']);

export const placementShape = {
  in: about(
    location,
    withDefault(
      'Where the argument is sent. `body-root` is the whole body.',
      'the path, if it has a variable of that name; otherwise the query for GET, HEAD and DELETE, and the body for other methods',
    ),
    'query',
  ),
  name: about(text, withDefault('The name in the request.', 'the name of the argument'), 'per_page'),
  at: about(texts, 'Instead of `name`: the place inside the body, key by key.', ['customer', 'email']),
  style,
  explode,
  allowReserved,
  mediaType: about(
    text,
    'Writes the value as this media type first, for example JSON in a query parameter.',
    'application/json',
  ),
  arrays: about(
    z.enum(['indices', 'brackets', 'repeat']),
    'How lists inside a `deepObject` are written: `a[0]=`, `a[]=` or `a=`.',
    'brackets',
  ),
  file: about(flag, 'The argument is a file: `{ filename, mimeType, base64 | text }`.', true),
  clamp: about(flag, 'Replaces a number that is out of bounds by the nearest bound. The answer says so.', true),
};
export const placement = strict(placementShape).meta({
  id: 'placement',
  description: 'Where an argument is sent, and how it is written.',
});
/** The keys that an argument of a YAML file may have beside its JSON Schema. */
export const PLACEMENT_KEYS: ReadonlySet<string> = new Set(Object.keys(placementShape));

const partEncoding = strict({
  contentType: about(text, 'The media type of the part.', 'application/json'),
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
      kind: about(
        bodyKind,
        withDefault('The kind of the body.', '`multipart` if an argument is a file, otherwise `json`'),
        'form',
      ),
      mediaType: about(
        text,
        withDefault('The Content-Type of the body.', 'that of the kind'),
        'application/vnd.shop+json',
      ),
      wrap: about(texts, 'Wraps the body in these keys, outermost first: `{"data": {…}}`.', ['data']),
      encoding: about(z.record(z.string(), partEncoding), 'How single fields are written, by field name.', {
        note: { contentType: 'text/plain' },
      }),
    },
    'kind',
  ),
]);
