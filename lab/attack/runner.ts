// Runs cases one at a time against real gateways and judges them from outside: what the case itself found, how long a
// parallel client waited, how much memory it took, and whether the gateway is alive at the end.
import type { Attack, Case, Fixture, Limits } from './case.ts';
import { doorsOf } from './doors.ts';
import { type Gateway, launch } from './gateway.ts';
import { hostileApi } from './hostile-api.ts';
import { startUpstream } from './upstream.ts';

export interface Verdict {
  readonly part: string;
  readonly id: string;
  readonly ok: boolean;
  readonly reason: string;
  readonly stallMs: number;
  readonly stallWallMs: number;
  readonly rssBeforeMb: number;
  readonly rssPeakMb: number;
  readonly rssAfterMb: number;
}

export interface Runner {
  run(one: Case): Promise<Verdict>;
  close(): Promise<void>;
}

const GIVE_UP_MS = 10_000;
const GIVEN_UP = Symbol('given up');

export async function createRunner(limits: Limits): Promise<Runner> {
  const upstream = await startUpstream();
  const gateways = new Map<Fixture, Gateway>();

  const gatewayOf = async (fixture: Fixture): Promise<Gateway> => {
    const running = gateways.get(fixture);
    if (running?.alive()) return running;
    const gateway = await launch(hostileApi(upstream.url, fixture));
    gateways.set(fixture, gateway);
    // The first call compiles what later calls only use.
    for (const { open } of doorsOf(gateway)) {
      const door = await open();
      await door.ask('tools/list', {});
      door.close();
    }
    return gateway;
  };

  const run = async (one: Case): Promise<Verdict> => {
    upstream.reset();
    const own: Gateway[] = [];
    const gateway = one.fixture && (await gatewayOf(one.fixture));
    const rssBeforeMb = (await gateway?.watch()) ?? 0;
    const attack: Attack = {
      upstream,
      limits,
      get gateway() {
        if (!gateway) throw new Error(`${one.id} has no fixture`);
        return gateway;
      },
      launch: async (how) => {
        const launched = await launch(how);
        own.push(launched);
        return launched;
      },
      everyDoor: async (act) => {
        for (const { name, open } of doorsOf(attack.gateway)) {
          const door = await open();
          const reason = await act(door);
          door.close();
          if (reason !== undefined) return `${name}: ${reason}`;
          // One door shows it; the others would only take as long again.
          if ((await attack.gateway.figures()).worstMs > limits.stallMs) return `${name}: stalled`;
        }
        return undefined;
      },
    };
    const limitMs = one.limitMs ?? GIVE_UP_MS;
    let timer: NodeJS.Timeout | undefined;
    const outcome = await Promise.race([
      one.run(attack).catch((error: unknown) => `the case threw: ${(error as Error).message}`),
      new Promise<typeof GIVEN_UP>((resolve) => {
        timer = setTimeout(() => resolve(GIVEN_UP), limitMs);
      }),
    ]);
    clearTimeout(timer);
    const figures = await gateway?.figures();
    const reasons: string[] = [];
    if (outcome === GIVEN_UP) reasons.push(`no end within ${limitMs / 1_000} s`);
    else if (outcome !== undefined) reasons.push(outcome);
    if (figures && figures.worstMs > limits.stallMs)
      reasons.push(`a parallel client waited ${Math.round(figures.worstMs)} ms`);
    if (figures && figures.peakRssMb - rssBeforeMb > limits.growthMb)
      reasons.push(`took ${Math.round(figures.peakRssMb - rssBeforeMb)} MB`);
    if (gateway && !gateway.alive()) reasons.push(`the gateway died: ${gateway.log().slice(-300)}`);
    else if (gateway && outcome !== GIVEN_UP && !(await gateway.healthy(GIVE_UP_MS / 2)))
      reasons.push('the gateway does not answer any more');
    for (const launched of own) await launched.kill();
    // What a case left behind must not be taken for the next one's.
    const spent = reasons.length > 0 || (figures?.rssMb ?? 0) > 350;
    if (one.fixture && gateway && spent) {
      gateways.delete(one.fixture);
      await gateway.kill();
    }
    return {
      part: one.part,
      id: one.id,
      ok: reasons.length === 0,
      reason: reasons.join('; '),
      stallMs: Math.round(figures?.worstMs ?? 0),
      stallWallMs: Math.round(figures?.worstWallMs ?? 0),
      rssBeforeMb: Math.round(rssBeforeMb),
      rssPeakMb: Math.round(figures?.peakRssMb ?? 0),
      rssAfterMb: Math.round(figures?.rssMb ?? 0),
    };
  };

  return {
    run,
    close: async () => {
      for (const gateway of gateways.values()) await gateway.kill();
      await upstream.close();
    },
  };
}
