// The caller's verified token is exchanged for one the API accepts (RFC 8693): per caller, renewed, and never passed through.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Principal } from '../../src/call/caller.ts';
import type { DomainDefinition } from '../../src/domain/definition/definition-types.ts';
import { type Called, caller, openShop, type Shop, shopDomain } from '../support/callers.ts';
import { useRealHttp } from '../support/real-http.ts';
import { CLIENT, type ExchangeServer, startExchangeServer } from '../support/token-exchange-server.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

useRealHttp();

const ENV = { EXCHANGE_ID: CLIENT.id, EXCHANGE_SECRET: CLIENT.secret };
const ALICE = 'alice-mcp-token-0123456789';
const BOB = 'bob-mcp-token-0123456789';
const REFUSED = 'missing_credential';

let api: Upstream;
let sts: ExchangeServer;
let shops: Shop[];
beforeAll(async () => {
  // The API knows whom the tokens of the exchange stand for, and refuses all others.
  api = await startUpstream(({ headers, url }, response) => {
    const user = sts.userOf(headers.authorization);
    response.setHeader('content-type', 'application/json');
    response.statusCode = user === undefined ? 401 : 200;
    if (url === '/echo') response.end(JSON.stringify({ sent: headers.authorization }));
    else response.end(JSON.stringify({ user: user ?? null }));
  });
});
beforeEach(async () => {
  sts = await startExchangeServer();
  sts.subjects.set(ALICE, 'alice').set(BOB, 'bob');
  api.seen.length = 0;
  shops = [];
});
afterEach(async () => {
  vi.useRealTimers();
  for (const shop of shops) await shop.close();
  await sts.close();
  for (const { headers, url, body } of api.seen)
    for (const token of [ALICE, BOB]) expect(JSON.stringify([headers, url, body])).not.toContain(token);
});
afterAll(() => api.close());

async function open(
  callers: Record<string, Principal> = { [ALICE]: caller('alice', ALICE), [BOB]: caller('bob', BOB) },
  credential: object = {},
  more: Partial<DomainDefinition> = {},
): Promise<Shop> {
  const declaration = {
    kind: 'token_exchange' as const,
    tokenUrl: sts.url,
    clientIdEnv: 'EXCHANGE_ID',
    clientSecretEnv: 'EXCHANGE_SECRET',
    audience: 'orders-api',
    ...credential,
  };
  const endpoints = {
    get_order: { path: '/order', summary: 'Gets an order.' },
    get_echo: { path: '/echo', summary: 'Gets what was sent.' },
    create_order: { method: 'POST', path: '/order', summary: 'Creates an order.' },
  };
  const domain = shopDomain(api.url, { credentials: { user: declaration }, endpoints, ...more }, ENV);
  const shop = await openShop([domain], callers);
  shops.push(shop);
  return shop;
}

const sent = () => api.seen.map(({ headers }) => headers.authorization);

describe('a token exchange', () => {
  test('sends the caller’s token as subject, and the issued token goes to the API as a bearer token', async () => {
    const shop = await open(undefined, {
      resource: ['https://shop.example/v1'],
      scopes: ['orders:read', 'orders:write'],
      requestedTokenType: 'access_token',
    });
    expect(await shop.call(ALICE)).toMatchObject({ isError: false, text: '{"user":"alice"}' });
    expect([...sts.exchanges[0]!.fields]).toEqual([
      ['grant_type', 'urn:ietf:params:oauth:grant-type:token-exchange'],
      ['subject_token', ALICE],
      ['subject_token_type', 'urn:ietf:params:oauth:token-type:access_token'],
      ['requested_token_type', 'urn:ietf:params:oauth:token-type:access_token'],
      ['audience', 'orders-api'],
      ['resource', 'https://shop.example/v1'],
      ['scope', 'orders:read orders:write'],
    ]);
    expect(sent()).toEqual(['Bearer for-alice-number-1']);
  });

  test('repeats the request with the client in the body if the server reads it only there, and remembers that', async () => {
    sts.clientInBody = true;
    const shop = await open();
    await shop.call(ALICE);
    await shop.call(BOB);
    expect(sent()).toEqual(['Bearer for-alice-number-1', 'Bearer for-bob-number-2']);
    expect(sts.requests).toBe(3);
  });

  test('is made once for all waiting calls of one caller', async () => {
    const shop = await open();
    const answers = await Promise.all(Array.from({ length: 20 }, () => shop.call(ALICE)));
    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['{"user":"alice"}']));
    expect(sts.requests).toBe(1);
  });
});

describe('exchanged tokens of callers', () => {
  test('are never shared between callers, even if their calls are mixed', async () => {
    const shop = await open();
    const tokens = Array.from({ length: 30 }, (_, index) => (index % 3 === 0 ? BOB : ALICE));
    const answers = await Promise.all(tokens.map((token) => shop.call(token)));
    expect(answers.map(({ text }) => text)).toEqual(
      tokens.map((token) => `{"user":"${token === BOB ? 'bob' : 'alice'}"}`),
    );
    expect(sts.exchanges.map(({ user }) => user).sort()).toEqual(['alice', 'bob']);
  });

  test('are exchanged again if the same caller shows another token, which may allow less', async () => {
    const weaker = 'alice-weaker-mcp-token';
    sts.subjects.set(weaker, 'alice-reader');
    const shop = await open({ [ALICE]: caller('alice', ALICE), [weaker]: caller('alice', weaker) });
    expect((await shop.call(ALICE)).text).toBe('{"user":"alice"}');
    expect((await shop.call(weaker)).text).toBe('{"user":"alice-reader"}');
    expect((await shop.call(ALICE)).text).toBe('{"user":"alice"}');
    expect(sts.requests).toBe(2);
  });

  test('are not shared between two caller ids that show the same token', async () => {
    const shop = await open({ [ALICE]: caller('alice', ALICE), other: caller('mallory', ALICE) });
    await shop.call(ALICE);
    await shop.call('other');
    expect(sent()).toEqual(['Bearer for-alice-number-1', 'Bearer for-alice-number-2']);
  });

  test.each<[string, Principal]>([
    ['nobody', { id: 'anonymous' }],
    ['a key', { id: 'key:ci' }],
    ['a certificate', { id: 'cert:CN=batch' }],
    ['claims without a token', { id: 'https://id.test|eve', claims: { sub: 'eve' } }],
  ])('that are %s are told what is needed, and nothing is sent', async (_, principal) => {
    const shop = await open({ known: principal });
    const answer = await shop.call('known');
    expect(answer).toMatchObject({ isError: true, mode: REFUSED });
    expect(answer.text).toContain('auth.oauth in landbridge.yaml');
    expect(answer.text).toContain(`"${principal.id}"`);
    expect([sts.requests, api.seen.length]).toEqual([0, 0]);
  });

  test('are refused once the caller’s own token has expired', async () => {
    const shop = await open({ [ALICE]: caller('alice', ALICE, { exp: Math.floor(Date.now() / 1000) - 1 }) });
    const answer = await shop.call(ALICE);
    expect(answer).toMatchObject({ isError: true, mode: REFUSED });
    expect(answer.text).toContain('has expired');
    expect([sts.requests, api.seen.length]).toEqual([0, 0]);
  });

  test('are kept for a thousand callers; the least recently used is dropped', async () => {
    const tokens = Array.from({ length: 1_001 }, (_, index) => `mcp-token-of-caller-${index}`);
    for (const [index, token] of tokens.entries()) sts.subjects.set(token, `u${index}`);
    const shop = await open(Object.fromEntries(tokens.map((token, index) => [token, caller(`u${index}`, token)])));
    for (const token of tokens) await shop.call(token);
    expect(sts.requests).toBe(1_001);
    await shop.call(tokens[1]!);
    expect(sts.requests).toBe(1_001);
    await shop.call(tokens[0]!);
    expect(sts.requests).toBe(1_002);
  }, 60_000);
});

describe('an exchanged token', () => {
  test('is replaced once when the API refuses it, for a call that may be repeated', async () => {
    const shop = await open();
    await shop.call(ALICE);
    sts.revokeAll();
    expect((await shop.call(ALICE)).text).toBe('{"user":"alice"}');
    expect(sent()).toEqual(['Bearer for-alice-number-1', 'Bearer for-alice-number-1', 'Bearer for-alice-number-2']);
  });

  test('is replaced only once, and a refused write is not repeated', async () => {
    const shop = await open();
    sts.answer = (body) => ({ ...body, access_token: 'never-good' });
    expect(await shop.call(ALICE)).toMatchObject({ isError: true, mode: 'upstream_error' });
    expect(sent()).toEqual(['Bearer never-good', 'Bearer never-good']);
    await shop.call(BOB, 'shop_create_order');
    expect(sent()).toHaveLength(3);
  });

  test('is renewed before it expires, and is used no longer than the caller’s own token is valid', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const seconds = Math.floor(Date.now() / 1000);
    const shop = await open({
      [ALICE]: caller('alice', ALICE, { exp: seconds + 10_000 }),
      [BOB]: caller('bob', BOB, { exp: seconds + 100 }),
    });
    await shop.call(ALICE);
    await shop.call(BOB);
    vi.setSystemTime((seconds + 60) * 1000);
    await shop.call(ALICE);
    await shop.call(BOB);
    expect(sts.requests).toBe(2);
    // Bob's own ends in five seconds: what stands for it is not used any more; Alice's was good for ten minutes.
    vi.setSystemTime((seconds + 95) * 1000);
    await shop.call(BOB);
    await shop.call(ALICE);
    expect(sts.exchanges.map(({ user }) => user)).toEqual(['alice', 'bob', 'bob']);
    vi.setSystemTime((seconds + 575) * 1000);
    await shop.call(ALICE);
    expect(sts.exchanges.map(({ user }) => user)).toEqual(['alice', 'bob', 'bob', 'alice']);
    expect(await shop.call(BOB)).toMatchObject({ isError: true, mode: REFUSED });
  });

  test('and the caller’s own token are redacted in answers that repeat them and in dry runs', async () => {
    const shop = await open();
    expect((await shop.call(ALICE, 'shop_get_echo')).text).toBe('{"sent":"Bearer [redacted]"}');
    const dry = await shop.call(ALICE, 'shop_get_order', { dry_run: true });
    expect(dry.text).toContain('"authorization": "Bearer [redacted]"');
    expect(sts.requests).toBe(1);
  });
});

describe('a client id that is not set', () => {
  const key = { kind: 'apiKey', field: 'X-Shared', env: 'SHARED' } as const;
  const user = { kind: 'token_exchange', tokenUrl: 'https://id.test/t', clientIdEnv: 'ID', clientSecretEnv: 'SECRET' };
  test.each<[string, string[][]]>([
    ['the key that all share', [['user'], ['key']]],
    ['no credential at all', [['user'], []]],
    ['no credential at all, wherever that stands', [[], ['user']]],
  ])('does not turn calls of a person into calls with %s', async (_, security) => {
    const credentials = { user: { ...user, audience: 'orders' }, key } as NonNullable<DomainDefinition['credentials']>;
    const domain = shopDomain(api.url, { credentials, security }, { SHARED: 'shared-key' });
    expect(domain.warnings.join()).toContain('ID and SECRET are not set');
    const shop = await openShop([domain], { [ALICE]: caller('alice', ALICE) });
    shops.push(shop);
    expect(await shop.call(ALICE)).toMatchObject({ isError: true, mode: REFUSED });
    expect(api.seen).toEqual([]);
  });
});

describe('an answer of the token server to an exchange', () => {
  test.each<[string, object, string]>([
    ['without a token', { access_token: undefined }, 'without an access token'],
    ['that is the caller’s own token again', { access_token: ALICE }, 'own token'],
    ['with a token no header carries', { access_token: 'two words' }, 'a header cannot carry'],
    ['with another token_type', { token_type: 'N_A' }, 'token_type'],
    ['without a token_type', { token_type: undefined }, 'token_type'],
    ['without issued_token_type', { issued_token_type: undefined }, 'issued_token_type'],
    [
      'with a token of another type',
      { issued_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' },
      'issued_token_type',
    ],
    ['with no time to live', { expires_in: 0 }, 'how long'],
    ['with a lifetime that is no number', { expires_in: 'soon' }, 'how long'],
  ])('%s is refused, and the API gets nothing', async (_, change, words) => {
    const shop = await open();
    sts.answer = (body) => ({ ...body, ...change });
    const answer = await shop.call(ALICE);
    expect(answer).toMatchObject({ isError: true, mode: 'bad_response' });
    expect(answer.text).toContain(words);
    expect(answer.text).not.toContain(ALICE);
    expect(api.seen).toEqual([]);
  });

  test('that refuses is explained without the token it repeats; after three refusals the exchange pauses', async () => {
    const shop = await open({ [ALICE]: caller('alice', ALICE), stranger: caller('eve', 'eves-unknown-token') });
    const answers: Called[] = [];
    for (let index = 0; index < 5; index++) answers.push(await shop.call('stranger'));
    expect(answers[0]!.text).toContain('did not exchange the caller');
    expect(answers[0]!.text).toContain('not a good token: [redacted]');
    expect(answers[0]!.text).not.toContain('eves-unknown-token');
    expect(answers[4]!.text).toContain('It is not tried again for');
    expect(sts.requests).toBe(3);
    // Another caller is not locked out with this one.
    expect((await shop.call(ALICE)).isError).toBe(false);
  });

  test('that refuses the client names the variables of the client', async () => {
    const domain = shopDomain(
      api.url,
      {
        credentials: {
          user: { kind: 'token_exchange', tokenUrl: sts.url, clientIdEnv: 'A', clientSecretEnv: 'B', audience: 'x' },
        },
      },
      { A: 'landbridge', B: 'wrong-secret' },
    );
    const shop = await openShop([domain], { [ALICE]: caller('alice', ALICE) });
    shops.push(shop);
    const answer = await shop.call(ALICE);
    expect(answer.text).toContain('Check A and B.');
    expect(answer.text).not.toContain('wrong-secret');
    expect(api.seen).toEqual([]);
  });

  test('is never requested over plain HTTP from another machine: such a token URL stops the start', async () => {
    const elsewhere = open(undefined, { tokenUrl: 'http://id.example.test/token' });
    await expect(elsewhere).rejects.toThrow('credentials.user.tokenUrl: must be an https URL');
  });
});
