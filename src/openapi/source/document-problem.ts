// Errors about a whole document: one sentence with its name, what is wrong and what to do.
import { GatewayError } from '../../errors.ts';

export function badDocument(label: string, problem: string, details: Record<string, unknown> = {}): GatewayError {
  return new GatewayError('BAD_DOCUMENT', `${label} ${problem}.`.replace(/\.\.$/, '.'), {
    document: label,
    ...details,
  });
}

/** A limit is exceeded, so there is no point in trying another parser. */
export function overLimit(label: string, problem: string): GatewayError {
  return badDocument(label, problem, { reason: 'limit' });
}
