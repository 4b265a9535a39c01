// Everything behind the transports: domains, log, audit trail, shared state, gateway; opened in order and released in reverse.
import { type AuditTrail, openTrail, untilTrailIsFree } from '../../audit/open-trail.ts';
import type { Config } from '../../config/read-config.ts';
import { collectSecrets } from '../../credentials/secrets.ts';
import { createRedactor } from '../../endpoint/redaction/redact.ts';
import { createGateway, type Gateway } from '../../gateway.ts';
import { createLog, type Logger } from '../../log.ts';
import { joinStates, type SharedState } from '../../state/shared-state.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Refusals } from '../../transport/door/refusals.ts';
import type { Primary } from '../../workers/in-worker.ts';
import { STATE_TOPIC } from '../../workers/worker-messages.ts';
import { load } from '../open-gateway.ts';
import { keepNotices } from '../terminal/process-notices.ts';
import { askForSample } from '../workers/shared-sample.ts';
import { type Authorities, prepareCatalogs } from './authorities.ts';
import { openRefusals } from './doors.ts';
import { openTraces } from './open-traces.ts';
import { type Prepared, refuseUnsigned } from './start-checks.ts';
import { type CertificateWatch, watchCertificate } from './tls/certificate-watch.ts';
import type { TlsFiles } from './tls/tls-files.ts';

export interface Parts {
  readonly config: Config;
  readonly log: Logger;
  readonly gateway: Gateway;
  readonly authorities: Authorities | undefined;
  /** The certificate that is shown at the start, and what renews it. */
  readonly tls: TlsFiles | undefined;
  readonly certificate: CertificateWatch | undefined;
  readonly refusals: Refusals;
  readonly audit: AuditTrail | undefined;
  /** Counts calls, where somebody may ask for it. */
  readonly metrics: Metrics | undefined;
  /** What replicas share. */
  readonly state: SharedState | undefined;
  /** Releases all of it; calls in progress have been answered by then. */
  release(): Promise<void>;
}

/** What has to be let go of, the last one first. */
type Releases = (() => unknown)[];

/** Time that a worker without a primary needs to end, beyond its grace time: flushing, signing. */
const ORPHAN_MS = 5_000;

/** `primary` is set if this process is one of several workers. */
export async function openParts(
  config: Config,
  { options, authorities, tls }: Prepared,
  primary?: Primary,
): Promise<Parts> {
  const releases: Releases = [];
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
      pretty: process.stderr.isTTY === true,
      worker,
      isShared: worker !== undefined,
    });
    // Before any code of a domain file runs.
    keepNotices(log);
    const source = await load(config, primary && (() => askForSample(primary)));
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
    const refusals = openRefusals(log);
    return { config, log, gateway, authorities, tls, certificate, refusals, audit, metrics, state, release };
  } catch (error) {
    await release();
    await authorities?.issuers?.close();
    throw error;
  }
}

/**
 * State shared by replicas, if configured, and by the workers of one gateway. A Redis that cannot be reached does not prevent the
 * start.
 */
async function openState(config: Config, log: Logger, primary?: Primary): Promise<SharedState | undefined> {
  const workers = primary && (await openWorkers(primary));
  if (config.state === undefined) return workers;
  const replicas = await openReplicas(config.state, config.secret, log);
  return workers === undefined ? replicas : joinStates(replicas, workers);
}

async function openWorkers(primary: Primary): Promise<SharedState> {
  const { openWorkerState } = await import('../../state/worker-state.ts');
  return openWorkerState({ channel: primary.channel(STATE_TOPIC) });
}

async function openReplicas(url: string, secret: string | undefined, log: Logger): Promise<SharedState> {
  if (secret === undefined)
    log.warn('shared state: without a common secret (LANDBRIDGE_SECRET), replicas share only rate limits');
  const { openRedisState } = await import('../../state/redis-state.ts');
  return openRedisState({
    url,
    secret: secret === undefined ? undefined : Buffer.from(secret),
    onChange: (isUsable, where, why) => {
      if (isUsable) log.info({ where }, 'shared state is up: all replicas share limits and confirmations');
      else
        log.warn(
          { where, why },
          'shared state is down: each replica applies the limits and logs in to APIs on its own, and confirmations are refused',
        );
    },
    onWarning: (message) => log.warn(`shared state: ${message}`),
  });
}
