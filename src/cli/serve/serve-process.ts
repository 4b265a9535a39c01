// A process that serves, alone or as one of several workers: checks the settings, opens everything that the transports need, listens,
// and announces it. What has been opened is released in reverse order.
import { type AuditTrail, openTrail, untilTrailIsFree } from '../../audit/open-trail.ts';
import type { Config } from '../../config/read-config.ts';
import { collectSecrets } from '../../credentials/secrets.ts';
import { createRedactor } from '../../endpoint/redaction/redact.ts';
import { createGateway, type Gateway } from '../../gateway.ts';
import { createLog, type Logger } from '../../log.ts';
import type { SharedState } from '../../state/shared-state.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { createRefusals, type Refusals } from '../../transport/refusals.ts';
import type { Primary } from '../../workers/in-worker.ts';
import { openAdmin, openReports } from '../admin/open-admin.ts';
import { ADMIN_TOPIC } from '../admin/worker-report.ts';
import type { Io } from '../io.ts';
import { load } from '../open-gateway.ts';
import type { Invocation } from '../terminal/invocation.ts';
import { logProcessNotices, writeAnnouncement } from '../terminal/process-output.ts';
import { limitHeapGrowth, optimizeAsUsual } from '../v8-flags.ts';
import { requestSample } from '../workers/shared-sample.ts';
import { digestCatalog, toWorkerConfig } from '../workers/worker-config.ts';
import { renderAnnouncement } from './announce.ts';
import { type Authorities, prepareCatalogs } from './authorities.ts';
import { OPEN_TO_ALL } from './banner.ts';

import { createConditions, type ReadConditions } from './conditions.ts';
import { openState, openTraces } from './external-services.ts';
import { type CertificateWatch, type TlsFiles, watchCertificate } from './listener-certificate.ts';
import { prepareTools, prepareToolsLater } from './prepare-tools.ts';
import { createShutdown, handleSignals, type Shutdown } from './shutdown.ts';
import { checkSettings, isOpenToAll, listSettingWarnings, refuseUnsigned } from './start-checks.ts';
import { closeTransports, startTransports, type Transports } from './start-transports.ts';

/** Everything that the transports need. */
export interface Components {
  readonly config: Config;
  readonly log: Logger;
  readonly gateway: Gateway;
  /** Who may call; absent if everybody may. */
  readonly authorities: Authorities | undefined;
  /** The certificate that is shown at the start, and what renews it. */
  readonly tls: TlsFiles | undefined;
  readonly certificate: CertificateWatch | undefined;
  readonly refusals: Refusals;
  readonly audit: AuditTrail | undefined;
  /** Counts calls, if there is an admin listener. */
  readonly metrics: Metrics | undefined;
  /** What replicas and workers share. */
  readonly state: SharedState | undefined;
  /** Releases all of it. Call it when calls in progress have been answered. */
  release(): Promise<void>;
}

/** Time that a worker without a primary needs to end, beyond its grace time: flushing, signing. */
const ORPHAN_MS = 5_000;

/** Resolves when it listens; signals end it. */
export async function serveAlone(io: Io, invocation: Invocation, json: boolean): Promise<void> {
  const { components, transports, shutdown, conditions } = await startServing(io, invocation.config);
  const admin = await openAdmin(components, transports, conditions).catch(async (error: unknown) => {
    await closeTransports(transports, 0);
    await components.release();
    throw error;
  });
  // The admin listener stays open until the end, so that the last state can be read.
  shutdown.atEnd(() => admin?.close());
  handleSignals(components, transports, shutdown);
  logWarnings(components);
  const listening = { ...transports, adminPort: admin?.port };
  writeAnnouncement(io, renderAnnouncement(io, invocation, components, listening, json), components.log);
  void prepareToolsLater(components);
}

/** Resolves when it listens and the primary has been told; the primary ends it. */
export async function serveAsWorker(io: Io, invocation: Invocation, json: boolean, primary: Primary): Promise<void> {
  const { isFirst, workers, adminPort } = primary.begin;
  const config = toWorkerConfig(invocation.config, primary.begin);
  const { components, transports, shutdown, conditions } = await startServing(io, config, primary);
  const report = openReports(components, transports, conditions, primary.channel(ADMIN_TOPIC));
  shutdown.atEnd(() => report?.());
  handleSignals(components, transports, shutdown, primary);
  if (isFirst) logWarnings(components);
  const listening = { ...transports, adminPort };
  primary.ready({
    ports: { http: transports.http?.port, tcp: transports.tcp?.port },
    catalogDigest: digestCatalog(components.gateway),
    ...(isFirst && {
      announcement: renderAnnouncement(io, { ...invocation, workers }, components, listening, json),
    }),
  });
  void prepareTools(components);
}

/** A gateway that listens, and its end. */
interface ServingProcess {
  readonly components: Components;
  readonly transports: Transports;
  readonly shutdown: Shutdown;
  readonly conditions: ReadConditions;
}

/** If it cannot start as configured, releases everything and throws. `primary` is set if this process is a worker. */
async function startServing(io: Io, config: Config, primary?: Primary): Promise<ServingProcess> {
  const components = await openComponents(io, config, primary);
  let transports: Transports = {};
  const shutdown = createShutdown(components, () => transports);
  const conditions = createConditions(components, () => shutdown.hasBegun);
  try {
    transports = await startTransports(components, conditions, primary?.endListening);
  } catch (error) {
    await components.release();
    throw error;
  }
  optimizeAsUsual();
  limitHeapGrowth();
  return { components, transports, shutdown, conditions };
}

async function openComponents(io: Io, config: Config, primary?: Primary): Promise<Components> {
  const { options, authorities, tls } = await checkSettings(config);
  const releases: (() => unknown)[] = [];
  const release = async () => {
    for (let next = releases.pop(); next; next = releases.pop()) await next();
  };
  try {
    const redact = createRedactor([
      ...(authorities?.issuers?.secrets ?? []),
      ...Object.values(config.tracing?.headers ?? {}),
    ]);
    const worker = primary?.begin.slot;
    const log = createLog({
      level: config.logLevel,
      redact,
      pretty: io.stderr.isTTY === true,
      worker,
      isShared: worker !== undefined,
    });
    // Before any code of a domain file runs.
    logProcessNotices(log);
    const source = await load(io, config, primary && (() => requestSample(primary)));
    releases.push(source.close);
    for (const secret of collectSecrets(source.domains)) redact.keepSecret(secret);
    refuseUnsigned(source.domains, options);
    const certificate = tls && watchCertificate(config, tls, log);
    releases.push(() => certificate?.close());
    const state = await openState(config, log, primary);
    releases.push(() => state?.close());
    for (const secret of state?.secrets ?? []) redact.keepSecret(secret);
    const trail = config.audit && { ...config.audit, worker, redact, log };
    if (trail && worker !== undefined) await untilTrailIsFree(trail, config.graceSeconds * 1_000 + ORPHAN_MS);
    const audit = trail && openTrail(trail);
    releases.push(() => audit?.close());
    const traces = await openTraces(config, log);
    releases.push(() => traces?.close());
    const metrics = config.admin && (await import('../../telemetry/metrics.ts')).createMetrics();
    const gateway = createGateway({
      // A secret shared by all workers, if none is configured.
      ...(primary && { secret: Buffer.from(primary.begin.secret) }),
      ...options,
      tracerProvider: traces?.provider,
      domains: source.domains,
      log,
      redact,
      audit,
      openMeter: metrics?.openMeter,
      isPrivate: authorities !== undefined,
      state,
    });
    releases.push(gateway.close);
    if (authorities !== undefined) prepareCatalogs(gateway, authorities);
    releases.push(() => authorities?.issuers?.close());
    const refusals = createRefusals((facts, message) => log.warn(facts, message));
    return { config, log, gateway, authorities, tls, certificate, refusals, audit, metrics, state, release };
  } catch (error) {
    await release();
    await authorities?.issuers?.close();
    throw error;
  }
}

function logWarnings({ config, authorities, log }: Components): void {
  if (isOpenToAll(config, authorities)) log.warn(OPEN_TO_ALL);
  for (const warning of listSettingWarnings(config, authorities)) log.warn(warning);
}
