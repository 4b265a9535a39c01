// Reads large answers in threads: parsing and shaping ten megabytes takes up to a second, in which the event loop would serve no
// other caller. A thread that crashes or does not finish fails one call and is replaced.
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { ExecutionContext } from '../../call/execution-context.ts';
import { type ErrorCode, GatewayError, ToolError } from '../../errors.ts';
import { repeatAdvice } from '../unreachable.ts';
import type { Answer, AnswerInput, AnswerPlan } from './build-answer.ts';
import { tooLarge } from './cut-answer.ts';

/** Everything needed to read an answer, as plain data. */
export interface AnswerJob {
  readonly plan: AnswerPlan;
  /** Removed from the answer. */
  readonly secrets: readonly string[];
  /** The memory of its body is transferred to the thread, and cannot be used here any more. */
  readonly input: AnswerInput;
}

export type AnswerReply =
  | { readonly answer: Answer; readonly failure?: never }
  | { readonly answer?: never; readonly failure: AnswerFailure };

/** An error as plain data: its class is lost between threads. */
export interface AnswerFailure extends Pick<GatewayError, 'code' | 'message' | 'details'> {
  /** The `why` of a ToolError. */
  readonly why: string | undefined;
}

type Caller = Pick<ExecutionContext, 'signal' | 'deadline'>;

export interface AnswerThreadsOptions {
  readonly script?: string | URL;
  readonly maxThreads?: number;
  /** Limit of all answers together that wait for a thread. */
  readonly maxWaitingBytes?: number;
  /** Limit for reading one answer. */
  readonly maxRunMs?: number;
  /** An idle thread ends after this time, and frees its memory. */
  readonly idleMs?: number;
  readonly maxHeapMb?: number;
}

interface Task {
  readonly job: AnswerJob;
  readonly caller: Caller;
  readonly bytes: number;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  task: Task | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** A pool of threads that read answers. */
export class AnswerThreads {
  readonly #script: string | URL | undefined;
  readonly #maxThreads: number;
  readonly #maxWaitingBytes: number;
  readonly #maxRunMs: number;
  readonly #idleMs: number;
  readonly #maxHeapMb: number;
  readonly #threads = new Set<Thread>();
  readonly #queue: Task[] = [];
  /** Answers that wait or are being read. */
  readonly #pending = new Set<Promise<Answer>>();
  #waitingBytes = 0;

  constructor(options: AnswerThreadsOptions = {}) {
    this.#script = options.script;
    // The event loop needs a core for itself.
    this.#maxThreads = options.maxThreads ?? (availableParallelism() > 2 ? 2 : 1);
    this.#maxWaitingBytes = options.maxWaitingBytes ?? 64 * 1024 * 1024;
    this.#maxRunMs = options.maxRunMs ?? 20_000;
    this.#idleMs = options.idleMs ?? 10_000;
    this.#maxHeapMb = options.maxHeapMb ?? 512;
  }

  /** Skips the answer if its call is over when its turn comes. */
  read(job: AnswerJob, caller: Caller): Promise<Answer> {
    const bytes = job.input.raw.body.length;
    if (this.#queue.length > 0 && this.#waitingBytes + bytes > this.#maxWaitingBytes) {
      const why = 'the gateway reads too many large answers at once, so this one was dropped';
      return Promise.reject(dropped('RATE_LIMITED', job.input, why));
    }
    const result = new Promise<Answer>((resolve, reject) => {
      this.#queue.push({ job, caller, bytes, resolve, reject });
      this.#waitingBytes += bytes;
    });
    this.#pending.add(result);
    const forget = () => this.#pending.delete(result);
    result.then(forget, forget);
    this.#startNext();
    return result;
  }

  /** Waits for the answers that are being read. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#pending);
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()));
  }

  /** Starts tasks of the queue as long as there is a thread for them. */
  #startNext(): void {
    for (;;) {
      const idle = [...this.#threads].find(({ task }) => task === undefined);
      if (this.#queue.length === 0 || (idle === undefined && this.#threads.size >= this.#maxThreads)) return;
      const task = this.#queue.shift() as Task;
      this.#waitingBytes -= task.bytes;
      const { signal, deadline } = task.caller;
      try {
        if (signal.aborted || performance.now() > deadline) throw new Error('the caller has left');
        this.#run(idle ?? this.#startThread(), task);
      } catch (error) {
        task.reject(this.#explainEnd(task, error as Error));
      }
    }
  }

  #startThread(): Thread {
    // Resolved by its import name: it runs compiled, even where the other sources are run uncompiled.
    const script = this.#script ?? createRequire(import.meta.url).resolve('#answer-worker');
    const worker = new Worker(script, {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: this.#maxHeapMb },
    });
    const thread: Thread = { worker, task: undefined, timer: undefined };
    worker.on('message', (reply: AnswerReply) => this.#finish(thread, reply));
    worker.on('error', (error) => this.#end(thread, error));
    worker.on('exit', () => this.#end(thread));
    // A pending call keeps the process alive; an idle thread must not. Has to come after the listeners, which would undo it.
    worker.unref();
    this.#threads.add(thread);
    return thread;
  }

  #run(thread: Thread, task: Task): void {
    thread.worker.postMessage(task.job, [task.job.input.raw.body.buffer as ArrayBuffer]);
    clearTimeout(thread.timer);
    thread.task = task;
    thread.timer = setTimeout(() => this.#end(thread, 'slow'), this.#maxRunMs).unref();
  }

  #finish(thread: Thread, { answer, failure }: AnswerReply): void {
    const { task } = thread;
    clearTimeout(thread.timer);
    thread.task = undefined;
    thread.timer = setTimeout(() => this.#end(thread), this.#idleMs).unref();
    if (answer !== undefined) task?.resolve(answer);
    else task?.reject(toError(failure, task.job.input.tool));
    this.#startNext();
  }

  /** Ends a thread. `cause`: its own error, or that it takes too long. */
  #end(thread: Thread, cause?: Error | 'slow'): void {
    if (!this.#threads.delete(thread)) return;
    clearTimeout(thread.timer);
    void thread.worker.terminate();
    if (thread.task !== undefined) thread.task.reject(this.#explainEnd(thread.task, cause));
    this.#startNext();
  }

  #explainEnd({ job: { input } }: Task, cause: Error | 'slow' | undefined): GatewayError {
    if (cause === 'slow') {
      const limit = `${this.#maxRunMs / 1000} s`;
      return dropped('BAD_RESPONSE', input, `reading the API's answer took longer than ${limit}, so it was dropped`);
    }
    if ((cause as NodeJS.ErrnoException | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY') {
      return tooLarge(input.tool, 'takes more memory to read than the gateway allows for one answer', input);
    }
    return dropped('BAD_RESPONSE', input, "reading the API's answer failed, and it was dropped", cause);
  }
}

function toError({ code, message, why, details }: AnswerFailure, tool: string): GatewayError {
  return why === undefined
    ? new GatewayError(code, message, { ...details })
    : new ToolError(code, tool, why, { ...details });
}

function dropped(code: ErrorCode, { tool, isRead }: AnswerInput, why: string, cause?: Error): GatewayError {
  return new ToolError(code, tool, `${why}. ${repeatAdvice(isRead)}`, { tool }, cause);
}
