// What reaches the API besides the arguments: headers and claims of the caller. A tenant or role decides what is deleted as much
// as an argument does, so a confirmation is bound to them.
import { buildDigest } from '../call/digest.ts';
import type { ExecutionContext } from '../call/execution-context.ts';
import type { Endpoint } from '../endpoint/model.ts';
import { fillCallerHeaders } from './caller-headers.ts';
import { isPerCaller } from './caller-need.ts';
import { credentialKind } from './kind-table.ts';
import { chooseCredentials } from './proof.ts';
import { readCallerToken } from './tokens/caller-token.ts';

/** Headers that differ in every request and say nothing about the caller. */
const REQUEST_ID = /(?:^|-)(?:request|correlation|trace|span|transaction)-?id$|^(?:traceparent|tracestate|baggage|b3)$/;

/** Claims that differ in every token of the same person: after a token is renewed, the confirmation is still valid. */
const OF_THE_TOKEN = new Set('exp iat nbf jti auth_time nonce at_hash c_hash s_hash uti aio rh'.split(' '));

/**
 * Returns undefined if the API is sent nothing about the caller. The digest throws if the caller lacks a value that
 * must be sent.
 */
export function compileCallerDigest(endpoint: Endpoint): ((context: ExecutionContext) => string) | undefined {
  const headers = (endpoint.callerHeaders ?? []).filter(
    ({ from, name }) => from !== 'request' || !REQUEST_ID.test(name),
  );
  const choice = chooseCredentials(endpoint);
  const credentials = choice.kind === 'chosen' ? choice.credentials : [];
  const statements = credentials.flatMap((credential) => {
    const { proof } = credentialKind(credential);
    return proof.type === 'assertion' ? [(context: ExecutionContext) => proof.statementOf(credential, context)] : [];
  });
  const isExchanged = credentials.some(isPerCaller);
  if (headers.length === 0 && statements.length === 0 && !isExchanged) return undefined;
  return (context) =>
    buildDigest([
      fillCallerHeaders(headers, context),
      statements.map((statement) => statement(context)),
      isExchanged && lastingClaims(context),
    ]);
}

/** Which claims the token exchange uses is not known here, so all lasting ones count. */
function lastingClaims({ principal, label }: ExecutionContext): object {
  readCallerToken(principal, label);
  return Object.fromEntries(Object.entries(principal.claims ?? {}).filter(([name]) => !OF_THE_TOKEN.has(name)));
}
