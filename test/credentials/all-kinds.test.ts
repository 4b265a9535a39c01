// Every kind of credential through everything that the gateway does with one: its place in the reference, what the file has to
// name, explain, the banner, the dry run, a call, redaction, and what is special about the kind. A kind without a sheet, or one
// that answers anything differently, fails here.
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { ExecutionContext } from '../../src/call/execution-context.ts';
import { listCredentials } from '../../src/cli/serve/credential-lines.ts';
import type { CredentialKind } from '../../src/credentials/credential-kind.ts';
import { CREDENTIAL_KINDS, type CredentialDefinition, type KindName } from '../../src/credentials/kind-table.ts';
import { collectSecrets, unsetVariables } from '../../src/credentials/secrets.ts';
import { checkDefinition } from '../../src/domain/definition/definition-schema.ts';
import type { Credential } from '../../src/endpoint/credential.ts';
import type { Domain } from '../../src/endpoint/model.ts';
import { SOURCES } from '../../src/endpoint/sources/sources.ts';
import { loadAssertionKeys } from '../../src/identity/assertion-keys.ts';
import { caller, openShop, type Shop, shopDomain } from '../support/callers.ts';
import { run } from '../support/cli.ts';
import { useRealHttp } from '../support/real-http.ts';
import { type Recorded, type Recorder, startRecorder } from '../support/recorder.ts';

const ALICE = caller('alice', 'token-of-alice-000', { email: 'alice@example.com' });

let api: Recorder;
let seen: Recorded[] = [];
const folder = mkdtempSync(join(tmpdir(), 'landbridge-kinds-'));

/** Issues tokens, and answers everything else with what it was sent. */
function answer(request: Recorded): { readonly status: number; readonly body: unknown } {
  const fields = new URLSearchParams(request.body.toString());
  if (request.url === '/login') return { status: 200, body: { token: 'token-of-the-login-1' } };
  if (request.url === '/token' && fields.get('grant_type') === 'client_credentials')
    return { status: 200, body: { access_token: 'token-of-the-client-1', token_type: 'Bearer' } };
  if (request.url === '/token')
    return {
      status: 200,
      body: {
        access_token: 'token-for-alice-1',
        token_type: 'Bearer',
        issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      },
    };
  seen.push(request);
  if (request.method === 'POST') return { status: 401, body: { message: 'Signature expired' } };
  return { status: 200, body: { url: request.url, ...request.headers } };
}

useRealHttp();

beforeAll(async () => {
  api = await startRecorder((request, response) => {
    const { status, body } = answer(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const { privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(join(folder, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
});
beforeEach(() => {
  seen = [];
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

/** What is true of a kind. `API` in a text stands for the origin of the API. */
interface Sheet {
  readonly definition: () => CredentialDefinition;
  readonly env: Readonly<Record<string, string>>;
  /** Its fields in the reference, in order. */
  readonly fields: readonly string[];
  /** What the start says if the file names none of its variables. */
  readonly unnamed: readonly string[];
  /** Variables that must be set, and those of them that may be set to nothing. */
  readonly needed: readonly string[];
  readonly mayBeEmpty?: readonly string[];
  readonly explain: { readonly kind: string; readonly format: string; readonly variables: readonly string[] };
  readonly banner: readonly string[];
  /** What the dry run shows of it: a header, or a part of the URL. */
  readonly dryRun: string;
  /** What the API gets. */
  readonly sent: RegExp;
  /** Texts that must never be seen. */
  readonly hidden: readonly string[];
  /** What an API that refuses it is said to have refused. */
  readonly refused: RegExp;
  readonly facts: object;
}

/** A field that names a variable, and those of all other sources: `env`, `file`. */
function fromSources(...fields: readonly string[]): string[] {
  return fields.flatMap((field) =>
    SOURCES.map(({ suffix }) => (field === 'env' ? suffix.toLowerCase() : field.replace(/Env$/, suffix))),
  );
}

function unnamedVariable(field: string): string {
  const [, ...others] = SOURCES.map(({ noun }, index) => `the ${noun} (${fromSources(field)[index]})`);
  return `credentials.it.${field}: is missing: name the variable that holds it, or ${others.join(', or ')}`;
}

const SHEETS: Readonly<Record<KindName, Sheet>> = {
  apiKey: {
    definition: () => ({ kind: 'apiKey', in: 'query', field: 'key', env: 'SHOP_KEY', prefix: 'v1 ' }),
    env: { SHOP_KEY: 'secret-of-the-key' },
    fields: ['kind', 'in', 'field', ...fromSources('env'), 'prefix'],
    unnamed: [unnamedVariable('env')],
    needed: ['SHOP_KEY'],
    explain: { kind: 'query key', format: 'query key=v1 …', variables: ['SHOP_KEY (set)'] },
    banner: ['SHOP_KEY → API'],
    dryRun: '/order?key=[redacted]',
    sent: /"\/order\?key=v1%20secret-of-the-key"/,
    hidden: ['secret-of-the-key'],
    refused: /SHOP_KEY/,
    facts: {
      variableFields: ['env'],
      type: 'static',
      keyVariable: 'SHOP_KEY',
      isParameter: false,
      withValue: { secret: { variable: 'SHOP_KEY', value: 'wrong' } },
    },
  },
  bearer: {
    definition: () => ({ kind: 'bearer', env: 'SHOP_TOKEN' }),
    env: { SHOP_TOKEN: 'secret-of-the-token' },
    fields: ['kind', ...fromSources('env')],
    unnamed: [unnamedVariable('env')],
    needed: ['SHOP_TOKEN'],
    explain: { kind: 'bearer', format: 'Authorization: Bearer …', variables: ['SHOP_TOKEN (set)'] },
    banner: ['SHOP_TOKEN → API'],
    dryRun: '"authorization":"Bearer [redacted]"',
    sent: /"authorization":"Bearer secret-of-the-token"/,
    hidden: ['secret-of-the-token'],
    refused: /SHOP_TOKEN/,
    facts: {
      variableFields: ['env'],
      type: 'static',
      mayComeFromLogin: true,
      withValue: { secret: { variable: 'SHOP_TOKEN', value: 'wrong' } },
    },
  },
  basic: {
    definition: () => ({ kind: 'basic', usernameEnv: 'SHOP_USER', passwordEnv: 'SHOP_PASSWORD' }),
    env: { SHOP_USER: 'shop-user', SHOP_PASSWORD: 'secret-password' },
    fields: ['kind', ...fromSources('usernameEnv', 'passwordEnv')],
    unnamed: [unnamedVariable('usernameEnv')],
    needed: ['SHOP_USER', 'SHOP_PASSWORD'],
    mayBeEmpty: ['SHOP_PASSWORD'],
    explain: {
      kind: 'basic',
      format: 'Authorization: Basic, user name and password',
      variables: ['SHOP_USER (set)', 'SHOP_PASSWORD (set)'],
    },
    banner: ['SHOP_USER → API', 'SHOP_PASSWORD → API'],
    dryRun: '"authorization":"Basic [redacted]"',
    sent: /"authorization":"Basic c2hvcC11c2VyOnNlY3JldC1wYXNzd29yZA=="/,
    hidden: ['secret-password', 'c2hvcC11c2VyOnNlY3JldC1wYXNzd29yZA=='],
    refused: /SHOP_USER and SHOP_PASSWORD|SHOP_USER, SHOP_PASSWORD/,
    facts: { variableFields: ['usernameEnv', 'passwordEnv'], type: 'static' },
  },
  login: {
    definition: () => ({
      kind: 'login',
      path: '/login',
      body: { user: '$'.concat('{SHOP_USER}'), password: '$'.concat('{SHOP_PASSWORD}') },
      send: { header: 'X-Session' },
      renewOn: [419],
    }),
    env: { SHOP_USER: 'shop-user', SHOP_PASSWORD: 'secret-password' },
    fields: 'kind method path url headers query body form token lifetime send renewOn'.split(' '),
    unnamed: ['credentials.it.path: is missing: give the path of the login below the base URL, such as /auth/login'],
    needed: ['SHOP_USER', 'SHOP_PASSWORD'],
    explain: {
      kind: 'login',
      format: 'X-Session, a token from POST API/login',
      variables: ['SHOP_USER (set)', 'SHOP_PASSWORD (set)'],
    },
    banner: ['SHOP_USER → API', 'SHOP_PASSWORD → API'],
    dryRun: '"x-session":"[redacted]"',
    sent: /"x-session":"token-of-the-login-1"/,
    hidden: ['secret-password', 'token-of-the-login-1'],
    refused: /POST API\/login/,
    facts: {
      variableFields: ['usernameEnv', 'passwordEnv', 'clientIdEnv', 'clientSecretEnv'],
      type: 'token',
      isOnlyInDomainFiles: true,
      isLastInReference: true,
      isDeclaredInFull: true,
      issuingRequest: 'POST API/login',
      tokenSource: 'POST API/login',
      renewOn: [419],
      defaultLifetimeS: 3600,
      maxReplacements: 1,
      mayRepeatWrites: true,
      cookiesElsewhere:
        'tool: the cookies of the login it belong to API and are sent nowhere else; the call was not made. Give this operation its own credential (security) in the domain file.',
      cacheKey: [
        {
          method: 'POST',
          url: 'API/login',
          shown: 'API/login',
          query: '',
          headers: { accept: 'application/json', 'content-type': 'application/json' },
          body: '{"user":"shop-user","password":"secret-password"}',
        },
        null,
        null,
        { in: 'header', field: 'X-Session' },
        false,
      ],
      destination: 'API/login',
    },
  },
  oauth2: {
    definition: () => ({
      kind: 'oauth2',
      tokenUrl: `${api.origin}/token`,
      clientIdEnv: 'SHOP_ID',
      clientSecretEnv: 'SHOP_SECRET',
      scopes: ['a', 'b'],
    }),
    env: { SHOP_ID: 'shop-client', SHOP_SECRET: 'secret-of-the-client' },
    fields: ['kind', 'tokenUrl', ...fromSources('clientIdEnv', 'clientSecretEnv'), 'scopes'],
    unnamed: [unnamedVariable('clientIdEnv'), unnamedVariable('clientSecretEnv')],
    needed: ['SHOP_ID', 'SHOP_SECRET'],
    explain: {
      kind: 'oauth2',
      format: 'Authorization: Bearer, a token from API/token',
      variables: ['SHOP_ID (set)', 'SHOP_SECRET (set)'],
    },
    banner: ['SHOP_ID → API', 'SHOP_SECRET → API'],
    dryRun: '"authorization":"Bearer [redacted]"',
    sent: /"authorization":"Bearer token-of-the-client-1"/,
    hidden: ['secret-of-the-client', 'token-of-the-client-1'],
    refused: /SHOP_ID and SHOP_SECRET|SHOP_ID, SHOP_SECRET/,
    facts: {
      variableFields: ['clientIdEnv', 'clientSecretEnv'],

      type: 'token',
      documentTokenUrl: 'API/token',
      destination: 'API/token',
      renewOn: [401],
      defaultLifetimeS: 300,
      maxReplacements: 4,
      cacheKey: ['API/token', 'shop-client', 'secret-of-the-client', ['a', 'b'], false],
    },
  },
  token_exchange: {
    definition: () => ({
      kind: 'token_exchange',
      tokenUrl: `${api.origin}/token`,
      clientIdEnv: 'SHOP_ID',
      clientSecretEnv: 'SHOP_SECRET',
      audience: 'orders',
    }),
    env: { SHOP_ID: 'shop-client', SHOP_SECRET: 'secret-of-the-client' },
    fields: [
      ...['kind', 'tokenUrl', ...fromSources('clientIdEnv', 'clientSecretEnv'), 'scopes'],
      ...['audience', 'resource', 'subjectTokenType', 'requestedTokenType'],
    ],
    unnamed: [
      unnamedVariable('clientIdEnv'),
      unnamedVariable('clientSecretEnv'),
      'credentials.it.audience: is missing: name the API that the new token is for, as the authorization server calls it (or set resource)',
    ],
    needed: ['SHOP_ID', 'SHOP_SECRET'],
    explain: {
      kind: 'token_exchange',
      format: 'Authorization: Bearer, a token from API/token in exchange for the caller’s token',
      variables: ['SHOP_ID (set)', 'SHOP_SECRET (set)'],
    },
    banner: [
      "the caller's token → API, exchanged for one of the caller's for API",
      'SHOP_ID → API',
      'SHOP_SECRET → API',
    ],
    dryRun: '"authorization":"Bearer [redacted]"',
    sent: /"authorization":"Bearer token-for-alice-1"/,
    hidden: ['secret-of-the-client', 'token-for-alice-1', 'token-of-alice-000'],
    refused: /API\/token, exchanged for that of the caller/,
    facts: {
      variableFields: ['clientIdEnv', 'clientSecretEnv'],

      type: 'token',
      isOnlyInDomainFiles: true,
      identifiesCaller: true,
      isDeclaredInFull: true,
      isPerCaller: true,
      tokenSource: 'API/token, exchanged for that of the caller',
      destination: 'API/token',
      renewOn: [401],
      defaultLifetimeS: 300,
      maxReplacements: 4,
      cacheKey: [
        'API/token',
        'shop-client',
        'secret-of-the-client',
        [],
        ['orders'],
        [],
        'urn:ietf:params:oauth:token-type:access_token',
        undefined,
      ],
    },
  },
  assertion: {
    definition: () => ({
      kind: 'assertion',
      header: 'X-Caller',
      subject: '$'.concat('{principal.sub}'),
      claims: { email: '$'.concat('{principal.claims.email}') },
    }),
    env: {},
    fields: ['kind', 'audience', 'subject', 'lifetimeSeconds', 'header', 'claims'],
    unnamed: [],
    needed: [],
    explain: {
      kind: 'assertion',
      format: 'X-Caller: …, a JWT about the caller, signed by this gateway',
      variables: [],
    },
    banner: ['X-Caller: assertion about the caller → API'],
    dryRun: '"x-caller":"[redacted]"',
    sent: /"x-caller":"eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+"/,
    hidden: [],
    refused: /this gateway \(a signed assertion about the caller\)/,
    facts: {
      variableFields: [],
      type: 'assertion',
      isOnlyInDomainFiles: true,
      identifiesCaller: true,
      callerTexts: ['$'.concat('{principal.sub}'), '$'.concat('{principal.claims.email}')],
      statement: { subject: 'alice', claims: { email: 'alice@example.com' } },
      tokenSource: 'this gateway (a signed assertion about the caller)',
    },
  },
  awsSigv4: {
    definition: () => ({ kind: 'awsSigv4', service: 'dynamodb', region: 'eu-central-1' }),
    env: {
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'secret-of-aws',
      AWS_SESSION_TOKEN: 'session-of-aws',
    },
    fields: ['kind', ...fromSources('accessKeyIdEnv', 'secretAccessKeyEnv', 'sessionTokenEnv'), 'region', 'service'],
    // It has variables that all tools of AWS read.
    unnamed: [],
    needed: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
    explain: {
      kind: 'awsSigv4',
      format: 'AWS Signature Version 4 for dynamodb in eu-central-1',
      variables: ['AWS_ACCESS_KEY_ID (set)', 'AWS_SECRET_ACCESS_KEY (set)', 'AWS_SESSION_TOKEN (set)'],
    },
    banner: ['AWS_ACCESS_KEY_ID → API', 'AWS_SECRET_ACCESS_KEY → API', 'AWS_SESSION_TOKEN → API'],
    dryRun: '"authorization":"AWS4-HMAC-SHA256 [redacted]"',
    sent: /"authorization":"AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/dynamodb\/aws4_request, SignedHeaders=host;x-amz-date;x-amz-security-token, Signature=[0-9a-f]{64}"/,
    hidden: ['secret-of-aws', 'session-of-aws'],
    refused: /clock/i,
    facts: { variableFields: ['accessKeyIdEnv', 'secretAccessKeyEnv', 'sessionTokenEnv'], type: 'signature' },
  },
};

const KINDS = Object.keys(CREDENTIAL_KINDS) as KindName[];
const toApi = (text: string) => text.replaceAll(api.origin, 'API');

function domainWith(definition: CredentialDefinition, env: Readonly<Record<string, string>>): Domain {
  return shopDomain(api.origin, { credentials: { it: definition } }, env);
}

function credentialOf(kind: KindName): Credential {
  const { definition, env } = SHEETS[kind];
  return domainWith(definition(), env).endpoints[0]!.security[0]![0]!;
}

async function open(kind: KindName): Promise<Shop> {
  const { definition, env } = SHEETS[kind];
  const signer = await loadAssertionKeys({ issuer: 'https://gateway.test', keys: [join(folder, 'key.pem')] });
  return openShop([domainWith(definition(), env)], { 'token-of-alice-000': ALICE }, { assertions: signer });
}

test('every kind has a sheet', () => {
  expect(KINDS.sort()).toEqual(Object.keys(SHEETS).sort());
});

describe.each(KINDS)('a credential of kind %s', (kind) => {
  const sheet = SHEETS[kind];

  test('is in the reference and in the JSON Schema for editors, with its fields', () => {
    const schema = JSON.parse(readFileSync('docs/schemas/domain.schema.json', 'utf8')) as {
      definitions: Record<string, { properties: object }>;
    };
    expect(Object.keys(schema.definitions[kind]!.properties)).toEqual(sheet.fields);
    expect(readFileSync('docs/domain-files.md', 'utf8')).toContain(`\n### ${kind}\n`);
  });

  test('is accepted in a domain file, with files in place of variables, and without unknown fields', () => {
    const file = (more: object) => ({
      name: 'shop',
      baseUrl: 'https://shop.example',
      credentials: { it: { ...sheet.definition(), ...more } },
      endpoints: {},
    });
    expect(checkDefinition(file({}))).toHaveProperty('definition');
    expect(checkDefinition(file({ unknown: 1 }))).toHaveProperty('problems');
    const inFiles = Object.fromEntries(
      Object.entries(sheet.definition()).map(([field, value]) => [
        field === 'env' ? 'file' : field.replace(/Env$/, 'File'),
        value,
      ]),
    );
    expect(checkDefinition({ ...file({}), credentials: { it: inFiles } })).toHaveProperty('definition');
  });

  test('says which fields a file has to name', () => {
    const definition = { kind, ...(kind === 'apiKey' && { field: 'X-Key' }), ...withoutVariables(sheet.definition()) };
    const build = () => domainWith(definition as CredentialDefinition, {});
    if (sheet.unnamed.length === 0) expect(build).not.toThrow();
    else expect(build).toThrow(sheet.unnamed.map((line) => `domain shop ${line}`).join('\n'));
  });

  test('reports its missing variables at the start and at a call', async () => {
    const domain = domainWith(sheet.definition(), {});
    const names = sheet.needed.join(' and ');
    const [warning = ''] = domain.warnings;
    expect(warning).toContain(names);
    expect(unsetVariables(domain.endpoints[0]!.security[0]![0]!)).toEqual(sheet.needed);
    const emptyEnv = Object.fromEntries(sheet.needed.map((name) => [name, '']));
    const [[withEmpty] = []] = domainWith(sheet.definition(), emptyEnv).endpoints[0]!.security;
    expect(unsetVariables(withEmpty!)).toEqual(sheet.needed.filter((name) => !sheet.mayBeEmpty?.includes(name)));
    if (sheet.needed.length === 0) return;
    const shop = await openShop([domain], { 'token-of-alice-000': ALICE });
    const { text, mode } = await shop.call('token-of-alice-000');
    await shop.close();
    expect([mode, seen]).toEqual(['missing_credential', []]);
    expect(text).toContain(`Set ${names} in the environment of the gateway (it goes to ${api.origin})`);
  });

  test('is explained: its kind, its form and its variables', async () => {
    const file = join(folder, `${kind}.yaml`);
    const endpoints = { get_order: { path: '/order', summary: 'Gets an order.' } };
    writeFileSync(
      file,
      stringify({ name: 'shop', baseUrl: api.origin, credentials: { it: sheet.definition() }, endpoints }),
    );
    const { stdout } = await run(['explain', file, 'shop_get_order', '--json'], {
      env: { SHOP_KEY: '', ...sheet.env },
    });
    const { credentials } = JSON.parse(stdout) as { credentials: unknown };
    expect(JSON.parse(toApi(JSON.stringify(credentials)))).toEqual([[{ scheme: 'it', ...sheet.explain }]]);
    for (const text of sheet.hidden) expect(stdout).not.toContain(text);
  });

  test('is in the banner with its destination', () => {
    expect(listCredentials([domainWith(sheet.definition(), sheet.env)]).map(toApi)).toEqual(sheet.banner);
  });

  test('is shown in a dry run, which sends nothing', async () => {
    const shop = await open(kind);
    const { text, isError } = await shop.call('token-of-alice-000', 'shop_get_order', { dry_run: true });
    await shop.close();
    expect([isError, seen]).toEqual([false, []]);
    expect(text.replaceAll(/\s*\n\s*/g, '').replaceAll('": "', '":"')).toContain(sheet.dryRun);
    for (const hidden of sheet.hidden) expect(text).not.toContain(hidden);
  });

  test('reaches the API, and what the API repeats of it is redacted', async () => {
    const shop = await open(kind);
    const { text, isError } = await shop.call('token-of-alice-000');
    await shop.close();
    expect([isError, seen.length]).toEqual([false, 1]);
    const [{ url, headers }] = seen as [Recorded];
    expect(JSON.stringify({ url, ...headers })).toMatch(sheet.sent);
    // A signature is no secret by itself.
    const request = JSON.stringify(seen);
    const isSecret =
      CREDENTIAL_KINDS[kind].proof.type !== 'signature' || sheet.hidden.some((one) => request.includes(one));
    expect(text.includes('[redacted]')).toBe(isSecret);
    for (const hidden of sheet.hidden) expect(text).not.toContain(hidden);
    const domain = domainWith(sheet.definition(), sheet.env);
    for (const secret of sheet.hidden.filter((hidden) => hidden.includes('secret')))
      expect(collectSecrets([domain])).toContain(secret);
  });

  test('is named when the API refuses it', async () => {
    const shop = await open(kind);
    const { text, isError } = await shop.call('token-of-alice-000', 'shop_create_order');
    await shop.close();
    expect(isError).toBe(true);
    expect(toApi(text)).toMatch(sheet.refused);
  });

  test('has these properties, and no others', () => {
    const entry: CredentialKind = CREDENTIAL_KINDS[kind];
    const credential = credentialOf(kind);
    const { proof } = entry;
    const facts = {
      type: proof.type,
      variableFields: entry.variableFields,
      isOnlyInDomainFiles: entry.isOnlyInDomainFiles,
      isLastInReference: entry.isLastInReference,
      identifiesCaller: entry.identifiesCaller,
      mayComeFromLogin: entry.mayComeFromLogin,
      isDeclaredInFull: entry.isDeclaredInFull?.(credential),
      isParameter: entry.isParameter?.(credential),
      keyVariable: entry.keyVariable?.(credential),
      issuingRequest: entry.issuingRequest?.(credential),
      documentTokenUrl: entry.documentTokenUrl?.(credential),
      tokenSource: entry.tokenSource?.(credential),
      destination: entry.destination?.(credential),
      callerTexts: entry.callerTexts?.(credential).map(({ shown }) => shown),
      ...(proof.type === 'static' && { withValue: proof.withValue?.(credential, 'wrong') }),
      ...(proof.type === 'assertion' && {
        statement: proof.statementOf(credential, { principal: ALICE, label: 'tool' } as ExecutionContext),
      }),
      ...(proof.type === 'token' && {
        isPerCaller: proof.isPerCaller,
        renewOn: proof.renewOn(credential),
        defaultLifetimeS: proof.defaultLifetimeS,
        maxReplacements: proof.maxReplacements,
        mayRepeatWrites: proof.mayRepeatWrites,
        cookiesElsewhere: messageOf(() =>
          proof.checkOrigin?.(
            { ...credential, send: { in: 'cookies' } } as Credential,
            'https://elsewhere.test',
            'tool',
          ),
        ),
        cacheKey: proof.cacheKey(credential),
      }),
    };
    expect(JSON.parse(toApi(JSON.stringify(facts)))).toEqual(
      JSON.parse(JSON.stringify(sheet.facts), (key, value) =>
        key === 'withValue' ? { ...credential, ...value } : value,
      ),
    );
    expect(entry.isSameScheme?.(credential, credential) ?? true).toBe(true);
    expect(entry.isSameScheme?.({ ...credential, field: 'other' } as Credential, credential) ?? false).toBe(false);
    expect(entry.variableFields.length).toBeGreaterThanOrEqual(entry.requiredFields.length);
  });
});

function messageOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The definition without the fields that name variables. */
function withoutVariables(definition: object): object {
  return Object.fromEntries(
    Object.entries(definition).filter(
      ([field]) => !/(?:^e|E)nv$/.test(field) && field !== 'path' && field !== 'audience',
    ),
  );
}
