// The `audit` section of landbridge.yaml.
import { z } from 'zod';
import { about, strict } from '../../domain/definition/shape/fields.ts';
import { once } from '../../endpoint/untrusted.ts';
import { filePath } from '../file-paths.ts';

export const auditSection = once(() =>
  strict(
    {
      file: about(
        filePath,
        'Where records are appended, one JSON object a line. Processes that run at the same time need a file each: `%h` stands for the host’s name, `%p` for the number of the process.',
        'audit.jsonl',
      ),
      onError: about(
        z.enum(['refuse', 'continue'], { error: 'must be refuse or continue' }),
        'When a record cannot be written (a full disk): refuse calls before anything is sent, or continue, with log lines and a count of missing records. Default: `refuse`.',
        'refuse',
      ),
      signEverySeconds: about(
        z.number().min(1).max(86_400),
        'How often the chain is signed, when there are new records. Default: 60.',
        60,
      ),
      keyFile: about(
        filePath,
        'The private key (PEM, Ed25519) that signs. Default: `audit-key.pem` beside `audit.jsonl`, made on first use.',
        'audit-key.pem',
      ),
      maxBytes: about(
        z.number().int().min(1_000_000),
        'Starts a new file above this size; the old one is renamed, never deleted. Default: no limit.',
        1_000_000_000,
      ),
    },
    'file',
  ).meta({ id: 'audit' }),
);
