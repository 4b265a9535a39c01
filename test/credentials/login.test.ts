// A login as data: the token it hands out is fetched once, sent as the domain asks, renewed in time, and never shown.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { KnownCredential } from '../../src/credentials/kind-table.ts';
import { fillLogin, type LoginTemplate } from '../../src/credentials/login/login-request.ts';
import { blockedError } from '../../src/credentials/tokens/token-entry.ts';
import { createRedactor } from '../../src/endpoint/redaction/redact.ts';
import { ToolError } from '../../src/errors.ts';
import { createExecutor } from '../../src/executor/executor.ts';
import { endpoint, type Overrides, startRaw, startUpstream, textOf, type Upstream } from '../executor/support.ts';
import { contextOf } from '../support/context.ts';
import type { Recorded } from '../support/recorder.ts';

type Login = Extract<KnownCredential, { kind: 'login' }>;

const ENV = { EMAIL: 'ann@shop.test', PASSWORD: 's3cr3t&w0rd' };
const PASSWORD = '$'.concat('{PASSWORD}');
const EMAIL = '$'.concat('{EMAIL}');

let api: Upstream;
/** How many logins there were. */
let logins: number;
beforeAll(async () => {
  api = await startUpstream();
});
beforeEach(() => {
  api.seen.length = 0;
  logins = 0;
  answerLogins(() => ({ access_token: `token-number-${logins}`, expires_in: 3600 }));
});

const json = (value: unknown) => JSON.stringify(value);
const isLogin = ({ method, url }: Recorded) => method === 'POST' && url?.startsWith('/login');

/** The API answers logins so, and everything else with 200 unless `status` says otherwise. */
function answerLogins(answer: () => unknown, status: (request: Recorded) => number = () => 200): void {
  api.answer = (request, response) => {
    response.setHeader('content-type', 'application/json');
    if (!isLogin(request)) return void response.writeHead(status(request)).end('{}');
    logins++;
    return void response.end(json(answer()));
  };
}

const calls = () => api.seen.filter((request) => !isLogin(request));

function login(more: Partial<Login> = {}, template: Partial<LoginTemplate> = {}): Login {
  const url = `${api.origin}/login`;
  const filled = fillLogin({ url, body: { email: EMAIL, password: PASSWORD }, ...template }, ENV);
  return {
    kind: 'login',
    name: 'session',
    ...filled,
    send: { in: 'header', field: 'Authorization', prefix: 'Bearer ' },
    renewOn: [401],
    ...more,
  };
}

function fresh(credential: KnownCredential = login(), overrides: Overrides = {}) {
  const executor = createExecutor({ redact: createRedactor([]) });
  const target = executor.compile(endpoint(api.origin, { security: [[credential]], ...overrides }));
  return Object.assign((args = {}) => target.run(contextOf({ tool: 'get_thing' }), args), {
    preview: () => target.preview({}, 'get_thing'),
  });
}

function freshWith(secrets: readonly string[]) {
  const target = createExecutor({ redact: createRedactor(secrets) }).compile(
    endpoint(api.origin, { security: [[login()]] }),
  );
  return target.run(contextOf({ tool: 'get_thing' }), {});
}

describe('the request of a login', () => {
  test('has a JSON body with secrets from the environment', async () => {
    await fresh()();
    expect(api.seen[0]).toMatchObject({
      method: 'POST',
      url: '/login',
      headers: { 'content-type': 'application/json', accept: 'application/json', 'user-agent': 'landbridge' },
    });
    expect(JSON.parse(String(api.seen[0]!.body))).toEqual({ email: ENV.EMAIL, password: ENV.PASSWORD });
    expect(calls().map(({ headers }) => headers.authorization)).toEqual(['Bearer token-number-1']);
  });

  test('may have a form, a query, headers and another method', async () => {
    const form = { grant_type: 'password', username: EMAIL, password: PASSWORD };
    await fresh(login({}, { body: undefined, form, query: { tenant: 'a b' }, headers: { 'X-Tenant': '7' } }))();
    expect(api.seen[0]).toMatchObject({
      url: '/login?tenant=a+b',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-tenant': '7' },
    });
    expect(String(api.seen[0]!.body)).toBe('grant_type=password&username=ann%40shop.test&password=s3cr3t%26w0rd');
    api.answer = (_, response) => response.end('{"token":"from-a-get-login"}');
    const query = { user: EMAIL, password: PASSWORD };
    await fresh(login({}, { method: 'get', body: undefined, query }))();
    expect(api.last().headers.authorization).toBe('Bearer from-a-get-login');
  });
});

describe('the token of a login', () => {
  const jwt = (claims: object) =>
    ['{"alg":"none"}', json(claims), 'signature'].map((part) => Buffer.from(part).toString('base64url')).join('.');

  test.each([
    ['access_token', { access_token: 'the-token-1' }],
    ['accessToken', { accessToken: 'the-token-1' }],
    ['token', { token: 'the-token-1', user: { token: 'another' } }],
    ['data.access_token', { data: { access_token: 'the-token-1', refresh_token: 'x', expires: 900_000 } }],
    ['result.token', { result: { token: 'the-token-1' } }],
    ['jwt', { jwt: 'the-token-1' }],
    ['a text', 'the-token-1'],
    ['with its word', { token: 'Bearer the-token-1' }],
  ])('is found where answers have it: %s', async (_, answer) => {
    answerLogins(() => answer);
    await fresh()();
    expect(calls()[0]!.headers.authorization).toBe('Bearer the-token-1');
  });

  test('is read from the path or header that the domain file names', async () => {
    answerLogins(() => ({ token: 'wrong', auth: { items: { 'x.y': 'right-token' } } }));
    await fresh(login({ token: { in: 'body', at: 'auth.items.x.y' } }))();
    expect(calls()[0]!.headers.authorization).toBe('Bearer right-token');
    api.answer = (_, response) => response.setHeader('X-Subject-Token', 'header-token').end('{}');
    await fresh(login({ token: { in: 'header', field: 'X-Subject-Token' } }))();
    expect(api.last().headers.authorization).toBe('Bearer header-token');
  });

  test('may be the whole answer, as plain text', async () => {
    api.answer = (_, response) => response.setHeader('content-type', 'text/plain').end('plain-token\n');
    await fresh()();
    expect(api.last().headers.authorization).toBe('Bearer plain-token');
  });

  test.each([
    [{ in: 'header', field: 'X-Auth-Token' } as const, { headers: { 'x-auth-token': 'token-number-1' } }],
    [
      { in: 'header', field: 'Authorization', prefix: 'Token ' } as const,
      { headers: { authorization: 'Token token-number-1' } },
    ],
    [{ in: 'query', field: 'auth' } as const, { url: '/things?auth=token-number-1' }],
    [{ in: 'cookie', field: 'sid' } as const, { headers: { cookie: 'sid=token-number-1' } }],
  ])('is sent as %j', async (send, want) => {
    await fresh(login({ send }))();
    expect(calls()[0]).toMatchObject(want);
  });

  test.each([
    ['expires_in', { token: 'abcdefgh', expires_in: 1 }, 2],
    ['expires, in seconds', { token: 'abcdefgh', expires: 1 }, 2],
    ['expires, in milliseconds', { data: { token: 'abcdefgh', expires: 900_000 } }, 1],
    ['a date', () => ({ token: 'abcdefgh', expires_at: new Date(Date.now() + 900).toISOString() }), 2],
    ['a point in time', () => ({ token: 'abcdefgh', expires_at: Math.floor(Date.now() / 1000) + 3600 }), 1],
    ['a point in milliseconds', () => ({ token: 'abcdefgh', expiresAt: Date.now() + 900 }), 2],
    ['the token itself', { token: jwt({ iat: 1_000, exp: 1_001 }) }, 2],
    ['the token itself, for long', { token: jwt({ iat: 1_000, exp: 4_600 }) }, 1],
    ['nobody', { token: 'abcdefgh' }, 1],
    ['nonsense', { token: 'abcdefgh', expires_in: 'soon' }, 1],
    ['a lifetime that is over', { token: 'abcdefgh', expires_in: -5 }, 1],
  ])('is renewed before it expires, as %s says', async (_, answer, want) => {
    answerLogins(() => (typeof answer === 'function' ? answer() : answer));
    const call = fresh();
    await call();
    await call();
    expect([logins, calls().length]).toEqual([want, 2]);
  });

  test('is valid as long as the domain file says', async () => {
    answerLogins(() => ({ token: 'abcdefgh', expires_in: 3600, ttl: { left: 1_000 } }));
    for (const [lifetime, want] of [
      [{ seconds: 1 }, 2],
      [{ at: 'ttl.left', unit: 'milliseconds' }, 2],
      [{ at: 'ttl.left', unit: 'seconds' }, 1],
    ] as const) {
      logins = 0;
      const call = fresh(login({ lifetime }));
      await call();
      await call();
      expect([lifetime, logins]).toEqual([lifetime, want]);
    }
  });
});

describe('one login serves many calls', () => {
  test('that wait for it at the same time, in several operations', async () => {
    const executor = createExecutor({ redact: createRedactor([]) });
    api.answer = (request, response) => {
      if (!isLogin(request)) return void response.end('{}');
      logins++;
      return void setTimeout(() => response.end('{"token":"shared-token"}'), 30);
    };
    const targets = [1, 2].map(() => executor.compile(endpoint(api.origin, { security: [[login()]] })));
    const all = Array.from({ length: 40 }, (_, index) => targets[index % 2]!.run(contextOf({ tool: 'x' }), {}));
    await Promise.all(all);
    expect([logins, calls().length]).toEqual([1, 40]);
    expect(new Set(calls().map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer shared-token']));
  });

  test('whose token was revoked under all of them', async () => {
    const call = fresh();
    await call();
    answerLogins(
      () => ({ token: 'second-token' }),
      ({ headers }) => (headers.authorization === 'Bearer second-token' ? 200 : 401),
    );
    const answers = await Promise.all(Array.from({ length: 20 }, () => call()));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(logins).toBe(2);
  });
});

describe('a token of a login that the API refused', () => {
  test('is replaced once, and the call repeated, a write too: a 401 means that nothing was done', async () => {
    const status = ({ headers }: Recorded) => (headers.authorization === 'Bearer token-number-2' ? 201 : 401);
    answerLogins(() => ({ token: `token-number-${logins}` }), status);
    const write = fresh(login(), {
      method: 'POST',
      effect: 'write',
      idempotent: false,
      args: [{ key: 'name', required: true, to: [{ in: 'body', at: ['name'] }] }],
      body: { kind: 'json', mediaType: 'application/json', required: true },
    });
    expect(await write({ name: 'Ann' })).toMatchObject({ status: 201 });
    expect(calls().map(({ body }) => String(body))).toEqual(['{"name":"Ann"}', '{"name":"Ann"}']);
    expect(logins).toBe(2);
  });

  test('does not make every call log in if the API keeps refusing', async () => {
    answerLogins(
      () => ({ token: `token-number-${logins}` }),
      () => 401,
    );
    const call = fresh();
    for (let index = 0; index < 5; index++) expect(await call()).toMatchObject({ status: 401, ok: false });
    expect([logins, calls().length]).toEqual([2, 6]);
  });

  test('does not make other operations log in again and again if one operation refuses everybody', async () => {
    answerLogins(
      () => ({ token: `token-number-${logins}` }),
      ({ url }) => (url === '/things/closed' ? 401 : 200),
    );
    const executor = createExecutor({ redact: createRedactor([]) });
    const [closed, open] = ['/things/closed', '/things'].map((path) =>
      executor.compile(endpoint(api.origin, { path, security: [[login()]] })),
    );
    for (let index = 0; index < 5; index++) {
      expect(await closed!.run(contextOf({ tool: 'closed' }), {})).toMatchObject({ status: 401 });
      expect(await open!.run(contextOf({ tool: 'open' }), {})).toMatchObject({ status: 200 });
    }
    expect(logins).toBe(2);
  });

  test('is recognised by the statuses in `renewOn`; 403 counts only if it is listed', async () => {
    const status = ({ headers }: Recorded) => (headers.authorization === 'Bearer token-number-2' ? 200 : 403);
    answerLogins(() => ({ token: `token-number-${logins}` }), status);
    expect(await fresh()()).toMatchObject({ status: 403 });
    expect(logins).toBe(1);
    logins = 0;
    expect(await fresh(login({ renewOn: [401, 403] }))()).toMatchObject({ status: 200 });
    expect(logins).toBe(2);
  });
});

describe('cookies that a login sets', () => {
  const cookies = (more: Partial<Login> = {}) => login({ send: { in: 'cookies' }, ...more });
  function setCookies(...lines: string[]): void {
    api.answer = (request, response) => {
      if (isLogin(request)) logins++;
      response.writeHead(200, isLogin(request) ? { 'set-cookie': lines } : {}).end('{}');
    };
  }

  test('are kept and sent below their path, without their attributes', async () => {
    setCookies('sid=abc123def; Path=/; HttpOnly; Secure', 'old=x; Max-Age=0', 'csrf=t0k3nt0k', 'deep=no; Path=/admin');
    const call = fresh(cookies());
    await call();
    await call();
    expect(calls().map(({ headers }) => headers.cookie)).toEqual(Array(2).fill('sid=abc123def; csrf=t0k3nt0k'));
    expect(logins).toBe(1);
    const admin = fresh(cookies(), { path: '/admin/users' });
    await admin();
    expect(api.last().headers.cookie).toBe('sid=abc123def; csrf=t0k3nt0k; deep=no');
  });

  test('expire', async () => {
    setCookies('sid=abc123def; Max-Age=1', 'long=1; Max-Age=100000');
    const call = fresh(cookies());
    await call();
    await call();
    expect(logins).toBe(2);
    setCookies(`sid=abc123def; Expires=${new Date(Date.now() - 1000).toUTCString()}`);
    await expect(fresh(cookies())()).rejects.toMatchObject({
      code: 'BAD_RESPONSE',
      message: expect.stringContaining('set no cookie'),
    });
  });

  test('come with a redirect of a form login, which is not followed', async () => {
    api.answer = (request, response) =>
      isLogin(request)
        ? response.writeHead(302, { location: 'http://elsewhere.test/', 'set-cookie': 'sid=abc123def' }).end()
        : response.end('{}');
    await fresh(cookies())();
    expect(api.seen.map(({ url, headers }) => [url, headers.cookie])).toEqual([
      ['/login', undefined],
      ['/things', 'sid=abc123def'],
    ]);
  });

  test('never leave their origin', async () => {
    const other = await startUpstream();
    other.answer = (_, response) => response.setHeader('set-cookie', 'sid=abc123def').end('{}');
    const abroad = cookies({ request: { ...login().request, url: `${other.origin}/login` } });
    await expect(fresh(abroad)()).rejects.toMatchObject({ message: expect.stringContaining('sent nowhere else') });
    expect([other.seen.length, api.seen.length]).toEqual([0, 0]);
  });

  test('never leave their origin either once another operation has logged in', async () => {
    const other = await startUpstream();
    setCookies('sid=abc123def');
    const executor = createExecutor({ redact: createRedactor([]) });
    const callAt = (origin: string) =>
      executor.compile(endpoint(origin, { security: [[cookies()]] })).run(contextOf({ tool: 'get_thing' }), {});
    await callAt(api.origin);
    expect(api.last().headers.cookie).toBe('sid=abc123def');
    await expect(callAt(other.origin)).rejects.toMatchObject({
      message: expect.stringContaining(`belong to ${api.origin} and are sent nowhere else`),
    });
    expect(other.seen).toHaveLength(0);
  });

  test('are redacted if their value can be a secret; ordinary words in answers stay', async () => {
    const settings = ['logged_in=true', 'theme=darkness', 'auth_state=authenticated', 'seen=1763366400', 'lang=en_US'];
    const sessions = [
      'sid=abc123def',
      'i_like_it=0f3a9c7d12e4b586',
      'connect.sid=s%3Aq1w2e3r4t5.Zx',
      '_id="a1b2c3d4e5f6a7b8c9"',
    ];
    const answer = { active: true, theme: 'darkness', state: 'authenticated', at: 1763366400, lang: 'en_US' };
    const echo = ['abc123def', '0f3a9c7d12e4b586', 's%3Aq1w2e3r4t5.Zx', 's:q1w2e3r4t5.Zx', 'a1b2c3d4e5f6a7b8c9'];
    api.answer = (request, response) =>
      isLogin(request)
        ? response.writeHead(200, { 'set-cookie': [...settings, ...sessions] }).end('{}')
        : response.setHeader('content-type', 'application/json').end(json({ ...answer, echo }));
    const answers = JSON.parse(textOf(await fresh(cookies())()));
    expect(answers).toEqual({ ...answer, echo: Array(5).fill('[redacted]') });
    expect(api.last().headers.cookie).toBe([...settings, ...sessions].join('; '));
  });

  test('are limited in number and length, and malformed ones are left out', async () => {
    const many = Array.from({ length: 50 }, (_, index) => `c${index}=v`);
    setCookies('bad name=x', 'x=a\tb', `big=${'x'.repeat(5_000)}`, ...many);
    await fresh(cookies())();
    expect(calls()[0]!.headers.cookie).toBe(
      many
        .slice(0, 17)
        .map((pair) => pair)
        .join('; '),
    );
  });
});

describe('a login that does not work', () => {
  test('names its variables, and repeats what the API says without secrets', async () => {
    api.answer = (_, response) =>
      response
        .writeHead(401, { 'content-type': 'application/json' })
        .end(json({ errors: [{ message: `Invalid user credentials: ${ENV.PASSWORD}` }] }));
    const failure = await fresh()().catch((error: Error) => error);
    expect(failure).toMatchObject({
      code: 'MISSING_CREDENTIAL',
      message: `get_thing: ${api.origin} refused the login session (401 Invalid user credentials: [redacted]). The call was not made. Check EMAIL and PASSWORD. Changing the arguments does not help.`,
      details: { tool: 'get_thing', variables: ['EMAIL', 'PASSWORD'] },
    });
    expect(json(failure) + String((failure as Error).stack)).not.toContain(ENV.PASSWORD);
  });

  test('is not tried with every call, because wrong passwords lock accounts', async () => {
    api.answer = (_, response) => response.writeHead(401).end();
    const call = fresh();
    const failures: unknown[] = [];
    for (let index = 0; index < 8; index++) failures.push(await call().catch((error: Error) => error.message));
    expect(api.seen).toHaveLength(3);
    expect(failures.at(-1)).toMatch(/refused the login session \(401\).*It is not tried again for \d+ s\.$/);
  });

  test.each([
    ['by this release', { message: 'get_thing: refused (401).', why: 'refused (401).' }],
    ['by an older one, which publishes no reason alone', { message: 'get_thing: refused (401).' }],
    ['without a name in front', { message: 'refused (401).' }],
  ])('names the tool of this call where another one noted it, %s', (_, note) => {
    const error = { code: 'MISSING_CREDENTIAL' as const, details: { tool: 'get_thing', status: 401 }, ...note };
    const failure = blockedError(error, 'list_things', 2_500);
    expect(failure).toBeInstanceOf(ToolError);
    expect(failure).toMatchObject({
      code: 'MISSING_CREDENTIAL',
      message: 'list_things: refused (401). It is not tried again for 3 s.',
      details: { tool: 'list_things', status: 401 },
    });
  });

  test('waits as long as the API asks for', async () => {
    api.answer = (_, response) => response.writeHead(429, { 'retry-after': '20' }).end();
    const call = fresh();
    await expect(call()).rejects.toMatchObject({ code: 'RATE_LIMITED', details: { retry_after_seconds: 20 } });
    await expect(call()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(api.seen).toHaveLength(1);
  });

  test('is tried again at once after an outage', async () => {
    api.answer = (_, response) => response.writeHead(503).end();
    const call = fresh();
    await expect(call()).rejects.toMatchObject({ code: 'UNREACHABLE' });
    answerLogins(() => ({ token: 'back-again' }));
    expect(await call()).toMatchObject({ status: 200 });
  });

  test.each([
    ['no token', '{"ok":true}'],
    ['a token that is no text', '{"token":{"a":1}}'],
    ['an empty one', '{"access_token":""}'],
    ['one with a line break', json({ token: 'abc\r\nX-Evil: 1' })],
    ['one of blanks and accents', json({ token: 'päss wörd' })],
    ['an endless one', json({ token: 'x'.repeat(50_000) })],
    ['no JSON', '<html>Sign in</html>'],
    ['a deep one', '['.repeat(100_000)],
    ['a prototype', '{"__proto__":{"access_token":"polluted"}}'],
  ])('an answer with %s is an error, and nothing is sent', async (_, body) => {
    api.answer = (__, response) => response.setHeader('content-type', 'application/json').end(body);
    await expect(fresh()()).rejects.toMatchObject({ code: 'BAD_RESPONSE' });
    expect(calls()).toHaveLength(0);
  });

  test('is given up if its answer is larger than the limit', async () => {
    const endless = await startRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{"token":"');
      const more = setInterval(() => socket.write('x'.repeat(64 * 1024)), 1);
      socket.on('close', () => clearInterval(more));
    });
    const credential = login({ request: { ...login().request, url: `${endless.origin}/login` } });
    const failure = await fresh(credential)().catch((error: Error) => error);
    expect(failure).toMatchObject({
      code: 'BAD_RESPONSE',
      message: expect.stringMatching(
        /its answer is larger than 262144 bytes.*Check its address.*\nThe call was not made/,
      ),
    });
    expect(String(failure)).not.toMatch(/Ask for less|per page/);
  });

  test('that has moved says where to and what to write; no secret is sent there', async () => {
    const other = await startUpstream();
    api.answer = (_, response) => response.writeHead(307, { location: `${other.origin}/v2/login?x=1` }).end();
    await expect(fresh()()).rejects.toMatchObject({
      code: 'REDIRECT_BLOCKED',
      message: `get_thing: the login session at ${api.origin} has moved to ${other.origin}/v2/login (307). The redirect was not followed, so that no secret is sent there, and the call was not made. If that address is right, write url: ${other.origin}/v2/login in credentials.session of the domain file.`,
    });
    api.answer = (_, response) => response.writeHead(301, { location: `/login/${ENV.PASSWORD}/` }).end();
    await expect(freshWith([ENV.PASSWORD])).rejects.toMatchObject({
      message: expect.stringContaining(`write url: ${api.origin}/login/[redacted]/ in`),
    });
    expect(other.seen).toHaveLength(0);
    expect(calls()).toHaveLength(0);
  });

  test('that redirects to the same path with a final slash is sent again, once', async () => {
    api.answer = (request, response) => {
      if (request.url === '/login') return void response.writeHead(307, { location: '/login/' }).end();
      return void response.end('{"token":"behind-the-slash"}');
    };
    await fresh()();
    expect(api.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /login',
      'POST /login/',
      'GET /things',
    ]);
    expect(String(api.seen[1]!.body)).toContain(ENV.EMAIL);
    api.seen.length = 0;
    api.answer = (_, response) => response.writeHead(307, { location: '/login' }).end();
    await expect(fresh()()).rejects.toMatchObject({ code: 'REDIRECT_BLOCKED' });
    expect(api.seen).toHaveLength(2);
  });

  test('that answers 404 says to check its address', async () => {
    api.answer = (_, response) => response.writeHead(404).end();
    await expect(fresh()()).rejects.toMatchObject({
      message: expect.stringContaining(`check its address, POST ${api.origin}/login, in credentials.session`),
    });
  });

  test('that hangs is reported as the login, not as the operation', async () => {
    api.answer = () => undefined;
    const call = fresh(login(), { limits: { timeoutMs: 100, maxResponseBytes: 1000 } });
    await expect(call()).rejects.toMatchObject({
      code: 'TIMEOUT',
      aftermath: 'unproven',
      message: 'get_thing: the server that issues its token did not answer within 0.1 s.',
    });
  });

  test('is only sent over TLS, to this machine or to the API itself', async () => {
    for (const url of ['http://auth.example.test/login', 'ftp://x/login', 'nonsense']) {
      const credential = login({ request: { ...login().request, url } });
      await expect(fresh(credential)()).rejects.toMatchObject({
        message: expect.stringContaining('must be an https URL'),
      });
    }
  });

  test('is not sent if a variable with a line break would reach a header', async () => {
    const { request, secrets } = fillLogin(
      { url: `${api.origin}/login`, headers: { 'X-Key': PASSWORD } },
      { PASSWORD: 'abc\r\nX-Evil: 1' },
    );
    await expect(fresh(login({ request, secrets }))()).rejects.toMatchObject({ code: 'MISSING_CREDENTIAL' });
    expect(api.seen).toHaveLength(0);
  });

  test('names the variables that are not set', async () => {
    const { request, secrets } = fillLogin(
      { url: `${api.origin}/login`, body: { email: EMAIL, password: PASSWORD } },
      {},
    );
    await expect(fresh(login({ request, secrets }))()).rejects.toMatchObject({
      code: 'MISSING_CREDENTIAL',
      message: expect.stringContaining('Set EMAIL and PASSWORD in the environment'),
    });
    expect(api.seen).toHaveLength(0);
  });
});

describe('secrets of a login', () => {
  test('are redacted in answers: password and token, but not the user name', async () => {
    api.answer = (request, response) => {
      response.setHeader('content-type', 'application/json');
      const echo = { authorization: request.headers.authorization, password: ENV.PASSWORD, email: ENV.EMAIL };
      response.end(json(isLogin(request) ? { token: 'very-secret-token' } : echo));
    };
    expect(JSON.parse(textOf(await fresh()()))).toEqual({
      authorization: 'Bearer [redacted]',
      password: '[redacted]',
      email: ENV.EMAIL,
    });
  });

  test('are not needed by a dry run, which does not log in and shows where the token would stand', () => {
    expect(fresh().preview().headers.authorization).toBe('Bearer [redacted]');
    expect(fresh(login({ send: { in: 'cookies' } })).preview().headers.cookie).toBe('[redacted]');
    expect(api.seen).toHaveLength(0);
  });
});
