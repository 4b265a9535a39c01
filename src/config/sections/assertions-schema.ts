// The `assertions` section of landbridge.yaml: what this gateway tells APIs about its callers, under its own name.
import { z } from 'zod';
import { about, list, strict } from '../../domain/definition/shape/fields.ts';
import { filePath } from '../file-paths.ts';

export const assertionsSection = strict(
  {
    issuer: about(
      z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' }),
      'Who says so (`iss`). Default: `publicUrl`.',
      'https://mcp.example.com',
    ),
    keys: about(
      list(filePath).refine((files) => files.length > 0 && files.length <= 16, 'must name one to sixteen files'),
      'Private keys (PEM: RSA of 2048 bits or more, P-256, P-384, Ed25519), from where this file is. The first one signs; all are published at `/.well-known/jwks.json`. To rotate, put the new one second and restart, a while later first, and remove the old one when nothing it signed is good any more.',
      ['./assertion-key.pem'],
    ),
  },
  'keys',
).meta({ id: 'assertions' });
