// The strict shape of a domain file. Unknown keys are mistakes, and every error message tells the author what to write instead.

import { z } from 'zod';
import { EXPOSURES } from '../../endpoint/model.ts';
import { CREDENTIAL_NAME, DOMAIN_NAME } from '../../endpoint/names.ts';
import { type Problem, toProblems } from '../../endpoint/problems.ts';
import type { DomainDefinition } from './definition-types.ts';
import { response } from './shape/answer-schema.ts';
import { callLimits } from './shape/call-limits-schema.ts';
import { proxy, tls } from './shape/connection-schema.ts';
import { credential } from './shape/credential-schema.ts';
import { filter, operation } from './shape/curation-schema.ts';
import { action, audit, baseUrl, common, confirm, endpoint, policy, security } from './shape/endpoint-schema.ts';
import { about, FILLED, flag, named, strict, text, texts, withDefault } from './shape/fields.ts';
import { prompt, resource } from './shape/offer-schema.ts';

export const domain = strict(
  {
    name: about(
      named(DOMAIN_NAME, 'a domain name is lower case letters, digits and _, at most 32, starting with a letter'),
      'The name of the domain: lower-case letters, digits and `_`. Every domain needs a name of its own.',
      'shop',
    ),
    title: about(text, 'The title that people see instead of the name.', 'The shop'),
    description: about(text, 'What the API is for.', 'Orders and customers of the shop.'),
    baseUrl: about(
      baseUrl,
      withDefault(
        `The base URL of the API: a URL, or a variable with a default. In a URL, ${FILLED}. With an imported document, a URL without a path (\`https://host\`) keeps the path of the document’s server; \`https://host/.\` has no path.`,
        'the server in the imported document',
      ),
      { env: 'SHOP_BASE_URL', default: 'https://shop.example/v1' },
    ),
    prefix: about(
      named(
        /^([a-z][a-z0-9_]{0,31})?$/,
        'a prefix is lower case letters, digits and _, at most 32; for no prefix, write prefix: ""',
      ),
      withDefault('What comes before the action in the name of a tool. `""` for nothing.', 'the name of the domain'),
      '',
    ),
    headers: common.headers,
    forward: about(
      texts,
      withDefault(
        'Names of headers that are copied from the caller’s HTTP request to the request to this API. Their values are not verified. Headers that authenticate, route or change a request cannot be forwarded.',
        'none',
      ),
      ['X-Tenant', 'Accept-Language'],
    ),
    credentials: about(
      z.record(named(CREDENTIAL_NAME, 'is not a credential name'), credential),
      'The credentials for this API, by name. Secret values come from environment variables or files, never from the domain file itself. With `openapi`, use the name of a security scheme of the document; then no `kind` is needed.',
      { key: { kind: 'apiKey', field: 'X-API-Key', env: 'SHOP_KEY' } },
    ),
    security: about(
      security,
      withDefault(
        'The credentials that requests need: a list of alternatives, each a list of names that are sent together.',
        'the only credential there is; for an imported document, what it says',
      ),
      [['key']],
    ),
    tls: about(tls, 'TLS to the API: certificate authorities, client certificate, version.', { ca: 'ca.pem' }),
    proxy,
    guard: about(
      strict({
        write: about(policy, withDefault('What happens to calls that write.', '`allow`'), 'confirm'),
        destructive: about(policy, withDefault('What happens to destructive calls.', '`confirm`'), 'deny'),
      }),
      'What happens to calls, by effect: they run (`allow`), need a confirmation (`confirm`) or are refused (`deny`).',
      { destructive: 'deny' },
    ),
    confirm,
    exposure: about(
      z.enum(EXPOSURES),
      withDefault(
        'How operations become tools: one tool each (`tools`), one per group (`grouped`), or three tools that find, describe and call them (`search`). `auto` takes the first that fits the token budget.',
        '`auto`',
      ),
      'grouped',
    ),
    pinned: about(texts, 'Actions that are always listed as tools of their own, in every exposure.', ['get_order']),
    timeoutMs: common.timeoutMs,
    audit: about(audit, 'What the audit trail keeps of calls to all operations.', {
      arguments: true,
      redact: ['password'],
    }),
    maxResponseBytes: common.maxResponseBytes,
    limits: about(
      callLimits(),
      withDefault(
        'How much this API is called, by all callers together. Waiting callers take turns.',
        '`limits.perUpstream` in landbridge.yaml',
      ),
      { rate: '10/s', concurrent: 8 },
    ),
    lenient: about(
      flag,
      withDefault('For a document that describes its API wrongly: `lenient` for all imported operations.', false),
      true,
    ),
    response: about(response, 'How the answers of all operations are shortened.', { maxChars: 8000 }),
    prompts: about(z.record(named(/^[\w.-]{1,64}$/, 'is not a prompt name'), prompt), 'Prompts, by name.', {
      triage: { text: 'Find open orders without a customer.' },
    }),
    resources: about(
      z.record(named(/^[A-Za-z][A-Za-z0-9+.-]*:\S+$/, 'must be a URI with a scheme, such as guide://pets'), resource),
      'Resources, by URI.',
      { 'shop://guide': { name: 'guide', text: 'An order is open, paid or shipped.' } },
    ),
    endpoints: about(z.record(action, endpoint), 'Operations written by hand, by action name.', {
      get_status: { path: '/status', summary: 'Says whether the shop is open.' },
    }),
    openapi: about(
      text,
      'The OpenAPI document to import: a URL, or a path relative to this file.',
      '../openapi/shop.yaml',
    ),
    importedFrom: about(
      text,
      `The source from which \`landbridge import --update\` takes a new version of the document: a URL, or a path relative to this file. ${FILLED}.`,
      'https://api.shop.example/openapi.json',
    ),
    overlays: about(texts, 'OpenAPI Overlay documents. They are applied in this order before the import.', [
      '../openapi/fixes.overlay.yaml',
    ]),
    refsRoot: about(
      text,
      'A folder from which a `$ref` in the document may read files, besides the folder of the document.',
      '../openapi',
    ),
    server: about(
      text,
      withDefault(
        'The server of the document to use, by its URL, name or description as in the document.',
        'the first http(s) server',
      ),
      'https://{region}.shop.example/v1',
    ),
    serverVariables: about(
      z.record(z.string(), text),
      `Values for the variables in the server URLs of the document. ${FILLED}.`,
      { region: 'eu' },
    ),
    include: about(filter, 'Keeps only these operations of the document.', { tags: ['orders'] }),
    exclude: about(filter, 'Leaves out these operations. It takes precedence over `include`.', { deprecated: true }),
    operations: about(
      z.record(z.string(), operation),
      'Changes to operations of the document, by operationId, `METHOD /path`, action or tool name.',
      { getOrder: { name: 'get_order', response: { pick: ['id', 'status'] } } },
    ),
    $schema: about(text, 'The JSON Schema of this file, for editors; the gateway ignores it.', './domain.schema.json'),
  },
  'name',
).meta({ id: 'domain', description: 'A domain file describes one API and the tools made from it.' });

/** Keys that are about an imported document, and mean nothing without `openapi`. */
export const DOCUMENT_KEYS = [
  'importedFrom',
  'overlays',
  'refsRoot',
  'lenient',
  'server',
  'serverVariables',
  'include',
  'exclude',
  'operations',
] as const;

/** Checks the shape of a definition; the meaning (does every path variable have an argument?) is checked by the build. */
export function checkDefinition(value: unknown): { definition: DomainDefinition } | { problems: Problem[] } {
  const result = domain.safeParse(withoutUndefined(value), { reportInput: true });
  if (!result.success) return { problems: toProblems(result.error.issues) };
  return { definition: result.data as DomainDefinition };
}

/** Deeper levels are JSON Schemas and values, which are not changed. */
const MAX_KEY_DEPTH = 8;

/** A key set to undefined is a key left out, as people write it: `title: known ? 'x' : undefined`. */
function withoutUndefined(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || '_zod' in value || depth > MAX_KEY_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => withoutUndefined(item, depth + 1));
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutUndefined(inner, depth + 1)]));
}
