// The admin listener as it is configured, for a single process or for the primary of several workers: checked and started.
import type { AdminServer } from '../../admin/admin-server.ts';
import type { AdminView } from '../../admin/admin-view.ts';
import { placeOf, toSectionError } from '../../config/config-file.ts';
import type { AdminConfig, Config } from '../../config/read-config.ts';
import { isLoopback } from '../../endpoint/address.ts';
import { usageError } from '../../errors.ts';
import { LOG_LEVELS, type Logger } from '../../log.ts';
import { PRODUCT } from '../../product.ts';
import type { Refusals } from '../../transport/refusals.ts';

export async function listenForAdmin(
  view: AdminView,
  config: AdminConfig,
  log: Logger,
  refusals: Refusals,
): Promise<AdminServer> {
  const { startAdmin } = await import('../../admin/admin-server.ts');
  return startAdmin(view, {
    ...config,
    version: PRODUCT.version,
    levels: LOG_LEVELS,
    onRefusal: (reason, remote) => refusals.note({ transport: 'admin', reason, remote }),
    onInternalError: (error) => log.error({ err: error }, 'internal error'),
  });
}

/** Refuses other machines without a token. Metrics show who uses what, and the log level can hide things or fill a disk. */
export function refuseOpenAdmin({ admin }: Config): void {
  if (admin === undefined || admin.token !== undefined || admin.allowAnyone || isLoopback(admin.host)) return;
  const message = `other machines can reach ${admin.host}, so anyone could read the metrics. Set admin.token (or LANDBRIDGE_ADMIN_TOKEN), listen on 127.0.0.1, or set admin.allowAnyone: true if something else protects this port`;
  if (placeOf(admin)) throw toSectionError(admin, [{ path: ['admin', 'host'], message }]);
  throw usageError(`--admin-host (or LANDBRIDGE_ADMIN_HOST): ${message}.`);
}
