// docs/ says what the loader does: it is made of the same schemas, every example of a field loads in its place, and the JSON
// Schemas for editors accept and refuse what the loader accepts and refuses.
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DEFAULT_MIN_VERSION } from 'node:tls';
import { Ajv } from 'ajv';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { ERROR_FAMILIES } from '../../scripts/error-families.ts';
import {
  buildConfigSchema,
  buildDomainSchema,
  buildProfilesSchema,
  type Field,
  type JsonNode,
  listFields,
  listGaps,
  withVariables,
} from '../../scripts/reference.ts';
import { buildReferenceFiles } from '../../scripts/reference-files.ts';
import { splitDefault } from '../../scripts/reference-page.ts';
import { addCommands } from '../../src/cli/commands.ts';
import { readConfig } from '../../src/config/read-config.ts';
import { createGateway, loadDomains } from '../../src/index.ts';
import { PRINCIPAL_DEFAULTS, UPSTREAM_DEFAULTS } from '../../src/limits/call-rules.ts';
import { SHED_DEFAULTS } from '../../src/limits/overload.ts';
import { decidePolicy, decideWay } from '../../src/orchestration/policy.ts';
import { readProfiles } from '../../src/profiles.ts';
import { createCertificates } from '../support/upstream-certificates.ts';
import { listBlocks, ROOT } from './blocks.ts';
import { HOUSE_PHRASES } from './house-phrases.ts';
import { readProse } from './reading-grade.ts';

type Value = Record<string, unknown>;

const domainSchema = buildDomainSchema();
const profilesSchema = buildProfilesSchema();
const configSchema = buildConfigSchema();
const ajv = new Ajv({ strict: false, validateFormats: false });
const fitsDomain = ajv.compile(domainSchema);
const fitsProfiles = ajv.compile(profilesSchema);
const fitsConfig = ajv.compile(withVariables(configSchema));

test.each(Object.entries(buildReferenceFiles()))('%s is what `npm run docs` writes', (file, text) => {
  expect(readFileSync(join(ROOT, file), 'utf8'), 'run npm run docs and commit what it writes').toBe(text);
});

test('a field without a description or an example is named', () => {
  expect([...listGaps(domainSchema), ...listGaps(profilesSchema), ...listGaps(configSchema)]).toEqual([]);
  const wrong = { definitions: { endpoint: { properties: { lenient: { type: 'boolean' } } } } };
  expect(listGaps(wrong)).toEqual([
    expect.stringContaining('endpoint.lenient has no description: write it as about('),
    expect.stringContaining('endpoint.lenient has no example'),
  ]);
});

/** What a document has that the examples of curation speak of. */
const DOCUMENT = `openapi: 3.1.0
info: { title: Shop, version: "1" }
servers:
  - { url: "https://{region}.shop.example/v1", variables: { region: { default: us } } }
  - { url: "https://other.example" }
components: { securitySchemes: { key: { type: apiKey, in: header, name: X-API-Key }, sign: { type: http, scheme: bearer } } }
security: [{ key: [] }]
paths:
  /orders:
    get:
      operationId: listOrders
      tags: [orders]
      parameters:
        - { name: page, in: query, schema: { type: integer, minimum: 1, maximum: 50 } }
        - { name: limit, in: query, schema: { type: integer, minimum: 1, maximum: 100 } }
        - { name: status, in: query, schema: { type: string } }
      responses: { "200": { description: OK } }
    post:
      operationId: createOrder
      deprecated: true
      requestBody: { content: { application/json: { schema: { type: object, properties: { note: { type: string } } } } } }
      responses: { "200": { description: OK } }
  /orders/{id}:
    get:
      operationId: getOrder
      tags: [orders]
      parameters:
        - { name: id, in: path, required: true, schema: { type: integer } }
        - { name: page, in: query, schema: { type: integer } }
        - { name: limit, in: query, schema: { type: integer } }
      responses: { "200": { description: OK } }
`;

const ID = { type: 'integer', required: true };
const PAGES = { page: { type: 'integer' }, limit: { type: 'integer' } };
const endpointFrame = (more: Value, rest: Value = {}): Value => ({
  name: 'shop',
  baseUrl: 'https://shop.example',
  endpoints: { get_order: { path: '/orders/{id}', summary: 'Gets one.', args: { id: ID, ...PAGES }, ...more } },
  ...rest,
});
const imported = (more: Value): Value => ({ name: 'shop', openapi: '../openapi/shop.yaml', ...more });
const KEY = { key: { kind: 'apiKey', field: 'X-API-Key', env: 'SHOP_KEY' } };
const curated = (more: Value): Value => imported({ operations: { getOrder: more } });
const curatedArg = (args: Value): Value => imported({ operations: { listOrders: { args } } });
/** A file stands in the place of its variable: `file` for `env`, `clientIdFile` for `clientIdEnv`. */
const withoutTwins = (kind: Value, more: Value): Value =>
  Object.fromEntries(
    Object.entries(kind).filter(([key]) => !((key === 'env' ? 'file' : key.replace(/Env$/, 'File')) in more)),
  );
const credentialFrame = (kind: Value) => (more: Value) =>
  endpointFrame({}, { credentials: { key: { ...withoutTwins(kind, more), ...more } } });
const argumentFrames = [
  (more: Value) => endpointFrame({ args: { id: ID, extra: { type: 'integer', minimum: 1, maximum: 5, ...more } } }),
  (more: Value) => endpointFrame({ method: 'POST', args: { id: ID, extra: { type: 'object', ...more } } }),
  (more: Value) => endpointFrame({ method: 'POST', args: { id: ID, extra: { ...more } } }),
];

/** Where a field of each object may stand; its example must load in one of them. */
const FRAMES: Record<string, readonly ((more: Value) => Value)[]> = {
  domain: [
    (more) => endpointFrame({}, more),
    (more) => endpointFrame({}, { credentials: KEY, ...more }),
    imported,
    (more) => imported({ serverVariables: { region: 'eu' }, ...more }),
  ],
  endpoint: [
    (more) => endpointFrame(more, { credentials: KEY, security: [] }),
    (more) => endpointFrame({ method: 'POST', ...more }, { credentials: KEY, security: [] }),
    (more) => {
      const { args: _, ...own } = endpointFrame({}).endpoints!['get_order' as never] as Value;
      return endpointFrame({}, { endpoints: { get_order: { ...own, ...more } } });
    },
  ],
  apiKey: [credentialFrame({ kind: 'apiKey', field: 'X', env: 'SHOP_KEY' })],
  bearer: [credentialFrame({ kind: 'bearer', env: 'SHOP_KEY' })],
  basic: [credentialFrame({ kind: 'basic', usernameEnv: 'A', passwordEnv: 'B' })],
  oauth2: [
    credentialFrame({ kind: 'oauth2', tokenUrl: 'https://shop.example/t', clientIdEnv: 'A', clientSecretEnv: 'B' }),
  ],
  token_exchange: [
    credentialFrame({
      kind: 'token_exchange',
      tokenUrl: 'https://shop.example/t',
      clientIdEnv: 'A',
      clientSecretEnv: 'B',
      audience: 'orders',
    }),
  ],
  assertion: [credentialFrame({ kind: 'assertion' })],
  awsSigv4: [
    credentialFrame({ kind: 'awsSigv4', accessKeyIdEnv: 'A', secretAccessKeyEnv: 'B', region: 'r', service: 's' }),
  ],
  login: [
    credentialFrame({ kind: 'login', path: '/login', body: { a: 'b' } }),
    credentialFrame({ kind: 'login', path: '/login' }),
    credentialFrame({ kind: 'login', body: { a: 'b' } }),
  ],
  callLimits: [(more) => endpointFrame({}, { limits: more })],
  scheme: [(more) => imported({ credentials: { key: { ...withoutTwins({ env: 'SHOP_KEY' }, more), ...more } } })],
  tls: [
    (more) => endpointFrame({}, { tls: more }),
    (more) => endpointFrame({}, { tls: { cert: 'client.pem', key: 'client.key', ...more } }),
  ],
  argument: argumentFrames,
  placement: [
    (more) => endpointFrame({ args: { id: ID, extra: { type: 'integer', minimum: 1 } }, place: { extra: more } }),
    (more) => endpointFrame({ method: 'POST', args: { id: ID, extra: { type: 'object' } }, place: { extra: more } }),
  ],
  encoding: [
    (more) =>
      endpointFrame({
        method: 'POST',
        args: { id: ID, note: { type: 'string' } },
        body: { kind: 'multipart', encoding: { note: more } },
      }),
  ],
  response: [(more) => endpointFrame({ response: more })],
  operationAudit: [(more) => endpointFrame({ audit: more })],
  pagination: [(more) => endpointFrame({ pagination: { kind: 'page', arg: 'page', ...more } })],
  filter: [(more) => imported({ include: more })],
  operation: [curated, (more) => imported({ operations: { createOrder: more } })],
  argumentChange: [(more) => curatedArg({ status: more }), (more) => curatedArg({ limit: more })],
  addition: [
    (more) => curatedArg({ extra: { in: 'query', type: 'integer', minimum: 1, ...more } }),
    (more) => curatedArg({ extra: { type: 'object', ...more } }),
    (more) => curatedArg({ extra: more }),
  ],
  prompt: [
    (more) => endpointFrame({}, { prompts: { plan: { text: 'Plan.', ...more } } }),
    (more) => endpointFrame({}, { prompts: { plan: more } }),
  ],
  resource: [
    (more) => endpointFrame({}, { resources: { 'shop://guide': { name: 'guide', text: 'x', ...more } } }),
    (more) => endpointFrame({}, { resources: { 'shop://guide': { name: 'guide', ...more } } }),
  ],
};

/** `messages[].role` with its value, inside what must stand around it. */
function wrap(name: string, value: unknown): Value {
  const [key = '', ...rest] = name.split('.');
  const bare = key.replace('[]', '');
  if (rest.length === 0) return { [bare]: value };
  if (rest[0] === '*') return { [bare]: { entry: wrap(rest.slice(1).join('.'), value) } };
  const inner = wrap(rest.join('.'), value);
  const company: Record<string, Value> = {
    'baseUrl.default': { env: 'SHOP_BASE_URL' },
    'body.mediaType': { kind: 'json' },
    'body.wrap': { kind: 'json' },
    'body.encoding': { kind: 'multipart' },
    'messages[].role': { text: 'x' },
    'send.prefix': { header: 'X-Auth-Token' },
    'lifetime.unit': { at: 'expires' },
  };
  const whole = { ...company[name], ...inner };
  return { [bare]: key.endsWith('[]') ? [whole] : whole };
}

function makeCertificates(): Record<string, string> {
  const certificates = createCertificates();
  const authority = certificates.createAuthority('Shop');
  const client = authority.issue('client', []);
  certificates.remove();
  return {
    'domains/ca.pem': authority.cert,
    'domains/client.pem': client.cert,
    'domains/client.key': client.key,
  };
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landbridge-reference-'));
  const files = {
    'openapi/shop.yaml': DOCUMENT,
    'openapi/fixes.overlay.yaml': 'overlay: 1.0.0\ninfo: { title: x, version: "1" }\nactions: []\n',
    'domains/guide.md': '# Guide\n',
    ...makeCertificates(),
  };
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function problemsOf(value: unknown): Promise<string | undefined> {
  const file = join(folder, 'domains/shop.yaml');
  await writeFile(file, stringify(value));
  return loadDomains({ paths: [file], env: { SHOP_BASE_URL: 'https://shop.example' } }).then(
    () => undefined,
    (error: Error) => error.message,
  );
}

const title = ({ section, name }: Field) => `${section}.${name}`;
const rows = (schema: typeof domainSchema) => listFields(schema).map((field) => [title(field), field] as const);

describe('the examples of the reference', () => {
  test.each(rows(domainSchema))('%s: its example loads, and the JSON Schema takes it', async (_, field) => {
    const frames = FRAMES[field.section];
    expect(frames, `test/documentation/reference.test.ts has no frame for ${field.section}`).toBeDefined();
    for (const example of field.schema.examples as unknown[]) {
      const values = frames!.map((frame) => frame(wrap(field.name, example)));
      const outcomes = await values.reduce<Promise<(string | undefined)[]>>(
        async (before, value) => [...(await before), await problemsOf(value)],
        Promise.resolve([]),
      );
      const position = outcomes.indexOf(undefined);
      expect(position, outcomes.join('\n')).toBeGreaterThanOrEqual(0);
      expect([fitsDomain(values[position]), fitsDomain.errors]).toEqual([true, null]);
    }
  });

  test.each(rows(profilesSchema))('%s loads in a profile', async (_, { name, schema }) => {
    const [example] = schema.examples as unknown[];
    const profiles = { p: { [name]: example } };
    const file = join(folder, 'profiles.yaml');
    await writeFile(file, stringify(profiles));
    const shop = {
      ...endpointFrame({ tags: ['orders'] }),
      endpoints: {
        list_orders: { path: '/orders', summary: 'Lists.', tags: ['orders'] },
        delete_order: { method: 'DELETE', path: '/orders', summary: 'Deletes.', tags: ['customers'] },
      },
    };
    await writeFile(join(folder, 'domains/shop.yaml'), stringify(shop));
    const domains = await loadDomains({ paths: [join(folder, 'domains/shop.yaml')], env: {} });
    await createGateway({ domains, profiles: readProfiles(file) }).close();
    expect([fitsProfiles(profiles), fitsProfiles.errors]).toEqual([true, null]);
  });
});

/** Every way from the top of landbridge.yaml to an object of this name, with what must stand beside it on the way. */
function framesOf(section: string): ((more: Value) => Value)[] {
  const definitions = configSchema.definitions as Record<string, JsonNode>;
  if (section === 'config') return [(more) => more];
  const refers = (node: unknown): boolean =>
    typeof node === 'object' &&
    node !== null &&
    ((node as JsonNode).$ref === `#/definitions/${section}` ||
      [(node as JsonNode).allOf, (node as JsonNode).anyOf].some((all) => Array.isArray(all) && all.some(refers)));
  return Object.entries(definitions).flatMap(([owner, { properties = {}, required = [] }]) =>
    Object.entries(properties as Record<string, JsonNode>).flatMap(([key, node]) => {
      const branches = [node, ...((node.anyOf ?? []) as JsonNode[])];
      const isList = branches.some((branch) => refers(branch.items));
      const isMap = branches.some((branch) => refers(branch.additionalProperties));
      if (!isList && !isMap && !refers(node)) return [];
      const exampleOf = (name: string) => ((properties as Record<string, JsonNode>)[name]!.examples as unknown[])[0];
      const beside = Object.fromEntries((required as string[]).map((name) => [name, exampleOf(name)]));
      const needed = Object.fromEntries(
        ((definitions[section]!.required ?? []) as string[]).map((name) => [
          name,
          ((definitions[section]!.properties as Record<string, JsonNode>)[name]!.examples as unknown[])[0],
        ]),
      );
      const [example] = (node.examples ?? []) as unknown[];
      const whole = Object.values({ ...(isList || isMap ? (example as Value) : [example]) })[0] as Value | undefined;
      const place = (inner: Value) => ({ ...beside, [key]: isList ? [inner] : isMap ? { reader: inner } : inner });
      return framesOf(owner).flatMap((frame) =>
        [needed, whole ?? {}, {}].map((company) => (more: Value) => frame(place({ ...company, ...more }))),
      );
    }),
  );
}

describe('the examples of landbridge.yaml', () => {
  const file = () => join(folder, 'landbridge.yaml');
  const env = { API_TOKEN: 'x', GATEWAY_SECRET: 'x'.repeat(32) };
  const problemOf = async (value: Value): Promise<string | undefined> => {
    await writeFile(file(), stringify(value));
    try {
      readConfig({ config: file(), paths: ['x'] }, env);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };
  beforeAll(() => writeFile(join(folder, '.env'), 'A=b\n'));

  test.each(rows(configSchema))('%s: its example loads, and the JSON Schema takes it', async (_, field) => {
    for (const example of field.schema.examples as unknown[]) {
      const values = framesOf(field.section).map((frame) => frame(wrap(field.name, example)));
      const outcomes: (string | undefined)[] = [];
      for (const value of values) outcomes.push(await problemOf(value));
      // A mounted secret is not there.
      const isFine = (outcome: string | undefined) =>
        outcome === undefined || /(?:secret|admin\.token)\.file: does not exist/.test(outcome);
      const position = outcomes.findIndex(isFine);
      expect(position, outcomes.join('\n')).toBeGreaterThanOrEqual(0);
      expect([fitsConfig(values[position]), fitsConfig.errors]).toEqual([true, null]);
    }
  });

  test.each<[string, unknown]>([
    ['an unknown key', { prot: 1 }],
    ['an unknown key of a section', { audit: { file: 'a', onErr: 'refuse' } }],
    ['a wrong word', { guard: 'maybe' }],
    ['a number as text', { port: '80' }],
    ['a truth value as text', { readOnly: 'yes' }],
    ['a port nobody has', { port: 70_000 }],
    ['a text where a list is expected', { domains: './domains' }],
    ['an unknown key of a profile', { profiles: { reader: { effekts: ['read'] } } }],
    ['a secret in the open', { secret: 'x'.repeat(40) }],
    ['a missing key', { tls: { cert: 'a' } }],
    ['a list', ['port']],
  ])('%s is refused by file and JSON Schema alike', async (_, value) => {
    expect(await problemOf(value as Value)).toMatch(/landbridge\.yaml:\d+:\d+/);
    expect(fitsConfig(value)).toBe(false);
  });

  test('a variable may stand where a number or a word is expected', async () => {
    const value = { port: `$${'{P:-80}'}`, guard: `$${'{G:-deny}'}`, readOnly: `$${'{R:-true}'}` };
    expect([await problemOf(value), fitsConfig(value)]).toEqual([undefined, true]);
  });
});

describe('the JSON Schemas for editors', () => {
  const bundled = ['jsonplaceholder', 'openmeteo', 'tasks'].map((name) => `domains/${name}.yaml`);

  test.each(bundled)('take %s, which names its schema in the first line', (file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    expect([fitsDomain(parse(text, { merge: true })), fitsDomain.errors]).toEqual([true, null]);
    const path = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text)?.[1] ?? '';
    expect(JSON.parse(readFileSync(join(ROOT, dirname(file), path), 'utf8'))).toEqual(domainSchema);
  });

  // Deployments have schemas of their own (deployment-files.test.ts); what troubleshoot.md shows is wrong on purpose.
  const isOurs = (code: string) =>
    /^# (?:domains\/\S+|(?:\S*\/)?(?:profiles|landbridge)\.yaml)$/m.test(code.split('\n', 1)[0]!);
  const blocks = listBlocks().filter(
    ({ language, code, file }) => language === 'yaml' && isOurs(code) && !file.endsWith('/troubleshoot.md'),
  );
  test.each(blocks.map((block) => [`${block.file}:${block.line}`, block.code]))('take the block at %s', (_, code) => {
    const fits = code.startsWith('# profiles.yaml')
      ? fitsProfiles
      : code.startsWith('# landbridge.yaml')
        ? fitsConfig
        : fitsDomain;
    expect([fits(parse(code)), fits.errors]).toEqual([true, null]);
  });

  const shop = (more: Value, rest: Value = {}) => endpointFrame(more, rest);
  test.each<[string, unknown]>([
    ['a wrong kind', shop({}, { credentials: { key: { kind: 'api_key', field: 'X', env: 'A' } } })],
    ['a required that is no truth value', shop({ args: { id: { type: 'integer', required: 'yes please' } } })],
    ['an unknown key', shop({ effekt: 'read' })],
    ['an unknown key at the top', shop({}, { endpoint: {} })],
    ['an unknown key of curation', curated({ sumary: 'x' })],
    ['an unknown key of a curated argument', curatedArg({ page: { hidden: true } })],
    ['a wrong word', shop({ guard: 'maybe' })],
    ['a wrong type', shop({ tags: 'orders' })],
    ['a number as text', shop({ timeoutMs: '10s' })],
    ['a missing key', { name: 'shop', baseUrl: 'https://a.example', endpoints: { a: { path: '/a' } } }],
    ['a missing name', { baseUrl: 'https://a.example', endpoints: {} }],
    ['a wrong JSON Schema type', shop({ args: { id: { type: 'int', required: true } } })],
    ['an unknown JSON Schema keyword', shop({ args: { id: { typ: 'integer', required: true } } })],
    ['a method nobody has', shop({ method: 'PSOT' })],
    ['a path without a slash', shop({ path: 'orders/{id}' })],
    ['a variable of the environment in a path', shop({ path: `/$${'{TENANT}'}/{id}` })],
    ['a variable in braces', shop({}, { credentials: { key: { kind: 'bearer', env: `$${'{TOKEN}'}` } } })],
    ['a name that is none', { ...endpointFrame({}), name: 'My Shop' }],
    ['a list', ['name']],
    ['nothing', null],
  ])('refuse %s, as the loader does', async (_, value) => {
    expect(await problemsOf(value)).toBeTypeOf('string');
    expect(fitsDomain(value)).toBe(false);
  });

  test.each<[string, unknown]>([
    ['an unknown key', { reader: { effekts: ['read'] } }],
    ['a wrong word', { reader: { effects: ['reed'] } }],
    ['a wrong type', { reader: { tags: 'orders' } }],
    ['an empty list', { reader: { tags: [] } }],
    ['a wrong name', { Reader: {} }],
    ['a list', ['reader']],
  ])('of profiles refuse %s, as the loader does', async (_, value) => {
    const file = join(folder, 'profiles.yaml');
    await writeFile(file, stringify(value));
    expect(() => readProfiles(file)).toThrow(/profiles\.yaml:\d+:\d+/);
    expect(fitsProfiles(value)).toBe(false);
  });
});

/** A constant of src: `5`, `24 * 60`, `'word'`. */
function constantOf(file: string, pattern: RegExp): unknown {
  const text = pattern.exec(readFileSync(join(ROOT, file), 'utf8'))?.[1] ?? '';
  if (text.startsWith("'")) return text.slice(1, -1);
  return text
    .replaceAll('_', '')
    .split(' * ')
    .reduce((product, factor) => product * Number(factor), 1);
}

const ISSUER = 'src/identity/oauth/trusted-issuer.ts';
const decided = (effect: 'write' | 'destructive') =>
  decidePolicy({ effect, guard: undefined, domain: 'shop' } as never, { guard: {} } as never, {} as never).policy;

/** Where a default is that a file only leaves open. */
const IN_SOURCE: Readonly<Record<string, () => unknown>> = {
  'domain.guard.write': () => decided('write'),
  'domain.guard.destructive': () => decided('destructive'),
  'domain.exposure': () => constantOf('src/service-plan.ts', /exposure = ('\w+')/),
  'response.maxFileBytes': () => constantOf('src/executor/answer/build-answer.ts', /MAX_FILE_BYTES = (.+);/),
  'prompt.messages[].role': () => constantOf('src/domain/definition/prompts-and-resources.ts', /role = ('\w+')/),
  'tls.minVersion': () =>
    DEFAULT_MIN_VERSION === constantOf('src/network/dial.ts', /DEFAULT_TLS\b.*minVersion: ('.+?')/)
      ? DEFAULT_MIN_VERSION
      : undefined,
  'config.guard': () => decided('destructive'),
  'config.confirm': () => decideWay({}, {}, {} as never).way,
  'issuer.clockSkewSeconds': () => constantOf(ISSUER, /DEFAULT_SKEW_SECONDS = (.+);/),
  'issuer.jwksMaxAgeSeconds': () => constantOf(ISSUER, /DEFAULT_KEYS_MAX_AGE_SECONDS = (.+);/),
  'issuer.principal': () => constantOf(ISSUER, /settings\.principal \?\? ('\w+')/),
  'introspection.cacheSeconds': () => constantOf(ISSUER, /DEFAULT_CACHE_SECONDS = (.+);/),
  'audit.onError': () => constantOf('src/audit/trail.ts', /#refuses = options\.onError !== ('continue')/) && 'refuse',
  'audit.signEverySeconds': () => constantOf('src/audit/trail.ts', /signEverySeconds \?\? (\d+)/),
  'limits.perPrincipal': () => ({ ...PRINCIPAL_DEFAULTS, rate: PRINCIPAL_DEFAULTS.rate?.text }),
  'limits.perUpstream': () => ({ ...UPSTREAM_DEFAULTS }),
  'shed.eventLoopMs': () => SHED_DEFAULTS.eventLoopMs,
  'shed.heapPercent': () => SHED_DEFAULTS.heapPercent,
};

describe('a default that the reference states is the real one', () => {
  /** `30000` is 30000. What has words in it is no value, and what is false if left out needs no proof. */
  const stated = (schema: typeof domainSchema) =>
    listFields(schema).flatMap((field) => {
      const { fallback } = splitDefault(String(field.schema.description));
      const value: unknown = /^`[^`]*`$/.test(fallback) ? parse(fallback.slice(1, -1)) : false;
      return value === false ? [] : [[title(field), field, value] as const];
    });

  test.each(stated(domainSchema))('%s in a domain file', async (name, field, value) => {
    const known = IN_SOURCE[name];
    if (known) return expect(known()).toEqual(value);
    const built: boolean[] = [];
    for (const frame of FRAMES[field.section]!) {
      const outcomes: unknown[] = [];
      for (const content of [frame(wrap(field.name, value)), frame({})]) {
        const file = join(folder, 'domains/shop.yaml');
        await writeFile(file, stringify(content));
        const domains = await loadDomains({ paths: [file], env: {} }).catch(() => undefined);
        outcomes.push(domains && JSON.stringify(domains, (key, inner) => (key === 'provenance' ? undefined : inner)));
      }
      built.push(outcomes[0] !== undefined && outcomes[0] === outcomes[1]);
    }
    expect(built).toContain(true);
  });

  test.each(stated(configSchema))('%s in landbridge.yaml', async (name, field, value) => {
    const known = IN_SOURCE[name];
    if (known) return expect(known()).toEqual(value);
    const built = framesOf(field.section).map((frame) => {
      const [one, other] = [frame(wrap(field.name, value)), frame({})].map((content) => {
        const file = join(folder, 'landbridge.yaml');
        writeFileSync(file, stringify(content));
        try {
          const { origins: _, ...config } = readConfig({ config: file, paths: ['x'] }, { API_TOKEN: 'x' });
          return JSON.stringify(config);
        } catch {
          return undefined;
        }
      });
      return one !== undefined && one === other;
    });
    expect(built).toContain(true);
  });
});

test('settings.md has every flag of `landbridge serve` and every variable in the column of its setting', () => {
  const page = readFileSync(join(ROOT, 'docs/settings.md'), 'utf8');
  const program = new Command('landbridge');
  addCommands(program);
  const serve = program.commands.find((command) => command.name() === 'serve')!;
  const flags = serve.options.filter(({ hidden }) => !hidden).map(({ long }) => long!);
  // What is no setting: the file itself, and how the start is told.
  const own = ['--config', '--verbose', '--json'];
  expect(flags.filter((flag) => !own.includes(flag) && !page.includes(`\`${flag}\``))).toEqual([]);
});

test('the words of fields, causes and fixes are plain: no phrase of our own, no long sentence, a low grade', () => {
  const fields = [domainSchema, profilesSchema, configSchema].flatMap(listFields);
  const families = Object.values(ERROR_FAMILIES).flatMap(({ what, families }) => [
    what,
    ...families.flatMap(({ cause, fix }) => [cause, fix]),
  ]);
  const texts = [...fields.map(({ schema }) => splitDefault(String(schema.description)).what), ...families];
  const { grade, sentences } = readProse([...new Set(texts)].join('\n\n'));
  expect(grade).toBeLessThanOrEqual(9);
  expect(sentences.filter((sentence) => sentence.split(' ').length > 24)).toEqual([]);
  expect(texts.filter((text) => HOUSE_PHRASES.some(([phrase]) => phrase.test(text)))).toEqual([]);
});
