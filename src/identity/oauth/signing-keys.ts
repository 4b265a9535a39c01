// The public keys of an issuer. They come from its JWKS only, never from the header of a token. There is one request at a time
// and at most one per interval; while the issuer is away, known keys stay valid for a configured time.
import { createLocalJWKSet, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose';
import { isObject } from '../../endpoint/is-object.ts';
import { type Node, own, parseJsonObject } from '../../endpoint/untrusted.ts';
import type { Ask, AuthorizationServer } from './authorization-server.ts';

export interface SigningKeys {
  /** Rises when a key is withdrawn: what was verified before has to be verified again. */
  readonly generation: number;
  /** Whether there are keys that are young enough. Refreshes them in the background when it is time. */
  areGood(): boolean;
  verify(token: string, options: JWTVerifyOptions): Promise<Verified>;
  /** Fetches the keys, and goes on trying until they are there. */
  start(): void;
  close(): void;
}

export type Verified =
  /** `generation`: that of the keys it was checked with. */
  | { readonly kind: 'good'; readonly claims: JWTPayload; readonly generation: number }
  | { readonly kind: 'bad'; readonly why: string }
  | { readonly kind: 'unavailable' };

export interface SigningKeysParts {
  readonly server: AuthorizationServer;
  readonly ask: Ask;
  readonly maxAgeMs: number;
  readonly onFetched: (keys: number) => void;
  readonly onFailure: (why: string) => void;
}

/** At most one request in this time, no matter which keys tokens name. */
const FETCH_INTERVAL_MS = 10_000;
/** How long a withdrawn key stays accepted at most, if the issuer can be reached. */
const REFRESH_MS = 300_000;
/** Callers that wait for keys, all together; more are sent away at once, so that they do not fill the gateway. */
const MAX_WAITING = 100;
/** How many keys are tried for a token that does not name its key. */
const MAX_TRIED = 4;
const MAX_KEYS = 100;

type KeySet = ReturnType<typeof createLocalJWKSet>;

export function createSigningKeys({ server, ask, maxAgeMs, onFetched, onFailure }: SigningKeysParts): SigningKeys {
  let keys: KeySet | undefined;
  let prints: ReadonlySet<string> = new Set();
  let generation = 0;
  let fetchedAt = 0;
  let triedAt = Number.NEGATIVE_INFINITY;
  let lastFailed = false;
  let pending: Promise<void> | undefined;
  let waiting = 0;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const fetchKeys = async (): Promise<void> => {
    triedAt = Date.now();
    try {
      const list = await askForKeys(server, ask);
      keys = createLocalJWKSet({ keys: list } as never);
      const next = new Set(list.map(printOf));
      if ([...prints].some((print) => !next.has(print))) generation++;
      prints = next;
      fetchedAt = Date.now();
      lastFailed = false;
      onFetched(list.length);
    } catch (error) {
      lastFailed = true;
      server.forget();
      onFailure(error instanceof Error ? error.message : 'it could not be reached');
    }
  };

  const mayFetch = () => pending !== undefined || Date.now() - triedAt >= FETCH_INTERVAL_MS;
  const refresh = (): Promise<void> => {
    pending ??= fetchKeys().finally(() => {
      pending = undefined;
    });
    return pending;
  };
  const isYoung = () => keys !== undefined && Date.now() - fetchedAt < maxAgeMs;
  /** False if too many callers are waiting already. */
  const wait = async (): Promise<boolean> => {
    if (waiting >= MAX_WAITING) return false;
    waiting++;
    try {
      await refresh();
      return true;
    } finally {
      waiting--;
    }
  };

  const attempt = async (token: string, options: JWTVerifyOptions): Promise<Verified | 'no_key'> => {
    // Read before the await: the keys may be replaced while the signature is checked.
    const checkedIn = generation;
    try {
      return { kind: 'good', claims: await verifyWith(keys!, token, options), generation: checkedIn };
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) return 'no_key';
      return { kind: 'bad', why: 'The token does not have a valid signature of its issuer.' };
    }
  };

  const tryAgain = () => {
    if (isClosed || isYoung()) return;
    timer = setTimeout(() => void refresh().then(tryAgain), FETCH_INTERVAL_MS);
    timer.unref();
  };

  return {
    get generation() {
      return generation;
    },
    areGood() {
      if (Date.now() - fetchedAt >= REFRESH_MS && mayFetch()) void refresh();
      return isYoung();
    },
    async verify(token, options) {
      if (!isYoung() && mayFetch() && !(await wait())) return { kind: 'unavailable' };
      if (!isYoung()) return { kind: 'unavailable' };
      const first = await attempt(token, options);
      if (first !== 'no_key') return first;
      if (mayFetch() && !(await wait())) return { kind: 'unavailable' };
      const second = await attempt(token, options);
      if (second !== 'no_key') return second;
      // It may be a new key that could not be fetched.
      if (lastFailed) return { kind: 'unavailable' };
      return { kind: 'bad', why: 'The token is signed with a key that its issuer does not publish.' };
    },
    start() {
      void refresh().then(tryAgain);
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

async function verifyWith(keys: KeySet, token: string, options: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, keys, options)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    let count = 0;
    for await (const key of error) {
      if (++count > MAX_TRIED) break;
      try {
        return (await jwtVerify(token, key, options)).payload;
      } catch (failure) {
        if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/** Throws an Error that says why, if there are none. */
export async function askForKeys(server: AuthorizationServer, ask: Ask): Promise<Node[]> {
  const url = await server.jwksUri();
  const { status, body } = await ask({ method: 'GET', url, headers: { accept: 'application/json' } });
  if (status !== 200) throw new Error(`the request for its keys was answered with status ${status}`);
  return parseKeys(body);
}

function parseKeys(body: Buffer): Node[] {
  const keys = own(parseJsonObject(body.toString()), 'keys');
  if (!Array.isArray(keys) || !keys.every((key) => isObject(key) && typeof own(key, 'kty') === 'string'))
    throw new Error('its keys are not a JSON Web Key Set');
  if (keys.length > MAX_KEYS) throw new Error(`it publishes more than ${MAX_KEYS} keys`);
  return keys as Node[];
}

function printOf(key: Node): string {
  return JSON.stringify(['kty', 'kid', 'alg', 'use', 'crv', 'n', 'e', 'x', 'y'].map((name) => own(key, name)));
}
