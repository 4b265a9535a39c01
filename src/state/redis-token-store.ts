// The store of access tokens in Redis. Its contents are encrypted, under names that reveal nothing.
import { type RedisLink, toScript } from './redis-link.ts';
import type { SecretBox } from './secret-box.ts';
import type { SharedTokenStore } from './shared-token-store.ts';

/**
 * Asks for a token or for the turn to fetch it. KEYS: the entry (generation, dot, rest), the turn. ARGV: the generation
 * that was refused, the owner that asks, how many milliseconds a turn lasts.
 */
const CLAIM = toScript(`
local entry = redis.call('GET', KEYS[1])
local generation = entry and string.match(entry, '^[^.]*')
if entry and generation ~= '' and generation ~= ARGV[1] then return {'there', entry} end
if redis.call('SET', KEYS[2], ARGV[2], 'NX', 'PX', ARGV[3]) then return {'ours', entry or ''} end
return {'busy', ''}
`);

/** Ends a turn. KEYS: as above. ARGV: whose turn it was, the new entry ('' keeps the old one), how many milliseconds to keep it. */
const FINISH = toScript(`
local owner = redis.call('GET', KEYS[2])
if owner and owner ~= ARGV[1] then return 0 end
if ARGV[2] ~= '' then redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
redis.call('DEL', KEYS[2])
return 1
`);

/** Extends a turn. KEYS: the turn. ARGV: whose turn it is, for how many milliseconds. */
const EXTEND = toScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0
`);

/** A login takes seconds, so it can wait longer for Redis than a call. */
const ANSWER_MS = 250;
/** The turn of a replica that has ended unexpectedly times out after this; a running replica extends its turn. */
const TURN_MS = 3_000;
const EXTEND_EVERY_MS = 1_000;
/** Limit even for a running replica: a login takes two requests at most. */
const MAX_TURN_MS = 25_000;

export class RedisTokenStore implements SharedTokenStore {
  readonly #link: RedisLink;
  readonly #prefix: string;
  readonly #box: SecretBox;
  /** The timers that extend turns, by owner. */
  readonly #extensions = new Map<string, NodeJS.Timeout>();

  constructor(link: RedisLink, prefix: string, box: SecretBox) {
    this.#link = link;
    this.#prefix = prefix;
    this.#box = box;
  }

  async claim(name: string, badGeneration: string, owner: string) {
    if (!this.#link.isConnected) throw new Error('Redis is down');
    const { token, turn } = this.#keysOf(name);
    const answer = await this.#link.run(CLAIM, [token, turn], [badGeneration, owner, String(TURN_MS)], ANSWER_MS);
    const [kind, text] = answer as ['there' | 'ours' | 'busy', string];
    if (kind === 'ours') this.#extend(turn, owner);
    return { kind, text: this.#decrypt(token, text) };
  }

  async finish(name: string, owner: string, text: string, keepMs: number): Promise<void> {
    this.#stopExtending(owner);
    const { token, turn } = this.#keysOf(name);
    const envelope = text === '' ? '' : this.#encrypt(token, text);
    await this.#link.run(FINISH, [token, turn], [owner, envelope, String(keepMs)], ANSWER_MS);
  }

  #keysOf(name: string) {
    const hiddenName = this.#box.hideName(name);
    return { token: `${this.#prefix}token:${hiddenName}`, turn: `${this.#prefix}turn:${hiddenName}` };
  }

  #extend(turn: string, owner: string): void {
    const end = performance.now() + MAX_TURN_MS;
    const timer = setInterval(() => {
      if (performance.now() > end) this.#stopExtending(owner);
      else this.#link.run(EXTEND, [turn], [owner, String(TURN_MS)], ANSWER_MS).catch(() => {});
    }, EXTEND_EVERY_MS).unref();
    this.#extensions.set(owner, timer);
  }

  #stopExtending(owner: string): void {
    clearInterval(this.#extensions.get(owner));
    this.#extensions.delete(owner);
  }

  /** The generation stays readable, because Redis compares it; it is no secret. */
  #encrypt(key: string, text: string): string {
    const dot = text.indexOf('.') + 1;
    return text.slice(0, dot) + this.#box.encrypt(key, text);
  }

  /** A text that cannot be decrypted was written without the secret, or with another one, and is ignored. */
  #decrypt(key: string, envelope: string): string {
    return envelope === '' ? '' : (this.#box.decrypt(key, envelope.slice(envelope.indexOf('.') + 1)) ?? '');
  }
}
