// The `assertions` section of landbridge.yaml: what this gateway tells APIs about its callers, under its own name.
import { z } from 'zod';
import { about, list, strict, withDefault } from '../../domain/definition/shape/fields.ts';
import { once } from '../../endpoint/untrusted.ts';
import { filePath } from '../file-paths.ts';

export const assertionsSection = once(() =>
  strict(
    {
      issuer: about(
        z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' }),
        withDefault('The issuer (`iss`) of the assertions.', 'the setting `publicUrl`'),
        'https://mcp.example.com',
      ),
      keys: about(
        list(filePath).refine((files) => files.length > 0 && files.length <= 16, 'must name one to sixteen files'),
        'Files with private keys (PEM: RSA of 2048 bits or more, P-256, P-384, Ed25519). The first one signs. All public keys are published at `/.well-known/jwks.json`. To rotate: add the new key as the second one and restart. Later move it to the front. Remove the old key when everything it signed has expired.',
        ['./assertion-key.pem'],
      ),
    },
    'keys',
  ).meta({ id: 'assertions' }),
);
