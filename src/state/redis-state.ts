// What replicas share in Redis or Valkey: how much each caller and API has been called, and which permissions were used.
// While nobody answers there, the limits of this process go on alone and no permission is accepted: nobody could tell whether
// another replica has seen it.
//
// A Redis that lost its data (restarted from an older copy, flushed, replaced by a replica) would take a used permission for a
// new one. So permissions are issued under a mark, made of the run of the server and a random value kept in its data: they are
// good under that mark only.
import { createHash, randomBytes } from 'node:crypto';
import { GatewayError } from '../errors.ts';
import type { SharedRates } from '../limits/rate.ts';
import { createSpentStore, type SpentStore } from '../orchestration/confirmations.ts';
import { type Ask, openRedisLink, type RedisLink } from './redis-link.ts';
import { SPEND, TAKE } from './redis-scripts.ts';

export interface RedisStateOptions {
  /** `redis://` or `rediss://`; may hold user and password. */
  readonly url: string;
  /** Told once per change. `where` holds no password. */
  readonly onChange: (isUsable: boolean, where: string, why?: string) => void;
  /** Told what an operator should know: this Redis may forget what it must not. */
  readonly onWarning: (message: string) => void;
}

export interface RedisState {
  readonly rates: SharedRates;
  readonly spent: SpentStore;
  readonly isUsable: boolean;
  /** Must never be shown. */
  readonly secrets: readonly string[];
  close(): void;
}

const PREFIX = 'landbridge:';
const MARK_KEY = `${PREFIX}mark`;
const ALIVE_KEY = `${PREFIX}alive`;
const ALIVE_MS = '60000';

/** Resolves once it is known whether Redis answers; where it does not, the state begins without it. */
export async function openRedisState({ url, onChange, onWarning }: RedisStateOptions): Promise<RedisState> {
  const address = parseAddress(url);
  const memory: Memory = { text: '', mark: 0 };
  const link = openRedisLink({
    url,
    heartbeat: (ask, isNew) => readMemory(ask, isNew, memory, onWarning),
    onChange: (isUsable, why) => onChange(isUsable, address.shown, why),
  });
  await link.settled;
  return {
    get isUsable() {
      return link.isUsable;
    },
    rates: createRates(link),
    spent: createSharedSpentStore(link, memory),
    secrets: address.secrets,
    close: () => link.close(),
  };
}

/** Which memory of which run it is. */
interface Memory {
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
  // A replica, or one that is full, answers reads; what we need is one that writes.
  await ask('SET', ALIVE_KEY, '1', 'PX', ALIVE_MS);
  await ask('SET', MARK_KEY, randomBytes(12).toString('base64url'), 'NX');
  memory.text = String(await ask('GET', MARK_KEY));
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
      `this Redis forgets keys when it is full (maxmemory-policy ${policy}), used confirmations included; set maxmemory-policy noeviction`,
    );
}

function createRates(link: RedisLink): SharedRates {
  return {
    get isUsable() {
      return link.isUsable;
    },
    async take(key, { count, periodMs }) {
      try {
        const values = [String(periodMs / count), String(periodMs)];
        const waitUs = Number(await link.run(TAKE, [`${PREFIX}rate:${digest(key)}`], values));
        return waitUs / 1_000;
      } catch {
        return undefined;
      }
    },
  };
}

/** Who calls is nobody's business in Redis, and may be as long as an issuer likes. */
function digest(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 22);
}

function createSharedSpentStore(link: RedisLink, memory: Memory): SpentStore {
  const own = createSpentStore();
  return {
    mark: () => memory.mark,
    async spend(nonce, expiresAtMs, mark) {
      if (!link.isUsable) throw new Error('Redis does not answer');
      if (mark !== memory.mark) return 'lost';
      const { text } = memory;
      const forMs = String(Math.max(1_000, expiresAtMs - Date.now() + CLOCK_SKEW_MS));
      let answer: number;
      try {
        answer = Number(await link.run(SPEND, [`${PREFIX}spent:${nonce}`, MARK_KEY], [text, forMs]));
      } catch (error) {
        // It may have been spent all the same: then nobody may use it here either.
        own.spend(nonce, expiresAtMs);
        throw error;
      }
      if (answer === -1) return 'lost';
      return answer === 1 && own.spend(nonce, expiresAtMs);
    },
  };
}

/** A replica whose clock is behind takes a permission for good a while longer. */
const CLOCK_SKEW_MS = 60_000;

function parseAddress(url: string): { readonly shown: string; readonly secrets: readonly string[] } {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^rediss?:$/.test(parsed.protocol) || parsed.hostname === '')
    throw new GatewayError(
      'BAD_CONFIG',
      'state (--state, LANDBRIDGE_STATE) must be a redis:// or rediss:// URL, such as redis://127.0.0.1:6379.',
      { usage: true },
    );
  const { protocol, host, pathname, password } = parsed;
  const secrets = password === '' ? [] : [...new Set([password, decodeURIComponent(password)])];
  return { shown: `${protocol}//${host}${pathname === '/' ? '' : pathname}`, secrets };
}
