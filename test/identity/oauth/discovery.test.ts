// Where the metadata of an issuer is looked for: RFC 8414 and OpenID Connect compare issuers character by character.
import { describe, expect, it } from 'vitest';
import { AuthorizationServer } from '../../../src/identity/oauth/authorization-server.ts';

describe('the addresses of the metadata of an issuer', () => {
  it.each([
    ['https://id.example', ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']],
    [
      'https://id.example/tenant/',
      ['/.well-known/oauth-authorization-server/tenant', '/tenant/.well-known/openid-configuration'],
    ],
    [
      'https://id.example/a//b',
      ['/.well-known/oauth-authorization-server/a//b', '/a//b/.well-known/openid-configuration'],
    ],
    [
      'https://id.example//a//b/',
      ['/.well-known/oauth-authorization-server//a//b', '//a//b/.well-known/openid-configuration'],
    ],
  ])('keep every slash in the path of %s', async (issuer, paths) => {
    const asked: string[] = [];
    const server = new AuthorizationServer({ issuer }, async ({ url }) => {
      asked.push(url.href);
      return { status: 404, body: Buffer.alloc(0) };
    });
    await expect(server.fetchKeys()).rejects.toThrow('it has no metadata at its well-known addresses');
    expect(asked).toEqual(paths.map((path) => `https://id.example${path}`));
  });
});
