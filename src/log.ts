// One line per call, to stderr: stdout belongs to the protocol. JSON for machines, short lines on a terminal.
import { Writable } from 'node:stream';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { ExecutionContext, ResultRecord } from './call/execution-context.ts';
import { type Colours, coloursFor } from './colours.ts';
import { escapeHiddenCharacters } from './endpoint/hidden.ts';
import { LineWriter } from './log-writer.ts';

export type { Logger } from 'pino';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogOptions {
  readonly level: LogLevel;
  /** Removes known secrets from a line before it is written. */
  readonly redact?: (text: string) => string;
  /** Default: stderr. */
  readonly destination?: DestinationStream;
  readonly pretty?: boolean;
  /** The number of this worker, which every line has. */
  readonly worker?: number | undefined;
  /** Other processes write there as well: their lines must not break ours. */
  readonly isShared?: boolean | undefined;
}

export function createLog(options: LogOptions): Logger {
  const { level, redact = (text) => text, destination, pretty = false, worker, isShared = false } = options;
  const writer = destination || pretty ? undefined : new LineWriter(2, isShared);
  const out = destination ?? writer ?? process.stderr;
  const toLine = pretty ? createPrettifier(coloursFor(process.stderr)) : String;
  const write = (line: string) => out.write(redact(toLine(line)));
  const clock = createClock();
  const batches = writer && {
    flush: (callback: () => void) => writer.flush(callback),
    flushSync: () => writer.flushSync(),
  };
  const log = pino({ level, base: worker === undefined ? null : { worker }, timestamp: clock }, { ...batches, write });
  return log;
}

/** Many lines share a millisecond, and formatting the time takes a quarter of the time of a line. */
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
  const { tool, client, profile } = context;
  const { method, transport, remote, traceId } = context.request;
  const { effect, permission } = context.journal;
  const { upstream } = result;
  return {
    requestId: context.requestId,
    trace: traceId,
    method,
    tool: tool?.slice(0, MAX_TOOL_CHARS),
    action: context.action,
    operation: context.operation,
    effect,
    // For the operator only: the caller is told that there is no such operation.
    denied: permission?.policy === 'deny' ? permission.because : undefined,
    principal: context.principal.id,
    profile: profile === '' ? undefined : profile,
    transport,
    remote,
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
 * One line for each client that introduces itself. Clients may do so at any rate, so beyond a hundred in ten seconds they are only
 * counted.
 */
export function createIntroductionLog(log: Logger): (introduction: object) => void {
  let count = 0;
  const startOver = () => {
    if (count > MAX_INTRODUCTIONS) log.info({ introductions: count - MAX_INTRODUCTIONS }, 'more clients');
    count = 0;
  };
  return (introduction) => {
    if (count++ === 0) setTimeout(startOver, INTRODUCTIONS_MS).unref();
    if (count <= MAX_INTRODUCTIONS) log.info(introduction, 'client');
  };
}

/** Changes the level. The change itself is logged with the level, old or new, that shows warnings. */
export function setLevel(log: Logger, level: string, why: string): void {
  const facts = { from: log.level, to: level, why };
  const wasEnabled = log.isLevelEnabled('warn');
  if (wasEnabled) log.warn(facts, 'log level');
  log.level = level;
  if (!wasEnabled) log.warn(facts, 'log level');
}

/** Flushes what is still buffered; for the end of the process. */
export function flushLog(log: Logger): Promise<void> {
  return new Promise((resolve) => log.flush(() => resolve()));
}

/** Writes nothing: for tests and one-shot commands. */
export function createSilentLog(): Logger {
  return pino({ level: 'silent' }, new Writable({ write: (_chunk, _encoding, callback) => callback() }));
}

type LogFacts = Readonly<Record<string, unknown>>;

const LEVEL_NAMES: Record<number, string> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};

/** A line of the log as a person reads it on a terminal: time, level, what happened, by whom and why. */
function createPrettifier(pc: Colours): (line: string) => string {
  const colours: Record<number, (text: string) => string> = {
    10: pc.dim,
    20: pc.dim,
    30: pc.green,
    40: pc.yellow,
    50: pc.red,
    60: pc.red,
  };

  /** Frequent lines, by their message. */
  const texts: Readonly<Record<string, (facts: LogFacts) => string>> = {
    call: ({ tool, action, status, durationMs, failureMode, outcome, reason, client, revision }) => {
      const what = action === undefined || action === tool ? oneLine(tool) : `${oneLine(tool)}/${oneLine(action)}`;
      const why = reason === undefined ? '' : `: ${oneLine(reason)}`;
      const how = outcome === 'ok' ? '' : ` ${oneLine(failureMode ?? outcome)}${why}`;
      const who = `  ${oneLine(client ?? 'a client')} (${oneLine(revision)})`;
      return `${what} ${pc.dim(`${status ?? '-'} ${durationMs} ms`)}${how}${pc.dim(who)}`;
    },
    client: ({ client, version, transport }) => {
      const { name = 'without a name', version: release = '' } = (client ?? {}) as { name?: string; version?: string };
      return `client ${oneLine(`${name} ${release}`.trim())} ${pc.dim(`${oneLine(version)}, ${oneLine(transport)}`)}`;
    },
    stopping: ({ why }) => `stopping: ${oneLine(why)}`,
  };

  return (line) => {
    const { level, time, msg, err, ...facts } = JSON.parse(line) as Record<string, unknown>;
    const colour = colours[level as number] ?? String;
    const head = `${pc.dim(String(time).slice(11, 19))} ${colour((LEVEL_NAMES[level as number] ?? 'log').padEnd(5))}`;
    const { message, stack } = (err ?? {}) as { message?: string; stack?: string };
    const text = texts[String(msg)]?.(facts) ?? `${oneLine(msg ?? message ?? '')}${pc.dim(listFacts(facts))}`;
    return `${head} ${text}${stack ? `\n${pc.dim(escapeHiddenCharacters(stack))}` : ''}\n`;
  };
}

function listFacts(facts: LogFacts): string {
  return Object.entries(facts)
    .map(([key, value]) => ` ${key}: ${oneLine(typeof value === 'object' ? JSON.stringify(value) : value)}`)
    .join(',');
}

/** A client can call a tool by any name: the name must not move the cursor, or start a line that looks like one of ours. */
function oneLine(value: unknown): string {
  return escapeHiddenCharacters(String(value)).replace(/\s+/g, ' ').slice(0, 1_000);
}
