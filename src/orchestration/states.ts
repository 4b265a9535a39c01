// What a handler wants to know again in the next round of a multi round-trip request (MCP 2026-07-28) travels with the
// client as `requestState`. It comes back from wherever the client put it, so it is signed, bound and short-lived.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { buildDigest } from '../call/digest.ts';
import type { Call } from '../call/handler.ts';
import type { Args } from '../endpoint/model.ts';
import { GatewayError } from '../errors.ts';

export interface StateCodec {
  /** A JSON value as `requestState`, good only for the same principal, tool and arguments. Readable by the client. */
  seal(call: Call, args: Args, value: unknown): string;
  /** The value sealed in an earlier round, undefined in the first one. Throws INVALID_PARAMS for anything not ours. */
  open(call: Call, args: Args): unknown;
}

export interface StateOptions {
  /** At least 32 bytes; replicas share one. Random when absent, so states die with the process. */
  readonly key?: Buffer | undefined;
  readonly ttlSeconds?: number | undefined;
  readonly now?: (() => number) | undefined;
}

const MAX_CHARS = 64 * 1024;
const MAC_CHARS = 43;

export function createStateCodec(options: StateOptions = {}): StateCodec {
  const { key = randomBytes(32), ttlSeconds = 300, now = Date.now } = options;
  if (key.length < 32) throw new GatewayError('BAD_CONFIG', 'The key that signs states must have at least 32 bytes.');

  const sign = ({ principal, tool }: Call, args: Args, payload: string) =>
    createHmac('sha256', key)
      // JSON keeps the parts apart: no choice of one can imitate another pair.
      .update(JSON.stringify(['handler-state', principal.id, tool, buildDigest(args), payload]))
      .digest('base64url');

  return {
    seal(call, args, value) {
      const body = JSON.stringify([Math.ceil(now() / 1000) + ttlSeconds, value]);
      const payload = Buffer.from(body).toString('base64url');
      return `${payload}.${sign(call, args, payload)}`;
    },
    open(call, args) {
      const state = call.requestState;
      if (state === undefined) return undefined;
      const payload = state.slice(0, -MAC_CHARS - 1);
      const given = Buffer.from(state.slice(payload.length));
      const wanted = Buffer.from(`.${sign(call, args, payload)}`);
      if (state.length > MAX_CHARS || given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
        throw refused('was changed, or belongs to another call');
      }
      const [expiresAt, value] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [number, unknown];
      if (expiresAt * 1000 <= now()) throw refused('has expired');
      return value;
    },
  };
}

function refused(why: string): GatewayError {
  return new GatewayError('INVALID_PARAMS', `This requestState ${why}. Call again without it.`);
}
