// The connection to Redis or Valkey, for callers that cannot wait: every request ends with an answer or an error within milliseconds.
// A heartbeat shows whether Redis is available. The only file that imports the client library.
import { createHash } from 'node:crypto';
import { createClient } from 'redis';

/** A Lua script, which Redis executes in one step. After it was sent once, its digest is enough. */
export interface RedisScript {
  readonly text: string;
  readonly sha1: string;
}

export function toScript(text: string): RedisScript {
  return { text, sha1: createHash('sha1').update(text).digest('hex') };
}

export interface RedisLinkOptions {
  readonly url: string;
  /** How long a call waits for an answer. */
  readonly timeoutMs: number;
  /** Sent on every new connection and then regularly; while it fails, `isConnected` is false. */
  readonly heartbeat: (ask: RedisCommand, isNew: boolean) => Promise<void>;
  /** Called once per change. */
  readonly onChange: (isConnected: boolean, why?: string) => void;
}

/** Sends one command to Redis and resolves to its answer. */
export type RedisCommand = (...command: readonly string[]) => Promise<unknown>;

const HEARTBEAT_MS = 500;
/** Nothing waits for a heartbeat, so a slow Redis gets more time before it counts as unreachable. */
const HEARTBEAT_TIMEOUT_MS = 1_000;
/** A connection that was silent for this long counts as dead. */
const SILENCE_MS = 5_000;
/** How often a connection without traffic is checked. */
const PING_MS = 1_000;
const CONNECT_MS = 1_000;
const MAX_RETRY_MS = 1_000;
/** How long a start waits to learn whether Redis answers. */
const SETTLE_MS = 1_500;
/** Open requests; heartbeats keep them from piling up while there are no answers. */
const MAX_PENDING = 10_000;

export class RedisLink {
  /** Resolves when it is known whether Redis answers. */
  readonly settled: Promise<void>;
  readonly #options: RedisLinkOptions;
  readonly #client: RedisClient;
  readonly #timer: NodeJS.Timeout;
  #subscriber: RedisClient | undefined;
  /** Undefined until it is known, so that the first failure is reported as well. */
  #isConnected: boolean | undefined;
  /** Counts connections. */
  #connection = 0;
  /** The last connection on which a heartbeat has completed. */
  #verifiedConnection = 0;
  #isBeating = false;
  /** The last request without an answer in time. */
  #lateError: unknown;
  /** Until this time, calls do not wait for Redis. */
  #slowUntil = 0;
  #isClosed = false;
  #settle: () => void = () => {};

  constructor(options: RedisLinkOptions) {
    this.#options = options;
    this.settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#client = connectTo(options.url);
    this.#client.on('error', (error: unknown) => this.#change(false, reasonOf(error)));
    this.#client.on('ready', () => {
      this.#connection++;
      void this.#beat();
    });
    setTimeout(() => this.#isConnected ?? this.#change(false, 'no answer yet'), SETTLE_MS).unref();
    this.#timer = setInterval(() => void this.#beat(), HEARTBEAT_MS).unref();
    this.#client.connect().catch(() => {});
  }

  /** Whether Redis answers. */
  get isConnected(): boolean {
    return this.#isConnected === true;
  }

  /** Whether Redis answers in time, so that a call may wait for it. */
  get isPrompt(): boolean {
    return this.#isConnected === true && performance.now() >= this.#slowUntil;
  }

  /** Whether it is connected and a heartbeat has completed on this connection, even if Redis is slow now. */
  get isVerified(): boolean {
    return this.#client.isReady && this.#verifiedConnection === this.#connection;
  }

  /** Rejects if no answer came in time; the command may have been executed nevertheless. `timeoutMs` replaces the usual timeout. */
  async run(
    script: RedisScript,
    keys: readonly string[],
    values: readonly string[],
    timeoutMs = this.#options.timeoutMs,
  ): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...values];
    const connection = this.#connection;
    try {
      return await this.ask(timeoutMs, 'EVALSHA', script.sha1, ...rest).catch((error: unknown) => {
        // Redis has lost its scripts in a restart.
        if (!String((error as Error)?.message).startsWith('NOSCRIPT') || connection !== this.#connection) throw error;
        return this.ask(timeoutMs, 'EVAL', script.text, ...rest);
      });
    } catch (error) {
      if (error instanceof LateError) {
        // A late answer does not mean that Redis is unreachable: calls continue without it for a moment, and a
        // heartbeat decides.
        this.#lateError = error;
        this.#slowUntil = performance.now() + HEARTBEAT_MS;
        void this.#beat();
      } else this.#change(false, reasonOf(error));
      throw error;
    }
  }

  /** A single command, like run(). Its size may depend on a caller, so a slow answer does not count against Redis. */
  ask(timeoutMs: number, ...command: readonly string[]): Promise<unknown> {
    return inTime(this.#client.sendCommand(command), timeoutMs);
  }

  /** Uses a separate connection, which is restored whenever it is lost. */
  subscribe(channels: readonly string[], listener: (text: string, channel: string) => void): void {
    this.#subscriber = subscribeTo(this.#options.url, channels, listener);
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const client of [this.#client, this.#subscriber]) client?.removeAllListeners('error').on('error', () => {});
    this.#client.destroy();
    this.#subscriber?.destroy();
  }

  #change(isConnected: boolean, why?: string): void {
    // After close(), the errors of open requests do not mean that Redis is unreachable.
    if (this.#isClosed) return;
    const before = this.#isConnected;
    this.#isConnected = isConnected;
    if (before !== isConnected) this.#options.onChange(isConnected, why);
    this.#settle();
  }

  async #beat(): Promise<void> {
    if (this.#isBeating || !this.#client.isReady) return;
    this.#isBeating = true;
    const connection = this.#connection;
    const timeoutMs = Math.max(this.#options.timeoutMs, HEARTBEAT_TIMEOUT_MS);
    try {
      const ask: RedisCommand = (...command) => this.ask(timeoutMs, ...command);
      await this.#options.heartbeat(ask, this.#verifiedConnection !== connection);
      // The result of a heartbeat on an earlier connection does not count.
      if (connection === this.#connection && this.#client.isReady) {
        this.#verifiedConnection = connection;
        this.#lateError = undefined;
        this.#change(true);
      }
    } catch (error) {
      this.#change(false, reasonOf(this.#lateError ?? error));
    } finally {
      this.#isBeating = false;
    }
  }
}

type RedisClient = ReturnType<typeof connectTo>;

function connectTo(url: string, pingMs?: number) {
  return createClient({
    url,
    RESP: 2,
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_PENDING,
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

/** Cut short: the first words of an error contain no secret, and only addresses from the configuration. */
function reasonOf(error: unknown): string {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return String(code ?? message ?? error).slice(0, 120);
}

class LateError extends Error {}

/** A timer that fires later than this was delayed by this process itself. */
const TIMER_DELAY_MS = 10;

/**
 * After a pause of this process, an answer may be waiting unread, or the request may not even have been sent; that says nothing about
 * Redis. Waiting data is read before setImmediate runs, and a request that was delayed gets its time once more.
 */
function inTime(answer: Promise<unknown>, ms: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const askedAt = performance.now();
    const expire = () => reject(new LateError(`no answer within ${ms} ms`));
    const start = (isLast: boolean) => {
      timer = setTimeout(() => {
        const wasDelayed = performance.now() - askedAt > ms + TIMER_DELAY_MS;
        if (wasDelayed && !isLast) start(true);
        else setImmediate(expire);
      }, ms);
    };
    let timer: NodeJS.Timeout;
    start(false);
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
