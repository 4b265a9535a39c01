// Opaque tokens: the issuer is asked about each (RFC 7662). Callers with the same token share one request. A refusal is
// remembered for a few seconds, a failure not at all; neither lets the caller in.
import { type Node, own, parseJsonObject } from '../../endpoint/untrusted.ts';
import type { Ask, AuthorizationServer } from './authorization-server.ts';
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
/** Concurrent requests; further ones queue, so that made-up tokens overload neither this gateway nor the issuer. */
const MAX_UNDER_WAY = 64;
const MAX_QUEUED = 400;
/** Callers waiting for the answer about one token: they share a request, but each takes up memory. */
const MAX_WAITING = 100;
const MAX_GOOD = 10_000;

const INACTIVE: Introspected = Object.freeze({ kind: 'inactive' });
const UNAVAILABLE: Introspected = Object.freeze({ kind: 'unavailable' });

export function createIntrospection(parts: IntrospectionParts): Introspection {
  const { server, ask, clientId, clientSecret, onFailure } = parts;
  const questions = new Map<string, { readonly answer: Promise<Introspected>; waiting: number }>();
  const turns = createTurns();
  /** Tokens that were good when they were last asked about. */
  const goodLately = createTokenCache<true>(MAX_GOOD, MAX_GOOD);
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
      const answer = status === 200 ? parseJsonObject(body.toString()) : undefined;
      if (answer === undefined) throw new Error(explain(status));
      // Nothing but `true` is a yes.
      if (own(answer, 'active') === true) {
        goodLately.set(key, true, 1);
        return { kind: 'active', claims: answer };
      }
      goodLately.delete(key);
      inactiveUntil.set(key, Date.now() + INACTIVE_MS, 1);
      return INACTIVE;
    } catch (error) {
      server.forget();
      onFailure(error instanceof Error ? error.message : 'it could not be reached');
      return UNAVAILABLE;
    }
  };

  const askInTurn = async (token: string, key: string, turn: Promise<void> | undefined): Promise<Introspected> => {
    if (turn !== undefined) await turn;
    try {
      return await request(token, key);
    } finally {
      questions.delete(key);
      turns.end();
    }
  };

  return {
    async look(token, key) {
      if ((inactiveUntil.get(key) ?? 0) > Date.now()) return INACTIVE;
      let question = questions.get(key);
      if (question === undefined) {
        const isKnown = goodLately.get(key) === true;
        if (!isKnown && turns.queued >= MAX_QUEUED) return UNAVAILABLE;
        question = { answer: askInTurn(token, key, turns.begin(isKnown)), waiting: 0 };
        questions.set(key, question);
      }
      if (question.waiting >= MAX_WAITING) return UNAVAILABLE;
      question.waiting++;
      try {
        return await question.answer;
      } finally {
        question.waiting--;
      }
    },
  };
}

/** Tokens that were good before go first, so that a flood of made-up ones does not delay their holders. */
function createTurns() {
  const first: (() => void)[] = [];
  const others: (() => void)[] = [];
  let underWay = 0;
  return {
    get queued() {
      return others.length;
    },
    /** Undefined: at once. A promise: wait for it. end() must follow. */
    begin(goesFirst: boolean): Promise<void> | undefined {
      if (underWay < MAX_UNDER_WAY) {
        underWay++;
        return undefined;
      }
      return new Promise((resolve) => (goesFirst ? first : others).push(resolve));
    },
    end() {
      const next = first.shift() ?? others.shift();
      if (next) next();
      else underWay--;
    },
  };
}

function explain(status: number): string {
  if (status === 200) return 'its introspection endpoint did not answer with a JSON object';
  if (status === 401 || status === 403)
    return `its introspection endpoint refused our client id and secret (status ${status})`;
  return `its introspection endpoint answered with status ${status}`;
}

/** Both halves are encoded as in a form before they are joined (RFC 6749 2.3.1). */
function basic(id: string, secret: string): string {
  const encode = (text: string) => new URLSearchParams({ text }).toString().slice('text='.length);
  return `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}`;
}
