// What reaches the API besides the arguments: headers and claims of the caller. A tenant or role decides what is deleted as much
// as an argument does, so a confirmation is bound to them.
import { buildDigest } from '../call/digest';
import type { ExecutionContext } from '../call/execution-context';
import type { Endpoint } from '../endpoint/model';
import { chooseCredentials } from './proof';
import { fillAssertion } from './kinds/assertion';
import { fillCallerHeaders } from './caller-headers';
import { subjectOf } from './tokens/caller-token';

/** Headers that differ in every request and say nothing about the caller. */
const REQUEST_ID = /(?:^|-)(?:request|correlation|trace|span|transaction)-?id$|^(?:traceparent|tracestate|baggage|b3)$/;

/** Claims that differ in every token of the same person: after a token is renewed, the confirmation is still valid. */
const OF_THE_TOKEN = new Set('exp iat nbf jti auth_time nonce at_hash c_hash s_hash uti aio rh'.split(' '));

/** A digest of them; undefined if the API is told nothing about its callers. Throws if the caller lacks what the API is told. */
export function compileSurroundings(endpoint: Endpoint): ((context: ExecutionContext) => string) | undefined {
  const headers = (endpoint.callerHeaders ?? []).filter(
    ({ from, name }) => from !== 'request' || !REQUEST_ID.test(name),
  );
  const choice = chooseCredentials(endpoint);
  const credentials = choice.kind === 'chosen' ? choice.credentials : [];
  const assertions = credentials.filter((credential) => credential.kind === 'assertion');
  const isExchanged = credentials.some(({ kind }) => kind === 'token_exchange');
  if (headers.length === 0 && assertions.length === 0 && !isExchanged) return undefined;
  return (context) =>
    buildDigest([
      fillCallerHeaders(headers, context),
      assertions.map((credential) => fillAssertion(credential, context)),
      isExchanged && lastingClaims(context),
    ]);
}

/** Which claims the token exchange uses is not known here, so all lasting ones count. */
function lastingClaims({ principal, label }: ExecutionContext): object {
  subjectOf(principal, label);
  return Object.fromEntries(Object.entries(principal.claims ?? {}).filter(([name]) => !OF_THE_TOKEN.has(name)));
}
