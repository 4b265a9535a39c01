// Random schemas: they are imported or quarantined, the result compiles, and validation always ends.
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { importValue, openapi } from './support.ts';

const NAMES = ['A', 'B', 'C', 'D'];
const ref = fc.constantFrom(...NAMES).map((name) => ({ $ref: `#/components/schemas/${name}` }));
const key = fc.constantFrom('a', 'b', 'c', '$ref', 'type', '__proto__', 'constructor');

const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    ref,
    fc.constantFrom(
      { type: 'string' },
      { type: 'integer', nullable: true },
      {},
      true,
      { enum: ['x', 1] },
      'nonsense',
      null,
    ),
    fc.record(
      {
        type: fc.constantFrom('object', 'array', 'string', ['object', 'null'], 'file', 'any'),
        properties: fc.dictionary(key, tie('schema'), { maxKeys: 3 }),
        required: fc.array(key, { maxLength: 2 }),
        items: tie('schema'),
        allOf: fc.array(tie('schema'), { maxLength: 2 }),
        oneOf: fc.array(tie('schema'), { maxLength: 2 }),
        anyOf: fc.array(tie('schema'), { maxLength: 2 }),
        not: tie('schema'),
        additionalProperties: tie('schema'),
        nullable: fc.boolean(),
        readOnly: fc.boolean(),
        discriminator: fc.constant({ propertyName: 'a' }),
        default: fc.jsonValue({ maxDepth: 1 }),
        minimum: fc.constantFrom(1, '2', null),
        exclusiveMinimum: fc.constantFrom(true, 3),
        pattern: fc.constantFrom('^a', '(', '(?<n>x)'),
      },
      { requiredKeys: [] },
    ),
    fc.record(
      { $ref: ref.map(({ $ref }) => $ref), allOf: fc.array(tie('schema'), { maxLength: 1 }), nullable: fc.boolean() },
      { requiredKeys: ['$ref'] },
    ),
  ),
}));

test.each(['3.0.3', '3.1.0'])('%s', async (version) => {
  await fc.assert(
    fc.asyncProperty(
      fc.record(Object.fromEntries(NAMES.map((name) => [name, schema]))),
      schema,
      fc.jsonValue({ maxDepth: 3 }),
      async (schemas, body, value) => {
        const content = { 'application/json': { schema: body } };
        const form = { 'multipart/form-data': { schema: body } };
        const document = openapi(
          {
            '/json': { post: { requestBody: { required: true, content }, responses: { 200: { content } } } },
            '/form': { post: { requestBody: { content: form } } },
          },
          { components: { schemas } },
        );
        const domain = await importValue({ ...document, openapi: version });
        expect(domain.endpoints.length + domain.quarantined.length).toBe(2);
        for (const endpoint of domain.endpoints) {
          const { properties } = endpoint.inputSchema as { properties: object };
          expect(Object.keys(properties)).toEqual(endpoint.args.map(({ key }) => key));
          for (const found of [endpoint.inputSchema, endpoint.outputSchema]) {
            if (found === undefined) continue;
            const validate = new Ajv2020({
              strict: false,
              validateSchema: false,
              unicodeRegExp: false,
              logger: false,
            }).compile(found as object);
            validate(value);
            validate(Object.fromEntries(Object.keys(properties).map((name) => [name, value])));
          }
        }
      },
    ),
    { numRuns: 150 },
  );
});
