// The shape of `tls` and `proxy` in a domain file.
import { z } from 'zod';
import { variable } from '../credentials/credential-schema.ts';
import { about, strict, text } from '../shape/fields.ts';

export const tls = strict({
  ca: about(
    z.union([text, z.array(text).min(1).readonly()]),
    'PEM files with the authorities that may sign the API’s certificate, instead of those this machine trusts. For a token endpoint at another origin, both are trusted.',
    'ca.pem',
  ),
  cert: about(
    text,
    'PEM file with the client certificate (and chain) for the API; it needs `key` and a `baseUrl`. No other origin sees it.',
    'client.pem',
  ),
  key: about(text, 'PEM file with the private key of `cert`.', 'client.key'),
  passphraseEnv: about(variable, 'The variable that holds the passphrase of `key`.', 'SHOP_KEY_PASSPHRASE'),
  passphraseFile: about(text, 'The file that holds the passphrase of `key`.', '/run/secrets/shop_key_passphrase'),
  minVersion: about(
    z.enum(['TLSv1.2', 'TLSv1.3']),
    'The oldest TLS version that is accepted. Default: `TLSv1.2`.',
    'TLSv1.3',
  ),
  serverName: about(
    text,
    'The host name in the API’s certificate, if it differs from `baseUrl`; used for SNI and for the check.',
    'shop.internal',
  ),
}).meta({
  id: 'tls',
  description:
    'How the API’s certificate is checked, and the client certificate. Paths are relative to the domain file; files are read at start. The check cannot be switched off.',
});

export const proxy = about(
  text,
  'The proxy for all requests of the domain, `http://proxy.example:3128`, or `none`. User name and password stand in it as `\u0024{VARIABLE}`: `http://\u0024{PROXY_USER}:\u0024{PROXY_PASSWORD}@proxy.example:3128`. Default: `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` of the environment, never for this machine itself.',
  'http://proxy.example:3128',
);
