import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Listed, Roster } from '../../src/call/roster.ts';

test('a roster holds whoever was added and not removed, in any order of coming and going', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat()), { maxLength: 200 }), (moves) => {
      const roster = new Roster<Listed>();
      const present = new Set<Listed>();
      for (const [comes, which] of moves) {
        if (comes || present.size === 0) {
          const one = { place: -1 };
          roster.add(one);
          present.add(one);
        } else {
          const one = [...present][which % present.size]!;
          roster.remove(one);
          present.delete(one);
        }
        expect(roster.size).toBe(present.size);
        expect(new Set(roster.list())).toEqual(present);
      }
      expect(new Set(roster.takeAll())).toEqual(present);
      expect(roster.size).toBe(0);
    }),
  );
});
