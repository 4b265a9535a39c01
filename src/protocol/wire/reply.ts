// The two ends of nearly every request.
import { GatewayError } from '../../errors.ts';
import type { Reply } from '../sender.ts';
import { type RequestId, writeResult } from './jsonrpc.ts';

export function ok({ id }: { readonly id: RequestId }, result: string): Reply {
  return { body: writeResult(id, result), status: 200 };
}

export function notFound(method: string): GatewayError {
  return new GatewayError('METHOD_NOT_FOUND', `Method not found: ${method.slice(0, 100)}`);
}
