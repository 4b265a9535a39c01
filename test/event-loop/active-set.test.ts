import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Listed, Roster } from '../../src/call/roster.ts';

test('an active set holds the items that were added and not removed, in any order', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat()), { maxLength: 200 }), (moves) => {
      const active = new Roster<Listed>();
      const present = new Set<Listed>();
      for (const [adds, which] of moves) {
        if (adds || present.size === 0) {
          const item: Listed = { place: -1 };
          active.add(item);
          present.add(item);
        } else {
          const item = [...present][which % present.size]!;
          active.remove(item);
          present.delete(item);
        }
        expect(active.size).toBe(present.size);
        expect(new Set(active.list())).toEqual(present);
      }
      const items = active.takeAll();
      expect(new Set(items)).toEqual(present);
      for (const item of items) active.remove(item);
      expect(active.size).toBe(0);
    }),
  );
});
