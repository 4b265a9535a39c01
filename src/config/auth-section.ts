// The `auth` section of landbridge.yaml: who may call over HTTP and TCP.

import { z } from 'zod';
import { callLimits } from '../domain/definition/shape/call-limits-schema.ts';
import { about, list, named, strict, text, texts, withDefault } from '../domain/definition/shape/fields.ts';
import { VARIABLE_NAME } from '../endpoint/environment.ts';
import { EFFECTS } from '../endpoint/model.ts';
import { once } from '../endpoint/untrusted.ts';
import { filePath, secretName } from './file-paths.ts';

const principalName = once(() =>
  named(/^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/, 'must have only letters, digits and . _ @ -, at most 64'),
);
const url = once(() =>
  z.url({ protocol: /^https?$/, error: 'must be an http(s) URL, for example https://id.example.com' }),
);

const permissions = once(() => {
  const effect = z.enum(EFFECTS, { error: 'must be read, write or destructive' });
  const effects = list(effect).refine((all) => all.length > 0, 'must name at least one of read, write and destructive');
  const profileNames = list(
    named(/^(?:[a-z][a-z0-9_-]{0,31}|\*)$/, 'must be the name of a profile, or "*" for all of them and /mcp itself'),
  ).refine((all) => all.length > 0, 'must name at least one profile, or "*"; leave it out to allow all');

  return {
    profiles: about(
      profileNames,
      withDefault(
        'The profiles the caller may use, each at `/mcp/<name>`. With a list of names, the caller may not use `/mcp` itself; `"*"` allows everything, like the default.',
        '`/mcp` and all profiles',
      ),
      ['reader'],
    ),
    effects: about(effects, withDefault('The effects that calls may have.', 'all three'), ['read']),
    expires: about(
      z
        .union([z.iso.date(), z.iso.datetime({ offset: true }), z.date()], {
          error: 'must be a date such as 2099-01-31, or a time with its zone such as 2099-01-31T18:00:00Z',
        })
        .transform((value) => (value instanceof Date ? value.toISOString() : value)),
      withDefault('When the permission ends: a date (midnight UTC) or a time.', 'never'),
      '2099-01-01',
    ),
    limits: about(callLimits(), withDefault('How much the caller may call.', 'the setting `limits.perPrincipal`'), {
      rate: '100/min',
    }),
  };
});

export const keyEntry = once(() =>
  strict(
    {
      name: about(principalName(), 'The name of the caller in logs, audit and limits.', 'ci'),
      sha256: about(
        named(/^[0-9a-fA-F]{64}$/, 'must be 64 hexadecimal digits; landbridge key new <name> prints them'),
        'SHA-256 of the key, as `landbridge key new <name>` prints it. The key itself is not stored.',
        '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      ),
      env: about(
        named(VARIABLE_NAME, 'must be the name of an environment variable'),
        'Instead of `sha256`: the environment variable that holds the key or its SHA-256.',
        'CI_KEY',
      ),
      file: about(filePath, 'Instead of `sha256`: the file that holds the key or its SHA-256.', '/run/secrets/ci-key'),
      ...permissions(),
    },
    'name',
  )
    .superRefine(({ sha256, env, file }, context) => {
      const sources = Object.entries({ sha256, env, file }).filter(([, value]) => value !== undefined);
      if (sources.length === 0)
        context.addIssue('has no key: give one of sha256 (landbridge key new <name> prints it), env and file');
      for (const [name] of sources.slice(1))
        context.addIssue({
          code: 'custom',
          path: [name],
          message: `cannot be combined with ${sources[0]![0]}: keep one of them`,
        });
    })
    .meta({ id: 'key', description: 'An API key. Several keys may have the same name, so that you can rotate them.' }),
);
export type KeyEntry = z.output<ReturnType<typeof keyEntry>>;

const scopesOf = (what: string, example: string) =>
  about(texts, `A token with one of these scopes may ${what}.`, [example]);

const issuer = once(() =>
  strict(
    {
      issuer: about(
        url(),
        'The URL of the authorization server, exactly as its tokens have it (`iss`).',
        'https://id.example.com',
      ),
      audience: about(
        z.union([text, list(text)]),
        withDefault(
          'The audience (`aud`) that tokens must have.',
          'the URL of the endpoint that is called, made from `publicUrl`',
        ),
        'https://mcp.example.com/mcp',
      ),
      jwksUri: about(
        url(),
        withDefault('The URL of its public keys.', 'the one in its metadata'),
        'https://id.example.com/jwks',
      ),
      algorithms: about(
        list(z.enum(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'])),
        withDefault('The signature algorithms that are accepted.', 'RS256, PS256, ES256 and EdDSA'),
        ['ES256'],
      ),
      types: about(
        texts,
        withDefault(
          'The types (`typ` in the header) that tokens may have. Others, such as ID tokens, are refused.',
          '`at+jwt` and `JWT`',
        ),
        ['at+jwt'],
      ),
      clockSkewSeconds: about(z.number().min(0).max(300), withDefault('Seconds by which clocks may differ.', 30), 30),
      jwksMaxAgeSeconds: about(
        z.number().int().min(60),
        withDefault(
          'Seconds for which known keys stay valid while the authorization server cannot be reached.',
          86_400,
        ),
        86_400,
      ),
      introspection: about(
        strict(
          {
            url: about(
              url(),
              withDefault('The introspection endpoint.', 'the one in its metadata'),
              'https://id.example.com/introspect',
            ),
            clientIdEnv: about(
              secretName,
              'The environment variable that holds the client id of this gateway, or `file:` and the path of a file that holds it.',
              'IDP_CLIENT_ID',
            ),
            clientSecretEnv: about(
              secretName,
              'The environment variable that holds the client secret of this gateway, or `file:` and the path of a file that holds it.',
              'IDP_CLIENT_SECRET',
            ),
            cacheSeconds: about(
              z.number().min(0).max(3600),
              withDefault(
                'Seconds for which a positive answer is cached. A revoked token keeps working for that time.',
                30,
              ),
              30,
            ),
          },
          'clientIdEnv',
          'clientSecretEnv',
        ).meta({ id: 'introspection' }),
        'For opaque tokens: the gateway asks the authorization server about each of them (RFC 7662). If several issuers have it, they are asked in the order of this list. Each then sees tokens of the others. List only servers that may see them.',
        { clientIdEnv: 'IDP_CLIENT_ID', clientSecretEnv: 'IDP_CLIENT_SECRET' },
      ),
      scopes: about(
        strict({
          read: scopesOf('call reads', 'api.read'),
          write: scopesOf('call writes', 'api.write'),
          destructive: scopesOf('make destructive calls', 'api.admin'),
        }).meta({ id: 'effectScopes' }),
        withDefault(
          'The scopes that a token needs for each effect. No token has an effect that is not listed.',
          'every token may do everything',
        ),
        { read: ['api.read'], write: ['api.write'] },
      ),
      implies: about(z.record(text, texts), 'Scopes that include other scopes.', {
        'api.admin': ['api.write', 'api.read'],
      }),
      profiles: about(
        z.record(named(/^[a-z][a-z0-9_-]{0,31}$/, 'must be the name of a profile'), texts),
        'The scopes that a profile needs, by profile: a token must have one of them. A profile that is not listed needs none.',
        { support: ['support.use'] },
      ),
      stepUp: about(
        z.boolean(),
        withDefault(
          'A call that needs more scopes is refused, with the scopes to request (403 `insufficient_scope`). The client can then get a better token. This reveals that the operation exists. Without `stepUp`, callers never see operations that their token does not cover.',
          false,
        ),
        true,
      ),
      principal: about(text, withDefault('The claim that identifies the caller.', '`sub`'), 'sub'),
      limits: permissions().limits,
    },
    'issuer',
  ).meta({ id: 'issuer', description: 'An OAuth 2.1 authorization server whose access tokens are accepted.' }),
);

const certificate = once(() =>
  strict({
    subject: about(
      text,
      'A pattern for the common name in the subject of the certificate. `*` matches any characters.',
      'batch-*',
    ),
    san: about(
      text,
      'A pattern for one of the alternative names of the certificate (DNS name, URI, mail address). Use it instead of `subject` or with it.',
      'spiffe://example.com/batch/*',
    ),
    name: about(principalName(), withDefault('The name of the caller.', 'the name that matched the pattern'), 'batch'),
    ...permissions(),
  })
    .refine(({ subject, san }) => subject !== undefined || san !== undefined, 'must have subject or san')
    .meta({
      id: 'certificate',
      description:
        'Client certificates that the authority in `tls.clientCa` has signed. The first entry that matches applies.',
    }),
);

export const authSection = once(() =>
  strict({
    keys: about(list(keyEntry()), 'API keys, sent as `Authorization: Bearer <key>` or `X-API-Key: <key>`.', [
      { name: 'ci', sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', effects: ['read'] },
    ]),
    oauth: about(list(issuer()), 'Authorization servers whose access tokens are accepted.', [
      { issuer: 'https://id.example.com', scopes: { read: ['api.read'] } },
    ]),
    certificates: about(
      list(certificate()),
      withDefault(
        'What callers with a client certificate may do. A certificate that matches no entry is refused.',
        'every certificate that `tls.clientCa` has signed may do everything',
      ),
      [{ subject: 'batch-*', name: 'batch', effects: ['read'] }],
    ),
  }).meta({ id: 'auth' }),
);
