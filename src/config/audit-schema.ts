// The `audit` section of landbridge.yaml.
import { z } from 'zod';
import { about, strict } from '../domain/definition/shape/fields.ts';
import { filePath } from './file-paths.ts';

export const auditSection = strict(
  {
    file: about(filePath, 'Where records are appended, one JSON object a line.', 'audit.jsonl'),
    onError: about(
      z.enum(['refuse', 'continue'], { error: 'must be refuse or continue' }),
      'When a record cannot be written (a full disk): refuse calls, or go on and say so. Default: `refuse`.',
      'refuse',
    ),
    signEverySeconds: about(
      z.number().min(1),
      'How often the chain is signed, when there are new records. Default: 60.',
      60,
    ),
    keyFile: about(
      filePath,
      'The private key (PEM, Ed25519) that signs. Default: one is made beside the file on first use.',
      'audit-key.pem',
    ),
    maxBytes: about(z.number().int().min(1_000_000), 'Rotate beyond this size. Default: never.', 1_000_000_000),
  },
  'file',
).meta({ id: 'audit' });
