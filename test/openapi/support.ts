// Documents written in a test, imported as if they came through standard input.
import { Readable } from 'node:stream';
import type { Domain, Endpoint, JsonSchema } from '../../src/endpoint/model.ts';
import { type ImportOptions, importDocument } from '../../src/openapi/import-document.ts';

export type Options = Omit<ImportOptions, 'env'> & { readonly env?: ImportOptions['env'] };

/** Imports an object (as JSON) or a text (as it is). */
export function importValue(document: object | string, options: Options = {}): Promise<Domain> {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  return importDocument('-', { env: {}, ...options, stdin: Readable.from([Buffer.from(text)]) });
}

export const SERVER = 'https://api.example.com/v1';

/** OpenAPI 3.0 around some paths. */
export function openapi(paths: object, rest: object = {}): object {
  return { openapi: '3.0.3', info: { title: 'Test', version: '1' }, servers: [{ url: SERVER }], paths, ...rest };
}

/** One POST with this JSON body schema. */
export function withBody(schema: unknown, operation: object = {}, rest: object = {}, required = true): object {
  const requestBody = { required, content: { 'application/json': { schema } } };
  return openapi({ '/things': { post: { operationId: 'make', requestBody, ...operation } } }, rest);
}

/** The only endpoint of a document. */
export async function importOne(document: object | string, options: Options = {}): Promise<Endpoint> {
  const domain = await importValue(document, options);
  if (domain.endpoints.length !== 1) {
    throw new Error(`${domain.endpoints.length} endpoints: ${JSON.stringify(domain.quarantined)}`);
  }
  return domain.endpoints[0]!;
}

/** key → where it goes, for tables. */
export function places(endpoint: Endpoint): Record<string, string> {
  return Object.fromEntries(
    endpoint.args.map(({ key, required, to }) => [
      key,
      to
        .map((target) =>
          target.in === 'body'
            ? `body ${target.at.join('.')}`
            : 'name' in target
              ? `${target.in} ${target.name}`
              : target.in,
        )
        .join(' + ') + (required ? ' (required)' : ''),
    ]),
  );
}

/** A schema as plain JSON: maps without a prototype compare like any other. */
export function plain(schema: JsonSchema | undefined): unknown {
  return schema === undefined ? undefined : JSON.parse(JSON.stringify(schema));
}

export function properties(endpoint: Endpoint): Record<string, Record<string, unknown>> {
  return (plain(endpoint.inputSchema) as { properties: Record<string, Record<string, unknown>> }).properties;
}
