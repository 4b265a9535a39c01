// What several methods answer with: a result, a result of a gateway that goes away, an unknown method.
import { BACK_IN_SECONDS } from '../../adapter/under-way.ts';
import { GatewayError } from '../../errors.ts';
import type { Reply } from '../sender.ts';
import { type RequestId, writeResult } from './jsonrpc.ts';
import type { SharedResult } from './shared-result.ts';

export function ok({ id }: { readonly id: RequestId }, result: string | SharedResult): Reply {
  return typeof result === 'string' ? { body: writeResult(id, result), status: 200 } : result.answer(id);
}

/** The same answer, where the gateway goes away: proxies and clients are to look for another one. */
export function unavailable(reply: Reply): Reply {
  return { ...reply, status: 503, retryAfterSeconds: BACK_IN_SECONDS };
}

export function notFound(method: string): GatewayError {
  return new GatewayError('METHOD_NOT_FOUND', `Method not found: ${method.slice(0, 100)}`);
}
