// What the golden path hands to an audit trail, and what becomes of a call that cannot be recorded. The trail itself is
// src/audit; without one nothing of this runs.
import type { Effect, GuardPolicy } from '../endpoint/model.ts';
import { GatewayError } from '../errors.ts';
import type { ExecutionContext } from './execution-context.ts';

/** What was decided about calls of an operation when it was built. */
export interface Permission {
  readonly policy: GuardPolicy;
  /** Who decided: `the domain pets says guard.write: confirm`. */
  readonly because: string;
}

/** An id is a part of the token (its nonce), from which the token cannot be reconstructed. */
export interface Confirmation {
  /** Id of the token or question in this answer. */
  readonly issued?: string;
  /** Id of the token or question that came back with this call and was checked; the record that issued it has the same id. */
  readonly used?: string;
  readonly by?: 'token' | 'answer' | 'round';
  /** The person's answer, or why the confirmation does not count. */
  readonly answer?: string;
}

/** Where calls are written down. */
export interface Evidence {
  /** Throws NOT_RECORDED where the record of a call could not be written. Nothing has been sent yet. */
  admit(label: string): void;
  /** Before a call that may change something goes out; throws like admit(). */
  begin(context: ExecutionContext, effect: Effect): void;
  /** The sealed context of a call, before it is answered. False: it is not written, and the answer must not go out. */
  write(record: ExecutionContext): boolean;
  /** Calls of one caller that its own limits refused, not counting the one that was recorded. */
  countRefused(principal: string, count: number, sinceMs: number): void;
}

export function refuseUnrecorded(label: string): GatewayError {
  return new GatewayError(
    'NOT_RECORDED',
    `${label} was refused: this gateway records every call, and its audit file cannot be written at the moment. Nothing was sent. Changing the arguments will not help; tell the user, and try again later.`,
    { tool: label },
  );
}

/** The call was made, and then its record could not be written. */
export function withholdUnrecorded({ label, journal }: ExecutionContext): GatewayError {
  const { effect, upstream } = journal;
  const advice =
    upstream === undefined || effect === 'read'
      ? 'Nothing was changed.'
      : 'The request was sent and may have taken effect: check that before repeating it.';
  return new GatewayError(
    'NOT_RECORDED',
    `${label}: this gateway records every call, and the record of this one cannot be written at the moment, so its answer is not passed on. ${advice} Tell the user, and try again later.`,
    { tool: label },
  );
}
