// What a caller brings to a call beside its arguments: headers and claims that reach the API. A tenant or a role decides what is
// deleted as much as an argument does, so a yes is bound to them.
import { buildDigest } from '../../call/digest.ts';
import type { ExecutionContext } from '../../call/execution-context.ts';
import type { Endpoint } from '../../endpoint/model.ts';
import { chooseCredentials } from '../request/proof.ts';
import { fillAssertion } from './assert-caller.ts';
import { fillCallerHeaders } from './caller-headers.ts';
import { subjectOf } from './subject.ts';

/** Another one in every request, and about nothing but the request itself. */
const REQUEST_ID = /(?:^|-)(?:request|correlation|trace|span|transaction)-?id$|^(?:traceparent|tracestate|baggage|b3)$/;

/** Others in every token of the same person with the same rights: one that was renewed meanwhile is good for the same yes. */
const OF_THE_TOKEN = new Set('exp iat nbf jti auth_time nonce at_hash c_hash s_hash uti aio rh'.split(' '));

/** A digest of it; undefined where an API is told nothing of its callers. Throws for a caller that lacks what it is told. */
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

/** What the server that exchanges the token makes of it is its own affair: all that lasts counts. */
function lastingClaims({ principal, label }: ExecutionContext): object {
  subjectOf(principal, label);
  return Object.fromEntries(Object.entries(principal.claims ?? {}).filter(([name]) => !OF_THE_TOKEN.has(name)));
}
