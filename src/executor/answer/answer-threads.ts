// Reads large answers in threads: parsing and shaping ten megabytes takes up to a second, during which the event loop could serve
// no other caller. A thread that crashes or does not finish fails one call and is replaced.
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { ExecutionContext } from '../../call/execution-context.ts';
import { type ErrorCode, GatewayError, ToolError } from '../../errors.ts';
import { repeatAdvice } from '../unreachable.ts';
import type { Answer, AnswerInput, AnswerPlan } from './build-answer.ts';
import { tooLarge } from './too-large.ts';

/** All that reading an answer takes, as plain data. */
export interface AnswerJob {
  readonly plan: AnswerPlan;
  /** Taken out of the answer. */
  readonly secrets: readonly string[];
  /** The memory of its body is transferred to the thread, and can no longer be used here. */
  readonly input: AnswerInput;
}

export type AnswerReply =
  | { readonly answer: Answer; readonly failure?: never }
  | { readonly answer?: never; readonly failure: AnswerFailure };

/** An error as plain data: its class does not survive the way between threads. */
export interface AnswerFailure extends Pick<GatewayError, 'code' | 'message' | 'details'> {
  /** Of a ToolError. */
  readonly why: string | undefined;
}

export interface AnswerThreads {
  /** If the caller has left when its turn comes, the answer is skipped. */
  read(job: AnswerJob, caller: Caller): Promise<Answer>;
  /** Waits for what is being read. */
  close(): Promise<void>;
}

type Caller = Pick<ExecutionContext, 'signal' | 'deadline'>;

export interface AnswerThreadsOptions {
  readonly script?: string | URL;
  readonly maxThreads?: number;
  /** Of answers that wait for a thread. */
  readonly maxWaitingBytes?: number;
  /** For one answer. */
  readonly maxRunMs?: number;
  /** After so long without work a thread ends, and its memory with it. */
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

export function createAnswerThreads(options: AnswerThreadsOptions = {}): AnswerThreads {
  const {
    // The event loop needs a core for itself.
    maxThreads = availableParallelism() > 2 ? 2 : 1,
    maxWaitingBytes = 64 * 1024 * 1024,
    maxRunMs = 20_000,
    idleMs = 10_000,
    maxHeapMb = 512,
  } = options;
  const threads = new Set<Thread>();
  const waiting: Task[] = [];
  const promises = new Set<Promise<Answer>>();
  let waitingBytes = 0;

  const start = (): Thread => {
    // The file is looked up by name: it is compiled, also where the sources run as they are.
    const script = options.script ?? createRequire(import.meta.url).resolve('#answer-worker');
    const worker = new Worker(script, {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    });
    const thread: Thread = { worker, task: undefined, timer: undefined };
    worker.on('message', (reply: AnswerReply) => finish(thread, reply));
    worker.on('error', (error) => lose(thread, error));
    worker.on('exit', () => lose(thread));
    // A pending call keeps the process alive; an idle thread must not. Has to come after the listeners, which would undo it.
    worker.unref();
    threads.add(thread);
    return thread;
  };

  const run = (thread: Thread, task: Task): void => {
    const { input } = task.job;
    thread.worker.postMessage(task.job, [input.raw.body.buffer as ArrayBuffer]);
    clearTimeout(thread.timer);
    thread.task = task;
    thread.timer = setTimeout(() => lose(thread, 'slow'), maxRunMs).unref();
  };

  const finish = (thread: Thread, { answer, failure }: AnswerReply): void => {
    const { task } = thread;
    clearTimeout(thread.timer);
    thread.task = undefined;
    thread.timer = setTimeout(() => lose(thread), idleMs).unref();
    if (answer !== undefined) task?.resolve(answer);
    else task?.reject(toError(failure, task.job.input.tool));
    next();
  };

  /** Ends a thread; `cause` is an error of its own or that it takes too long. */
  const lose = (thread: Thread, cause?: Error | 'slow'): void => {
    if (!threads.delete(thread)) return;
    clearTimeout(thread.timer);
    void thread.worker.terminate();
    if (thread.task !== undefined) thread.task.reject(explainLoss(thread.task.job.input, cause, maxRunMs));
    next();
  };

  const next = (): void => {
    for (;;) {
      const free = [...threads].find(({ task }) => task === undefined);
      if (waiting.length === 0 || (free === undefined && threads.size >= maxThreads)) return;
      const task = waiting.shift() as Task;
      waitingBytes -= task.bytes;
      const { signal, deadline } = task.caller;
      try {
        if (signal.aborted || performance.now() > deadline) throw new Error('the caller has left');
        run(free ?? start(), task);
      } catch (error) {
        task.reject(explainLoss(task.job.input, error as Error, maxRunMs));
      }
    }
  };

  return {
    read(job, caller) {
      const bytes = job.input.raw.body.length;
      if (waiting.length > 0 && waitingBytes + bytes > maxWaitingBytes) {
        const why = 'the gateway reads too many large answers at once, so this one was dropped';
        return Promise.reject(dropped('RATE_LIMITED', job.input, why));
      }
      const result = new Promise<Answer>((resolve, reject) => {
        waiting.push({ job, caller, bytes, resolve, reject });
        waitingBytes += bytes;
      });
      promises.add(result);
      const forget = () => promises.delete(result);
      result.then(forget, forget);
      next();
      return result;
    },
    async close() {
      await Promise.allSettled(promises);
      await Promise.all([...threads].map(({ worker }) => worker.terminate()));
    },
  };
}

function toError({ code, message, why, details }: AnswerFailure, tool: string): GatewayError {
  return why === undefined
    ? new GatewayError(code, message, { ...details })
    : new ToolError(code, tool, why, { ...details });
}

function explainLoss(input: AnswerInput, cause: Error | 'slow' | undefined, maxRunMs: number): GatewayError {
  if (cause === 'slow') {
    const limit = `${maxRunMs / 1000} s`;
    return dropped('BAD_RESPONSE', input, `reading the API's answer took longer than ${limit}, so it was dropped`);
  }
  if ((cause as NodeJS.ErrnoException | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return tooLarge(input.tool, 'takes more memory to read than the gateway allows for one answer', input);
  }
  return dropped('BAD_RESPONSE', input, "reading the API's answer failed, and it was dropped", cause);
}

function dropped(code: ErrorCode, { tool, isRead }: AnswerInput, why: string, cause?: Error): GatewayError {
  return new ToolError(code, tool, `${why}. ${repeatAdvice(isRead)}`, { tool }, cause);
}
