// Documents of every kind, the real ones among them: every schema is enforced whole, ajv takes all that it is handed, and every
// advertised schema is fit for every client and not stricter.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { CLIENTS, type ClientId, checkTool } from '../../src/doctor/client-rules.ts';
import type { Domain, Endpoint, JsonSchema } from '../../src/endpoint/model.ts';
import { GatewayError } from '../../src/errors.ts';
import { importDocument } from '../../src/openapi/import-document.ts';
import { Budget } from '../../src/schema/check/budget.ts';
import { createCheck } from '../../src/schema/check/compile-schema.ts';
import { auditSchema, toCompilable } from '../../src/schema/check/repair.ts';
import { type PortableSchema, toPortableSchema } from '../../src/schema/portable/portable-schema.ts';
import { CORPORA } from '../support/corpus.ts';

const clients = Object.keys(CLIENTS) as ClientId[];

async function read(path: string): Promise<Domain | undefined> {
  try {
    return await importDocument(path, { env: {}, baseUrl: 'https://api.example.com' });
  } catch (error) {
    // A hostile document is refused as a whole; that is the importer's affair.
    if (error instanceof GatewayError && error.code === 'BAD_DOCUMENT') return undefined;
    throw error;
  }
}

const strict = new Ajv2020({ strict: true, formats: { 'date-time': true } });

/** What is wrong with one operation; empty when all is well. */
function problemsOf(endpoint: Endpoint, audited: WeakSet<object>): string[] {
  const portable = toPortableSchema(endpoint.inputSchema);
  const said = (text: string): string => `${endpoint.toolName}: ${text}`;
  const problems = clients.flatMap((client) =>
    checkTool({ name: endpoint.toolName, inputSchema: portable }, client).map((text) => said(`${client}: ${text}`)),
  );
  if (endpoint.examples.length > 0) problems.push(...stricter(endpoint, portable).map(said));
  problems.push(...auditSchema(endpoint.inputSchema, audited).map(said), ...uncompiled(endpoint.inputSchema).map(said));
  return problems;
}

/** Thousands of operations share a few hundred arguments: each is compiled once. */
const compiled = new Set<string>();

/** Arguments that are small enough for ajv and that it does not take. */
function uncompiled(schema: JsonSchema): string[] {
  const { properties = {} } = schema as { properties?: Record<string, JsonSchema> };
  return Object.entries(properties).flatMap(([name, part]) => {
    const compilable = toCompilable(schema, part);
    const text = JSON.stringify(compilable?.schema);
    if (compilable === undefined || compiled.has(text)) return [];
    compiled.add(text);
    try {
      new Ajv2020({ strict: false, validateSchema: false, logger: false, meta: false }).compile(
        compilable.schema as object,
      );
      return [];
    } catch (error) {
      return [`${name} does not compile: ${String(error)}`];
    }
  });
}

/** Examples of the document that are right and that the advertised schema would refuse. */
function stricter(endpoint: Endpoint, portable: PortableSchema): string[] {
  const enforced = createCheck(endpoint.inputSchema);
  const right = endpoint.examples.filter((example) => enforced(example, new Budget()));
  if (right.length === 0) return [];
  const advertised = strict.compile(portable);
  strict.removeSchema(portable);
  return right
    .filter((example) => !advertised(example))
    .map((example) => `${JSON.stringify(example)} is not advertised`);
}

describe.each(CORPORA)('the schemas of $name', ({ folder, present, documents }) => {
  test.skipIf(!present).each(documents)(
    '$id',
    async ({ file }) => {
      const domain = await read(folder + file);
      const audited = new WeakSet<object>();
      expect((domain?.endpoints ?? []).flatMap((endpoint) => problemsOf(endpoint, audited))).toEqual([]);
    },
    300_000,
  );
});
