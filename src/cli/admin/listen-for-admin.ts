// The admin listener as it is configured, for a single process or for the primary of several workers.
import type { AdminServer } from '../../admin/admin-server.ts';
import type { AdminView } from '../../admin/admin-view.ts';
import type { AdminConfig } from '../../config/read-config.ts';
import { LOG_LEVELS, type Logger } from '../../log.ts';
import { PRODUCT } from '../../product.ts';
import type { Refusals } from '../../transport/door/refusals.ts';

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
