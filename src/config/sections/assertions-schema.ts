// The `assertions` section of landbridge.yaml: what this gateway tells APIs about its callers, under its own name.
import { z } from 'zod';
import { about, list, strict } from '../../domain/definition/shape/fields.ts';
import { once } from '../../endpoint/untrusted.ts';
import { filePath } from '../file-paths.ts';

export const assertionsSection = once(() =>
  strict(
    {
      issuer: about(
        z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' }),
        'The issuer (`iss`). Default: `publicUrl`.',
        'https://mcp.example.com',
      ),
      keys: about(
        list(filePath).refine((files) => files.length > 0 && files.length <= 16, 'must name one to sixteen files'),
        'Private keys (PEM: RSA of 2048 bits or more, P-256, P-384, Ed25519), from where this file is. The first one signs; all are published at `/.well-known/jwks.json`. To rotate: add the new key as the second one and restart; later move it to the front; remove the old one once everything it signed has expired.',
        ['./assertion-key.pem'],
      ),
    },
    'keys',
  ).meta({ id: 'assertions' }),
);
