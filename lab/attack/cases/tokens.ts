// D: tokens that must not open anything. Judged by what reached the API; a good token of the same issuer shows that the
// door would have opened.
import { createHmac } from 'node:crypto';
import type { Attack, Case } from '../case.ts';
import { type Answer, envelope, modernHeaders, post } from '../doors.ts';
import type { Gateway } from '../gateway.ts';
import { type Issuer, type Minting, startIssuer } from '../issuer.ts';
import { document, ID, operation } from './small-api.ts';

const PUBLIC_URL = 'http://127.0.0.1:3999';
const AUDIENCE = `${PUBLIC_URL}/mcp`;

const paths = {
  '/things': { get: operation('list_things'), post: operation('create_thing') },
  '/things/{id}': {
    get: operation('get_thing', { parameters: ID }),
    delete: operation('delete_thing', { parameters: ID }),
  },
};

interface Scene {
  readonly attack: Attack;
  readonly issuer: Issuer;
  readonly gateway: Gateway;
  /** Calls the read with a token, in both eras; what came back. */
  call(token: string, how?: { tool?: string; profile?: string; inQuery?: boolean }): Promise<Answer[]>;
}

async function inScene(
  attack: Attack,
  act: (scene: Scene) => Promise<string | undefined>,
): Promise<string | undefined> {
  const issuer = await startIssuer();
  try {
    const gateway = await attack.launch({
      files: {
        'api.json': document(attack.upstream.url, paths),
        'landbridge.yaml': JSON.stringify({
          domains: ['./api.json'],
          publicUrl: PUBLIC_URL,
          exposure: 'tools',
          profiles: { readers: { effects: ['read'] }, staff: {} },
          auth: {
            oauth: [
              {
                issuer: issuer.url,
                scopes: { read: ['api.read'], write: ['api.write'], destructive: ['api.admin'] },
                profiles: { staff: ['staff.use'] },
              },
            ],
          },
        }),
      },
    });
    const call: Scene['call'] = async (token, { tool = 'list_things', profile = '', inQuery = false } = {}) => {
      const query = inQuery ? `?access_token=${token}` : '';
      const url = (profile === '' ? gateway.http : `${gateway.http}/${profile}`) + query;
      const params = { name: tool, arguments: tool.endsWith('_thing') && tool !== 'create_thing' ? { id: '1' } : {} };
      const auth = token === '' || inQuery ? {} : { authorization: `Bearer ${token}` };
      const send = (body: object, more: Record<string, string>) =>
        post(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: body }), { ...auth, ...more });
      const modern = envelope(params);
      return [
        await send(modern, modernHeaders('tools/call', modern)),
        await send(params, { 'mcp-protocol-version': '2025-11-25' }),
      ];
    };
    return await act({ attack, issuer, gateway, call });
  } finally {
    await issuer.close();
  }
}

/** A token that must reach nothing, after one that does. */
function refused(
  id: string,
  make: (scene: Scene) => Promise<string> | string,
  how: Parameters<Scene['call']>[1] = {},
): Case {
  return {
    part: 'D',
    id: `token: ${id}`,
    limitMs: 30_000,
    run: (attack) =>
      inScene(attack, async (scene) => {
        const { issuer, call } = scene;
        await call(await issuer.mint(AUDIENCE));
        if (attack.upstream.arrivals.length !== 2) return 'a good token opened nothing: the case shows nothing';
        attack.upstream.arrivals.length = 0;
        const answers = await call(await make(scene), how);
        if (attack.upstream.arrivals.length > 0) return `${attack.upstream.arrivals[0]!.url} reached the API`;
        const [served] = answers.filter(({ result }) => result !== undefined && result.isError !== true);
        return served && `it was served: ${served.text.slice(0, 200)}`;
      }),
  };
}

const minted = (id: string, minting: Minting, audience = AUDIENCE) =>
  refused(id, ({ issuer }) => issuer.mint(audience, minting));

const seconds = (offset: number) => Math.floor(Date.now() / 1_000) + offset;
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The token with another header and signature; its claims are those of a good one. */
async function resigned(
  { issuer }: Scene,
  header: object,
  sign: (input: string) => string,
  claims: object = {},
): Promise<string> {
  const [, payload] = (await issuer.mint(AUDIENCE, { claims: claims as Record<string, unknown> })).split('.');
  const input = `${part(header)}.${payload}`;
  return `${input}.${sign(input)}`;
}

/** What somebody who knows the public key would use as a shared secret. */
const hmac = (secret: string) => (input: string) => createHmac('sha256', secret).update(input).digest('base64url');

export const TOKEN_CASES: readonly Case[] = [
  refused('none at all', () => ''),
  refused('a word', () => 'let-me-in'),
  refused('two dots', () => '..'),
  refused('8,000 characters', () => 'a'.repeat(8_000)),
  minted('signed by somebody else', { foreign: true }),
  minted('expired', { claims: { exp: seconds(-3_600), iat: seconds(-7_200) } }),
  minted('without an end', { claims: { exp: undefined } }),
  minted('with an end that is a text', { claims: { exp: 'tomorrow' } }),
  minted('not good yet', { claims: { nbf: seconds(3_600) } }),
  minted('of another audience', {}, 'https://other.example/mcp'),
  minted('of an audience that begins like ours', {}, `${AUDIENCE}.evil.example`),
  minted('of the origin alone', {}, PUBLIC_URL),
  minted('without an audience', { claims: { aud: undefined } }),
  minted('of another issuer', { claims: { iss: 'https://evil.example' } }),
  minted('of an issuer with a slash more', { claims: { iss: 'http://127.0.0.1/' } }),
  minted('without an issuer', { claims: { iss: undefined } }),
  minted('that is an ID token', { header: { typ: 'id_token' }, claims: { nonce: 'x' } }),
  minted('of a type of its own', { header: { typ: 'dpop+jwt' } }),
  minted('with a critical header nobody knows', { header: { crit: ['evil'], evil: true } as never }),
  minted('without any scope', { claims: { scope: undefined } }),
  minted('with scopes of others', { claims: { scope: 'api.reader api api.read.x' } }),
  minted('of another audience, with the scopes of all', { claims: { scope: 'api.read api.write api.admin' } }, 'x'),
  refused('alg none', (scene) => resigned(scene, { alg: 'none', typ: 'at+jwt' }, () => '')),
  refused('alg None', (scene) => resigned(scene, { alg: 'None', typ: 'at+jwt' }, () => '')),
  refused('alg HS256, the public key as JSON its secret', (scene) =>
    resigned(scene, { alg: 'HS256', typ: 'at+jwt', kid: 'key-1' }, hmac(JSON.stringify(scene.issuer.publicKey))),
  ),
  refused('alg HS256, the coordinate of the key its secret', (scene) =>
    resigned(scene, { alg: 'HS256', typ: 'at+jwt', kid: 'key-1' }, hmac(String(scene.issuer.publicKey.x))),
  ),
  refused('alg HS256 with an empty secret', (scene) => resigned(scene, { alg: 'HS256', typ: 'at+jwt' }, hmac(''))),
  ...['../../../../dev/null', "x' UNION SELECT 'key", '__proto__', 'constructor', 'k'.repeat(4_000), ''].map((kid) =>
    minted(`kid ${JSON.stringify(kid.slice(0, 30))}`, { header: { kid }, foreign: true }),
  ),
  refused('a key of its own in the header', async ({ issuer }) =>
    issuer.mint(AUDIENCE, { foreign: true, header: { jwk: issuer.publicKey } as never }),
  ),
  refused('a key set of its own in the header', ({ issuer }) =>
    issuer.mint(AUDIENCE, { foreign: true, header: { jku: 'http://127.0.0.1:9/jwks', kid: 'evil' } as never }),
  ),
  refused('a certificate of its own in the header', ({ issuer }) =>
    issuer.mint(AUDIENCE, { foreign: true, header: { x5u: 'http://127.0.0.1:9/cert', x5c: ['AAAA'] } as never }),
  ),
  refused('a good one with its signature cut off', async ({ issuer }) =>
    (await issuer.mint(AUDIENCE)).replace(/[^.]*$/, ''),
  ),
  refused('a good one with other claims', async ({ issuer }) => {
    const [header, , signature] = (await issuer.mint(AUDIENCE)).split('.');
    return `${header}.${part({ iss: issuer.url, aud: AUDIENCE, sub: 'root', exp: seconds(300), scope: 'api.read' })}.${signature}`;
  }),
  refused(
    'a good one of a key that was rotated away, after a restart of its trust',
    async ({ issuer, gateway, attack }) => {
      const old = await issuer.mint(AUDIENCE, { claims: { jti: 'old', sub: 'old' } });
      await issuer.rotate();
      // A token of the new key makes the gateway fetch the new set, as soon as it may.
      const fresh = await issuer.mint(AUDIENCE);
      for (let tries = 0; tries < 60 && attack.upstream.arrivals.length === 0; tries++) {
        await post(gateway.http, '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_things"}}', {
          authorization: `Bearer ${fresh}`,
          'mcp-protocol-version': '2025-11-25',
        });
        if (attack.upstream.arrivals.length === 0) await new Promise((resolve) => setTimeout(resolve, 500));
      }
      if (attack.upstream.arrivals.length === 0) throw new Error('the new key was never taken');
      attack.upstream.arrivals.length = 0;
      return old;
    },
  ),
  refused('a good one in the query', ({ issuer }) => issuer.mint(AUDIENCE), { inQuery: true }),
  ...(['create_thing', 'delete_thing'] as const).map((tool) =>
    refused(`a read scope on ${tool}`, ({ issuer }) => issuer.mint(AUDIENCE), { tool }),
  ),
  refused('for /mcp at a profile', ({ issuer }) => issuer.mint(AUDIENCE), { profile: 'readers' }),
  refused('for a profile at /mcp', ({ issuer }) => issuer.mint(`${AUDIENCE}/readers`)),
  refused('with something behind it', async ({ issuer }) => `${await issuer.mint(AUDIENCE)}=`),
  refused('of the profile, without its scope', ({ issuer }) => issuer.mint(`${AUDIENCE}/staff`), { profile: 'staff' }),
  {
    part: 'D',
    id: 'token: a thousand unknown keys make one or two fetches',
    limitMs: 30_000,
    run: (attack) =>
      inScene(attack, async ({ issuer, call }) => {
        await call(await issuer.mint(AUDIENCE));
        const before = issuer.fetches();
        const tokens = await Promise.all(
          Array.from({ length: 500 }, (_, index) =>
            issuer.mint(AUDIENCE, { foreign: true, header: { kid: `k${index}` } }),
          ),
        );
        await Promise.all(tokens.map((token) => call(token)));
        const more = issuer.fetches() - before;
        return more > 2 ? `${more} fetches of the keys` : undefined;
      }),
  },
  {
    part: 'D',
    id: 'token: a good one still works while the issuer is away, a new one too',
    limitMs: 30_000,
    run: (attack) =>
      inScene(attack, async ({ issuer, call }) => {
        const token = await issuer.mint(AUDIENCE);
        await call(token);
        const later = await issuer.mint(AUDIENCE, { claims: { sub: 'later' } });
        issuer.fail();
        await call(token);
        await call(later);
        const { length } = attack.upstream.arrivals;
        return length === 6 ? undefined : `${length} of 6 calls reached the API`;
      }),
  },
];
