// The state that a handler needs again in the next round of a multi round-trip request (MCP 2026-07-28). The client carries it as
// `requestState` and may have stored it anywhere, so it is signed, bound to the call and short-lived.

import { buildDigest } from '../call/digest.ts';
import type { ExecutionContext } from '../call/execution-context.ts';
import type { Args } from '../endpoint/model.ts';
import { GatewayError } from '../errors.ts';
import { createSigner } from './signer.ts';

/** Seals and opens states of handlers. */
export interface StateCodec {
  /** A JSON value as `requestState`, valid only for the same profile, principal, tool and arguments. The client can read it. */
  seal(context: ExecutionContext, args: Args, value: unknown): string;
  /** The value sealed in an earlier round; undefined in the first one. Throws INVALID_PARAMS for any other text. */
  open(context: ExecutionContext, args: Args): unknown;
}

/** The options of createStateCodec(). */
export interface StateOptions {
  /** At least 32 bytes; replicas share one. Default: random, so states are valid until the process ends. */
  readonly key?: Buffer | undefined;
  readonly ttlSeconds?: number | undefined;
  readonly now?: (() => number) | undefined;
}

const MAX_CHARS = 64 * 1024;
const PURPOSE = 'handler-state';

/**
 * Seals the state that a handler needs in the next round of a call.
 *
 * ```ts
 * const states = createStateCodec();
 * const booking = defineTool({
 *   name: 'book',
 *   description: 'Books a seat.',
 *   run: (context, args) => {
 *     if (states.open(context, args) !== undefined) return 'Booked.';
 *     const requestState = states.seal(context, args, { step: 1 });
 *     return { content: [], isError: false, inputRequired: { inputRequests: {}, requestState } };
 *   },
 * });
 * ```
 */
export function createStateCodec({ key, ttlSeconds = 300, now = Date.now }: StateOptions = {}): StateCodec {
  const signer = createSigner(key);
  const toSignedParts = ({ profile, principal, label }: ExecutionContext, args: Args) => [
    profile,
    principal.id,
    label,
    buildDigest(args),
  ];
  return {
    seal: (context, args, value) =>
      signer.seal(PURPOSE, toSignedParts(context, args), [Math.ceil(now() / 1000) + ttlSeconds, value]),
    open(context, args) {
      const state = context.requestState;
      if (state === undefined) return undefined;
      const payload = state.length > MAX_CHARS ? undefined : signer.open(PURPOSE, toSignedParts(context, args), state);
      if (payload === undefined) throw refused('was changed, or belongs to another call');
      const [expiresAt, value] = payload as [number, unknown];
      if (expiresAt * 1000 <= now()) throw refused('has expired');
      return value;
    },
  };
}

function refused(why: string): GatewayError {
  return new GatewayError('INVALID_PARAMS', `This requestState ${why}. Call again without it.`);
}
