// The context of a call as the facts of a record: who called what from where, what was decided about it, and the result.
import type { ExecutionContext } from '../call/execution-context.ts';
import type { Effect } from '../endpoint/model.ts';

const MAX_NAME = 200;
/** The URL of an issuer and a subject: two callers must never look the same. */
const MAX_PRINCIPAL = 2_500;
const MAX_URL = 2_000;

export type Redact = (text: string) => string;

/** JSON of the record of a call that is over, from its sealed context. */
export function writeCall(context: ExecutionContext, redact: Redact): string {
  return writeFacts(context, context.journal.effect, true, redact);
}

/** JSON of the record of a call that is about to change something. */
export function writeBegin(context: ExecutionContext, effect: Effect, redact: Redact): string {
  return writeFacts(context, effect, false, redact);
}

function writeFacts(context: ExecutionContext, effect: Effect | undefined, isOver: boolean, redact: Redact): string {
  const { profile, tool, action } = context;
  const { requestId, method, principal, transport, remote } = context.request;
  const { permission, confirmation, isDryRun, argumentRecord, upstreamMs } = context.journal;
  const result = isOver ? context.results[0] : undefined;
  const upstream = result?.upstream;
  const totalMs = result?.durationMs ?? 0;
  // One literal without spreads, which took two thirds of the time of a record. JSON.stringify omits what is undefined.
  return write(
    {
      request: requestId,
      method,
      principal: cut(principal.id, MAX_PRINCIPAL, redact),
      transport,
      remote,
      client: toClient(context, redact),
      profile: profile === '' ? undefined : profile,
      tool: tool && cut(tool, MAX_NAME, redact),
      action: action && cut(action, MAX_NAME, redact),
      operation: context.operation,
      effect,
      dryRun: (isOver && isDryRun) || undefined,
      argumentsDigest: context.argumentsDigest,
      arguments: isOver ? argumentRecord : undefined,
      policy: permission && { decision: permission.policy, because: permission.because },
      confirmation,
      upstream: upstream && {
        method: upstream.method,
        url: cut(upstream.url, MAX_URL, redact),
        status: upstream.status,
        bytes: upstream.bytes,
      },
      outcome: result?.outcome,
      failureMode: result?.failureMode,
      reason: result?.reason,
      errorCode: result?.errorCode,
      startedAt: isOver ? new Date(context.startedAt).toISOString() : undefined,
      totalMs: isOver ? round(totalMs) : undefined,
      upstreamMs: upstream && round(upstreamMs),
      gatewayMs: upstream && round(Math.max(0, totalMs - upstreamMs)),
    },
    redact,
  );
}

/** The client's statements about itself, cut: a line must not become as long as a message may be. */
function toClient({ client }: ExecutionContext, redact: Redact): object {
  return {
    name: client.name && cut(client.name, MAX_NAME, redact),
    version: client.release && cut(client.release, MAX_NAME, redact),
    protocol: client.version,
  };
}

/** Redacted before it is cut, so that no part of a secret is left. */
function cut(text: string, maxChars: number, redact: Redact): string {
  return text.length <= maxChars ? text : `${redact(text.slice(0, 4 * maxChars)).slice(0, maxChars)}…`;
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}

/**
 * Redacts the whole JSON text first. Only if that finds something is each string redacted by itself, so that keys and brackets stay.
 * Keys of arguments were redacted when they were recorded.
 */
function write(facts: object, redact: Redact): string {
  const json = JSON.stringify(facts);
  if (redact(json) === json) return json;
  return JSON.stringify(facts, (_key, value: unknown) => (typeof value === 'string' ? redact(value) : value));
}
