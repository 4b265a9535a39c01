// Redis is killed and comes back. Calls go on; confirmations are refused with a sentence, as nobody could tell whether another
// replica has seen them; and all of it ends by itself.
import { wait } from '../moves.ts';
import type { Scenario } from '../scenario.ts';

export const redisAway: Scenario = {
  id: 'redis',
  title: 'Redis is killed for a while',
  async run(stage, seconds) {
    await wait(seconds / 4);
    const from = performance.now();
    // A question to the person behind a legacy client that is out at this moment: its answer may come to another replica,
    // which cannot hand it on. The client is told to send it again (docs/state.md); the official one does not.
    const asked = new Set(
      stage.ledger.underWay().filter(({ face, kind }) => face === 'v1 legacy' && kind === 'confirm'),
    );
    await stage.redis.kill();
    await stage.untilStateIs('degraded');
    await wait(seconds);
    await stage.redis.restart();
    await stage.untilStateIs('ok');
    const until = performance.now();
    await wait(seconds / 4);
    const during = stage.ledger.since(from).filter(({ startedAt }) => startedAt <= until);
    const refused = during.filter(({ outcome }) => outcome === 'refused');
    const wentOn = during.filter(({ kind, outcome }) => kind !== 'confirm' && outcome === 'ok').length;
    return {
      mayFail: (call) => asked.has(call),
      inFlight: `${asked.size} questions were out`,
      mayBeRefused: ({ kind, startedAt, endedAt = until }) =>
        kind === 'confirm' && startedAt <= until && endedAt >= from,
      checks: [
        { what: 'reads and writes went on', ok: wentOn > 20, detail: `${wentOn} of them` },
        { what: 'confirmations were refused', ok: refused.length > 0, detail: `${refused.length} times` },
        {
          what: 'in a sentence that says what to do',
          ok: refused.every(({ message = '' }) => /again|later|repeat/i.test(message)),
          detail: refused[0]?.message ?? '',
        },
      ],
    };
  },
};
