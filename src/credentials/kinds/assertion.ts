// An assertion for one call: who calls, as the domain file wants it said, signed by the gateway.
import type { AssertionSigner } from '../../call/assertion-signer';
import type { ExecutionContext } from '../../call/execution-context';
import { type Filled, fillText, fillValue } from '../../endpoint/caller/caller-text';
import { GatewayError, ToolError } from '../../errors';
import type { AssertionCredential } from '../proof';
import { unknownCaller } from '../caller-headers';

/** Most servers take no larger header. */
const MAX_CHARS = 7_000;

/** Signed anew for every call, so that an API can refuse a `jti` it has met before. */
export async function assertCaller(
  signer: AssertionSigner | undefined,
  credential: AssertionCredential,
  context: ExecutionContext,
  apiOrigin: string,
): Promise<string> {
  const { label: tool } = context;
  const { name, audience = apiOrigin, lifetimeS } = credential;
  if (signer === undefined)
    throw new GatewayError(
      'MISSING_CREDENTIAL',
      `${tool} needs the assertion ${name}, but this gateway has no key to sign it with; nothing was sent. Name one under assertions: in landbridge.yaml and restart. Changing the arguments does not help.`,
      { tool },
    );
  const jwt = await signer.sign({ ...fillAssertion(credential, context), audience, lifetimeS });
  if (jwt.length <= MAX_CHARS) return jwt;
  throw new ToolError(
    'MISSING_CREDENTIAL',
    tool,
    `the assertion ${name} about this caller has ${jwt.length} characters, but a header may have at most ${MAX_CHARS}; nothing was sent. Choose fewer claims in the domain file.`,
    { tool },
  );
}

/** What it says of this caller; throws where the caller lacks it. */
export function fillAssertion(
  { name, subject, claims: entries }: AssertionCredential,
  { principal, label: tool }: ExecutionContext,
): { readonly subject: string; readonly claims: Record<string, unknown> } {
  const take = <Value>(filling: Filled<Value>): Value => {
    if ('value' in filling) return filling.value;
    throw unknownCaller(tool, `its assertion ${name} identifies the caller`, filling.problem);
  };
  const claims: Record<string, unknown> = {};
  for (const claim of entries)
    claims[claim.name] = 'text' in claim ? take(fillValue(claim.text, principal, tool)) : claim.value;
  return { subject: take(fillText(subject, principal, tool)), claims };
}
