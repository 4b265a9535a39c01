// The connection to Redis or Valkey, as somebody sees it who cannot wait: every question has an answer or an error within
// milliseconds. A heartbeat says whether it is worth asking. The only door to the client library.
import { createHash } from 'node:crypto';
import { createClient } from 'redis';

/** A script with its digest: Redis keeps what it has been sent once. */
export interface Script {
  readonly text: string;
  readonly sha1: string;
}

export function toScript(text: string): Script {
  return { text, sha1: createHash('sha1').update(text).digest('hex') };
}

export interface LinkOptions {
  readonly url: string;
  /** How long a call waits for an answer. */
  readonly timeoutMs: number;
  /** Asked on every new connection and then in turn; while it fails nobody is asked anything else. */
  readonly heartbeat: (ask: Ask, isNew: boolean) => Promise<void>;
  /** Told once per change. */
  readonly onChange: (isThere: boolean, why?: string) => void;
}

export type Ask = (...command: readonly string[]) => Promise<unknown>;

export interface RedisLink {
  /** It answers. */
  readonly isThere: boolean;
  /** It answers in time: worth asking for a call that would wait for it. */
  readonly isPrompt: boolean;
  /** It is there, and a heartbeat has come to its end on this very connection, even if it is slow now. */
  readonly isIntroduced: boolean;
  /** Rejects where no answer came in time: what was asked may have been done all the same. `timeoutMs`: longer than others wait. */
  run(script: Script, keys: readonly string[], values: readonly string[], timeoutMs?: number): Promise<unknown>;
  /** One command, as run(). How large it is may be a caller's choice: that it takes long says nothing about Redis. */
  ask(timeoutMs: number, ...command: readonly string[]): Promise<unknown>;
  /** On a connection of its own, from now on, through whatever happens to it. */
  subscribe(channels: readonly string[], listener: (text: string, channel: string) => void): void;
  /** Resolves when it is known whether somebody answers. */
  readonly settled: Promise<void>;
  close(): void;
}

const HEARTBEAT_MS = 500;
/** A heartbeat keeps nobody waiting: a Redis that is slow, on a machine that is, is still there. */
const PATIENCE_MS = 1_000;
/** A peer that says nothing for so long is gone, even if nobody said so. */
const SILENCE_MS = 5_000;
/** How often a connection on which nobody speaks is tried. */
const PING_MS = 1_000;
const CONNECT_MS = 1_000;
const MAX_RETRY_MS = 1_000;
/** How long a start waits to learn whether there is anybody. */
const SETTLE_MS = 1_500;
/** Questions under way; heartbeats keep it from growing while nobody answers. */
const MAX_QUESTIONS = 10_000;

export function openRedisLink({ url, timeoutMs, heartbeat, onChange }: LinkOptions): RedisLink {
  const client = connectTo(url);
  let subscriber: Client | undefined;
  // Undefined until it is known: the first failure is said as well.
  let isThere: boolean | undefined;
  /** Counts connections; `introduced` is the last one on which a heartbeat came to its end. */
  let [connection, introduced] = [0, 0];
  let isBeating = false;
  /** The last question that had no answer in time, and until when no call waits for another. */
  let miss: unknown;
  let restsUntil = 0;
  let isClosed = false;
  let settle = () => {};
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });

  const change = (now: boolean, why?: string) => {
    // What is still under way when we hang up ourselves says nothing about the other side.
    if (isClosed) return;
    const before = isThere;
    isThere = now;
    if (before !== now) onChange(now, why);
    settle();
  };
  const askFor = (ms: number, ...command: readonly string[]) => inTime(client.sendCommand(command), ms);
  const ask: Ask = (...command) => askFor(Math.max(timeoutMs, PATIENCE_MS), ...command);
  const run: RedisLink['run'] = async (script, keys, values, waitMs = timeoutMs) => {
    const rest = [String(keys.length), ...keys, ...values];
    const askedOn = connection;
    try {
      return await askFor(waitMs, 'EVALSHA', script.sha1, ...rest).catch((error: unknown) => {
        // Since a restart of Redis nobody has sent it.
        if (!String((error as Error)?.message).startsWith('NOSCRIPT') || askedOn !== connection) throw error;
        return askFor(waitMs, 'EVAL', script.text, ...rest);
      });
    } catch (error) {
      if (error instanceof LateError) {
        // Late is not away: calls go on without it for a moment, and a heartbeat finds out.
        miss = error;
        restsUntil = performance.now() + HEARTBEAT_MS;
        void beat();
      } else change(false, reasonOf(error));
      throw error;
    }
  };
  const beat = async () => {
    if (isBeating || !client.isReady) return;
    isBeating = true;
    const beatsOn = connection;
    try {
      await heartbeat(ask, introduced !== connection);
      // Of a server that was left meanwhile nothing is to be known.
      if (beatsOn === connection && client.isReady) {
        introduced = connection;
        miss = undefined;
        change(true);
      }
    } catch (error) {
      change(false, reasonOf(miss ?? error));
    } finally {
      isBeating = false;
    }
  };

  client.on('error', (error: unknown) => change(false, reasonOf(error)));
  client.on('ready', () => {
    connection++;
    void beat();
  });
  setTimeout(() => isThere ?? change(false, 'no answer yet'), SETTLE_MS).unref();
  const timer = setInterval(() => void beat(), HEARTBEAT_MS).unref();
  client.connect().catch(() => {});
  return {
    get isThere() {
      return isThere === true;
    },
    get isPrompt() {
      return isThere === true && performance.now() >= restsUntil;
    },
    get isIntroduced() {
      return client.isReady && introduced === connection;
    },
    run,
    ask: askFor,
    subscribe(channels, listener) {
      subscriber = subscribeTo(url, channels, listener);
    },
    settled,
    close() {
      isClosed = true;
      clearInterval(timer);
      for (const each of [client, subscriber]) each?.removeAllListeners('error').on('error', () => {});
      client.destroy();
      subscriber?.destroy();
    },
  };
}

type Client = ReturnType<typeof connectTo>;

function connectTo(url: string, pingMs?: number) {
  return createClient({
    url,
    RESP: 2,
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_QUESTIONS,
    maintNotifications: 'disabled',
    ...(pingMs !== undefined && { pingInterval: pingMs }),
    socket: {
      connectTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** Math.min(retries, 10), MAX_RETRY_MS),
    },
  });
}

/** The client subscribes again by itself on every later connection. What is wrong with Redis, the other connection says. */
function subscribeTo(url: string, channels: readonly string[], listener: (text: string, channel: string) => void) {
  const client = connectTo(url, PING_MS);
  let isSubscribed = false;
  client.on('error', () => {});
  client.on('ready', () => {
    if (isSubscribed) return;
    isSubscribed = true;
    client.subscribe([...channels], listener).catch(() => {
      isSubscribed = false;
    });
  });
  client.connect().catch(() => {});
  return client;
}

/** The first words of an error hold no secret, and no address that the configuration does not name. */
function reasonOf(error: unknown): string {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return String(code ?? message ?? error).slice(0, 120);
}

class LateError extends Error {}

/** A timer that is later than this was held up by this process itself. */
const HELD_UP_MS = 10;

/**
 * After a pause of our own an answer may lie there unread, or the question may not even have gone out: that says nothing about Redis. What
 * lies there is read before setImmediate's turn; and a question that was held up has its time once more.
 */
function inTime(answer: Promise<unknown>, ms: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const askedAt = performance.now();
    const expire = () => reject(new LateError(`no answer within ${ms} ms`));
    const ring = (isLast: boolean) => {
      timer = setTimeout(() => {
        const isHeldUp = performance.now() - askedAt > ms + HELD_UP_MS;
        if (isHeldUp && !isLast) ring(true);
        else setImmediate(expire);
      }, ms);
    };
    let timer: NodeJS.Timeout;
    ring(false);
    answer.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
