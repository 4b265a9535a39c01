// Checks that an authorization server can be used right now: its metadata, its keys and, if configured, introspection with the client
// id of the gateway.
import { randomBytes } from 'node:crypto';
import { lookup } from '../../endpoint/environment.ts';
import { type AskServer, AuthorizationServer } from './authorization-server.ts';
import { Introspection } from './introspection.ts';
import type { IssuerSettings } from './issuer-settings.ts';

/** The parts that work and those that do not, in words. */
export interface IssuerProbe {
  readonly good: readonly string[];
  readonly bad: readonly string[];
}

export async function probeIssuer(
  settings: IssuerSettings,
  { ask, variables }: { readonly ask: AskServer; readonly variables: Readonly<Record<string, string | undefined>> },
): Promise<IssuerProbe> {
  const { jwksUri, introspection } = settings;
  const server = new AuthorizationServer(settings, ask);
  const good: string[] = [];
  const bad: string[] = [];
  try {
    const { length } = await server.fetchKeys();
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
    // With a random token, any answer shows that the client id and secret are accepted.
    const token = randomBytes(24).toString('base64url');
    const { kind } = await new Introspection({ server, clientId, clientSecret, onFailure }).check(token, token);
    if (kind === 'inactive') good.push('introspection answers our client');
    else if (kind === 'active') bad.push('its introspection endpoint accepts a made-up token');
  }
  return { good, bad };
}
