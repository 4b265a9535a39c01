// Checks that an authorization server is usable right now: its metadata and keys, and introspection with our client, if
// configured.
import { randomBytes } from 'node:crypto';
import { lookup } from '../../endpoint/environment.ts';
import { createAuthorizationServer } from './authorization-server.ts';
import { createIntrospection } from './introspection.ts';
import type { IssuerParts } from './issuer.ts';
import type { IssuerSettings } from './issuer-settings.ts';
import { askForKeys } from './signing-keys.ts';

/** What works and what does not, in words. */
export interface IssuerProof {
  readonly good: readonly string[];
  readonly bad: readonly string[];
}

export async function proveIssuer(
  settings: IssuerSettings,
  { ask, variables }: Pick<IssuerParts, 'ask' | 'variables'>,
): Promise<IssuerProof> {
  const { jwksUri, introspection } = settings;
  const server = createAuthorizationServer(settings, ask);
  const good: string[] = [];
  const bad: string[] = [];
  try {
    const { length } = await askForKeys(server, ask);
    const keys = length === 1 ? '1 key' : `${length} keys`;
    if (length > 0) good.push(jwksUri === undefined ? `metadata and ${keys}` : keys);
    // A server that only issues opaque tokens may publish no keys.
    else if (introspection === undefined) bad.push('it publishes no keys');
  } catch (error) {
    bad.push((error as Error).message);
  }
  if (introspection !== undefined) {
    const onFailure = (why: string) => bad.includes(why) || bad.push(why);
    const clientId = lookup(variables, introspection.clientIdEnv) ?? '';
    const clientSecret = lookup(variables, introspection.clientSecretEnv) ?? '';
    // A random token: any answer shows that our client is accepted.
    const token = randomBytes(24).toString('base64url');
    const client = createIntrospection({ server, ask, clientId, clientSecret, onFailure });
    const { kind } = await client.look(token, token);
    if (kind === 'inactive') good.push('introspection answers our client');
    else if (kind === 'active') bad.push('its introspection endpoint accepts a made-up token');
  }
  return { good, bad };
}
