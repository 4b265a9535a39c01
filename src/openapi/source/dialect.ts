// Which OpenAPI a document speaks.
import { isObject } from '../../endpoint/is-object.ts';
import { own } from '../../endpoint/untrusted.ts';
import { bad } from './document-problem.ts';

/** `3.1` stands for 3.1 and 3.2: both use JSON Schema 2020-12. */
export type SchemaDialect = '2.0' | '3.0' | '3.1';

export interface Dialect {
  readonly schema: SchemaDialect;
  readonly major: 2 | 3;
  readonly minor: number;
}

/** Throws BAD_DOCUMENT for anything that is not OpenAPI 2.0 or 3.x. */
export function dialectOf(value: unknown, label: string): Dialect {
  if (!isObject(value)) throw bad(label, 'is not an OpenAPI document: its top level must be an object');
  const swagger = own(value, 'swagger');
  const openapi = own(value, 'openapi');
  // YAML reads an unquoted 2.0 as the number 2, and 3.0 as 3.
  const version = String(openapi ?? swagger ?? '');
  const match = /^(\d+)(?:\.(\d+))?/.exec(version);
  const major = Number(match?.[1]);
  const minor = Number(match?.[2] ?? 0);
  if (major === 2 && openapi === undefined) return { schema: '2.0', major: 2, minor: 0 };
  if (major === 3) return { schema: minor === 0 ? '3.0' : '3.1', major: 3, minor };
  if (match)
    throw bad(label, `says version ${version}; Landbridge reads Swagger 2.0 and OpenAPI 3.x, so convert it first`);
  throw bad(label, `is not an OpenAPI document: ${whatElse(value)}`);
}

function whatElse(value: object): string {
  const has = (key: string) => Object.hasOwn(value, key);
  if (has('asyncapi')) return 'it is an AsyncAPI document';
  if (has('arazzo')) return 'it is an Arazzo document';
  if (has('overlay')) return 'it is an Overlay; give the OpenAPI document and pass this one as an overlay';
  if (has('swaggerVersion')) return 'it is Swagger 1.x; convert it to OpenAPI 3 first';
  if (has('info') && has('item')) return 'it is a Postman collection; export it as OpenAPI first';
  if (has('openapi') || has('swagger')) return 'its version is empty; write openapi: 3.1.0';
  return 'it has neither an `openapi` nor a `swagger` field at its top level';
}
