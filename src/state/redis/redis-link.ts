// The connection to Redis or Valkey, for callers that cannot wait: every request ends with an answer or an error within
// milliseconds. A heartbeat tells whether Redis is available. The only door to the client library.
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
  /** Sent on every new connection and then regularly; while it fails, nothing else is sent. */
  readonly heartbeat: (ask: Ask, isNew: boolean) => Promise<void>;
  /** Told once per change. */
  readonly onChange: (isThere: boolean, why?: string) => void;
}

export type Ask = (...command: readonly string[]) => Promise<unknown>;

export interface RedisLink {
  /** It answers. */
  readonly isThere: boolean;
  /** It answers in time, so a call may wait for it. */
  readonly isPrompt: boolean;
  /** It is connected and a heartbeat has completed on this connection, even if it is slow now. */
  readonly isIntroduced: boolean;
  /** Rejects if no answer came in time; the command may have been executed nevertheless. `timeoutMs` replaces the usual timeout. */
  run(script: Script, keys: readonly string[], values: readonly string[], timeoutMs?: number): Promise<unknown>;
  /** A single command, like run(). Its size may depend on a caller, so a slow answer does not count against Redis. */
  ask(timeoutMs: number, ...command: readonly string[]): Promise<unknown>;
  /** On a connection of its own, from now on, through whatever happens to it. */
  subscribe(channels: readonly string[], listener: (text: string, channel: string) => void): void;
  /** Resolves when it is known whether somebody answers. */
  readonly settled: Promise<void>;
  close(): void;
}

const HEARTBEAT_MS = 500;
/** Nothing waits for a heartbeat, so a slow Redis gets more time before it counts as gone. */
const PATIENCE_MS = 1_000;
/** A connection that was silent for this long counts as dead. */
const SILENCE_MS = 5_000;
/** How often a connection on which nobody speaks is tried. */
const PING_MS = 1_000;
const CONNECT_MS = 1_000;
const MAX_RETRY_MS = 1_000;
/** How long a start waits to learn whether there is anybody. */
const SETTLE_MS = 1_500;
/** Open requests; heartbeats keep them from piling up while there are no answers. */
const MAX_QUESTIONS = 10_000;

export function openRedisLink({ url, timeoutMs, heartbeat, onChange }: LinkOptions): RedisLink {
  const client = connectTo(url);
  let subscriber: Client | undefined;
  // Undefined until it is known: the first failure is said as well.
  let isThere: boolean | undefined;
  /** Counts connections; `lastIntroduction` is the last one on which a heartbeat came to its end. */
  let [connection, lastIntroduction] = [0, 0];
  let isBeating = false;
  /** The last request without an answer in time, and until when no call waits for Redis. */
  let miss: unknown;
  let restsUntil = 0;
  let isClosed = false;
  let settle = () => {};
  const settling = new Promise<void>((resolve) => {
    settle = resolve;
  });

  const change = (now: boolean, why?: string) => {
    // Errors of open requests after our own close say nothing about the other side.
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
        // Redis has lost its scripts in a restart.
        if (!String((error as Error)?.message).startsWith('NOSCRIPT') || askedOn !== connection) throw error;
        return askFor(waitMs, 'EVAL', script.text, ...rest);
      });
    } catch (error) {
      if (error instanceof LateError) {
        // A late answer does not mean that Redis is gone: calls do without it for a moment, and a heartbeat decides.
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
      await heartbeat(ask, lastIntroduction !== connection);
      // The result of a heartbeat on an earlier connection does not count.
      if (beatsOn === connection && client.isReady) {
        lastIntroduction = connection;
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
      return client.isReady && lastIntroduction === connection;
    },
    run,
    ask: askFor,
    subscribe(channels, listener) {
      subscriber = subscribeTo(url, channels, listener);
    },
    settled: settling,
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

/** The client resubscribes by itself on every later connection. Problems with Redis are reported by the other connection. */
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
 * After a pause of this process, an answer may be waiting unread, or the request may not even have been sent; that says nothing about
 * Redis. Waiting data is read before setImmediate runs, and a request that was delayed gets its time once more.
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
