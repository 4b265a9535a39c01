// Tokens that only their issuer can read: it is asked about each (RFC 7662). Callers with the same token share one question; a
// no is remembered for a moment, a failure not at all, and neither ever lets anybody in.
import { type Node, own } from '../../endpoint/untrusted.ts';
import { type Ask, type AuthorizationServer, parseObject } from './authorization-server.ts';
import { createTokenCache } from './token-cache.ts';

export type Introspected =
  | { readonly kind: 'active'; readonly claims: Node }
  | { readonly kind: 'inactive' }
  | { readonly kind: 'unavailable' };

export interface Introspection {
  /** `key`: the hash of the token. */
  look(token: string, key: string): Promise<Introspected>;
}

export interface IntrospectionParts {
  readonly server: AuthorizationServer;
  readonly ask: Ask;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly onFailure: (why: string) => void;
}

/** Also how long a token that was shown too early stays refused. */
const INACTIVE_MS = 5_000;
const MAX_INACTIVE = 10_000;
/** Questions under way; more callers are sent away, so that made-up tokens fill neither this gateway nor the issuer. */
const MAX_UNDER_WAY = 64;

/** Callers that wait for an answer, all together: those with one token share a question, and still fill the gateway. */
const MAX_WAITING = 100;

const INACTIVE: Introspected = Object.freeze({ kind: 'inactive' });
const UNAVAILABLE: Introspected = Object.freeze({ kind: 'unavailable' });

export function createIntrospection(parts: IntrospectionParts): Introspection {
  const { server, ask, clientId, clientSecret, onFailure } = parts;
  const underWay = new Map<string, Promise<Introspected>>();
  let waiting = 0;
  const inactiveUntil = createTokenCache<number>(MAX_INACTIVE, MAX_INACTIVE);

  const request = async (token: string, key: string): Promise<Introspected> => {
    try {
      const { url, secretInBody } = await server.introspection();
      const form = new URLSearchParams({ token, token_type_hint: 'access_token' });
      if (secretInBody) {
        form.set('client_id', clientId);
        form.set('client_secret', clientSecret);
      }
      const { status, body } = await ask({
        method: 'POST',
        url,
        headers: {
          accept: 'application/json',
          'content-type': 'application/x-www-form-urlencoded',
          ...(!secretInBody && { authorization: basic(clientId, clientSecret) }),
        },
        body: form.toString(),
      });
      const answer = status === 200 ? parseObject(body) : undefined;
      if (answer === undefined) throw new Error(explain(status));
      // Nothing but `true` is a yes.
      if (own(answer, 'active') === true) return { kind: 'active', claims: answer };
      inactiveUntil.set(key, Date.now() + INACTIVE_MS, 1);
      return INACTIVE;
    } catch (error) {
      server.forget();
      onFailure(error instanceof Error ? error.message : 'it could not be reached');
      return UNAVAILABLE;
    }
  };

  const share = (token: string, key: string): Promise<Introspected> => {
    let question = underWay.get(key);
    if (question === undefined) {
      question = request(token, key).finally(() => underWay.delete(key));
      underWay.set(key, question);
    }
    return question;
  };

  return {
    async look(token, key) {
      if ((inactiveUntil.get(key) ?? 0) > Date.now()) return INACTIVE;
      if (waiting >= MAX_WAITING || (underWay.size >= MAX_UNDER_WAY && !underWay.has(key))) return UNAVAILABLE;
      waiting++;
      try {
        return await share(token, key);
      } finally {
        waiting--;
      }
    },
  };
}

function explain(status: number): string {
  if (status === 200) return 'its introspection endpoint answered with no JSON object';
  if (status === 401 || status === 403)
    return `its introspection endpoint refused our client id and secret (status ${status})`;
  return `its introspection endpoint answered with status ${status}`;
}

/** Both halves are encoded as in a form before they are joined (RFC 6749 2.3.1). */
function basic(id: string, secret: string): string {
  const encode = (text: string) => new URLSearchParams({ text }).toString().slice('text='.length);
  return `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}`;
}
