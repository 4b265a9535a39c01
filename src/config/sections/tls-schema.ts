// TLS of the listeners in landbridge.yaml.
import { z } from 'zod';
import { about, strict } from '../../domain/definition/shape/fields.ts';
import { once } from '../../endpoint/untrusted.ts';
import { filePath } from '../file-paths.ts';

export const tlsSection = once(() =>
  strict(
    {
      cert: about(filePath, 'The certificate chain, PEM.', '/etc/landbridge/tls.crt'),
      key: about(filePath, 'Its private key, PEM.', '/etc/landbridge/tls.key'),
      clientCa: about(
        filePath,
        'The authority of client certificates, PEM. A caller with a valid one is known by its subject; `auth.certificates` says what it may do.',
        '/etc/landbridge/clients.crt',
      ),
      minVersion: about(z.enum(['TLSv1.2', 'TLSv1.3']), 'Default: TLSv1.2.', 'TLSv1.3'),
    },
    'cert',
    'key',
  ).meta({ id: 'tls' }),
);
