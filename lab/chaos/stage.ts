// Everything a run needs, started once: the APIs, Redis, the replicas, nginx and the clients. Ended by their numbers, whatever
// happens.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, type Redis, startRedis } from '../../test/support/redis.ts';
import { type Disk, mountDisk } from './disk.ts';
import { buildDomains } from './domain-files.ts';
import { Load } from './load.ts';
import { type Nginx, startNginx } from './nginx.ts';
import { killLeft, listLeft } from './processes.ts';
import { Replica } from './replica.ts';
import { type Api, startApi } from './shop-api.ts';
import { type Weight, weigh, weighingEnv } from './weights.ts';

export interface StageOptions {
  /** Worker processes of each replica. */
  readonly workers: number;
  /** How long a replica that is to stop goes on taking calls. */
  readonly drainSeconds: number;
}

/** A run of some minutes writes less. */
const DISK_MB = 512;
const STATE_MS = 30_000;

export class Stage {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'landbridge-chaos-'));
  readonly weights: string = join(this.folder, 'weights');
  shop!: Api;
  depot!: Api;
  redis!: Redis;
  replicas: Replica[] = [];
  nginx!: Nginx;
  load!: Load;
  /** Disks of their own, where they can be had. */
  logDisk: Disk | undefined;
  auditDisk: Disk | undefined;
  /** Ids of writes that a scenario made itself, beside the load. */
  readonly spentAside: string[] = [];
  /** Of each replica. */
  workers = 1;

  static async open(options: StageOptions): Promise<Stage> {
    const stage = new Stage();
    try {
      await stage.#start(options);
    } catch (error) {
      await stage.close();
      throw error;
    }
    return stage;
  }

  async #start({ workers, drainSeconds }: StageOptions): Promise<void> {
    this.workers = workers;
    [this.shop, this.depot] = await Promise.all([startApi(), startApi()]);
    this.redis = await startRedis('--appendonly', 'yes');
    const ports = [await freePort(), await freePort()];
    const [logs, audits] = [join(this.folder, 'logs'), join(this.folder, 'audits')];
    this.logDisk = mountDisk(logs, DISK_MB);
    this.auditDisk = mountDisk(audits, DISK_MB);
    this.replicas = ports.map(
      (port, at) =>
        new Replica({
          folder: join(this.folder, `replica-${at + 1}`),
          logFile: join(logs, `replica-${at + 1}.log`),
          auditFolder: join(audits, `replica-${at + 1}`),
          port,
          domains: buildDomains(this.shop.url, this.depot.url),
          settings: {
            exposure: 'tools',
            drainSeconds,
            state: this.redis.url,
            trustedProxies: ['127.0.0.1'],
            // One caller makes all the load: nobody is told apart on loopback. Everything else is as it is shipped.
            limits: { perPrincipal: { rate: '100000/s', concurrent: 2_000 } },
            audit: { file: join(audits, `replica-${at + 1}`, 'audit.jsonl'), signEverySeconds: 5 },
          },
          args: workers > 1 ? ['--workers', String(workers)] : [],
          env: { LANDBRIDGE_SECRET: 'what all replicas seal with, and nobody else', ...weighingEnv(this.weights) },
        }),
    );
    await Promise.all(this.replicas.map((replica) => replica.start()));
    this.nginx = await startNginx(join(this.folder, 'nginx'), await freePort(), ports);
    this.load = await Load.open(this.nginx.url);
  }

  get ledger() {
    return this.load.ledger;
  }

  /** While nothing is under way. */
  async weigh(): Promise<Weight[]> {
    const apis = [this.shop, this.depot].map(({ url }) => Number(new URL(url).port));
    return (
      await Promise.all(
        this.replicas.map(({ pid, port, serving }) =>
          weigh(this.weights, [...new Set([pid, ...serving])], { port, apis }),
        ),
      )
    ).flat();
  }

  /** What every replica says of Redis. */
  async untilStateIs(state: 'ok' | 'degraded'): Promise<void> {
    for (const endsAt = performance.now() + STATE_MS; performance.now() < endsAt; ) {
      const all = await Promise.all(this.replicas.map((replica) => replica.readiness()));
      if (all.every(({ body }) => body.state === state)) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`not every replica says that the shared state is ${state}`);
  }

  /** Resolves with the exit codes of the replicas. */
  async stop(): Promise<(number | null)[]> {
    await this.load.pause();
    await this.load.close();
    const codes = await Promise.all(this.replicas.map((replica) => replica.stop()));
    await this.nginx.stop();
    await this.redis.close();
    return codes;
  }

  /** Whatever is left. */
  async close(): Promise<void> {
    killLeft();
    await this.redis?.close().catch(() => {});
    await Promise.all([this.shop?.close(), this.depot?.close()]);
    this.abandon();
  }

  /** At once, also where the run itself is ended. */
  abandon(): void {
    killLeft();
    this.logDisk?.unmount();
    this.auditDisk?.unmount();
    rmSync(this.folder, { recursive: true, force: true });
  }

  left(): number[] {
    return listLeft();
  }
}
