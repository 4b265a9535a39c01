// State that replicas share in Redis or Valkey: how much each caller and API has been called, which confirmations were used, messages
// between replicas, and access tokens. While Redis cannot be reached, each process applies its limits alone and no confirmation is
// accepted, because another replica may have used it.
//
// A Redis that lost its data (restarted from an older copy, flushed, replaced by a replica) would accept a used confirmation as new.
// So confirmations are issued under a mark, made from the server's run id and a random value stored in its data: they are valid
// under that mark only.
import { createHash, randomBytes } from 'node:crypto';
import { type GatewayError, usageError } from '../errors.ts';
import type { SharedRates } from '../limits/rate.ts';
import { createSpentMemory, type SpentStore } from '../orchestration/confirmations.ts';
import type { MessageBus } from '../protocol/questions/message-bus.ts';
import { type RedisCommand, RedisLink, toScript } from './redis-link.ts';
import { RedisTokenStore } from './redis-token-store.ts';
import { createSecretBox, type SecretBox } from './secret-box.ts';
import type { SharedState } from './shared-state.ts';
import { createSharedTokens } from './shared-token-store.ts';

export interface RedisStateOptions {
  /** `redis://` or `rediss://`; may hold user and password, `?timeoutMs=50` and `?prefix=landbridge:`. */
  readonly url: string;
  /** The same for all replicas. Without it they share nothing that must be encrypted: no messages and no access tokens. */
  readonly secret?: Buffer | undefined;
  /** Called once per change. `where` contains no password. */
  readonly onChange: (isUsable: boolean, where: string, why?: string) => void;
  /** Called with a warning for the operator: this Redis may lose data that must be kept. */
  readonly onWarning: (message: string) => void;
}

const DEFAULT_PREFIX = 'landbridge:';
/** How long a call waits for Redis before it continues without it. */
const DEFAULT_TIMEOUT_MS = 50;
/** Longer than other timeouts, because a person's confirmation is at stake. */
const SPEND_MS = 1_000;
/** The same for the answer of a person. */
const PUBLISH_MS = 1_000;
const ALIVE_MS = '60000';

/** Resolves once it is known whether Redis answers; if it does not, the state starts without it. */
export async function openRedisState({ url, secret, onChange, onWarning }: RedisStateOptions): Promise<SharedState> {
  const address = parseAddress(url);
  const { prefix } = address;
  const mark: DataMark = { key: `${prefix}mark`, aliveKey: `${prefix}alive`, text: '', number: 0 };
  const link = new RedisLink({
    url: address.url,
    timeoutMs: address.timeoutMs,
    heartbeat: (ask, isNew) => readMark(ask, isNew, mark, onWarning),
    onChange: (isUsable, why) => onChange(isUsable, address.shown, why),
  });
  const box = secret && createSecretBox(secret);
  await link.settled;
  return {
    get isUsable() {
      return link.isConnected;
    },
    rates: createRates(link, prefix),
    spent: createSharedSpentStore(link, mark, address),
    messages: box && createRedisMessages(link, prefix, box),
    tokens: box && createSharedTokens(new RedisTokenStore(link, prefix, box)),
    secrets: address.secrets,
    close: () => link.close(),
  };
}

/** Identifies the data of one run of Redis. */
interface DataMark {
  readonly key: string;
  readonly aliveKey: string;
  /** The run id of the server. */
  run?: string;
  /** The random value in its data. */
  text: string;
  /** A number computed from both. */
  number: number;
}

async function readMark(ask: RedisCommand, isNew: boolean, mark: DataMark, onWarning: (message: string) => void) {
  if (isNew) {
    const info = String(await ask('INFO', 'server'));
    const run = /^run_id:(\w+)/m.exec(info)?.[1];
    if (run === undefined) throw new Error('it does not say its run_id (INFO server)');
    mark.run = run;
    await warnOfEviction(ask, onWarning);
  }
  // A read-only replica or a full server answers reads, so the heartbeat has to write.
  await ask('SET', mark.aliveKey, '1', 'PX', ALIVE_MS);
  await ask('SET', mark.key, randomBytes(12).toString('base64url'), 'NX');
  mark.text = String(await ask('GET', mark.key));
  mark.number = toNumber(mark);
}

function toNumber({ run, text }: DataMark): number {
  return createHash('sha256').update(`${run} ${text}`).digest().readUInt32BE(0) || 1;
}

async function warnOfEviction(ask: RedisCommand, onWarning: (message: string) => void): Promise<void> {
  const info = String(await ask('INFO', 'memory'));
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? 'noeviction';
  const isLimited = !/^maxmemory:0\s/m.test(info);
  if (isLimited && policy !== 'noeviction')
    onWarning(
      `this Redis evicts keys when it is full (maxmemory-policy ${policy}), including used confirmations; set maxmemory-policy noeviction`,
    );
}

/**
 * The bucket of limits/rate.ts, on Redis' own clock. KEYS: when it will be full again. ARGV: milliseconds of one token,
 * milliseconds of the whole bucket, how many tokens at most. Returns how many were taken or, as a negative number, the
 * microseconds until there is one.
 */
const TAKE = toScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local token = tonumber(ARGV[1])
local used = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now) - now
local count = math.min(tonumber(ARGV[3]), math.floor((ARGV[2] + 0.001 - used) / token))
if count < 1 then return -math.ceil((used + token - ARGV[2]) * 1000) end
used = used + count * token
redis.call('SET', KEYS[1], string.format('%.6f', now + used), 'PX', math.ceil(used) + 1000)
return count
`);

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

/** Keys in Redis are digests: they must not name callers, whose names may have any length. */
function digest(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 22);
}

/**
 * Uses up a confirmation. KEYS: its nonce, the mark. ARGV: the mark it was issued under, for how many milliseconds it
 * is remembered. Returns 1 the first time, 0 after that, -1 if the mark has changed.
 */
const SPEND = toScript(`
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return -1 end
if redis.call('SET', KEYS[1], '1', 'NX', 'PX', ARGV[2]) then return 1 end
return 0
`);

function createSharedSpentStore(link: RedisLink, current: DataMark, { prefix, timeoutMs }: RedisAddress): SpentStore {
  const own = createSpentMemory();
  return {
    mark: () => current.number,
    async spend(nonce, expiresAtMs, mark) {
      if (!link.isVerified) throw new Error('Redis is not connected');
      if (mark !== current.number) return 'lost';
      const { text } = current;
      const forMs = String(Math.max(1_000, expiresAtMs - Date.now() + CLOCK_SKEW_MS));
      let answer: number;
      try {
        const keys = [`${prefix}spent:${nonce}`, current.key];
        answer = Number(await link.run(SPEND, keys, [text, forMs], Math.max(SPEND_MS, timeoutMs)));
      } catch (error) {
        // Redis may have recorded it as used nevertheless, so this process must not accept it either.
        own.spend(nonce, expiresAtMs);
        throw error;
      }
      if (answer === -1) return 'lost';
      return answer === 1 && own.spend(nonce, expiresAtMs);
    },
  };
}

/** A replica whose clock is slow accepts a confirmation for a while longer, so it is remembered for longer. */
const CLOCK_SKEW_MS = 60_000;

/**
 * Messages between replicas, by publish and subscribe: one channel per process, one for all. Redis does not store them;
 * a process that is not subscribed does not get a message, and the sender is informed.
 */
function createRedisMessages(link: RedisLink, prefix: string, box: SecretBox): MessageBus {
  const address = randomBytes(8).toString('hex');
  const channelOf = (to: string) => `${prefix}letters:${to}`;
  const publish = (to: string, text: string) =>
    link.ask(PUBLISH_MS, 'PUBLISH', channelOf(to), box.encrypt(channelOf(to), `${address}${text}`));
  const listeners: ((text: string) => void)[] = [];
  const receive = (envelope: string, channel: string) => {
    const message = box.decrypt(channel, envelope);
    // A message to all also reaches its sender.
    if (message === undefined || message.startsWith(address)) return;
    for (const listener of listeners) listener(message.slice(address.length));
  };
  return {
    address,
    get isUsable() {
      return link.isConnected;
    },
    async send(to, text) {
      if (!link.isConnected) return 'away';
      try {
        return Number(await publish(to, text)) > 0 ? 'delivered' : 'nobody';
      } catch {
        return 'away';
      }
    },
    sendAll(text) {
      if (link.isConnected) publish('all', text).catch(() => {});
    },
    receive(listener) {
      if (listeners.push(listener) === 1) link.subscribe([channelOf(address), channelOf('all')], receive);
    },
  };
}

interface RedisAddress {
  /** For the client. */
  readonly url: string;
  /** For people. */
  readonly shown: string;
  readonly secrets: readonly string[];
  readonly prefix: string;
  readonly timeoutMs: number;
}

function parseAddress(text: string): RedisAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^rediss?:$/.test(url.protocol) || url.hostname === '')
    throw refuse('must be a redis:// or rediss:// URL, such as redis://127.0.0.1:6379');
  const {
    prefix = DEFAULT_PREFIX,
    timeoutMs = String(DEFAULT_TIMEOUT_MS),
    ...rest
  } = Object.fromEntries(url.searchParams);
  const other = Object.keys(rest)[0];
  if (other !== undefined) throw refuse(`may have ?timeoutMs= and ?prefix=, but not ${other}`);
  if (!/^[1-9]\d{0,3}$/.test(timeoutMs)) throw refuse('must have a timeoutMs from 1 to 9999');
  url.search = '';
  const { protocol, host, pathname, username, password } = url;
  decode(username);
  const secrets = password === '' ? [] : [...new Set([password, decode(password)])];
  const address = `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
  return { url: url.href, shown: address, secrets, prefix, timeoutMs: Number(timeoutMs) };
}

/** The client library decodes it as well, and its error would not name the place. */
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
