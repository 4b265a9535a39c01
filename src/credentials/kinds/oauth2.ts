// OAuth2 client credentials: a token for a client id and its secret (RFC 6749 4.4).
import { own, textAt } from '../../endpoint/untrusted.ts';
import { ToolError } from '../../errors.ts';
import { BEARER, type CredentialKind, hiddenText, type ShapeTools } from '../credential-kind.ts';
import {
  type ClientAuthentication,
  type ClientCredential,
  clientFields,
  readClient,
  sendAsClient,
} from '../tokens/client-request.ts';
import {
  checkAddress,
  checkIssued,
  type IssuedToken,
  jsonOf,
  type TokenClient,
  type TokenRequest,
} from '../tokens/token-request.ts';

export interface OAuthCredential extends ClientCredential {
  readonly kind: 'oauth2';
}

const shape = (tools: ShapeTools) =>
  tools
    .closed({
      kind: tools.about(
        tools.z.literal('oauth2'),
        'Gets an access token for client id and secret (OAuth 2.0 client credentials), and sends it as `Authorization: Bearer <token>`. It is renewed before it expires.',
        'oauth2',
      ),
      ...clientFields(tools),
    })
    .meta({ id: 'oauth2' });

export const oauth2: CredentialKind<OAuthCredential, typeof shape> = {
  shape,
  variableFields: ['clientIdEnv', 'clientSecretEnv'],
  requiredFields: ['clientIdEnv', 'clientSecretEnv'],
  build: (name, definition, context) => ({ kind: 'oauth2', name, ...readClient(definition, context) }),
  secrets: ({ clientId, clientSecret }) => [clientId, clientSecret],
  hiddenTexts: ({ clientSecret }) => hiddenText(clientSecret),
  place: () => BEARER,
  destination: ({ tokenUrl }) => tokenUrl,
  proof: {
    type: 'token',
    defaultLifetimeS: 300,
    // A token for a client is cheap to replace: no account gets locked.
    maxReplacements: 4,
    renewOn: () => [401],
    cacheKey: ({ tokenUrl, clientId, clientSecret, scopes, publicOnly = false }) => [
      tokenUrl,
      clientId.value,
      clientSecret.value,
      scopes,
      publicOnly,
    ],
    fetch: fetchClientToken,
  },
  documentTokenUrl: ({ tokenUrl }) => tokenUrl,
  describe: ({ tokenUrl }) => `Authorization: Bearer, a token from ${tokenUrl}`,
};

// The wire is not left to oauth4webapi: it writes the form and Basic in another encoding (`+` for blanks) and order, requires
// `token_type` and a JSON media type in the answer, and its errors would replace our sentences.
async function fetchClientToken(
  client: TokenClient,
  request: TokenRequest<OAuthCredential>,
  authentication: ClientAuthentication,
): Promise<IssuedToken> {
  const { tool, credential } = request;
  const { clientId, clientSecret, name, tokenUrl, scopes } = credential;
  const url = checkAddress(tokenUrl, `the token URL of ${name}`, request);
  const fields = [
    ['grant_type', 'client_credentials'],
    ...(scopes.length > 0 ? [['scope', scopes.join(' ')] as const] : []),
  ] as const;
  const response = await sendAsClient(client, request, url, fields, authentication, {
    isRefused: ({ status }) => status === 400 || status === 401,
    isAccepted: ({ status }) => status < 300,
  });
  const words = {
    refused: 'refused the client credentials',
    check: `Check ${clientId.variable} and ${clientSecret.variable}, and the scopes.`,
    variables: [clientId.variable, clientSecret.variable],
    server: 'token URL',
    addressField: 'tokenUrl',
  } as const;
  checkIssued(response, url, request, words, client);
  const answer = jsonOf(response);
  const token = textAt(answer, 'access_token') ?? '';
  if (!/^[\x21-\x7e]{1,7000}$/.test(token)) {
    const what = token === '' ? 'without an access token' : 'with a token that a header cannot carry';
    throw new ToolError('BAD_RESPONSE', tool, `${url.origin} answered ${what}. Check the token URL.`, {
      tool,
      origin: url.origin,
    });
  }
  const seconds = Number(own(answer, 'expires_in') ?? Number.NaN);
  return { token, lifetimeS: Number.isFinite(seconds) && seconds > 0 ? seconds : undefined };
}
