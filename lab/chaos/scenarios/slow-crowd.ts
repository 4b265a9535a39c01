// A thousand slow clients, half of them past nginx, which would take most of them off the gateways' hands. Good clients go on, and the
// slow ones are held until the gateway's own limits end them: 10 s for a head, 30 s for a body, looked at every 5 s. Whoever was
// answered and reads nothing is an idle connection like any other.
import { wait } from '../moves.ts';
import type { Check, Scenario } from '../scenario.ts';
import { type Manner, openSlowClients } from '../slow-clients.ts';

const COUNT = 1_000;
/** Limit, look and some more: in a short run heads alone. */
const HEAD_SECONDS = 18;
const BODY_SECONDS = 40;

export const slowCrowd: Scenario = {
  id: 'slow',
  title: `${COUNT} slow clients`,
  async run(stage, seconds) {
    const front = Number(new URL(stage.nginx.url).port);
    const direct = stage.replicas.map(({ port }) => port);
    const from = performance.now();
    const slow = await openSlowClients(COUNT, [front, direct[0]!, front, direct[1]!]);
    await wait(1);
    const first = slow.count();
    const isShort = seconds < 10;
    await wait(isShort ? HEAD_SECONDS : BODY_SECONDS);
    const served = stage.ledger.since(from).filter(({ outcome }) => outcome === 'ok').length;
    const areEnded = (manner: Manner): Check => {
      const { open, ended } = slow.count(direct, manner);
      return { what: `${manner} is hung up on`, ok: open === 0 && ended > 0, detail: `${ended} were, ${open} not` };
    };
    const checks: Check[] = [
      { what: 'they were there', ok: first.open === COUNT, detail: `${first.open} after a second` },
      { what: 'good clients went on', ok: served > 50, detail: `${served} calls` },
      areEnded('a head that never ends'),
      ...(isShort ? [] : [areEnded('a body that never ends')]),
    ];
    slow.close();
    await wait(1);
    return { checks };
  },
};
