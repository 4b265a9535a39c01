// One request out, one answer back, under one deadline, one byte cap and one abort. The answer is whole, or what came of it says why
// it is not.
import type { Dispatcher } from 'undici';
import { type Companion, part, stayWith } from '../call/departure.ts';
import type { ExecutionContext } from '../call/execution-context.ts';
import type { ProxyServer } from '../endpoint/model.ts';
import { GatewayError, ToolError, ToolTimeoutError } from '../errors.ts';
import { refusedBy } from '../network/tunnel.ts';
import { isFileType, isInLines, isStream, tooLarge, wholePart } from './answer/cut-answer.ts';
import { type Arrival, Arrivals } from './arrivals.ts';
import { ByteCollector } from './byte-collector.ts';
import { Deadlines, type Expiring } from './deadlines.ts';
import { createPools, type PoolLoad, type PoolOptions } from './pools.ts';
import type { WireRequest } from './request/build-request.ts';
import { Unpacker } from './unpack.ts';
import { explainFailure, repeatAdvice } from './unreachable.ts';

export type { Dispatcher } from 'undici';

/** What came back, decompressed; whole unless `cut` or `failure` is set. */
export interface RawResponse {
  readonly status: number;
  /** Lower-case names, as undici gives them. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** A body larger than one read of a socket has its own memory, so it can be transferred to another thread. */
  readonly body: Buffer;
  /** Set if the answer is incomplete: the reason, as text. The body is then what arrived; for a success, only whole lines or events. */
  readonly cut?: string;
  /** Set if the answer is incomplete and no part of it is useful: the body is what arrived, for the message. */
  readonly failure?: GatewayError;
}

/** What sending needs to know of the call it serves. */
export type Errand = Pick<ExecutionContext, 'label' | 'signal' | 'deadline'>;

/** Sees bytes pass, for progress. */
export interface Watch {
  /** The body to hand to the socket: itself, or slices of it. */
  body(data: string | Buffer): Iterable<Uint8Array> | Buffer;
  received(bytes: number, total: number | undefined): void;
}

export type Send = (request: WireRequest, errand: Errand, watch?: Watch) => Promise<RawResponse>;

export interface Sender {
  readonly send: Send;
  readonly pools: readonly PoolLoad[];
  /** Gives up whatever is under way, and sends nothing more. */
  abort(): void;
  close(): Promise<void>;
}

const MAX_INFORMATIONAL = 20;
/** The most that one read of a socket returns; a larger piece has a buffer of its own. */
const MAX_PIECE_BYTES = 64 * 1024;
const EMPTY = Buffer.alloc(0);

export function createSender(options: PoolOptions = {}): Sender {
  const pools = createPools(options);
  const deadlines = new Deadlines();
  const arrivals = new Arrivals();
  let isClosed = false;

  return {
    send(request, errand, watch) {
      return new Promise((resolve, reject) => {
        if (isClosed) {
          reject(new GatewayError('UNREACHABLE', 'The gateway is shutting down; the call was not sent.'));
          return;
        }
        const exchange = new Exchange(deadlines, arrivals, request, errand, watch, resolve, reject);
        if (!exchange.begin()) return;
        try {
          const { dispatcher, forwardedBy } = pools.outletFor(request);
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
          // Our pools report through the handler; a dispatcher handed in may throw.
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

/** One request in flight. It settles once, whatever happens first: the end, an error, the deadline or the caller leaving. */
class Exchange implements Dispatcher.DispatchHandler, Expiring, Companion, Arrival {
  /** The proxy that passes the request on: it is told who asks, and may answer itself. */
  forwardedBy: ProxyServer | undefined;
  private readonly request: WireRequest;
  private readonly errand: Errand;
  private readonly watch: Watch | undefined;
  private readonly resolve: (response: RawResponse) => void;
  private readonly reject: (error: unknown) => void;
  private controller: Dispatcher.DispatchController | undefined;
  private readonly deadlines: Deadlines;
  private readonly arrivals: Arrivals;
  /** 0: the exchange has not begun. */
  deadline = 0;
  place = 0;
  seat = 0;
  private settled = false;
  private status = 0;
  private headers: RawResponse['headers'] = {};
  private informational = 0;
  private received = 0;
  private expected: number | undefined;
  private first: Buffer | undefined;
  private more: ByteCollector | undefined;
  private unpacker: Unpacker | undefined;
  /** The body, once it has arrived. */
  private whole: Buffer = EMPTY;

  constructor(
    deadlines: Deadlines,
    arrivals: Arrivals,
    request: WireRequest,
    errand: Errand,
    watch: Watch | undefined,
    resolve: (response: RawResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.deadlines = deadlines;
    this.arrivals = arrivals;
    this.request = request;
    this.errand = errand;
    this.watch = watch;
    this.resolve = resolve;
    this.reject = reject;
  }

  /** False when the caller has already left: nothing is sent then. */
  begin(): boolean {
    const { signal, deadline } = this.errand;
    if (signal.aborted) {
      this.handleEvent();
      return false;
    }
    this.deadline = deadline;
    stayWith(signal, this);
    this.deadlines.add(this);
    return true;
  }

  outgoingBody(): string | Buffer | null {
    const { watch } = this;
    const { body } = this.request;
    // undici takes iterables too; its types do not say so.
    return watch === undefined || body === null ? body : (watch.body(body) as Buffer);
  }

  outgoingHeaders(): Record<string, string> {
    const { body, origin } = this.request;
    let headers = this.request.headers as Record<string, string>;
    if (this.forwardedBy !== undefined) {
      const { authorization } = this.forwardedBy;
      headers = { ...headers, host: new URL(origin).host };
      if (authorization !== undefined) headers['proxy-authorization'] = authorization;
    }
    if (this.watch === undefined || body === null) return headers;
    // Slices have no known length, and some servers do not accept chunked requests.
    return { ...headers, 'content-length': String(Buffer.byteLength(body)) };
  }

  /** The caller left. */
  handleEvent(): void {
    const tool = this.errand.label;
    this.fail(new GatewayError('CANCELLED', `${tool} was cancelled by the caller.`, { tool }));
  }

  expire(): void {
    const { limits, isRead } = this.request;
    // Without a controller, the request is still waiting for a socket and was never sent.
    const aftermath = isRead || this.controller === undefined ? 'nothing' : 'unknown';
    const seconds = limits.timeoutMs / 1000;
    const why = `the answer was cut after ${seconds} s, the time limit of this call; the API was still sending`;
    this.failOrCut(new ToolTimeoutError(this.errand.label, seconds, aftermath), why);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Settled while it waited for a free socket: it must not go out any more.
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
      this.onResponseError(undefined, refusedBy(this.forwardedBy, status));
      return;
    }
    this.status = status;
    this.headers = headers;
    const length = headers['content-length'];
    if (length !== undefined) {
      this.expected = Number(length);
      const isTooLarge = this.expected > this.request.limits.maxResponseBytes && this.request.method !== 'HEAD';
      // The beginning of text and lines is useful, so it is read up to the limit.
      if (isTooLarge && status < 400 && !(this.request.takesPart && isInLines(headers))) {
        this.fail(this.tooLarge());
        return;
      }
    }
    const encoding = headers['content-encoding'];
    if (encoding !== undefined && this.request.method !== 'HEAD') {
      try {
        this.unpacker = Unpacker.for(String(encoding), this.request.limits.maxResponseBytes);
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
      if (this.unpacker === undefined) this.collect(chunk.subarray(0, room));
      this.tooMuch();
      return;
    }
    this.watch?.received(this.received, this.expected);
    if (this.unpacker !== undefined) this.unpacker.write(chunk, this);
    else this.collect(chunk);
  }

  private collect(chunk: Buffer): void {
    if (this.first === undefined && chunk.length <= MAX_PIECE_BYTES) this.first = chunk;
    else {
      this.more ??= new ByteCollector(this.first);
      this.more.add(chunk);
    }
  }

  onResponseEnd(): void {
    if (this.settled) return;
    if (this.unpacker !== undefined) {
      this.unpacker.end(this);
      return;
    }
    this.done(this.more?.bytes() ?? this.first ?? EMPTY);
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    if (this.settled) return;
    const failure = explainFailure(error, this.request, this.errand.label, this.status !== 0, this.forwardedBy);
    // What arrived of a broken stream is useful; of any other answer nobody knows what is missing.
    if (isStream(this.headers)) this.failOrCut(failure, 'the API closed the connection in the middle of its answer');
    else this.fail(failure);
  }

  done(body: Buffer): void {
    if (this.settled) return;
    this.settle();
    this.whole = body;
    this.arrivals.add(this);
  }

  passOn(): void {
    this.resolve({ status: this.status, headers: this.headers, body: this.whole });
  }

  tooMuch(): void {
    const max = this.request.limits.maxResponseBytes;
    this.failOrCut(this.tooLarge(), `the answer was cut after ${max} bytes, the size limit; there was more`);
  }

  broken(reason: string): void {
    this.fail(this.bad(reason));
  }

  /** Passes on what arrived, if a part is useful. For an error status, any beginning will do. */
  private failOrCut(error: GatewayError, why: string): void {
    if (this.settled) return;
    const { status, headers, request } = this;
    const isError = status >= 400;
    const body = this.unpacker?.part() ?? this.more?.bytes() ?? this.first ?? EMPTY;
    const isWanted = status !== 0 && (isError || request.takesPart === true);
    const part = isWanted ? (isError ? body : wholePart({ headers, body })) : undefined;
    if (part === undefined && !(isWanted && body.length > 0 && !isFileType(headers))) {
      this.fail(error);
      return;
    }
    this.settle();
    this.unpacker?.destroy();
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
    this.unpacker?.destroy();
    this.controller?.abort(error);
    this.reject(error);
  }

  private settle(): void {
    this.settled = true;
    // An exchange that never began has nothing to clean up.
    if (this.deadline === 0) return;
    this.deadlines.remove(this);
    part(this.errand.signal, this);
  }

  private bad(what: string): GatewayError {
    const tool = this.errand.label;
    return new ToolError('BAD_RESPONSE', tool, `${this.request.origin} ${what}. ${repeatAdvice(this.request.isRead)}`, {
      tool,
      origin: this.request.origin,
    });
  }

  private tooLarge(): GatewayError {
    const { limits, isRead } = this.request;
    const max = limits.maxResponseBytes;
    const isFile = isFileType(this.headers);
    return tooLarge(this.errand.label, `is larger than ${max} bytes`, { isRead, isFile }, { max_bytes: max });
  }
}
