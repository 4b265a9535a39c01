// One line per call, to stderr: stdout belongs to the protocol. JSON for machines, short lines on a terminal.
import { Writable } from 'node:stream';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { ExecutionContext, ResultRecord } from './call/execution-context.ts';
import { coloursFor } from './colours.ts';
import { createLineWriter } from './log-writer.ts';
import { createPrettifier } from './pretty-line.ts';

export type { Logger } from 'pino';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogOptions {
  readonly level: LogLevel;
  /** Takes known secrets out of a line before it is written. */
  readonly redact?: (text: string) => string;
  /** Default: stderr. */
  readonly destination?: DestinationStream;
  readonly pretty?: boolean;
  /** Which of several processes this is: every line says so. */
  readonly worker?: number | undefined;
  /** Other processes write there as well: no line is torn by theirs. */
  readonly isShared?: boolean | undefined;
}

export function createLog(options: LogOptions): Logger {
  const { level, redact = (text) => text, destination, pretty = false, worker, isShared = false } = options;
  const batches = destination || pretty ? undefined : createLineWriter(2, isShared);
  const out = destination ?? batches ?? process.stderr;
  const toLine = pretty ? createPrettifier(coloursFor(process.stderr)) : String;
  const write = (line: string) => out.write(redact(toLine(line)));
  const clock = createClock();
  const log = pino({ level, base: worker === undefined ? null : { worker }, timestamp: clock }, { ...batches, write });
  return log;
}

/** Many lines share a millisecond, and writing it out takes a quarter of the time a line takes. */
function createClock(): () => string {
  let at = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== at) {
      at = now;
      text = `,"time":"${new Date(now).toISOString()}"`;
    }
    return text;
  };
}

/** Writes the sealed context of a call as one log line. */
export function createAudit(log: Logger): (context: ExecutionContext) => void {
  return (context) => {
    const result = context.results[0];
    if (!result) return;
    const level = result.outcome === 'error' || result.outcome === 'failed' ? 'warn' : 'info';
    if (log.isLevelEnabled(level)) log[level](toCallFields(context, result), 'call');
  };
}

/** Tool names come from clients: a line must not become as long as a message may be. */
const MAX_TOOL_CHARS = 200;

/** The fields of a call's log line, in their order. Those that are undefined are left out. */
function toCallFields(context: ExecutionContext, result: ResultRecord): object {
  const { tool, client, permission, profile } = context;
  const { upstream } = result;
  return {
    requestId: context.requestId,
    trace: context.traceId,
    method: context.method,
    tool: tool?.slice(0, MAX_TOOL_CHARS),
    action: context.action,
    operation: context.operation,
    effect: context.effect,
    // For the operator only: the caller is told that there is no such operation.
    denied: permission?.policy === 'deny' ? permission.because : undefined,
    principal: context.principal.id,
    profile: profile === '' ? undefined : profile,
    transport: context.transport,
    remote: context.remote,
    client: client.name,
    revision: client.version,
    args: context.argumentsDigest,
    outcome: result.outcome,
    failureMode: result.failureMode,
    reason: result.reason,
    errorCode: result.errorCode,
    upstream: upstream && `${upstream.method} ${upstream.url}`,
    status: upstream?.status,
    bytes: upstream?.bytes,
    durationMs: Math.round(result.durationMs * 10) / 10,
  };
}

const INTRODUCTIONS_MS = 10_000;
const MAX_INTRODUCTIONS = 100;

/**
 * One line for each client that introduces itself. Clients may do so at any rate: beyond a hundred in ten seconds they are only counted.
 */
export function createIntroductionLog(log: Logger): (introduction: object) => void {
  let count = 0;
  const beginAnew = () => {
    if (count > MAX_INTRODUCTIONS) log.info({ introductions: count - MAX_INTRODUCTIONS }, 'more clients');
    count = 0;
  };
  return (introduction) => {
    if (count++ === 0) setTimeout(beginAnew, INTRODUCTIONS_MS).unref();
    if (count <= MAX_INTRODUCTIONS) log.info(introduction, 'client');
  };
}

/** Changes the level. The change itself is logged on whichever side shows warnings. */
export function setLevel(log: Logger, level: string, why: string): void {
  const facts = { from: log.level, to: level, why };
  const wasHeard = log.isLevelEnabled('warn');
  if (wasHeard) log.warn(facts, 'log level');
  log.level = level;
  if (!wasHeard) log.warn(facts, 'log level');
}

/** Flushes what is still buffered; for the end of the process. */
export function flushLog(log: Logger): Promise<void> {
  return new Promise((resolve) => log.flush(() => resolve()));
}

/** Swallows everything: for tests and one-shot commands. */
export function createSilentLog(): Logger {
  return pino({ level: 'silent' }, new Writable({ write: (_chunk, _encoding, callback) => callback() }));
}
