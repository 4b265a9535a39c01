// What is wrong with the settings of the admin listener.
import { placeOf, toSectionError } from '../../config/config-file.ts';
import type { Config } from '../../config/read-config.ts';
import { isLoopback } from '../../endpoint/address.ts';
import { usageError } from '../../errors.ts';

/** Metrics tell who uses what, and the log level can be used to hide things, or to fill a disk. */
export function refuseOpenAdmin({ admin }: Config): void {
  if (admin === undefined || admin.token !== undefined || admin.allowAnyone || isLoopback(admin.host)) return;
  const message = `other machines can reach ${admin.host}, so anyone could read the metrics. Set admin.token (or LANDBRIDGE_ADMIN_TOKEN), listen on 127.0.0.1, or set admin.allowAnyone: true if something else protects this port`;
  if (placeOf(admin)) throw toSectionError(admin, [{ path: ['admin', 'host'], message }]);
  throw usageError(`--admin-host (or LANDBRIDGE_ADMIN_HOST): ${message}.`);
}
