// TLS of the listeners in landbridge.yaml.
import { z } from 'zod';
import { about, strict, withDefault } from '../../domain/definition/shape/fields.ts';
import { once } from '../../endpoint/untrusted.ts';
import { filePath } from '../file-paths.ts';

export const tlsSection = once(() =>
  strict(
    {
      cert: about(filePath, 'The file with the certificate chain (PEM).', '/etc/landbridge/tls.crt'),
      key: about(filePath, 'The file with the private key of the certificate (PEM).', '/etc/landbridge/tls.key'),
      clientCa: about(
        filePath,
        'The file with the certificate authority of client certificates (PEM). The name in a valid certificate identifies the caller; `auth.certificates` sets what that caller may do.',
        '/etc/landbridge/clients.crt',
      ),
      minVersion: about(
        z.enum(['TLSv1.2', 'TLSv1.3']),
        withDefault('The oldest TLS version that is accepted.', '`TLSv1.2`'),
        'TLSv1.3',
      ),
    },
    'cert',
    'key',
  ).meta({ id: 'tls' }),
);
