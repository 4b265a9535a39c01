// The disk of the logs is full: calls go on, and lines come again when there is room. The disk of the audit trail is full: calls
// are refused before anything is sent, with a sentence, and go on when there is room.
import { statSync } from 'node:fs';
import { restart, wait } from '../moves.ts';
import type { Check, Scenario } from '../scenario.ts';

export const fullLogDisk: Scenario = {
  id: 'log-disk',
  title: 'a full log disk',
  async run(stage, seconds) {
    const [first, second] = stage.replicas as [
      (typeof stage.replicas)[0] & object,
      (typeof stage.replicas)[0] & object,
    ];
    // Full from the first line on; and one that fills up under a running gateway.
    await restart(first, { stderr: '/dev/full' });
    const disk = stage.logDisk;
    await disk?.fill();
    await wait(seconds / 2);
    const checks: Check[] = [
      {
        what: 'a log that is full from the start keeps nobody from serving',
        ok: (await first.readiness()).status === 200,
      },
    ];
    if (disk !== undefined) {
      const sizeWhenFull = statSync(second.logFile).size;
      disk.free();
      await wait(Math.max(1, seconds / 2));
      const sizeAfter = statSync(second.logFile).size;
      checks.push({
        what: 'lines come again when there is room',
        ok: sizeAfter > sizeWhenFull,
        detail: `${sizeWhenFull} bytes, then ${sizeAfter}`,
      });
    }
    const code = await restart(first);
    checks.push({ what: 'and from stopping as it should', ok: code === 0, detail: `exit code ${code}` });
    return { checks };
  },
};

export const fullAuditDisk: Scenario = {
  id: 'audit-disk',
  title: 'a full disk under the audit trail',
  missing: ({ auditDisk }) => (auditDisk === undefined ? 'no disk of its own can be mounted here' : undefined),
  async run(stage, seconds) {
    await wait(seconds / 4);
    const from = performance.now();
    await stage.auditDisk!.fill();
    await wait(seconds / 2);
    const full = stage.ledger.since(from);
    stage.auditDisk!.free();
    const until = performance.now();
    const refused = full.filter(({ failureMode }) => failureMode === 'not_recorded');
    return {
      mayBeRefused: ({ startedAt, failureMode }) => failureMode === 'not_recorded' && startedAt <= until + 2_000,
      checks: [
        {
          what: 'calls were refused while nothing could be written',
          ok: refused.length > 10,
          detail: `${refused.length} times: ${refused[0]?.message ?? ''}`,
        },
      ],
    };
  },
};
