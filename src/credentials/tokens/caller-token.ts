// The caller's own token, as the subject of an exchange. Read from the principal: the listener that identified the caller has
// verified it. It goes to the server that exchanges it, and nowhere else.
import { createHash } from 'node:crypto';
import type { Principal } from '../../call/caller.ts';
import { GatewayError } from '../../errors.ts';

export interface CallerToken {
  /** Identifies the caller and this token, without containing the token. */
  readonly key: string;
  readonly token: string;
  /** undefined: the token does not say. */
  readonly expiresAtMs: number | undefined;
}

/** Throws for a caller that has presented no token: a key, a certificate, the local user. */
export function readCallerToken(principal: Principal, tool: string): CallerToken {
  const { id } = principal;
  const token = principal.token?.() ?? '';
  if (token === '')
    throw new GatewayError(
      'MISSING_CREDENTIAL',
      `${tool} was not called: it acts in the caller's name, with a token exchanged for the caller's OAuth access token, and ${JSON.stringify(id)} sent none. Nothing was sent. Call over HTTP with an access token of an authorization server that this gateway accepts (auth.oauth in landbridge.yaml); a key or a local start is not enough. Changing the arguments does not help.`,
      { tool },
    );
  const { exp } = principal.claims ?? {};
  const expiresAtMs = typeof exp === 'number' && Number.isFinite(exp) ? exp * 1000 : undefined;
  if (expiresAtMs !== undefined && expiresAtMs <= Date.now())
    throw new GatewayError(
      'MISSING_CREDENTIAL',
      `${tool} was not called: it exchanges the caller's access token for one for the API, and the caller's token has expired. Nothing was sent. Get a new access token and call again.`,
      { tool },
    );
  const hash = createHash('sha256').update(token).digest('base64url');
  return { key: JSON.stringify([id, hash]), token, expiresAtMs };
}
