// Requests to a token endpoint as an OAuth client, with its id and secret: what client credentials and token exchange share.
import { maySeeSecrets, originOf } from '../../endpoint/address.ts';
import type { Credential, Secret } from '../../endpoint/credential.ts';
import { basicToken } from '../../endpoint/headers/header-names.ts';
import { encode } from '../../endpoint/wire-text.ts';
import type { BuildContext, ShapeTools } from '../credential-kind.ts';
import { CLIENT, secretFields } from '../secret-fields.ts';
import { sendTokenRequest, type TokenClient, type TokenHttpResponse, type TokenRequest } from './token-request.ts';

/** A credential whose token is issued for a client id and its secret. */
export interface ClientCredential extends Credential {
  readonly tokenUrl: string;
  /** A document from the network chose the token URL, so it must not lead to a private address. */
  readonly publicOnly?: boolean;
  readonly clientId: Secret;
  readonly clientSecret: Secret;
  readonly scopes: readonly string[];
}

/**
 * RFC 6749 2.3.1 prescribes Basic, but some servers only read the body. Which one applies is tested once per
 * credential.
 */
export interface ClientAuthentication {
  inBody: boolean;
}

export function tokenUrlShape({ about, named }: ShapeTools) {
  return about(
    named(
      /^(?:[^\s$]|\$(?!\{))+$/,
      'must be a URL without spaces or variables; only baseUrl, headers and serverVariables can contain \u0024{VARIABLE}',
    ),
    'The URL of the token endpoint. It issues an access token for client id and secret.',
    'https://shop.example/token',
  );
}

export function scopesShape({ about, texts, withDefault }: ShapeTools) {
  return about(texts, withDefault('The scopes to request.', 'none'), ['orders:read']);
}

/** The fields of a domain file for a token endpoint and a client. */
export function clientFields(tools: ShapeTools) {
  return {
    tokenUrl: tokenUrlShape(tools),
    ...secretFields(tools, CLIENT),
    scopes: scopesShape(tools).exactOptional(),
  };
}

export function readClient(
  {
    tokenUrl,
    clientIdEnv,
    clientSecretEnv,
    scopes = [],
  }: {
    readonly tokenUrl: string;
    readonly clientIdEnv?: string;
    readonly clientSecretEnv?: string;
    readonly scopes?: readonly string[];
  },
  { home, secret, say }: BuildContext,
) {
  // Without a base URL in the file, the imported document decides where the API is: then the check happens at the call.
  const isSafe =
    URL.canParse(tokenUrl) && (home.url === undefined || maySeeSecrets(new URL(tokenUrl), originOf(home.url)));
  if (!isSafe) say('must be an https URL: the client id and secret are sent there', 'tokenUrl');
  return { tokenUrl, clientId: secret(clientIdEnv), clientSecret: secret(clientSecretEnv), scopes };
}

/** Sends a request as the client: in the way the server is known to accept, or in the other way if it refuses. */
export async function sendAsClient(
  client: TokenClient,
  request: TokenRequest<ClientCredential>,
  url: URL,
  fields: readonly (readonly [name: string, value: string])[],
  authentication: ClientAuthentication,
  { isRefused, isAccepted }: Record<'isRefused' | 'isAccepted', (response: TokenHttpResponse) => boolean>,
): Promise<TokenHttpResponse> {
  const { clientId, clientSecret, publicOnly } = request.credential;
  const [id, secret] = [encode(clientId.value ?? ''), encode(clientSecret.value ?? '')];
  const plain = fields.map(([key, value]) => `${key}=${encode(value)}`).join('&');
  const ask = (inBody: boolean) => {
    const headers = {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      ...(!inBody && { authorization: `Basic ${basicToken(id, secret)}` }),
    };
    const body = inBody ? `${plain}&client_id=${id}&client_secret=${secret}` : plain;
    return sendTokenRequest(client, { method: 'POST', url, headers, body, publicOnly }, request);
  };
  const first = await ask(authentication.inBody);
  if (authentication.inBody || !isRefused(first)) return first;
  const second = await ask(true);
  authentication.inBody = isAccepted(second);
  return authentication.inBody ? second : first;
}
