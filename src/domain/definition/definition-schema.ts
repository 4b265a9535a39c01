// The strict shape of a domain file. Unknown keys are mistakes, and every mistake says what to write instead.

import { z } from 'zod';
import { EXPOSURES } from '../../endpoint/model.ts';
import { CREDENTIAL_NAME, DOMAIN_NAME } from '../../endpoint/names.ts';
import { type Problem, toProblems } from '../../endpoint/problems.ts';
import { proxy, tls } from './connection/connection-schema.ts';
import { credential } from './credentials/credential-schema.ts';
import type { DomainDefinition } from './definition-types.ts';
import { response } from './shape/answer-schema.ts';
import { callLimits } from './shape/call-limits-schema.ts';
import { filter, operation } from './shape/curation-schema.ts';
import { action, audit, baseUrl, common, confirm, endpoint, policy, security } from './shape/endpoint-schema.ts';
import { about, FILLED, flag, named, strict, text, texts } from './shape/fields.ts';
import { prompt, resource } from './shape/offer-schema.ts';

export const domain = strict(
  {
    name: about(
      named(DOMAIN_NAME, 'a domain name is lower case letters, digits and _, at most 32, starting with a letter'),
      'Lower case letters, digits and `_`; no other domain has it.',
      'shop',
    ),
    title: about(text, 'What people see in place of the name.', 'The shop'),
    description: about(text, 'What the API is about.', 'Orders and customers of the shop.'),
    baseUrl: about(
      baseUrl,
      `Where the API is: a URL in which ${FILLED}, or a variable with a default. Default for an imported document: its own server; without a path (\`https://host\`) it keeps the path of that server.`,
      { env: 'SHOP_BASE_URL', default: 'https://shop.example/v1' },
    ),
    prefix: about(
      named(/^([a-z][a-z0-9_]{0,31})?$/, 'a prefix is lower case letters, digits and _, at most 32, or empty'),
      'Put before every action to make the tool’s name; `""` for none. Default: the domain’s name.',
      '',
    ),
    headers: common.headers,
    forward: about(
      texts,
      'Headers of the caller’s HTTP request that are passed on to this API, by name. They are not verified. Headers that authenticate, route or change a request cannot be forwarded. Default: none.',
      ['X-Tenant', 'Accept-Language'],
    ),
    credentials: about(
      z.record(named(CREDENTIAL_NAME, 'is not a credential name'), credential),
      'How requests prove who they are, by name. Values come from environment variables, never from the file. With `openapi`, the name of a security scheme needs no `kind`.',
      { key: { kind: 'apiKey', field: 'X-API-Key', env: 'SHOP_KEY' } },
    ),
    security: about(
      security,
      'Names of credentials that go together, as alternatives. Default: the one that is declared; for an imported document what it says.',
      [['key']],
    ),
    tls: about(tls, 'Authorities, client certificate and version of TLS.', { ca: 'ca.pem' }),
    proxy,
    guard: about(
      strict({
        write: about(policy, 'For calls that write. Default: `allow`.', 'confirm'),
        destructive: about(policy, 'For calls that destroy. Default: `confirm`.', 'deny'),
      }),
      'Lets calls pass, asks a person first, or refuses, by effect.',
      { destructive: 'deny' },
    ),
    confirm,
    exposure: about(
      z.enum(EXPOSURES),
      'One tool per operation, one per group, or search. Default: `auto`, the first that fits the token budget.',
      'grouped',
    ),
    pinned: about(texts, 'Actions listed as tools of their own in every exposure mode.', ['get_order']),
    timeoutMs: common.timeoutMs,
    audit: about(audit, 'What the audit trail may keep of calls of all operations.', {
      arguments: true,
      redact: ['password'],
    }),
    maxResponseBytes: common.maxResponseBytes,
    limits: about(
      callLimits(),
      'How much this API may be called by all callers together; waiting calls are served fairly by caller. Default: `limits.perUpstream` of landbridge.yaml.',
      { rate: '10/s', concurrent: 8 },
    ),
    lenient: about(
      flag,
      'For a document that is wrong about its own API: the default of `lenient` for all imported operations. Default: false.',
      true,
    ),
    response: about(response, 'How answers of all operations are cut down.', { maxChars: 8000 }),
    prompts: about(z.record(named(/^[\w.-]{1,64}$/, 'is not a prompt name'), prompt), 'Prompts by name.', {
      triage: { text: 'Find open orders without a customer.' },
    }),
    resources: about(
      z.record(named(/^[A-Za-z][A-Za-z0-9+.-]*:\S+$/, 'must be a URI with a scheme, such as guide://pets'), resource),
      'Resources by URI.',
      { 'shop://guide': { name: 'guide', text: 'An order is open, paid or shipped.' } },
    ),
    endpoints: about(z.record(action, endpoint), 'Operations written by hand, by action.', {
      get_status: { path: '/status', summary: 'Says whether the shop is open.' },
    }),
    openapi: about(text, 'An OpenAPI document to import: a path beside this file, or a URL.', '../openapi/shop.yaml'),
    importedFrom: about(
      text,
      `Where \`landbridge import --update\` gets a new version of the document: a URL, or a path beside this file; ${FILLED}.`,
      'https://api.shop.example/openapi.json',
    ),
    overlays: about(texts, 'OpenAPI Overlay documents, applied in order before the import.', [
      '../openapi/fixes.overlay.yaml',
    ]),
    refsRoot: about(text, 'A folder that `$ref`s of the document may reach besides its own.', '../openapi'),
    server: about(
      text,
      'Which of the document’s servers to use: its URL, name or description as in the document.',
      'https://{region}.shop.example/v1',
    ),
    serverVariables: about(
      z.record(z.string(), text),
      `Values for the variables of the document’s server URLs; ${FILLED}.`,
      { region: 'eu' },
    ),
    include: about(filter, 'Only these operations of the document.', { tags: ['orders'] }),
    exclude: about(filter, 'None of these; stronger than `include`.', { deprecated: true }),
    operations: about(
      z.record(z.string(), operation),
      'What to change about operations of the document, by operationId, `METHOD /path`, action or tool name.',
      { getOrder: { name: 'get_order', response: { pick: ['id', 'status'] } } },
    ),
    $schema: about(text, 'The JSON Schema of this file, for editors; the gateway ignores it.', './domain.schema.json'),
  },
  'name',
).meta({ id: 'domain', description: 'A domain file: one API, and how it is offered to models.' });

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

/** Deeper levels hold JSON Schemas and values, which are left alone. */
const MAX_KEY_DEPTH = 8;

/** A key set to undefined is a key left out, as people write it: `title: known ? 'x' : undefined`. */
function withoutUndefined(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || '_zod' in value || depth > MAX_KEY_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => withoutUndefined(item, depth + 1));
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutUndefined(inner, depth + 1)]));
}
