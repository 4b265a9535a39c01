// Two workers that serve nothing, asked every few milliseconds whether they are there.
import cluster from 'node:cluster';
import { joinPrimary } from '../../dist/workers/in-worker.js';
import { Supervisor } from '../../dist/workers/supervise.js';

if (cluster.isPrimary) {
  const write = (facts, msg) => process.stdout.write(`${JSON.stringify({ ...facts, msg })}\n`);
  const log = { info: write, warn: write, error: write };
  const supervisor = new Supervisor({ workers: 2, secret: '', log, execArgv: [], stopMs: 60_000, heartbeatMs: 500 });
  await supervisor.start();
  process.on('SIGTERM', () => void supervisor.stop('SIGTERM').then((isClean) => process.exit(isClean ? 0 : 1)));
} else {
  const primary = await joinPrimary();
  primary.ready({ ports: {}, catalogDigest: '' });
}
