// Everything is restarted, one after the other, as an upgrade does it. Nobody may notice; but a confirmation that was
// offered before Redis began anew is refused, and asked for again.
import { keepConnections, leaveConnections } from '../callers.ts';
import { restart, wait } from '../moves.ts';
import type { Check, Scenario } from '../scenario.ts';

export const rollingRestart: Scenario = {
  id: 'restart',
  title: 'rolling restart of everything',
  async run(stage, seconds) {
    const codes: (number | null)[] = [];
    for (const replica of stage.replicas) {
      codes.push(await restart(replica));
      await wait(seconds / 4);
    }
    // nginx before 1.27.4 closes idle connections when it reloads, also one on which a request is on its way: whoever reloads it has
    // those who use it go first, as a load balancer in front of it does.
    await leaveConnections();
    await stage.nginx.reload();
    keepConnections();
    await wait(seconds / 4);
    const from = performance.now();
    await stage.redis.kill();
    await stage.redis.restart();
    await stage.untilStateIs('ok');
    const until = performance.now();
    await wait(seconds / 4);
    const checks: Check[] = [
      { what: 'replicas ended with 0', ok: codes.every((code) => code === 0), detail: codes.join(', ') },
    ];
    return {
      checks,
      mayBeRefused: ({ kind, failureMode, startedAt, endedAt = until }) =>
        kind === 'confirm' && failureMode === 'not_confirmed' && startedAt <= until && endedAt >= from,
    };
  },
};
