// The `auth` section of landbridge.yaml: who may call over HTTP and TCP.

import { z } from 'zod';
import { callLimits } from '../../domain/definition/shape/call-limits-schema.ts';
import { about, list, named, strict, text, texts } from '../../domain/definition/shape/fields.ts';
import { VARIABLE_NAME } from '../../endpoint/environment.ts';
import { EFFECTS } from '../../endpoint/model.ts';
import { once } from '../../endpoint/untrusted.ts';
import { filePath, secretName } from '../file-paths.ts';

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
      'The profiles it may use, each at `/mcp/<name>`; `"*"` stands for all of them and for `/mcp` itself. Default: `"*"`.',
      ['reader'],
    ),
    effects: about(effects, 'What its calls may do. Default: all three.', ['read']),
    expires: about(
      z
        .union([z.iso.date(), z.iso.datetime({ offset: true }), z.date()], {
          error: 'must be a date such as 2099-01-31, or a time with its zone such as 2099-01-31T18:00:00Z',
        })
        .transform((value) => (value instanceof Date ? value.toISOString() : value)),
      'When it expires: a date (at midnight UTC), or a time.',
      '2099-01-01',
    ),
    limits: about(callLimits(), 'How much it may call, instead of `limits.perPrincipal`.', { rate: '100/min' }),
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
        'In place of `sha256`: the variable that holds the key, or its SHA-256.',
        'CI_KEY',
      ),
      file: about(filePath, 'In place of `sha256`: a file that holds the key, or its SHA-256.', '/run/secrets/ci-key'),
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
    .meta({ id: 'key', description: 'An API key. Several may have one name, so that they can be rotated.' }),
);
export type KeyEntry = z.output<ReturnType<typeof keyEntry>>;

const scopesOf = (what: string, example: string) =>
  about(texts, `A token with any one of these scopes may ${what}.`, [example]);

const issuer = once(() =>
  strict(
    {
      issuer: about(url(), 'The authorization server, exactly as its tokens name it.', 'https://id.example.com'),
      audience: about(
        z.union([text, list(text)]),
        'What tokens must be made for. Default: the URL of the endpoint that is called, built from `publicUrl`.',
        'https://mcp.example.com/mcp',
      ),
      jwksUri: about(url(), 'Its public keys. Default: what its metadata says.', 'https://id.example.com/jwks'),
      algorithms: about(
        list(z.enum(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'])),
        'Signatures that are accepted. Default: RS256, PS256, ES256 and EdDSA.',
        ['ES256'],
      ),
      types: about(
        texts,
        'The `typ` a token may have in its header; others, ID tokens among them, are refused. Default: `at+jwt` and `JWT`.',
        ['at+jwt'],
      ),
      clockSkewSeconds: about(z.number().min(0).max(300), 'How far clocks may differ. Default: 30.', 30),
      jwksMaxAgeSeconds: about(
        z.number().int().min(60),
        'How long known keys stay valid while the authorization server cannot be reached. Default: 86400.',
        86_400,
      ),
      introspection: about(
        strict(
          {
            url: about(
              url(),
              'The introspection endpoint. Default: what its metadata says.',
              'https://id.example.com/introspect',
            ),
            clientIdEnv: about(
              secretName,
              'The variable that holds our client id, or `file:` and the path of a file that does.',
              'IDP_CLIENT_ID',
            ),
            clientSecretEnv: about(
              secretName,
              'The variable that holds our client secret, or `file:` and the path of a file that does.',
              'IDP_CLIENT_SECRET',
            ),
            cacheSeconds: about(
              z.number().min(0).max(3600),
              'How long a positive answer is cached; a revoked token works that long. Default: 30.',
              30,
            ),
          },
          'clientIdEnv',
          'clientSecretEnv',
        ).meta({ id: 'introspection' }),
        'For opaque tokens: the authorization server is asked about each (RFC 7662). If several issuers have it, each sees the tokens that those before it in this list do not know: list only servers that may see them.',
        { clientIdEnv: 'IDP_CLIENT_ID', clientSecretEnv: 'IDP_CLIENT_SECRET' },
      ),
      scopes: about(
        strict({
          read: scopesOf('call reads', 'api.read'),
          write: scopesOf('call writes', 'api.write'),
          destructive: scopesOf('call what destroys', 'api.admin'),
        }).meta({ id: 'effectScopes' }),
        'Which scopes allow which effects. An effect that is not listed is allowed to no one; without `scopes` every token may do everything.',
        { read: ['api.read'], write: ['api.write'] },
      ),
      implies: about(z.record(text, texts), 'Scopes that include others.', {
        'api.admin': ['api.write', 'api.read'],
      }),
      profiles: about(
        z.record(named(/^[a-z][a-z0-9_-]{0,31}$/, 'must be the name of a profile'), texts),
        'Profiles that need one of these scopes. A profile that is not listed needs none.',
        { support: ['support.use'] },
      ),
      stepUp: about(
        z.boolean(),
        'Whether a call that needs more scopes is refused with the scopes to request (403 `insufficient_scope`), so that clients can get such a token. This reveals that the operation exists. Default: false; operations that a token does not cover are hidden.',
        true,
      ),
      principal: about(text, 'The claim that identifies the caller. Default: `sub`.', 'sub'),
      limits: permissions().limits,
    },
    'issuer',
  ).meta({ id: 'issuer', description: 'An OAuth 2.1 authorization server whose access tokens are accepted.' }),
);

const certificate = once(() =>
  strict({
    subject: about(
      text,
      'A pattern of the common name in its subject; `*` stands for any run of characters.',
      'batch-*',
    ),
    san: about(
      text,
      'A pattern of one of its alternative names (DNS name, URI, mail address), in place of `subject` or beside it.',
      'spiffe://example.com/batch/*',
    ),
    name: about(principalName(), 'The name of the caller. Default: the name that matched the pattern.', 'batch'),
    ...permissions(),
  })
    .refine(({ subject, san }) => subject !== undefined || san !== undefined, 'must have subject or san')
    .meta({
      id: 'certificate',
      description: 'Client certificates that `tls.clientCa` has signed; the first entry that fits counts.',
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
      'What callers with a client certificate may do; a certificate that no entry matches is refused. Default: every certificate of `tls.clientCa` may do everything.',
      [{ subject: 'batch-*', name: 'batch', effects: ['read'] }],
    ),
  }).meta({ id: 'auth' }),
);
