// Every request example of every corpus document, through the validator; the document's own schema says which are valid.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { DocumentExample, Endpoint } from '../../src/endpoint/model.ts';
import { importDocument } from '../../src/openapi/import-document.ts';
import { DEFAULT_DOCUMENT_LIMITS } from '../../src/openapi/source/limits.ts';
import { parseText } from '../../src/openapi/source/parse.ts';
import { createSchemaValidator } from '../../src/schema/check/validator.ts';
import { type ExampleCall, exampleCalls } from '../../src/schema/example-calls.ts';
import { CORPORA } from '../support/corpus.ts';
import { createJudge, type Judge } from '../support/document-judge.ts';

type Node = Record<string, unknown>;

/** So many at least, so that a reader of examples that finds none does not pass. */
const LEAST = { 'our own documents': 15, 'the real documents of ../shared/specs': 2_000 };

describe.each(CORPORA)('$name', ({ name, folder, present, documents }) => {
  let tries = 0;
  test.skipIf(!present).each(documents.filter(({ id }) => !id.includes('alias-bomb')))(
    '$id: no example that is valid by its own schema is refused',
    async ({ file }) => {
      const text = readFileSync(folder + file, 'utf8');
      // Where there is no such word there is nothing to import for.
      if (!/["'\s](?:x-)?examples?["']?\s*:/.test(text)) return;
      const { endpoints } = await importDocument(folder + file, { env: {}, refsRoot: folder });
      const { value } = await parseText(text, file, DEFAULT_DOCUMENT_LIMITS);
      const judge = createJudge(value as Node);
      const places = new Set<string>();
      const wrong: string[] = [];
      for (const endpoint of endpoints) {
        for (const call of exampleCalls(endpoint)) {
          const key = call.kind === 'body' ? `${endpoint.id} ${call.place}` : call.place;
          if (places.has(key)) continue;
          places.add(key);
          const refusal = refusalOf(endpoint, call);
          // What stands in another file is judged where all is in one.
          if (refusal === undefined || call.place.includes('#')) continue;
          const example = endpoint.documentExamples!().find(({ place }) => place === call.place)!;
          if (judge.isValid(schemaOf(endpoint, example, judge), example.value)) wrong.push(`${call.place}: ${refusal}`);
        }
      }
      tries += places.size;
      expect(wrong).toEqual([]);
    },
  );

  test.skipIf(!present)('there are examples to try', () => {
    expect(tries).toBeGreaterThan(LEAST[name as keyof typeof LEAST]);
  });
});

function refusalOf({ toolName }: Endpoint, call: ExampleCall): string | undefined {
  try {
    createSchemaValidator(call.schema(), { longIntegers: true })(toolName, call.arguments);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The schema an example is of, found in the document itself. */
function schemaOf({ source, body }: Endpoint, { of, place, inSchema }: DocumentExample, judge: Judge): unknown {
  if (inSchema) return judge.at(place.replace(/\/(?:x-)?example$|\/examples\/\d+$/, ''));
  const operation = judge.at(source.pointer!) as Node;
  const pathItem = judge.at(source.pointer!.replace(/\/[^/]*$/, '')) as Node;
  const parameters = [operation, pathItem].flatMap((owner) => (owner.parameters as unknown[] | undefined) ?? []);
  const settled = parameters.map(judge.settle) as Node[];
  if (of === 'body') {
    const content = (judge.settle(operation.requestBody) as { content?: Node } | undefined)?.content;
    const media = content?.[body!.mediaType] ?? Object.values(content ?? {})[0];
    return content
      ? (judge.settle(media) as Node).schema
      : settled.find((parameter) => parameter.in === 'body')?.schema;
  }
  const name = 'name' in of ? of.name : undefined;
  const parameter = settled.find((candidate) => candidate.in === of.in && candidate.name === name)!;
  return parameter.schema ?? parameter;
}
