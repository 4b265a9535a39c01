// Refused requests and connections. Each is counted, but they cannot fill the log: the first refusal of a kind from an address has its
// own line, later ones are summed up.
import type { Reply } from '../protocol/sender.ts';

export interface RefusalFacts {
  readonly transport: 'http' | 'tcp' | 'admin';
  /** One of a fixed list, never text from a client, because it is a label of a metric. */
  readonly reason: RefusalReason;
  readonly remote: string | undefined;
  readonly status?: number | undefined;
  /** The caller, if known. */
  readonly principal?: string | undefined;
  /** The path of the request, if it is one of ours. */
  readonly path?: string | undefined;
  /** Why: one of a few fixed texts. */
  readonly why?: string | undefined;
  /** More for the operator: text from the client. */
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

/** Errors of a message, not of a call: they appear in no call's log line. */
const MESSAGE_ERRORS: ReadonlySet<string> = new Set([
  'PARSE_ERROR',
  'INVALID_REQUEST',
  'INVALID_ENVELOPE',
  'INVALID_PARAMS',
  'HEADER_MISMATCH',
  'MISSING_CLIENT_CAPABILITY',
  'UNSUPPORTED_PROTOCOL_VERSION',
]);

/** The refusal that a reply amounts to; undefined if the message was not refused. */
export function refusalOf(reply: Reply | undefined): Pick<RefusalFacts, 'reason' | 'why'> | undefined {
  if (reply?.refused !== undefined) return { reason: reply.refused };
  const { error } = reply ?? {};
  return error !== undefined && MESSAGE_ERRORS.has(error)
    ? { reason: 'malformed', why: error.toLowerCase() }
    : undefined;
}

export interface Refusals {
  note(facts: RefusalFacts): void;
  /** By reason, since the start. */
  readonly counts: ReadonlyMap<RefusalReason, number>;
  /** Writes what has not been logged yet; for the end of the process. */
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

/** The refusals of one address with one `why`. */
interface AddressCount {
  readonly address: string;
  readonly why: string | undefined;
  /** How many are not logged yet: 0 if its only refusal has been logged. */
  count: number;
}

/** The refusals for one reason since the interval began. */
interface ReasonCounts {
  /** By address and `why`. */
  readonly byAddress: Map<string, AddressCount>;
  /** The number of refusals from addresses beyond MAX_ADDRESSES. */
  others: number;
}

export function createRefusals(write: RefusalLog = () => {}, intervalMs = INTERVAL_MS): Refusals {
  const counts = new Map<RefusalReason, number>();
  const countsByReason = new Map<RefusalReason, ReasonCounts>();
  let lines = 0;
  let timer: NodeJS.Timeout | undefined;

  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    lines = 0;
    for (const [reason, own] of countsByReason) {
      const line = summarise(own);
      if (line) write({ reason, ...line }, 'refused more');
    }
    countsByReason.clear();
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
      const own = countsByReason.get(reason) ?? { byAddress: new Map(), others: 0 };
      countsByReason.set(reason, own);
      const address = remote ?? 'unknown';
      const key = why === undefined ? address : `${address} ${why}`;
      const entry = own.byAddress.get(key);
      if (entry !== undefined) entry.count++;
      else if (lines < MAX_LINES) {
        lines++;
        own.byAddress.set(key, { address, why, count: 0 });
        write({ reason, why, ...details, status, path, remote, principal, transport }, 'refused');
      } else if (own.byAddress.size < MAX_ADDRESSES) own.byAddress.set(key, { address, why, count: 1 });
      else own.others++;
    },
  };
}

function summarise({ byAddress, others }: ReasonCounts): object | undefined {
  const all = [...byAddress.values()];
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
function countBy(all: readonly AddressCount[], nameOf: (one: AddressCount) => string | undefined): [string, number][] {
  const counts = new Map<string, number>();
  for (const one of all) {
    const name = nameOf(one);
    if (name !== undefined && one.count > 0) counts.set(name, (counts.get(name) ?? 0) + one.count);
  }
  return [...counts].sort(([, one], [, other]) => other - one);
}
