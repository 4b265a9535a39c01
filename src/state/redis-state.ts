// State that replicas share in Redis or Valkey: how much each caller and API has been called, and which permissions were used.
// While Redis cannot be reached, each process applies its limits alone and no permission is accepted, because another replica may
// have used it.
//
// A Redis that lost its data (restarted from an older copy, flushed, replaced by a replica) would accept a used permission as
// new. So permissions are issued under a mark, made from the server's run id and a random value stored in its data: they are
// valid under that mark only.
import { createHash, randomBytes } from 'node:crypto';
import { type GatewayError, usageError } from '../errors.ts';
import type { SharedRates } from '../limits/rate.ts';
import { createSpentMemory, type SpentStore } from '../orchestration/confirmations.ts';
import { createRedisLetters } from './redis/redis-letters.ts';
import { type Ask, openRedisLink, type RedisLink } from './redis/redis-link.ts';
import { SPEND, TAKE } from './redis/redis-scripts.ts';
import { createRedisShelf } from './redis/redis-shelf.ts';
import { createSealBox } from './redis/seal-box.ts';
import type { SharedState } from './shared-state.ts';
import { createSharedTokens } from './shelf.ts';

export interface RedisStateOptions {
  /** `redis://` or `rediss://`; may hold user and password, `?timeoutMs=50` and `?prefix=landbridge:`. */
  readonly url: string;
  /** Of all replicas. Without it they share nothing that must be sealed: no letters and no access tokens. */
  readonly secret?: Buffer | undefined;
  /** Told once per change. `where` holds no password. */
  readonly onChange: (isUsable: boolean, where: string, why?: string) => void;
  /** Told what an operator should know: this Redis may forget what it must not. */
  readonly onWarning: (message: string) => void;
}

const DEFAULT_PREFIX = 'landbridge:';
/** How long a call waits for Redis before it goes on without. */
const DEFAULT_TIMEOUT_MS = 50;
/** Longer than for other requests, because a person's confirmation is at stake. */
const SPEND_MS = 1_000;
const ALIVE_MS = '60000';

/** Resolves once it is known whether Redis answers; where it does not, the state begins without it. */
export async function openRedisState({ url, secret, onChange, onWarning }: RedisStateOptions): Promise<SharedState> {
  const address = parseAddress(url);
  const { prefix } = address;
  const memory: Memory = { key: `${prefix}mark`, aliveKey: `${prefix}alive`, text: '', mark: 0 };
  const link = openRedisLink({
    url: address.url,
    timeoutMs: address.timeoutMs,
    heartbeat: (ask, isNew) => readMemory(ask, isNew, memory, onWarning),
    onChange: (isUsable, why) => onChange(isUsable, address.shown, why),
  });
  const box = secret && createSealBox(secret);
  await link.settled;
  return {
    get isUsable() {
      return link.isThere;
    },
    rates: createRates(link, prefix),
    spent: createSharedSpentStore(link, memory, address),
    letters: box && createRedisLetters(link, prefix, box),
    tokens: box && createSharedTokens(createRedisShelf(link, prefix, box)),
    secrets: address.secrets,
    close: () => link.close(),
  };
}

/** Which memory of which run it is. */
interface Memory {
  readonly key: string;
  readonly aliveKey: string;
  run?: string;
  text: string;
  mark: number;
}

async function readMemory(ask: Ask, isNew: boolean, memory: Memory, onWarning: (message: string) => void) {
  if (isNew) {
    const info = String(await ask('INFO', 'server'));
    const run = /^run_id:(\w+)/m.exec(info)?.[1];
    if (run === undefined) throw new Error('it does not say its run_id (INFO server)');
    memory.run = run;
    await warnOfEviction(ask, onWarning);
  }
  // A read-only replica or a full server answers reads, so the heartbeat has to write.
  await ask('SET', memory.aliveKey, '1', 'PX', ALIVE_MS);
  await ask('SET', memory.key, randomBytes(12).toString('base64url'), 'NX');
  memory.text = String(await ask('GET', memory.key));
  memory.mark = toMark(memory);
}

function toMark({ run, text }: Memory): number {
  return createHash('sha256').update(`${run} ${text}`).digest().readUInt32BE(0) || 1;
}

async function warnOfEviction(ask: Ask, onWarning: (message: string) => void): Promise<void> {
  const info = String(await ask('INFO', 'memory'));
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? 'noeviction';
  const isLimited = !/^maxmemory:0\s/m.test(info);
  if (isLimited && policy !== 'noeviction')
    onWarning(
      `this Redis evicts keys when it is full (maxmemory-policy ${policy}), including used confirmations; set maxmemory-policy noeviction`,
    );
}

function createRates(link: RedisLink, prefix: string): SharedRates {
  return {
    get isUsable() {
      return link.isPrompt;
    },
    async take(key, { count, periodMs }, most) {
      try {
        const values = [String(periodMs / count), String(periodMs), String(most)];
        const answer = Number(await link.run(TAKE, [`${prefix}rate:${digest(key)}`], values));
        // An answer that this script cannot give is ignored.
        if (!Number.isFinite(answer) || answer > most) return undefined;
        return answer > 0 ? { tokens: answer, waitMs: 0 } : { tokens: 0, waitMs: -answer / 1_000 };
      } catch {
        return undefined;
      }
    },
  };
}

/** Callers are not named in Redis, and their names may have any length. */
function digest(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 22);
}

function createSharedSpentStore(link: RedisLink, memory: Memory, { prefix, timeoutMs }: Address): SpentStore {
  const own = createSpentMemory();
  return {
    mark: () => memory.mark,
    async spend(nonce, expiresAtMs, mark) {
      if (!link.isIntroduced) throw new Error('Redis is not connected');
      if (mark !== memory.mark) return 'lost';
      const { text } = memory;
      const forMs = String(Math.max(1_000, expiresAtMs - Date.now() + CLOCK_SKEW_MS));
      let answer: number;
      try {
        const keys = [`${prefix}spent:${nonce}`, memory.key];
        answer = Number(await link.run(SPEND, keys, [text, forMs], Math.max(SPEND_MS, timeoutMs)));
      } catch (error) {
        // It may have been spent in Redis nevertheless, so it must not be used here either.
        own.spend(nonce, expiresAtMs);
        throw error;
      }
      if (answer === -1) return 'lost';
      return answer === 1 && own.spend(nonce, expiresAtMs);
    },
  };
}

/** A replica whose clock is behind accepts a permission for a while longer, so it is remembered for longer. */
const CLOCK_SKEW_MS = 60_000;

interface Address {
  /** For the client. */
  readonly url: string;
  /** For people. */
  readonly shown: string;
  readonly secrets: readonly string[];
  readonly prefix: string;
  readonly timeoutMs: number;
}

function parseAddress(text: string): Address {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^rediss?:$/.test(url.protocol) || url.hostname === '')
    throw refuse('must be a redis:// or rediss:// URL, such as redis://127.0.0.1:6379');
  const {
    prefix = DEFAULT_PREFIX,
    timeoutMs = String(DEFAULT_TIMEOUT_MS),
    ...rest
  } = Object.fromEntries(url.searchParams);
  const stranger = Object.keys(rest)[0];
  if (stranger !== undefined) throw refuse(`may have ?timeoutMs= and ?prefix=, but not ${stranger}`);
  if (!/^[1-9]\d{0,3}$/.test(timeoutMs)) throw refuse('must have a timeoutMs from 1 to 9999');
  url.search = '';
  const { protocol, host, pathname, username, password } = url;
  decode(username);
  const secrets = password === '' ? [] : [...new Set([password, decode(password)])];
  const address = `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
  return { url: url.href, shown: address, secrets, prefix, timeoutMs: Number(timeoutMs) };
}

/** The client library decodes it as well, and would fail without saying where. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refuse('has a % in its user or password that is not an escape: write % as %25');
  }
}

function refuse(problem: string): GatewayError {
  return usageError(`state (--state, LANDBRIDGE_STATE) ${problem}.`);
}
