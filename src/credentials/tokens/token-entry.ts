// One token, or why it is missing: everything that decides whether the next one is fetched.
import { GatewayError, ToolError } from '../../errors.ts';
import type { ClientAuthentication } from './client-request.ts';
import type { BlockedUntil } from './shared-tokens.ts';
import type { IssuedToken } from './token-request.ts';

export interface TokenEntry {
  /** The same in every process. */
  readonly key: string;
  readonly authentication: ClientAuthentication;
  issued: IssuedToken | undefined;
  /** The generation under which other processes have it, or had it. */
  generation: string | undefined;
  expiresAt: number;
  pending: Promise<IssuedToken> | undefined;
  /** When refused tokens were replaced, the last few times. */
  replacedAt: readonly number[];
  /** Times in a row that the secrets were refused. */
  refusals: number;
  /** Until then no further attempt is made; `error` is what the server said. */
  blocked: BlockedUntil | undefined;
}

/**
 * Few refused tokens are replaced in this time, even if other calls succeed with them: an operation may answer 401 to
 * everybody (a missing permission, a wrong old password), and a new login for each such call would lock the account.
 */
const REPLACEMENT_PAUSE_MS = 10_000;
/** Accounts are locked after a handful of wrong passwords, so they are not tried with every call. */
const FREE_REFUSALS = 3;
export const REFUSAL_PAUSE_MS = 60_000;

export function newTokenEntry(key: string, authentication: ClientAuthentication = { inBody: false }): TokenEntry {
  return {
    key,
    authentication,
    issued: undefined,
    generation: undefined,
    expiresAt: 0,
    pending: undefined,
    replacedAt: [],
    refusals: 0,
    blocked: undefined,
  };
}

/** Whether a refused token may be replaced now; the replacement counts from here on. */
export function mayReplace(entry: TokenEntry, maxReplacements: number): boolean {
  const recent = entry.replacedAt.filter((at) => Date.now() - at < REPLACEMENT_PAUSE_MS);
  if (recent.length >= maxReplacements) return false;
  entry.replacedAt = [...recent, Date.now()];
  return true;
}

export function noteRefusal(entry: TokenEntry, error: unknown): void {
  if (!(error instanceof GatewayError)) return;
  const { code, message, details } = error;
  const why = error instanceof ToolError ? error.why : undefined;
  // Kept as plain data, so that it can be shared with other processes.
  const block = (ms: number) => {
    entry.blocked = { until: Date.now() + ms, error: { code, message, why, details } };
  };
  if (code === 'RATE_LIMITED') {
    const { retry_after_seconds: seconds = 1 } = details as { retry_after_seconds?: number };
    block(Math.min(seconds * 1000, REFUSAL_PAUSE_MS));
  }
  if (code !== 'MISSING_CREDENTIAL') return;
  entry.refusals++;
  if (entry.refusals >= FREE_REFUSALS) block(REFUSAL_PAUSE_MS);
}

/** The same error, for another call: it names that call's tool, and when the secrets are tried again. */
export function blockedError(
  { code, message, why, details }: BlockedUntil['error'],
  tool: string,
  waitMs: number,
): ToolError {
  // A process of an older release publishes only the message, which begins with the tool of its own call.
  const front = `${details.tool}: `;
  const reason = why ?? (message.startsWith(front) ? message.slice(front.length) : message);
  const pause = ` It is not tried again for ${Math.ceil(waitMs / 1000)} s.`;
  return new ToolError(code, tool, reason + pause, { ...details, tool });
}
