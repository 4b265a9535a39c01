// One of two APIs takes requests and never answers. Its callers are told so in time; the other API is served as before.
import { openCaller } from '../callers.ts';
import { makeCall } from '../load.ts';
import { wait } from '../moves.ts';
import type { Scenario } from '../scenario.ts';

/** More than may be under way at that API at once, so that its queue is full as well. */
const CROWD = 40;
const EXPECTED = new Set(['timeout', 'rate_limited', 'overloaded', 'queue_full']);

export const hangingApi: Scenario = {
  id: 'hang',
  title: 'an API that hangs',
  async run(stage, seconds) {
    const crowd = await Promise.all(Array.from({ length: CROWD }, () => openCaller('v2 modern', stage.nginx.url)));
    let isOn = true;
    const from = performance.now();
    stage.depot.hang();
    const pushing = crowd.map(async (caller) => {
      while (isOn) await makeCall(stage.ledger, caller, 'other api');
    });
    await wait(Math.max(8, seconds));
    isOn = false;
    const hangs = stage.ledger.since(from);
    const until = performance.now();
    stage.depot.goOn();
    await Promise.all(pushing);
    await Promise.all(crowd.map((caller) => caller.close()));
    const told = hangs.filter(({ kind, outcome }) => kind === 'other api' && outcome === 'refused');
    const served = hangs.filter(({ kind, outcome }) => kind !== 'other api' && outcome === 'ok').length;
    const modes = [...new Set(told.map(({ failureMode = '' }) => failureMode))];
    return {
      mayBeRefused: ({ kind, startedAt }) => kind === 'other api' && startedAt <= until,
      checks: [
        { what: 'the other API was served', ok: served > 50, detail: `${served} calls` },
        {
          what: 'callers were told',
          ok: told.length > 0 && modes.every((mode) => EXPECTED.has(mode)),
          detail: `${told.length} times: ${modes.join(', ')}`,
        },
      ],
    };
  },
};
