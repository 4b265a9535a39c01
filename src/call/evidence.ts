// The interface to the audit trail (src/audit), and the errors for calls that cannot be recorded.
import type { Effect, GuardPolicy } from '../endpoint/model.ts';
import { GatewayError } from '../errors.ts';
import type { ExecutionContext } from './execution-context.ts';

/** The decision about calls of an operation, made when it was built. */
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
  /** The person's answer, or why the confirmation was not accepted. */
  readonly answer?: string;
}

/** An audit trail. */
export interface Evidence {
  /** Throws NOT_RECORDED if the record of a call could not be written. Nothing has been sent yet. */
  admit(label: string): void;
  /** Before a call that may change something goes out; throws like admit(). */
  begin(context: ExecutionContext, effect: Effect): void;
  /** Writes the sealed context of a call, before it is answered. False: it was not written, and the answer must be withheld. */
  write(record: ExecutionContext): boolean;
  /** Counts calls of one caller that its own limits refused, without the one that was recorded. */
  countRefused(principal: string, count: number, sinceMs: number): void;
}

export function refuseUnrecorded(label: string): GatewayError {
  return new GatewayError(
    'NOT_RECORDED',
    `${label} was refused: this gateway records every call, and its audit file cannot be written at the moment. Nothing was sent. Changing the arguments will not help; tell the user, and try again later.`,
    { tool: label },
  );
}

/** The call was made, but its record could not be written. */
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
