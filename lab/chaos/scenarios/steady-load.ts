// When everything has broken once: the same load in rounds, and nothing else. What grows from the second round to the last grows with calls.
import { wait } from '../moves.ts';
import type { Scenario } from '../scenario.ts';
import { compareWeights, STEADY, type Weight } from '../weights.ts';

const ROUNDS = 4;

export const steadyLoad: Scenario = {
  id: 'steady',
  title: 'nothing: the same load again and again',
  async run(stage, seconds) {
    const weights: Weight[][] = [];
    for (let round = 0; round < ROUNDS; round++) {
      stage.load.start();
      await wait(seconds);
      await stage.load.pause();
      weights.push(await stage.weigh());
    }
    stage.load.start();
    const [flat] = compareWeights(weights[1]!, weights.at(-1)!, STEADY);
    return { checks: flat ? [{ ...flat, what: `from round 2 to round ${ROUNDS} ${flat.what}` }] : [] };
  },
};
