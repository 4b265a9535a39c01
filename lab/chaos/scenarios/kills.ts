// kill -9: only what was under way at the killed process may fail, and it is counted by looking at its sockets. They are
// open until Linux has taken the process apart, which takes some milliseconds: what comes in meanwhile was under way there as well.
import type { Call } from '../ledger.ts';
import { wait } from '../moves.ts';
import { isAlive, listConnections } from '../processes.ts';
import type { Replica } from '../replica.ts';
import type { Check, Findings, Scenario } from '../scenario.ts';
import type { Stage } from '../stage.ts';

interface Census {
  readonly port: number;
  /** All calls that clients wait for. */
  readonly underWay: ReadonlySet<Call>;
  /** Connections from nginx: each carries one request at most. */
  readonly connections: number;
  /** Requests of these processes that the API has not answered yet. */
  readonly atApi: number;
}

/** In one go: while this runs, no client of ours begins or ends a call. */
function take(stage: Stage, replica: Replica, pids: readonly number[]): Census {
  const sockets = pids.flatMap(listConnections);
  const ports = new Set(sockets.map(({ localPort }) => localPort));
  const open = [stage.shop, stage.depot].flatMap(({ seen }) => seen.filter(({ isAnswered }) => !isAnswered));
  return {
    port: replica.port,
    underWay: new Set(stage.ledger.underWay()),
    connections: sockets.filter(({ localPort }) => localPort === replica.port).length,
    atApi: open.filter(({ fromPort }) => ports.has(fromPort)).length,
  };
}

/** Resolves with the moment at which none of them is there any more. */
async function untilGone(pids: readonly number[]): Promise<number> {
  while (pids.some(isAlive)) await wait(0.001);
  return performance.now();
}

function judge(stage: Stage, census: Census, from: number, goneAt: number, more: readonly Check[]): Findings {
  const { port, underWay, connections, atApi } = census;
  const late = stage.ledger.since(from).filter(({ startedAt }) => startedAt >= from && startedAt <= goneAt);
  const there = new Set([...underWay, ...late]);
  const wasThere = (call: Call) =>
    there.has(call) && call.exchanges.some(({ servedBy = '' }) => servedBy === '' || servedBy.includes(`:${port}`));
  const failed = stage.ledger.since(from).filter(({ outcome }) => outcome === 'failed');
  const most = connections + late.length;
  return {
    mayFail: wasThere,
    inFlight: `${atApi} at the API, ${connections} connections; ${late.length} came while it died`,
    checks: [
      {
        what: 'no more failed than were under way there',
        ok: failed.length <= most,
        detail: `${failed.length} of ${most}, ${there.size} in all; it took ${Math.round(goneAt - from)} ms to die`,
      },
      ...more,
    ],
  };
}

export const killWorker: Scenario = {
  id: 'kill-worker',
  title: 'kill -9 of a worker',
  missing: ({ replicas }) => (replicas[0]!.serving[0] === replicas[0]!.pid ? 'replicas have no workers' : undefined),
  async run(stage, seconds) {
    await wait(seconds / 4);
    const replica = stage.replicas[0]!;
    const [victim, ...others] = replica.serving as [number, ...number[]];
    const from = performance.now();
    const census = take(stage, replica, [victim]);
    process.kill(victim, 'SIGKILL');
    const goneAt = await untilGone([victim]);
    const isBack = await within(15, () => replica.serving.length > others.length);
    await wait(seconds / 2);
    return judge(stage, census, from, goneAt, [
      { what: 'another took its place', ok: isBack },
      { what: 'the others went on', ok: others.every(isAlive) },
    ]);
  },
};

export const killReplica: Scenario = {
  id: 'kill-replica',
  title: 'kill -9 of a replica',
  async run(stage, seconds) {
    await wait(seconds / 4);
    const replica = stage.replicas[1]!;
    const from = performance.now();
    const pids = replica.serving;
    const census = take(stage, replica, pids);
    void replica.kill();
    const goneAt = await untilGone(pids);
    await wait(seconds / 2);
    await replica.start();
    return judge(stage, census, from, goneAt, []);
  },
};

export const killPrimary: Scenario = {
  id: 'kill-primary',
  title: 'kill -9 of the process that has the workers',
  missing: killWorker.missing!,
  async run(stage, seconds) {
    await wait(seconds / 4);
    const replica = stage.replicas[0]!;
    const workers = replica.serving;
    const from = performance.now();
    const census = take(stage, replica, workers);
    process.kill(replica.pid, 'SIGKILL');
    const goneAt = await untilGone([replica.pid]);
    // At once, as a supervisor does: it is for the successor to wait for the files of workers that still answer.
    await replica.start();
    const areGone = await within(40, () => !workers.some(isAlive));
    return judge(stage, census, from, goneAt, [{ what: 'no worker serves on without it', ok: areGone }]);
  },
};

async function within(seconds: number, holds: () => boolean): Promise<boolean> {
  for (const endsAt = performance.now() + seconds * 1_000; performance.now() < endsAt; await wait(0.05))
    if (holds()) return true;
  return holds();
}
