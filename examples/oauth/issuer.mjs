// An authorization server for trying OAuth on one machine: oidc-provider with its development login page, where every name and
// password is accepted. Never use it for anything else.
import { generateKeyPairSync } from 'node:crypto';
import { parseArgs } from 'node:util';
import Provider from 'oidc-provider';

const { values } = parseArgs({ options: { port: { type: 'string', default: '9000' } } });
const issuer = `http://127.0.0.1:${values.port}`;
const scopes = ['board.read', 'board.write', 'board.admin', 'support.use'];
// Who gets which scopes, whatever they ask for. Other names get all of them: this server is for tests.
const people = {
  alice: ['board.read', 'board.write', 'board.admin', 'support.use'],
  ben: ['board.read'], // read-only, whatever he asks for
};
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const minutes = (count) => count * 60;

const provider = new Provider(issuer, {
  scopes: ['openid', 'offline_access', ...scopes],
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'first', alg: 'RS256', use: 'sig' }] },
  cookies: { keys: ['only for this example'] },
  clients: [
    // ask.mjs: a program that a person runs and logs in to.
    { client_id: 'ask', redirect_uris: ['http://127.0.0.1:9/callback'], token_endpoint_auth_method: 'none' },
    // A program that calls in its own name.
    {
      client_id: 'robot',
      client_secret: 'robot-secret',
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    },
  ],
  // Clients register themselves with the scopes of their first login. Later they ask for more (step-up), so no list is kept.
  extraClientMetadata: {
    properties: ['scope'],
    validator: (_context, _key, _value, metadata) => {
      delete metadata.scope;
    },
  },
  // MCP clients register themselves; they run on people's machines and have no secret.
  clientDefaults: { token_endpoint_auth_method: 'none' },
  features: {
    registration: { enabled: true },
    clientCredentials: { enabled: true },
    // A client names the endpoint that it wants to call (`resource`, RFC 8707), and its URL becomes the audience of the token.
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      // The token has only the scopes that the person may have. The person is known once a code or refresh token is exchanged.
      getResourceServerInfo: ({ oidc: { entities } }, resource) => ({
        audience: resource,
        scope: scopesOf(entities.AuthorizationCode ?? entities.RefreshToken).join(' '),
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'RS256' } },
      }),
    },
  },
  ttl: {
    AccessToken: minutes(10),
    ClientCredentials: minutes(10),
    Grant: minutes(60),
    Interaction: minutes(10),
    Session: minutes(60),
  },
});

function scopesOf({ accountId } = {}) {
  return accountId !== undefined && Object.hasOwn(people, accountId) ? people[accountId] : scopes;
}

provider.listen(Number(values.port), '127.0.0.1', () => console.log(`authorization server  ${issuer}`));
