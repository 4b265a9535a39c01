// Callers that could get a token with more permissions and are to be told so: a call of an operation that their token does not
// cover is refused with the scopes it needs. For all other callers, such an operation does not exist.
import type { RequestFacts } from '../../call/execution-context.ts';
import type { Args } from '../../endpoint/model.ts';
import { type GatewayError, ScopeError } from '../../errors.ts';
import type { Registry } from '../registry.ts';
import { findCalledIn } from './called-operation.ts';

/** `part` is what the caller sees, `whole` what its profile has. */
export function createStepUp(
  part: Registry,
  whole: Registry,
): (request: RequestFacts, name: string, args: Args) => GatewayError | undefined {
  return ({ principal, profile = '' }, name, args) => {
    if (principal.stepUp === undefined || findCalledIn(part)(name, args) !== undefined) return undefined;
    const operation = findCalledIn(whole)(name, args);
    const more = operation && principal.stepUp(profile, operation.endpoint.effect);
    return more && new ScopeError(operation.name, more.scopes, more.challenge);
  };
}
