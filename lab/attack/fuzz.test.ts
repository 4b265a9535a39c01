// A few seconds of `npm run fuzz`, with fixed seeds. A hold counts only where nobody could overlook it.

import { describe, expect, test } from 'vitest';
import { useRealHttp } from '../../test/support/real-http.ts';
import { fuzz } from './fuzz.ts';

useRealHttp();

describe('generated messages against generated APIs', () => {
  test.each([1, 2, 3])(
    'seed %i: every answer is valid for its era, none is an internal error, none holds the loop',
    async (seed) => {
      const { runs, findings } = await fuzz({ runs: 1_000, seed, limitMs: 2_000 });
      expect(findings).toEqual([]);
      expect(runs).toBe(1_000);
    },
  );
});
