// OAuth2 token exchange (RFC 8693): the caller's verified token for one that the API accepts. The caller's own token is
// never sent to the API.
import type { z as zod } from 'zod';
import { createRedactor, joinRedactors } from '../../endpoint/redaction/redact.ts';
import { omitUndefined, own, textAt } from '../../endpoint/untrusted.ts';
import { NoTokenError } from '../../errors.ts';
import { BEARER, type CredentialKind, hiddenText, type ShapeTools } from '../credential-kind.ts';
import type { CallerToken } from '../tokens/caller-token.ts';
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
  type TokenHttpResponse,
  type TokenRequest,
} from '../tokens/token-request.ts';

export interface TokenExchangeCredential extends ClientCredential {
  readonly kind: 'token_exchange';
  readonly audience: readonly string[];
  readonly resource: readonly string[];
  /** In the spelling of the RFC: `urn:ietf:params:oauth:token-type:access_token`. */
  readonly subjectTokenType: string;
  readonly requestedTokenType?: string;
}

const TYPE_NAMES = 'urn:ietf:params:oauth:token-type:';
const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = `${TYPE_NAMES}access_token`;
const JWT = `${TYPE_NAMES}jwt`;
/** The format of a bearer token (RFC 6750 2.1), limited to the length that a header may have. */
const BEARER_TOKEN = /^[A-Za-z0-9\-._~+/]{1,7000}=*$/;
const DEFAULT_LIFETIME_S = 300;

const shape = (tools: ShapeTools) => {
  const { z, about, closed, list, text, withDefault } = tools;
  const uri = z.string().refine((value) => URL.canParse(value) && !value.includes('#'), {
    error: 'must be an absolute URI without #',
  });
  /** One, or several as a list. */
  const oneOrMore = <Type extends zod.ZodType>(type: Type) =>
    z.union([type, list(type).refine((all) => all.length > 0 && all.length <= 8, 'must have one to eight items')]);
  return closed({
    kind: about(
      z.literal('token_exchange'),
      'Exchanges the caller’s own verified access token for one that this API accepts (RFC 8693), and sends that as `Authorization: Bearer <token>`. It is kept per caller and renewed before it expires. Callers without a token are refused.',
      'token_exchange',
    ),
    ...clientFields(tools),
    audience: about(
      oneOrMore(text),
      'The API that the new token is for, by the name it has at the authorization server. Either this or `resource` is required.',
      'orders-api',
    ).exactOptional(),
    resource: about(
      oneOrMore(uri),
      'The URL of the API that the new token is for (RFC 8707).',
      'https://shop.example/v1',
    ).exactOptional(),
    subjectTokenType: about(
      z.enum(['access_token', 'jwt']),
      withDefault('The type of the caller’s token in the exchange.', '`access_token`'),
      'jwt',
    ).exactOptional(),
    requestedTokenType: about(
      z.enum(['access_token', 'jwt']),
      withDefault(
        'The type of token to request. A token of another type is refused.',
        'the server chooses one of the two',
      ),
      'access_token',
    ).exactOptional(),
  }).meta({ id: 'token_exchange' });
};

export const tokenExchange: CredentialKind<TokenExchangeCredential, typeof shape> = {
  shape,
  variableFields: ['clientIdEnv', 'clientSecretEnv'],
  requiredFields: ['clientIdEnv', 'clientSecretEnv'],
  build(name, definition, context) {
    const client = readClient(definition, context);
    const { audience, resource, subjectTokenType = 'access_token', requestedTokenType } = definition;
    if (audience === undefined && resource === undefined)
      context.say(
        'is missing: name the API that the new token is for, as the authorization server calls it (or set resource)',
        'audience',
      );
    return {
      kind: 'token_exchange',
      name,
      ...client,
      audience: [audience ?? []].flat(),
      resource: [resource ?? []].flat(),
      subjectTokenType: TYPE_NAMES + subjectTokenType,
      ...omitUndefined({ requestedTokenType: requestedTokenType && TYPE_NAMES + requestedTokenType }),
    };
  },
  isOnlyInDomainFiles: true,
  secrets: ({ clientId, clientSecret }) => [clientId, clientSecret],
  hiddenTexts: ({ clientSecret }) => hiddenText(clientSecret),
  place: () => BEARER,
  destination: ({ tokenUrl }) => tokenUrl,
  proof: {
    type: 'token',
    isPerCaller: true,
    defaultLifetimeS: DEFAULT_LIFETIME_S,
    maxReplacements: 4,
    renewOn: () => [401],
    cacheKey: (credential) => {
      const { tokenUrl, clientId, clientSecret, scopes } = credential;
      const { audience, resource, subjectTokenType, requestedTokenType } = credential;
      const client = [tokenUrl, clientId.value, clientSecret.value, scopes];
      return [...client, audience, resource, subjectTokenType, requestedTokenType];
    },
    fetch: exchangeToken,
  },
  identifiesCaller: true,
  describe: ({ tokenUrl }) => `Authorization: Bearer, a token from ${tokenUrl} in exchange for the caller’s token`,
  bannerLines: (_, destination, apiOrigin) => [
    `the caller's token → ${destination}, exchanged for one of the caller's for ${apiOrigin}`,
  ],
  tokenSource: ({ tokenUrl }) => `${tokenUrl}, exchanged for that of the caller`,
  isDeclaredInFull: () => true,
};

async function exchangeToken(
  client: TokenClient,
  request: TokenRequest<TokenExchangeCredential>,
  authentication: ClientAuthentication,
): Promise<IssuedToken> {
  const { credential, callerToken } = request;
  const { clientId, clientSecret, name, tokenUrl } = credential;
  if (callerToken === undefined) throw new TypeError('A token exchange needs the token of a caller.');
  const url = checkAddress(tokenUrl, `the token URL of ${name}`, request);
  const response = await sendAsClient(client, request, url, fieldsOf(credential, callerToken), authentication, {
    isRefused: isClientRefused,
    isAccepted: (second) => !isClientRefused(second),
  });
  const words = {
    refused: "did not exchange the caller's token",
    check: isClientRefused(response)
      ? `Check ${clientId.variable} and ${clientSecret.variable}.`
      : `Check whether the client may exchange tokens for audience, resource and scopes of credentials.${name}, and whether the caller's token is still valid.`,
    variables: isClientRefused(response) ? [clientId.variable, clientSecret.variable] : [],
    server: 'token URL',
    addressField: 'tokenUrl',
  } as const;
  checkIssued(response, url, request, words, client, joinRedactors(client.redact, createRedactor([callerToken.token])));
  return readAnswer(jsonOf(response), request, callerToken, url);
}

/**
 * Some servers read the client only in the body (RFC 6749 2.3.1); if the subject token was refused, the request is not
 * repeated.
 */
function isClientRefused(response: TokenHttpResponse): boolean {
  if (response.status === 401) return true;
  return response.status === 400 && textAt(jsonOf(response), 'error') === 'invalid_client';
}

function fieldsOf(credential: TokenExchangeCredential, { token }: CallerToken): [string, string][] {
  const { scopes, audience, resource, subjectTokenType, requestedTokenType } = credential;
  return [
    ['grant_type', GRANT],
    ['subject_token', token],
    ['subject_token_type', subjectTokenType],
    ...(requestedTokenType === undefined ? [] : [['requested_token_type', requestedTokenType] as [string, string]]),
    ...audience.map((text): [string, string] => ['audience', text]),
    ...resource.map((text): [string, string] => ['resource', text]),
    ...(scopes.length === 0 ? [] : [['scope', scopes.join(' ')] as [string, string]]),
  ];
}

/** Strictly after RFC 8693 2.2.1: a token of another type would be sent to an API that does not expect it. */
function readAnswer(
  answer: unknown,
  { tool, credential: { name, requestedTokenType } }: TokenRequest<TokenExchangeCredential>,
  callerToken: CallerToken,
  url: URL,
): IssuedToken {
  const refuse = (what: string) =>
    new NoTokenError(
      'BAD_RESPONSE',
      tool,
      `the token exchange at ${url.origin} ${what}. The call was not made. Check credentials.${name} in the domain file.`,
      { tool, origin: url.origin },
    );
  const token = textAt(answer, 'access_token') ?? '';
  if (token === '') throw refuse('answered without an access token');
  if (!BEARER_TOKEN.test(token)) throw refuse('answered with a token that a header cannot carry');
  if (token === callerToken.token) throw refuse("answered with the caller's own token, which is never passed on");
  if (textAt(answer, 'token_type')?.toLowerCase() !== 'bearer')
    throw refuse('answered with a token that is not a bearer token (token_type)');
  const type = textAt(answer, 'issued_token_type');
  const isFit = requestedTokenType === undefined ? type === ACCESS_TOKEN || type === JWT : type === requestedTokenType;
  if (!isFit) throw refuse('answered with a token of a type that was not asked for (issued_token_type)');
  const lifetime = own(answer, 'expires_in');
  const seconds = lifetime === undefined ? DEFAULT_LIFETIME_S : Number(lifetime);
  if (!(Number.isFinite(seconds) && seconds > 0)) throw refuse('does not say in seconds how long its token is valid');
  const { expiresAtMs } = callerToken;
  // The exchanged token is used no longer than the caller's own token is valid.
  const restS = expiresAtMs === undefined ? seconds : (expiresAtMs - Date.now()) / 1000;
  return { token, lifetimeS: Math.min(seconds, restS) };
}
