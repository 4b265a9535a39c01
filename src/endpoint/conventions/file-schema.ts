// A file as an argument: what importers and domain files offer, and the executor turns into bytes.
import type { JsonSchema } from '../model.ts';

export const FILE_SCHEMA: JsonSchema = Object.freeze({
  type: 'object',
  description: 'A file: give its content as base64, or as text where it is text.',
  properties: Object.freeze({
    filename: Object.freeze({ type: 'string', maxLength: 255 }),
    mimeType: Object.freeze({ type: 'string', maxLength: 127 }),
    base64: Object.freeze({ type: 'string', description: 'The bytes, base64.' }),
    text: Object.freeze({ type: 'string', description: 'The content, where it is text.' }),
  }),
  oneOf: Object.freeze([Object.freeze({ required: ['base64'] }), Object.freeze({ required: ['text'] })]),
  additionalProperties: false,
});
