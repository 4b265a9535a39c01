// Notes about one request, made by the layers below the adapter. All copies of its ExecutionContext share one journal,
// so middleware can replace an outcome, but not the record of the requests to the API.
import type { Effect } from '../endpoint/model.ts';
import type { FailureMode } from '../errors.ts';
import type { Confirmation, Permission } from './evidence.ts';

/** A request to the REST API. `url` has no query string and no credentials; `status` is absent if no answer came. */
export interface UpstreamTrace {
  readonly method: string;
  readonly url: string;
  readonly status?: number;
  readonly bytes?: number;
}

export interface CallJournal {
  readonly action: string | undefined;
  readonly operation: string | undefined;
  readonly argumentsDigest: string | undefined;
  /** The effect of the operation; undefined if nothing was found to run. */
  readonly effect: Effect | undefined;
  readonly permission: Permission | undefined;
  readonly confirmation: Confirmation | undefined;
  readonly isDryRun: boolean;
  /** The arguments as far as the audit trail may keep them. */
  readonly argumentRecord: unknown;
  /** A request other than a read was about to be sent or passed to a handler. */
  readonly mayHaveChanged: boolean;
  /** The last request that went out. */
  readonly upstream: UpstreamTrace | undefined;
  /** How long the API took, all requests together. */
  readonly upstreamMs: number;
  /** How long the call waited for a permit, a token or a person. */
  readonly waitedMs: number;
  readonly failureMode: FailureMode | undefined;
  /** Why the call failed, in a few words without any argument. */
  readonly reason: string | undefined;
  /**
   * The error that a handler or middleware threw. For the operator only: it may contain more than a caller should read.
   */
  readonly cause: unknown;
}

/** The journal while the request is in progress. Only ExecutionContext holds it. */
export type OpenJournal = { -readonly [Key in keyof CallJournal]: CallJournal[Key] };

export function createJournal(): OpenJournal {
  return {
    action: undefined,
    operation: undefined,
    argumentsDigest: undefined,
    effect: undefined,
    permission: undefined,
    confirmation: undefined,
    isDryRun: false,
    argumentRecord: undefined,
    mayHaveChanged: false,
    upstream: undefined,
    upstreamMs: 0,
    waitedMs: 0,
    failureMode: undefined,
    reason: undefined,
    cause: undefined,
  };
}

/**
 * For the audit record: without what a handler threw, which may contain anything. It is not frozen, which would take a microsecond
 * of every call: ExecutionContext hands out copies.
 */
export function sealJournal(journal: OpenJournal): OpenJournal {
  return { ...journal, cause: undefined };
}
