// The shape of `tls` and `proxy` in a domain file.
import { z } from 'zod';
import { variable } from './credential-schema.ts';
import { about, strict, text, withDefault } from './fields.ts';

export const tls = strict({
  ca: about(
    z.union([text, z.array(text).min(1).readonly()]),
    withDefault(
      'PEM files with the certificate authorities that may sign the API’s certificate. For a token endpoint at another origin, the authorities of this machine are trusted too.',
      'the authorities that this machine trusts',
    ),
    'ca.pem',
  ),
  cert: about(
    text,
    'The PEM file with the client certificate (and its chain) for the API. It needs `key` and a `baseUrl`. It is sent to no other origin.',
    'client.pem',
  ),
  key: about(text, 'The PEM file with the private key of `cert`.', 'client.key'),
  passphraseEnv: about(variable, 'The environment variable that holds the passphrase of `key`.', 'SHOP_KEY_PASSPHRASE'),
  passphraseFile: about(text, 'The file that holds the passphrase of `key`.', '/run/secrets/shop_key_passphrase'),
  minVersion: about(
    z.enum(['TLSv1.2', 'TLSv1.3']),
    withDefault('The oldest TLS version that is accepted.', '`TLSv1.2`'),
    'TLSv1.3',
  ),
  serverName: about(
    text,
    'The host name in the API’s certificate, if it differs from `baseUrl`. It is used for SNI and for the check.',
    'shop.internal',
  ),
}).meta({
  id: 'tls',
  description:
    'How the API’s certificate is checked, and the client certificate for the API. Paths are relative to the domain file. Files are read at start. The check cannot be switched off.',
});

export const proxy = about(
  text,
  withDefault(
    'The proxy for all requests of the domain, or `none`. Write user name and password as variables: `http://\u0024{PROXY_USER}:\u0024{PROXY_PASSWORD}@proxy.example:3128`.',
    'the environment variables `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, but never for this machine itself',
  ),
  'http://proxy.example:3128',
);
