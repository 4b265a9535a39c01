// A process that serves, alone or as one of several workers: parts → transports → signals → announcement.
import type { Config } from '../../config/read-config.ts';
import type { Primary } from '../../workers/in-worker.ts';
import { openAdmin, openReports } from '../admin/open-admin.ts';
import { ADMIN_TOPIC } from '../admin/worker-report.ts';
import { optimizeAsUsual } from '../late-optimizing.ts';
import { writeAnnouncement } from '../terminal/announcement.ts';
import type { Launch } from '../terminal/launch-words.ts';
import { digestCatalog, toWorkerConfig } from '../workers/worker-config.ts';
import { listWarnings, renderAnnouncement } from './announce.ts';
import { OPEN_TO_ALL } from './banner.ts';
import { heedSignals } from './ending/signals.ts';
import { createStopping, type Stopping } from './ending/stopping.ts';
import { limitHeapGrowth } from './heap-growth.ts';
import { openParts, type Parts } from './open-parts.ts';
import { prepareTools, prepareToolsLater } from './prepare-tools.ts';
import { createConditions, type ReadConditions } from './readiness.ts';
import { isWideOpen, prepare } from './start-checks.ts';
import { closeTransports, startTransports, type Transports } from './start-transports.ts';

/** Resolves when it listens; signals end it. */
export async function serveAlone(launch: Launch, json: boolean): Promise<void> {
  const { parts, transports, stopping, conditions } = await startServing(launch.config);
  const admin = await openAdmin(parts, transports, conditions).catch(async (error: unknown) => {
    await closeTransports(transports, 0);
    await parts.release();
    throw error;
  });
  // The admin listener stays open until the end, so that the last state can be read.
  heedSignals(
    parts,
    transports,
    withLast(stopping, () => admin?.close()),
  );
  warn(parts);
  const listening = { ...transports, adminPort: admin?.port };
  writeAnnouncement(renderAnnouncement(launch, parts, listening, json), parts.log);
  void prepareToolsLater(parts);
}

/** Resolves when it listens and the primary has been told; the primary ends it. */
export async function serveAsWorker(launch: Launch, json: boolean, primary: Primary): Promise<void> {
  const { isFirst, workers, adminPort } = primary.begin;
  const config = toWorkerConfig(launch.config, primary.begin);
  const { parts, transports, stopping, conditions } = await startServing(config, primary);
  const report = openReports(parts, transports, conditions, primary.channel(ADMIN_TOPIC));
  heedSignals(parts, transports, withLast(stopping, report), primary);
  if (isFirst) warn(parts);
  primary.ready({
    ports: { http: transports.http?.port, tcp: transports.tcp?.port },
    catalogDigest: digestCatalog(parts.gateway),
    ...(isFirst && {
      announcement: renderAnnouncement({ ...launch, workers }, parts, { ...transports, adminPort }, json),
    }),
  });
  void prepareTools(parts);
}

function withLast(stopping: Stopping, act: (() => Promise<void> | undefined) | undefined): Stopping {
  return {
    get hasBegun() {
      return stopping.hasBegun;
    },
    async stop(why, code) {
      const status = await stopping.stop(why, code);
      await act?.();
      return status;
    },
  };
}

/** A gateway that serves, and its end. */
interface Serving {
  readonly parts: Parts;
  readonly transports: Transports;
  readonly stopping: Stopping;
  readonly conditions: ReadConditions;
}

/** If it cannot start as configured, releases everything and throws. */
async function startServing(config: Config, primary?: Primary): Promise<Serving> {
  const parts = await openParts(config, await prepare(config), primary);
  let transports: Transports = {};
  const stopping = createStopping(parts, () => transports);
  const conditions = createConditions(parts, () => stopping.hasBegun);
  try {
    transports = await startTransports(parts, conditions, primary?.endListening);
  } catch (error) {
    await parts.release();
    throw error;
  }
  optimizeAsUsual();
  limitHeapGrowth();
  return { parts, transports, stopping, conditions };
}

function warn({ config, authorities, log }: Parts): void {
  if (isWideOpen(config, authorities)) log.warn(OPEN_TO_ALL);
  for (const warning of listWarnings(config, authorities)) log.warn(warning);
}
