// docs/domain-files.md: every field of a domain file, by purpose.
import { CREDENTIAL_KINDS } from '../src/credentials/kind-table.ts';
import { editorsSection, GENERATED } from './editors-section.ts';
import type { JsonNode } from './reference.ts';
import { type Group, renderPage } from './reference-page.ts';

const INTRO = `# Domain files

${GENERATED}

A domain file describes one API and the tools made from it. You write it by hand, or it changes what an OpenAPI document says.
YAML and JSON files have the fields below. TypeScript and JavaScript files pass the same object to \`defineDomain()\`. Put the files
into the folder \`domains/\`: the gateway loads all of them, in order of their names.

\`\`\`yaml
# domains/shop.yaml
name: shop
baseUrl: { env: SHOP_BASE_URL, default: https://shop.example/v1 }
credentials:
  key: { kind: apiKey, field: X-API-Key, env: SHOP_KEY }
endpoints:
  list_orders:
    path: /orders
    summary: Lists orders, newest first.
    tags: [orders]
    args:
      status: { type: string, enum: [open, paid, shipped], description: Only orders in this state. }
      page: { type: integer, minimum: 1, default: 1, description: "Page number, from 1." }
    pagination: { kind: page, arg: page }
    response: { pick: [id, status, customer.name] }
  cancel_order:
    method: POST
    path: /orders/{id}/cancel
    summary: Cancels an order.
    effect: destructive
    args:
      id: { type: integer, required: true, description: "Number of the order, from list_orders." }
      reason: { type: string }
\`\`\`

An error in a file stops the start. The message lists all errors of the file, each with its place and the fix:

\`\`\`
domains/shop.yaml:5:10 credentials.key.kind: "api_key" is not a kind; did you mean "apiKey"? (apiKey, bearer, basic, …)
\`\`\`

With \`--json\` the errors are data: \`{"error": {"code": "BAD_DOMAIN", "problems": [{"file", "line", "column", "field", "message"}]}}\`.

- Environment variables are replaced only in the fields for which this page says so.
- The column "in" says where a field is allowed. \`domain\` is the top level of the file. \`endpoint\` is an entry of \`endpoints\`, an
  operation written by hand. \`operation\` is an entry of \`operations\`, a change to an imported one.
- A dot means a nested field: \`guard.write\` is \`write\` inside \`guard\`. \`[]\` means an item of a list, \`*\` any name.
- Each example is a value that is allowed in that place.`;

const GROUPS: readonly Group[] = [
  {
    title: 'The API',
    intro: 'What the API is called, where it is, and what is sent with every request.',
    example: `# domains/shop.yaml
name: shop
title: The shop
baseUrl: { env: SHOP_BASE_URL, default: https://shop.example/v1 }
headers: { Accept-Language: en }
endpoints:
  get_status: { path: /status, summary: Says whether the shop is open. }`,
    wants: {
      'say where the API is': '`baseUrl`',
      'send a header with every request': '`headers`',
      'pass on headers of the caller': '`forward`',
      'use a proxy, a certificate authority or a client certificate': '`proxy`, `tls`',
    },
    fields: 'domain.name domain.title domain.description baseUrl headers forward proxy tls $schema',
    objects: 'tls',
  },
  {
    title: 'Import an OpenAPI document',
    intro: 'Where the document is, and which of its servers to use. `landbridge import` writes these fields for you.',
    example: `# domains/petstore.yaml
name: petstore
openapi: ../openapi/petstore.yaml
baseUrl: { env: PETSTORE_BASE_URL, default: https://petstore.example/v3 }`,
    wants: {
      'import an OpenAPI document': '`openapi`',
      'correct the document': '`overlays`',
      'choose a server of the document': '`server`, `serverVariables`',
      'import a document that describes its API wrongly': '`lenient`, `additional`',
    },
    fields: 'openapi importedFrom overlays refsRoot server serverVariables',
  },
  {
    title: 'Operations you keep',
    intro: 'Which operations of an imported document become tools.',
    example: `# domains/petstore.yaml
name: petstore
openapi: ../openapi/petstore.yaml
include: { tags: [pet] }
exclude: { deprecated: true }
operations:
  findPetsByStatus: { name: find_pets }`,
    wants: {
      'keep or leave out imported operations': '`include`, `exclude`',
      'change an imported operation': '`operations`',
    },
    fields: 'include exclude operations',
    objects: 'filter',
  },
  {
    title: 'Operations you write',
    intro: 'Operations that are not in a document: method, path and body.',
    example: `# domains/shop.yaml
name: shop
baseUrl: https://shop.example/v1
endpoints:
  add_note:
    method: POST
    path: /orders/{id}/notes
    summary: Adds a note to an order.
    args:
      id: { type: integer, required: true }
      text: { type: string, required: true }`,
    wants: { 'write an operation by hand': '`endpoints`, `method`, `path`', 'send a form or a file': '`body`' },
    fields: 'endpoints method path body',
    objects: 'encoding',
  },
  {
    title: 'Names and texts',
    intro: 'What the model reads before it chooses a tool, and how operations are grouped.',
    example: `# domains/petstore.yaml
name: petstore
openapi: ../openapi/petstore.yaml
operations:
  getPetById:
    name: get_pet
    summary: Gets one pet.
    description: Gets one pet with its tags. Numbers come from find_pets_by_status.
    examples: [{ petId: 7 }]`,
    wants: {
      'rename a tool': '`name`, `prefix`',
      'improve what the model reads': '`summary`, `description`, `examples`',
      'group operations': '`tags`',
    },
    fields:
      'operation.name prefix endpoint.title operation.title summary endpoint.description operation.description tags examples deprecated',
  },
  {
    title: 'How tools are shown',
    intro: 'How operations become tools.',
    example: `# domains/petstore.yaml
name: petstore
openapi: ../openapi/petstore.yaml
exposure: grouped
pinned: [get_pet_by_id]`,
    wants: {
      'save tokens': '`exposure`',
      'always list some tools': '`pinned`',
      'offer an answer as a resource': '`expose`',
    },
    fields: 'exposure pinned expose',
  },
  {
    title: 'Arguments',
    intro: 'What the model fills in, and where it is sent.',
    example: `# domains/petstore.yaml
name: petstore
openapi: ../openapi/petstore.yaml
operations:
  findPetsByStatus:
    args:
      status: { default: available, description: Which pets to find. }
      limit: { in: query, type: integer, minimum: 1, maximum: 50, clamp: true }`,
    wants: {
      'declare arguments': '`args`, `inputSchema`',
      'rename, hide or fix an imported argument': '`args` of `operations`',
      'say where an argument is sent': '`place`, or `in` of the argument',
      'send a value that the model does not see': '`fixed`',
    },
    fields: 'args inputSchema place fixed lenient additional',
    objects: 'argument placement argumentChange addition',
  },
  {
    title: 'Answers',
    intro: 'How answers are shortened before they reach the model.',
    example: `# domains/shop.yaml
name: shop
baseUrl: https://shop.example/v1
response: { maxChars: 8000, drop: ["*_url"] }
endpoints:
  list_orders:
    path: /orders
    summary: Lists orders.
    response: { pick: [id, status, customer.name], format: toon }`,
    wants: {
      'keep or remove parts of answers': '`response.pick`, `response.drop`',
      'limit the size of answers': '`response.maxChars`, `maxResponseBytes`',
      'return structured content': '`response.structured`, `outputSchema`',
    },
    fields: 'response outputSchema',
    objects: 'response',
  },
  {
    title: 'Guard and effect',
    intro: 'What a call does (read, write or destroy), and whether it needs a confirmation.',
    example: `# domains/shop.yaml
name: shop
baseUrl: https://shop.example/v1
guard: { write: confirm, destructive: deny }
endpoints:
  rebuild_index:
    method: POST
    path: /index
    summary: Builds the search index again.
    effect: write
    idempotent: true`,
    wants: { 'correct the effect of an operation': '`effect`', 'confirm or refuse calls': '`guard`, `confirm`' },
    fields: 'effect idempotent guard confirm',
  },
  {
    title: 'Credentials',
    intro:
      'How requests prove who they are. Each kind has a section below, with what it sends. Every secret has two forms: `…Env` names an environment variable, `…File` a file.',
    example: `# domains/shop.yaml
name: shop
baseUrl: https://shop.example/v1
credentials:
  key: { kind: apiKey, field: X-API-Key, env: SHOP_KEY }
  user: { kind: oauth2, tokenUrl: "https://shop.example/token", clientIdEnv: SHOP_ID, clientSecretEnv: SHOP_SECRET }
security: [[key], [user]]
endpoints:
  list_orders: { path: /orders, summary: Lists orders. }
  get_status: { path: /status, summary: Says whether the shop is open., security: [] }`,
    wants: {
      'send a key or a token': '[apiKey](#apikey), [bearer](#bearer)',
      'send user name and password': '[basic](#basic)',
      'get a token for client id and secret': '[oauth2](#oauth2)',
      'log in with a request': '[login](#login)',
      'call in the name of the caller': '[token_exchange](#token_exchange), [assertion](#assertion)',
      'sign requests to AWS': '[awsSigv4](#awssigv4)',
      'fill in a security scheme of the document': '[scheme](#scheme)',
      'choose credentials per operation': '`security`',
    },
    fields: 'credentials security',
    // A new kind is documented without a line here.
    objects: [...new Set(['apiKey', 'bearer', 'basic', 'oauth2', ...Object.keys(CREDENTIAL_KINDS), 'scheme'])].join(
      ' ',
    ),
  },
  {
    title: 'Paging',
    intro: 'Tells the model how to get the next page.',
    example: `# domains/shop.yaml
name: shop
baseUrl: https://shop.example/v1
endpoints:
  list_orders:
    path: /orders
    summary: Lists orders.
    args: { cursor: { type: string }, limit: { type: integer } }
    pagination: { kind: cursor, arg: cursor, sizeArg: limit, nextFrom: meta.next_cursor }`,
    wants: { 'page through long lists': '`pagination`' },
    fields: 'pagination',
    objects: 'pagination',
  },
  {
    title: 'Limits and time',
    intro: 'How long a call may take, how large its answer may be, and how often the API is called.',
    example: `# domains/shop.yaml
name: shop
baseUrl: https://shop.example/v1
timeoutMs: 10000
limits: { rate: 10/s, concurrent: 8 }
endpoints:
  export_orders: { path: /orders/export, summary: Exports all orders., timeoutMs: 120000 }`,
    wants: { 'wait longer for slow answers': '`timeoutMs`', 'call the API less often': '`limits`' },
    fields: 'timeoutMs maxResponseBytes limits',
    objects: 'callLimits',
  },
  {
    title: 'Audit',
    intro: 'What the audit trail keeps of calls. [audit.md](audit.md) explains the trail.',
    example: `# domains/shop.yaml
name: shop
baseUrl: https://shop.example/v1
audit: { arguments: true, redact: [password] }
endpoints:
  list_orders: { path: /orders, summary: Lists orders. }`,
    wants: { 'record arguments, or never record some': '`audit`' },
    fields: 'audit',
    objects: 'operationAudit',
  },
  {
    title: 'Prompts and resources',
    intro: 'Texts that people choose in their client (prompts), and texts that clients can read (resources).',
    example: `# domains/shop.yaml
name: shop
baseUrl: https://shop.example/v1
endpoints:
  list_orders: { path: /orders, summary: Lists orders. }
prompts:
  triage: { text: "Find open orders of {{customer}}.", arguments: { customer: { required: true } } }
resources:
  "shop://guide": { name: guide, text: "An order is open, paid or shipped." }`,
    wants: { 'offer a prompt or a text': '`prompts`, `resources`' },
    fields: 'prompts resources',
    objects: 'prompt resource',
  },
];

export function renderDomainFilesPage(schema: JsonNode): string {
  const outro = editorsSection('domain', 'the domain file');
  return renderPage({
    intro: INTRO,
    groups: GROUPS,
    outro,
    schema,
    mains: ['domain', 'endpoint', 'operation'],
    elsewhere: { endpoint: '#operations-you-write', operation: '#operations-you-keep' },
  });
}
