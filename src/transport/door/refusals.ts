// Refused requests and connections: each is counted, but they cannot fill the log. The first refusal of a kind from an address is
// logged on its own, the following ones are summed up.
import type { Reply } from '../../protocol/sender.ts';

export interface RefusalFacts {
  readonly transport: 'http' | 'tcp' | 'admin';
  /** One of a fixed list, never text from a client, because it is a label of the counters. */
  readonly reason: RefusalReason;
  readonly remote: string | undefined;
  readonly status?: number | undefined;
  /** Where it was known who called. */
  readonly principal?: string | undefined;
  /** The path that was called, where it is one of ours. */
  readonly path?: string | undefined;
  /** Why, in words of ours: one of few. */
  readonly why?: string | undefined;
  /** More for the operator, as a client wrote it. */
  readonly details?: Readonly<Record<string, string>> | undefined;
}

export type RefusalReason =
  | (typeof REASONS)[keyof typeof REASONS]
  | 'host'
  | 'origin'
  | 'forwarded'
  | 'pipelining'
  | 'session'
  | 'tls'
  | 'certificate'
  | 'not_jsonrpc'
  | 'connections'
  | 'issuer_away'
  | 'shutting_down';

/** The default reason for a status. */
const REASONS = {
  400: 'malformed',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method',
  408: 'too_slow',
  413: 'too_large',
  415: 'media_type',
  417: 'expectation',
  429: 'rate',
  431: 'headers',
  503: 'busy',
} as const;

export function reasonOf(status: number): RefusalReason | undefined {
  return (REASONS as Readonly<Record<number, RefusalReason>>)[status];
}

/** Errors about a message itself, not about a call: no log line of a call mentions them. */
const ABOUT_MESSAGES: ReadonlySet<string> = new Set([
  'PARSE_ERROR',
  'INVALID_REQUEST',
  'INVALID_ENVELOPE',
  'INVALID_PARAMS',
  'HEADER_MISMATCH',
  'MISSING_CLIENT_CAPABILITY',
  'UNSUPPORTED_PROTOCOL_VERSION',
]);

/** Why a message was answered with nothing but an error; undefined: it was not. */
export function refusalOf(reply: Reply | undefined): Pick<RefusalFacts, 'reason' | 'why'> | undefined {
  if (reply?.refused !== undefined) return { reason: reply.refused };
  const { error } = reply ?? {};
  return error !== undefined && ABOUT_MESSAGES.has(error)
    ? { reason: 'malformed', why: error.toLowerCase() }
    : undefined;
}

export interface Refusals {
  note(facts: RefusalFacts): void;
  /** Since the start, by reason. */
  readonly counts: ReadonlyMap<RefusalReason, number>;
  /** Writes what has not been told yet; for the end of the process. */
  flush(): void;
}

export type RefusalLog = (facts: object, message: 'refused' | 'refused more') => void;

const INTERVAL_MS = 60_000;
/** Log lines for single refusals within an interval, for all callers together. */
const MAX_LINES = 20;
/** Addresses counted separately within an interval, per reason; an address counts again for each further `why`. */
const MAX_ADDRESSES = 1_000;
/** Addresses named in one line. */
const MAX_NAMED = 5;

/** What one address was refused for one why. */
interface Untold {
  readonly address: string;
  readonly why: string | undefined;
  /** 0 if its only refusal has been logged already. */
  count: number;
}

/** What was refused for one reason since the interval began. */
interface Tally {
  /** By address and why. */
  readonly untold: Map<string, Untold>;
  /** From addresses beyond those. */
  others: number;
}

export function createRefusals(write: RefusalLog = () => {}, intervalMs = INTERVAL_MS): Refusals {
  const counts = new Map<RefusalReason, number>();
  const tallies = new Map<RefusalReason, Tally>();
  let lines = 0;
  let timer: NodeJS.Timeout | undefined;

  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    lines = 0;
    for (const [reason, tally] of tallies) {
      const line = sumUp(tally);
      if (line) write({ reason, ...line }, 'refused more');
    }
    tallies.clear();
  };

  return {
    counts,
    flush,
    note({ transport, reason, status, remote, principal, path, why, details }) {
      counts.set(reason, (counts.get(reason) ?? 0) + 1);
      if (timer === undefined) {
        timer = setTimeout(flush, intervalMs);
        timer.unref();
      }
      const tally = tallies.get(reason) ?? { untold: new Map(), others: 0 };
      tallies.set(reason, tally);
      const address = remote ?? 'unknown';
      const key = why === undefined ? address : `${address} ${why}`;
      const entry = tally.untold.get(key);
      if (entry !== undefined) entry.count++;
      else if (lines < MAX_LINES) {
        lines++;
        tally.untold.set(key, { address, why, count: 0 });
        write({ reason, why, ...details, status, path, remote, principal, transport }, 'refused');
      } else if (tally.untold.size < MAX_ADDRESSES) tally.untold.set(key, { address, why, count: 1 });
      else tally.others++;
    },
  };
}

function sumUp({ untold, others }: Tally): object | undefined {
  const all = [...untold.values()];
  const addresses = countBy(all, ({ address }) => address);
  const count = addresses.reduce((sum, [, own]) => sum + own, others);
  if (count === 0) return undefined;
  const rest = addresses.slice(MAX_NAMED).reduce((sum, [, own]) => sum + own, others);
  const whys = countBy(all, ({ why }) => why).slice(0, MAX_NAMED);
  return {
    count,
    ...(whys.length > 0 && { whys: Object.fromEntries(whys) }),
    remotes: Object.fromEntries(addresses.slice(0, MAX_NAMED)),
    ...(rest > 0 && { fromOthers: rest }),
  };
}

/** The most frequent first. */
function countBy(all: readonly Untold[], nameOf: (one: Untold) => string | undefined): [string, number][] {
  const counts = new Map<string, number>();
  for (const one of all) {
    const name = nameOf(one);
    if (name !== undefined && one.count > 0) counts.set(name, (counts.get(name) ?? 0) + one.count);
  }
  return [...counts].sort(([, one], [, other]) => other - one);
}
