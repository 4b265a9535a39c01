// A thousand slow clients, half of them past nginx, which would take most of them off the gateways' hands. Good clients go on.
import { wait } from '../moves.ts';
import type { Scenario } from '../scenario.ts';
import { openSlowClients } from '../slow-clients.ts';

const COUNT = 1_000;

export const slowCrowd: Scenario = {
  id: 'slow',
  title: `${COUNT} slow clients`,
  async run(stage, seconds) {
    const front = Number(new URL(stage.nginx.url).port);
    const ports = [front, stage.replicas[0]!.port, front, stage.replicas[1]!.port];
    const from = performance.now();
    const slow = await openSlowClients(COUNT, ports);
    await wait(Math.max(3, seconds));
    const { open, ended } = slow.count();
    const served = stage.ledger.since(from).filter(({ outcome }) => outcome === 'ok').length;
    slow.close();
    await wait(1);
    return {
      checks: [
        { what: 'they were there', ok: open + ended === COUNT, detail: `${open} to the end, ${ended} were hung up on` },
        { what: 'good clients went on', ok: served > 50, detail: `${served} calls` },
      ],
    };
  },
};
