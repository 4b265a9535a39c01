// Problems of a whole document: one sentence with the document, what is wrong and what to do.
import { GatewayError } from '../../errors.ts';

export function bad(label: string, problem: string, details: Record<string, unknown> = {}): GatewayError {
  return new GatewayError('BAD_DOCUMENT', `${label} ${problem}.`.replace(/\.\.$/, '.'), {
    document: label,
    ...details,
  });
}

/** A limit was exceeded, so trying another parser is pointless. */
export function tooMuch(label: string, problem: string): GatewayError {
  return bad(label, problem, { reason: 'limit' });
}
