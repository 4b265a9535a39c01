// What a domain file may not say about callers: refused when it is loaded, with words.
import { describe, expect, test } from 'vitest';
import { buildDomain } from '../../src/domain/definition/build-domain.ts';
import { checkDefinition } from '../../src/domain/definition/definition-schema.ts';

const $ = '$';
const SUB = `${$}{principal.sub}`;

function problemsOf(more: object, env = {}): string {
  const base = {
    name: 'shop',
    baseUrl: 'https://shop.test',
    endpoints: { get_it: { path: '/it', summary: 'Gets it.' } },
  };
  const checked = checkDefinition({ ...base, ...more });
  if ('problems' in checked)
    return checked.problems.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n');
  try {
    buildDomain(checked.definition, { env, source: 'shop.yaml' });
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('forward: in a domain file', () => {
  test.each(
    `Authorization authorization AUTHORIZATION Cookie Set-Cookie Proxy-Authorization Proxy-Anything Connection Keep-Alive TE
    Trailer Transfer-Encoding Upgrade HTTP2-Settings Expect Host Content-Type Content-Length Content-Encoding
    Content-Disposition Forwarded X-Forwarded-For X-Forwarded-Host X-Forwarded-Proto X-Forwarded-User X_Forwarded_For
    X-Real-IP X-Client-IP True-Client-IP CF-Connecting-IP Via Origin Referer Sec-Fetch-Site Mcp-Session-Id MCP-Protocol-Version
    mcp_session_id Mcp-Param-X Last-Event-Id X-API-Key X_Api_Key api-key X-Auth-Token X-Access-Token X-Session X-Jwt X-Secret
    X-HTTP-Method-Override X-Method-Override X-Original-URL X-Rewrite-URL Accept Accept-Encoding Range If-Match
    X-Amz-Target X-Amz-Security-Token SOAPAction Remote-User X-Remote-User Client-Cert X-SSL-Client-Cert DPoP Ticket
    X-Goog-IAP-JWT-Assertion Cf-Access-Jwt-Assertion X-Amzn-Oidc-Data x-jwt-assertion X-Session-Id X-Credential`.split(
      /\s+/,
    ),
  )('never passes on %s', (name) => {
    expect(problemsOf({ forward: [name] })).toMatch(/^shop\.yaml forward\[0\]: .+ is never passed on: /);
  });

  test.each(['X Tenant', 'X-Tenant:', 'X-Tenant\r\nX-Admin', '*', 'X-*'])(
    'refuses what is not the name of a header: %j',
    (name) => {
      expect(problemsOf({ forward: [name, 'X-Good'] })).toMatch(/is not the name of a header|by its full name/);
    },
  );

  test('takes plain names', () => {
    expect(problemsOf({ forward: ['X-Tenant', 'Accept-Language', 'X-Request-Id', 'traceparent'] })).toBe('');
  });

  test.each<[string, object, string]>([
    ['a name twice', { forward: ['X-Tenant', 'x_tenant'] }, 'is listed twice'],
    ['what headers set', { forward: ['X-Tenant'], headers: { 'x-tenant': 'acme' } }, 'is set by headers already'],
    [
      'what headers say of the caller',
      { forward: ['X-User'], headers: { 'X-User': SUB } },
      'is set by headers already',
    ],
    [
      'what a credential writes',
      { forward: ['X-Badge'], credentials: { key: { kind: 'apiKey', field: 'X-Badge', env: 'K' } } },
      'is written by the credential key',
    ],
    [
      'a hundred names',
      { forward: Array.from({ length: 100 }, (_, index) => `X-H${index}`) },
      'at most 20 are allowed',
    ],
  ])('refuses %s', (_, definition, words) => {
    expect(problemsOf(definition)).toContain(words);
  });
});

describe('a header that identifies the caller, in a domain file,', () => {
  test.each<[string, Record<string, string>, string]>([
    ['an unknown field', { 'X-User': `${$}{principal.name}` }, `there is no ${$}{principal.name}; a caller has`],
    ['no field', { 'X-User': `${$}{principal}` }, `there is no ${$}{principal}`],
    ['no claim', { 'X-User': `${$}{principal.claims.}` }, `there is no ${$}{principal.claims.}`],
    ['no end', { 'X-User': `${$}{principal.sub` }, 'without a closing }'],
    ['one inside another', { 'X-User': `${$}{TEAM:-${SUB}}` }, 'one inside another'],
    ['an unset variable beside it', { 'X-User': `${$}{ORG}/${SUB}` }, 'needs the environment variable ORG'],
    ['a secret beside it', { 'X-User': `${$}{SHOP_SECRET}/${SUB}` }, 'send the secret in a separate header'],
    ['a secret file beside it', { 'X-User': `${$}{file:/run/x:-none}/${SUB}` }, 'send the secret in a separate header'],
    ['accents', { 'X-User': `é${SUB}` }, 'printable ASCII'],
    ['accents in the default', { 'X-User': `${$}{principal.sub:-é}` }, 'printable ASCII'],
    ['the place of a credential', { Authorization: `Bearer ${SUB}` }, 'cannot carry the identity of the caller'],
    ['the place of a cookie', { Cookie: `user=${SUB}` }, 'cannot carry the identity of the caller'],
    ['the host', { Host: SUB }, 'cannot carry the identity of the caller'],
    ['another method', { 'X-HTTP-Method-Override': SUB }, 'cannot carry the identity of the caller'],
  ])('with %s is refused', (_, headers, words) => {
    expect(problemsOf({ headers }, { SHOP_SECRET: 'hush-hush' })).toContain(words);
    expect(problemsOf({ headers }, { SHOP_SECRET: 'hush-hush' })).not.toContain('hush-hush');
  });

  test('cannot be an argument as well', () => {
    const args = { user: { type: 'string', in: 'header', name: 'x_user' } };
    const endpoints = { get_it: { path: '/it', summary: 'Gets it.', args } };
    expect(problemsOf({ headers: { 'X-User': SUB }, endpoints })).toContain(
      'endpoints.get_it.args.user: would overwrite a header that identifies the caller',
    );
  });
});

describe('a token_exchange in a domain file', () => {
  const exchange = (more: object) => ({
    credentials: {
      user: {
        kind: 'token_exchange',
        tokenUrl: 'https://id.test/token',
        clientIdEnv: 'A',
        clientSecretEnv: 'B',
        ...more,
      },
    },
  });

  test('needs the audience or resource of the token', () => {
    expect(problemsOf(exchange({}))).toContain(
      'credentials.user.audience: is missing: name the API that the new token is for',
    );
    expect(problemsOf(exchange({ audience: 'api' }))).toBe('');
    expect(problemsOf(exchange({ resource: ['https://a.test', 'https://b.test/x'] }))).toBe('');
  });

  test('takes client id and secret from variables or files, and needs both', () => {
    expect(problemsOf(exchange({ audience: 'api', clientSecretEnv: undefined }))).toContain(
      'credentials.user.clientSecretEnv: is missing: name the variable that holds it, or the file (clientSecretFile)',
    );
    const fromFile = { audience: 'api', clientSecretEnv: undefined, clientSecretFile: '/run/secrets/x' };
    expect(problemsOf(exchange(fromFile))).toBe('');
  });

  test.each<[object, string]>([
    [{ audience: 'api', resource: 'not a uri' }, 'absolute URI'],
    [{ audience: 'api', resource: 'https://a.test/#x' }, 'absolute URI'],
    [{ audience: 'api', clientSecretEnv: 'not-a-variable!' }, 'must be the name of an environment variable'],
    [{ audience: 'api', subjectTokenType: 'saml2' }, 'subjectTokenType'],
    [{ audience: 'api', passThrough: true }, '"passThrough" is not known here'],
  ])('refuses %j', (more, words) => {
    expect(problemsOf(exchange(more))).toContain(words);
  });
});

describe('an assertion in a domain file', () => {
  const assertion = (more: object) => ({ credentials: { caller: { kind: 'assertion', ...more } } });

  test.each<[object, string]>([
    [{ claims: { iss: 'me' } }, 'claims.iss: iss is written by the gateway'],
    [{ claims: { exp: 99 } }, 'claims.exp: exp is written by the gateway'],
    [{ claims: { sub: 'root' } }, 'set subject instead'],
    [{ claims: { a: `${$}{HOME}` } }, 'is not known here'],
    [{ claims: { a: `${$}{principal.name}` } }, `there is no ${$}{principal.name}`],
    [{ claims: { a: [SUB] } }, 'inside a list or an object'],
    [{ subject: `${$}{USER}` }, 'is not known here'],
    [{ header: 'Host' }, 'Host cannot carry an assertion'],
    [{ header: 'Cookie' }, 'Cookie cannot carry an assertion'],
    [{ header: 'Content-Type' }, 'Content-Type cannot carry an assertion'],
    [{ lifetimeSeconds: 3600 }, 'lifetimeSeconds'],
    [
      { claims: Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`c${index}`, 1])) },
      'at most 32 are allowed',
    ],
  ])('refuses %j', (more, words) => {
    expect(problemsOf(assertion(more))).toContain(words);
  });

  test('accepts a fixed subject, and claims of any type', () => {
    expect(problemsOf(assertion({ subject: 'a fixed one', claims: { a: SUB, b: 1, c: ['x'], d: 'text' } }))).toBe('');
  });
});
