import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ActiveItem, ActiveSet } from '../../src/event-loop/active-set.ts';

test('an active set holds the items that were added and not removed, in any order', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat()), { maxLength: 200 }), (moves) => {
      const active = new ActiveSet<ActiveItem>();
      const present = new Set<ActiveItem>();
      for (const [adds, which] of moves) {
        if (adds || present.size === 0) {
          const item: ActiveItem = { index: -1 };
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
