// The `admin` section of landbridge.yaml: a listener for operators and their programs.
import { z } from 'zod';
import { about, list, strict, withDefault } from '../../domain/definition/shape/fields.ts';
import { once } from '../../endpoint/untrusted.ts';
import { bindAddress, hostName, port, secretSource } from '../settings.ts';

/** What Prometheus exporters of OpenTelemetry listen on. */
export const ADMIN_PORT = 9464;

export const adminSection = once(() =>
  strict({
    port: about(port, withDefault('The port of the admin listener. 0 picks a free one.', ADMIN_PORT), ADMIN_PORT),
    host: about(
      bindAddress,
      withDefault(
        'The address of the admin listener. Any other than 127.0.0.1 needs `token` or `allowAnyone`.',
        '`127.0.0.1`',
      ),
      '127.0.0.1',
    ),
    token: about(
      secretSource,
      'The token for everything but `/healthz` and `/readyz`, at least 32 characters. It is sent as `Authorization: Bearer <token>`.',
      { file: '/run/secrets/admin' },
    ),
    allowAnyone: about(
      z.boolean({ error: 'must be true or false' }),
      withDefault(
        'Listens for other machines without a token. Set it only if a firewall or a proxy keeps others out. The log level can then be changed only from this machine.',
        false,
      ),
      true,
    ),
    allowedHosts: about(
      list(hostName),
      'Host names that are accepted in the Host header, besides the addresses of this machine. Requests with the token are not checked.',
      ['landbridge'],
    ),
  }).meta({ id: 'admin' }),
);
