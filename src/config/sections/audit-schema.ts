// The `audit` section of landbridge.yaml.
import { z } from 'zod';
import { about, strict, withDefault } from '../../domain/definition/shape/fields.ts';
import { once } from '../../endpoint/untrusted.ts';
import { filePath } from '../file-paths.ts';

export const auditSection = once(() =>
  strict(
    {
      file: about(
        filePath,
        'The file to which records are appended, one JSON object per line. Processes that run at the same time need a file each: `%h` stands for the host name, `%p` for the process id.',
        'audit.jsonl',
      ),
      onError: about(
        z.enum(['refuse', 'continue'], { error: 'must be refuse or continue' }),
        withDefault(
          'What happens if a record cannot be written, for example on a full disk. `refuse` refuses calls before anything is sent. `continue` makes them, logs the problem and counts the missing records.',
          '`refuse`',
        ),
        'refuse',
      ),
      signEverySeconds: about(
        z.number().min(1).max(86_400),
        withDefault('Seconds between two signatures of the chain, if there are new records.', 60),
        60,
      ),
      keyFile: about(
        filePath,
        withDefault(
          'The file with the private key (PEM, Ed25519) that signs. It is made on first use.',
          '`audit-key.pem` next to the audit file',
        ),
        'audit-key.pem',
      ),
      maxBytes: about(
        z.number().int().min(1_000_000),
        withDefault(
          'The size in bytes at which a new file is started. The old file is renamed, never deleted.',
          'no limit',
        ),
        1_000_000_000,
      ),
    },
    'file',
  ).meta({ id: 'audit' }),
);
