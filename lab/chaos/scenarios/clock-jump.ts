// The clock of the gateways jumps an hour ahead and back again. Confirmations end with their time and are good once; a limit
// by the hour is not filled up by a clock; nothing crashes, and no call is taken for late.
import { randomUUID } from 'node:crypto';
import { openCaller } from '../callers.ts';
import { createClock, LIBRARY } from '../clock.ts';
import { METERED_PER_HOUR } from '../domain-files.ts';
import { restart, wait } from '../moves.ts';
import type { Check, Scenario } from '../scenario.ts';
import type { Stage } from '../stage.ts';

const HOUR = 3_600;
/** libfaketime looks at the clock once a second of a process that runs; a process that waits for the machine looks later. */
const LOOKS = 12;
const JUMP_MS = 60_000;

export const clockJump: Scenario = {
  id: 'clock',
  title: 'the clock jumps an hour, and back',
  missing: () => (LIBRARY === undefined ? 'libfaketime is not installed (Debian: faketime)' : undefined),
  async run(stage, seconds) {
    const clock = createClock(stage.folder);
    for (const replica of stage.replicas) await restart(replica, { env: clock.env });
    const caller = await openCaller('token', stage.nginx.url);
    const aside = () => ({ face: 'token' as const, kind: 'confirm' as const, id: '', startedAt: 0, exchanges: [] });
    const ask = (args: Record<string, unknown>) => caller.call(aside(), 'shop_delete', args);
    const offer = async (id: string) => (await ask({ id })).structured.confirmation_token;
    /** How many of a burst of calls the limit lets through. */
    const burst = async () => {
      let passed = 0;
      for (let at = 0; at < METERED_PER_HOUR + 10; at++)
        if (!(await caller.call(aside(), 'meter_get', { id: 'metered' })).isError) passed++;
      return passed;
    };
    const deletions = (id: string) => stage.shop.seen.filter((one) => one.method === 'DELETE' && one.id === id).length;
    const [open, used] = [randomUUID(), randomUUID()];
    const [openToken, usedToken] = [await offer(open), await offer(used)];
    const first = await ask({ id: used, confirmation_token: usedToken });
    const passedBefore = await burst();
    const from = performance.now();
    clock.set(HOUR);
    await untilClocksAre(stage, HOUR);
    const late = await ask({ id: open, confirmation_token: openToken });
    const passedAhead = await burst();
    const times = await Promise.all(stage.replicas.map((replica) => replica.clock()));
    await wait(seconds / 2);
    clock.set(0);
    await untilClocksAre(stage, 0);
    const until = performance.now();
    const again = await ask({ id: used, confirmation_token: usedToken });
    const fresh = randomUUID();
    const freshToken = await offer(fresh);
    const good = await ask({ id: fresh, confirmation_token: freshToken });
    const twice = await ask({ id: fresh, confirmation_token: freshToken });
    const passedBack = await burst();
    await wait(seconds / 4);
    await caller.close();
    for (const replica of stage.replicas) await restart(replica);
    stage.spentAside.push(used, fresh);
    const jumped = times.every((ms) => ms - Date.now() > (HOUR / 2) * 1_000);
    const checks: Check[] = [
      { what: 'the clocks did jump', ok: jumped, detail: times.map((ms) => new Date(ms).toISOString()).join(', ') },
      {
        what: 'what was offered an hour ago is refused',
        ok: late.isError && deletions(open) === 0,
        detail: late.text.slice(0, 120),
      },
      {
        what: 'what was used stays used when the clock goes back',
        ok: !first.isError && again.isError && deletions(used) === 1,
      },
      { what: 'a new one is good, once', ok: !good.isError && twice.isError && deletions(fresh) === 1 },
      {
        what: 'a limit by the hour holds',
        ok: passedBefore === METERED_PER_HOUR && passedAhead <= 1 && passedBack <= 1,
        detail: `${passedBefore} passed, then ${passedAhead}, then ${passedBack}`,
      },
    ];
    return {
      checks,
      // What was asked before the jump and answered after it.
      mayBeRefused: ({ kind, failureMode, startedAt, endedAt = until }) =>
        kind === 'confirm' && failureMode === 'not_confirmed' && startedAt <= until && endedAt >= from,
    };
  },
};

/** Every process of every replica: connections go to them in turn, so that several looks in a row meet all of them. */
async function untilClocksAre(stage: Stage, aheadSeconds: number): Promise<void> {
  for (const replica of stage.replicas) {
    const endsAt = performance.now() + JUMP_MS;
    for (let good = 0; good < LOOKS; ) {
      if (performance.now() > endsAt) throw new Error('the clock of a process did not jump');
      const offset = ((await replica.clock()) - Date.now()) / 1_000;
      good = Math.abs(offset - aheadSeconds) < HOUR / 2 ? good + 1 : 0;
      if (good === 0) await wait(0.1);
    }
  }
}
