// TLS of the listeners in landbridge.yaml.
import { z } from 'zod';
import { about, strict, text } from '../domain/definition/shape/fields.ts';

export const tlsSection = strict(
  {
    cert: about(text, 'The certificate chain, PEM.', '/etc/landbridge/tls.crt'),
    key: about(text, 'Its private key, PEM.', '/etc/landbridge/tls.key'),
    clientCa: about(
      text,
      'The authority of client certificates, PEM. Whoever shows a good one is known by its subject.',
      '/etc/landbridge/clients.crt',
    ),
    minVersion: about(z.enum(['TLSv1.2', 'TLSv1.3']), 'Default: TLSv1.2.', 'TLSv1.3'),
  },
  'cert',
  'key',
).meta({ id: 'tls' });
