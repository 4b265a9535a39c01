// Sends one request and reads its answer, under one deadline, one byte limit and one abort signal. The answer is complete, or says why
// it is not.
import type { Dispatcher } from 'undici';
import type { ExecutionContext } from '../call/execution-context.ts';
import type { ProxyServer } from '../endpoint/model.ts';
import { GatewayError, ToolError, ToolTimeoutError } from '../errors.ts';
import { type AbortListener, addAbortListener, removeAbortListener } from '../event-loop/abort-listeners.ts';
import { ByteCollector } from '../event-loop/byte-collector.ts';
import { turnEnd } from '../event-loop/turns.ts';
import { proxyRefusal } from '../network/tunnel.ts';
import { isFileType, isInLines, isStream, tooLarge, wholePart } from './answer/cut-answer.ts';
import { Decompressor } from './decompress.ts';
import { createPools, type PoolLoad, type PoolOptions } from './pools.ts';
import type { WireRequest } from './request/build-request.ts';
import { explainFailure, repeatAdvice } from './unreachable.ts';

export type { Dispatcher } from 'undici';

/** The answer of an API, decompressed; complete unless `cut` or `failure` is set. */
export interface RawResponse {
  readonly status: number;
  /** Lower-case names, as undici returns them. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** A body larger than one read of a socket has its own memory, so it can be transferred to another thread. */
  readonly body: Buffer;
  /** Set if the answer is incomplete: the reason, as text. The body is what arrived; of a success, only whole lines or events. */
  readonly cut?: string;
  /** Set if the answer is incomplete and no part of it is useful. The body is what arrived, to be quoted in the error. */
  readonly failure?: GatewayError;
}

/** The parts of a call that sending needs. */
export type SendOptions = Pick<ExecutionContext, 'label' | 'signal' | 'deadline'>;

/** Observes the bytes of a request and its answer, for progress. */
export interface TransferObserver {
  /** The body to pass to the socket: unchanged, or in slices. */
  body(data: string | Buffer): Iterable<Uint8Array> | Buffer;
  received(bytes: number, total: number | undefined): void;
}

export type Send = (request: WireRequest, options: SendOptions, observer?: TransferObserver) => Promise<RawResponse>;

export interface RequestSender {
  readonly send: Send;
  readonly pools: readonly PoolLoad[];
  /** Aborts requests in progress, and sends no more. */
  abort(): void;
  close(): Promise<void>;
}

const MAX_INFORMATIONAL = 20;
/** The most that one read of a socket returns; a larger chunk has a buffer of its own. */
const MAX_CHUNK_BYTES = 64 * 1024;
const EMPTY = Buffer.alloc(0);

export function createSender(options: PoolOptions = {}): RequestSender {
  const pools = createPools(options);
  let isClosed = false;

  return {
    send(request, sendOptions, observer) {
      return new Promise((resolve, reject) => {
        if (isClosed) {
          reject(new GatewayError('UNREACHABLE', 'The gateway is shutting down; the call was not sent.'));
          return;
        }
        const exchange = new Exchange(request, sendOptions, observer, resolve, reject);
        if (!exchange.begin()) return;
        try {
          const { dispatcher, forwardedBy } = pools.poolFor(request);
          exchange.forwardedBy = forwardedBy;
          dispatcher.dispatch(
            {
              origin: forwardedBy === undefined ? request.origin : forwardedBy.url,
              path: forwardedBy === undefined ? request.path : request.origin + request.path,
              method: request.method,
              headers: exchange.outgoingHeaders(),
              body: exchange.outgoingBody(),
            },
            exchange,
          );
        } catch (error) {
          // Our pools report errors to the handler; another dispatcher may throw.
          exchange.onResponseError(undefined, error as Error);
        }
      });
    },
    get pools() {
      return pools.load;
    },
    abort() {
      isClosed = true;
      pools.destroy();
    },
    async close() {
      isClosed = true;
      await pools.close();
    },
  };
}

/** One request in flight. It settles once: with its answer, an error, the deadline, or the abort of its call. */
class Exchange implements Dispatcher.DispatchHandler, AbortListener {
  /** The proxy that forwards the request. It gets our credentials for it, and may answer itself. */
  forwardedBy: ProxyServer | undefined;
  private readonly request: WireRequest;
  private readonly options: SendOptions;
  private readonly observer: TransferObserver | undefined;
  private readonly resolve: (response: RawResponse) => void;
  private readonly reject: (error: unknown) => void;
  private controller: Dispatcher.DispatchController | undefined;
  index = 0;
  /** Undefined until begin(). */
  private timer: NodeJS.Timeout | undefined;
  private settled = false;
  private status = 0;
  private headers: RawResponse['headers'] = {};
  private informational = 0;
  private received = 0;
  private expected: number | undefined;
  private first: Buffer | undefined;
  private more: ByteCollector | undefined;
  private decompressor: Decompressor | undefined;

  constructor(
    request: WireRequest,
    options: SendOptions,
    observer: TransferObserver | undefined,
    resolve: (response: RawResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.request = request;
    this.options = options;
    this.observer = observer;
    this.resolve = resolve;
    this.reject = reject;
  }

  /** False if the call has already been aborted: nothing is sent then. */
  begin(): boolean {
    const { signal, deadline } = this.options;
    if (signal.aborted) {
      this.handleEvent();
      return false;
    }
    addAbortListener(signal, this);
    this.timer = setTimeout(expire, Math.max(0, Math.ceil(deadline - performance.now())), this);
    return true;
  }

  outgoingBody(): string | Buffer | null {
    const { observer } = this;
    const { body } = this.request;
    // undici takes iterables too; its types do not say so.
    return observer === undefined || body === null ? body : (observer.body(body) as Buffer);
  }

  outgoingHeaders(): Record<string, string> {
    const { body, origin } = this.request;
    let headers = this.request.headers as Record<string, string>;
    if (this.forwardedBy !== undefined) {
      const { authorization } = this.forwardedBy;
      headers = { ...headers, host: new URL(origin).host };
      if (authorization !== undefined) headers['proxy-authorization'] = authorization;
    }
    if (this.observer === undefined || body === null) return headers;
    // Slices have no known length, and some servers do not accept chunked requests.
    return { ...headers, 'content-length': String(Buffer.byteLength(body)) };
  }

  /** The call was aborted. */
  handleEvent(): void {
    const tool = this.options.label;
    this.fail(new GatewayError('CANCELLED', `${tool} was cancelled by the caller.`, { tool }));
  }

  expire(): void {
    const { limits, isRead } = this.request;
    // Without a controller, the request is still waiting for a socket and was never sent.
    const consequence = isRead || this.controller === undefined ? 'nothing' : 'unknown';
    const seconds = limits.timeoutMs / 1000;
    const why = `the answer was cut after ${seconds} s, the time limit of this call; the API was still sending`;
    this.failOrCut(new ToolTimeoutError(this.options.label, seconds, consequence), why);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Settled while it waited for a free socket: it must not be sent now.
    if (this.settled) controller.abort(new Error('settled'));
    else this.controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: RawResponse['headers']): void {
    if (status < 200) {
      if (++this.informational > MAX_INFORMATIONAL) {
        this.fail(this.bad(`sent more than ${MAX_INFORMATIONAL} interim responses without an answer`));
      }
      return;
    }
    if (this.forwardedBy !== undefined && (status === 407 || headers['x-squid-error'] !== undefined)) {
      this.onResponseError(undefined, proxyRefusal(this.forwardedBy, status));
      return;
    }
    this.status = status;
    this.headers = headers;
    const length = headers['content-length'];
    if (length !== undefined) {
      this.expected = Number(length);
      const isTooLarge = this.expected > this.request.limits.maxResponseBytes && this.request.method !== 'HEAD';
      // The beginning of text and of lines is useful, so they are read up to the limit.
      if (isTooLarge && status < 400 && !(this.request.takesPart && isInLines(headers))) {
        this.fail(this.tooLarge());
        return;
      }
    }
    const encoding = headers['content-encoding'];
    if (encoding !== undefined && this.request.method !== 'HEAD') {
      try {
        this.decompressor = Decompressor.for(String(encoding), this.request.limits.maxResponseBytes);
      } catch (error) {
        this.fail(this.bad((error as Error).message));
      }
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.settled) return;
    const room = this.request.limits.maxResponseBytes - this.received;
    this.received += chunk.length;
    if (chunk.length > room) {
      if (this.decompressor === undefined) this.collect(chunk.subarray(0, room));
      this.tooMuch();
      return;
    }
    this.observer?.received(this.received, this.expected);
    if (this.decompressor !== undefined) this.decompressor.write(chunk, this);
    else this.collect(chunk);
  }

  private collect(chunk: Buffer): void {
    if (this.first === undefined && chunk.length <= MAX_CHUNK_BYTES) this.first = chunk;
    else {
      this.more ??= new ByteCollector(this.first);
      this.more.add(chunk);
    }
  }

  onResponseEnd(): void {
    if (this.settled) return;
    if (this.decompressor !== undefined) {
      this.decompressor.end(this);
      return;
    }
    this.done(this.more?.bytes() ?? this.first ?? EMPTY);
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    if (this.settled) return;
    const failure = explainFailure(error, this.request, this.options.label, this.status !== 0, this.forwardedBy);
    // The events that did arrive of a broken stream are useful. For any other answer, it is unknown what is missing.
    if (isStream(this.headers)) this.failOrCut(failure, 'the API closed the connection in the middle of its answer');
    else this.fail(failure);
  }

  done(body: Buffer): void {
    if (this.settled) return;
    this.settle();
    // Answers that arrive in one turn of the event loop are passed on together (turns.ts). Passed on one by one, a get
    // took up to 1.5 times as much processor time.
    void turnEnd().then(() => this.resolve({ status: this.status, headers: this.headers, body }));
  }

  tooMuch(): void {
    const max = this.request.limits.maxResponseBytes;
    this.failOrCut(this.tooLarge(), `the answer was cut after ${max} bytes, the size limit; there was more`);
  }

  broken(reason: string): void {
    this.fail(this.bad(reason));
  }

  /** Passes on what arrived, if part of it is useful. Of an answer with an error status, any part is. */
  private failOrCut(error: GatewayError, why: string): void {
    if (this.settled) return;
    const { status, headers, request } = this;
    const isError = status >= 400;
    const body = this.decompressor?.part() ?? this.more?.bytes() ?? this.first ?? EMPTY;
    const isWanted = status !== 0 && (isError || request.takesPart === true);
    const part = isWanted ? (isError ? body : wholePart({ headers, body })) : undefined;
    if (part === undefined && !(isWanted && body.length > 0 && !isFileType(headers))) {
      this.fail(error);
      return;
    }
    this.settle();
    this.decompressor?.destroy();
    this.controller?.abort(error);
    const cut = request.isRead ? why : `${why}; the request itself was sent, so check before repeating it`;
    this.resolve({
      status,
      headers,
      body: part ?? body,
      ...(part === undefined ? { failure: error } : { cut }),
    });
  }

  private fail(error: GatewayError): void {
    if (this.settled) return;
    this.settle();
    this.decompressor?.destroy();
    this.controller?.abort(error);
    this.reject(error);
  }

  private settle(): void {
    this.settled = true;
    // An exchange that never began has nothing to clean up.
    if (this.timer === undefined) return;
    clearTimeout(this.timer);
    removeAbortListener(this.options.signal, this);
  }

  private bad(what: string): GatewayError {
    const tool = this.options.label;
    return new ToolError('BAD_RESPONSE', tool, `${this.request.origin} ${what}. ${repeatAdvice(this.request.isRead)}`, {
      tool,
      origin: this.request.origin,
    });
  }

  private tooLarge(): GatewayError {
    const { limits, isRead } = this.request;
    const max = limits.maxResponseBytes;
    const isFile = isFileType(this.headers);
    return tooLarge(this.options.label, `is larger than ${max} bytes`, { isRead, isFile }, { max_bytes: max });
  }
}

function expire(exchange: Exchange): void {
  exchange.expire();
}
