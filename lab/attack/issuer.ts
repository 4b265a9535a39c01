// An authorization server on loopback that signs whatever a case asks for, wrong things above all. The honest one of the
// tests is oidc-provider (test/identity).
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose';

export interface Minting {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Partial<JWTHeaderParameters>;
  /** Signed with a key that nobody publishes. */
  readonly foreign?: boolean;
}

export interface Issuer {
  readonly url: string;
  /** How often its keys were asked for. */
  readonly fetches: () => number;
  /** Its public key as it is published. */
  readonly publicKey: JWK;
  /** A token that is good for `audience` but for what `minting` changes. A claim that is undefined is left out. */
  mint(audience: string, minting?: Minting): Promise<string>;
  /** Signs with a new key from now on; the old one is no longer published. */
  rotate(): Promise<void>;
  /** From now on nothing is answered but 503. */
  fail(): void;
  close(): Promise<void>;
}

const ALG = 'ES256';

export async function startIssuer(): Promise<Issuer> {
  const foreign = await generateKeyPair(ALG);
  let count = 0;
  const makeKey = async () => {
    const pair = await generateKeyPair(ALG);
    const kid = `key-${++count}`;
    return { pair, kid, jwk: { ...(await exportJWK(pair.publicKey)), kid, alg: ALG, use: 'sig' } as JWK };
  };
  let current = await makeKey();
  let fetches = 0;
  let failing = false;
  const server = createServer((request, response) => {
    const answer = (value: unknown) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(value));
    };
    if (failing) {
      response.statusCode = 503;
      answer({});
    } else if (request.url === '/jwks') {
      fetches++;
      answer({ keys: [current.jwk] });
    } else if (request.url?.startsWith('/.well-known/')) {
      answer({
        issuer: url,
        jwks_uri: `${url}/jwks`,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        response_types_supported: ['code'],
      });
    } else {
      response.statusCode = 404;
      answer({});
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    fetches: () => fetches,
    get publicKey() {
      return current.jwk;
    },
    mint(audience, { claims = {}, header = {}, foreign: isForeign = false } = {}) {
      const now = Math.floor(Date.now() / 1_000);
      const all = {
        iss: url,
        aud: audience,
        sub: 'mallory',
        client_id: 'attack',
        iat: now,
        exp: now + 300,
        jti: `${now}-${Math.random()}`,
        scope: 'api.read',
        ...claims,
      };
      const payload = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
      const signing = new SignJWT(payload).setProtectedHeader({ alg: ALG, kid: current.kid, typ: 'at+jwt', ...header });
      // The library signs no critical header it has not been told of.
      const crit = Object.fromEntries((header.crit ?? []).map((name) => [name, true]));
      return signing.sign(isForeign ? foreign.privateKey : current.pair.privateKey, { crit });
    },
    rotate: async () => {
      current = await makeKey();
    },
    fail: () => {
      failing = true;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
