// The `admin` section of landbridge.yaml: a listener for operators and their programs.
import { z } from 'zod';
import { about, list, strict } from '../../domain/definition/shape/fields.ts';
import { once } from '../../endpoint/untrusted.ts';
import { bindAddress, hostName, port, secretSource } from '../settings.ts';

/** What Prometheus exporters of OpenTelemetry listen on. */
export const ADMIN_PORT = 9464;

export const adminSection = once(() =>
  strict({
    port: about(port, `Its port; 0 picks one. Default: ${ADMIN_PORT}.`, ADMIN_PORT),
    host: about(
      bindAddress,
      'Its address. Default: `127.0.0.1`. Any other needs a `token`, or `allowAnyone`.',
      '127.0.0.1',
    ),
    token: about(
      secretSource,
      'Where the token is, of at least 32 characters, that everything but `/healthz` and `/readyz` asks for (`Authorization: Bearer`).',
      { file: '/run/secrets/admin' },
    ),
    allowAnyone: about(
      z.boolean({ error: 'must be true or false' }),
      'Listen beyond this machine without a token: something else keeps strangers away. The log level is changed on this machine alone then. Default: no.',
      true,
    ),
    allowedHosts: about(
      list(hostName),
      'Host names under which it is reached, besides the addresses of this machine. Not checked for requests with the token.',
      ['landbridge'],
    ),
  }).meta({ id: 'admin' }),
);
