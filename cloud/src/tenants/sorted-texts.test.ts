import { compareTexts } from '@authz-service/core/collections/sorted-in-steps';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SortedTexts } from './sorted-texts.js';

it('stays in order and has each text once, whatever comes and goes', () => {
  // Enough for several chunks that are cut in two, and that become empty.
  const text = fc.integer({ min: 0, max: 4000 }).map((number) => `${number}`);
  const runs = fc.array(fc.record({ from: fc.nat(4000), count: fc.nat(3000), there: fc.boolean() }), { maxLength: 12 });
  fc.assert(
    fc.property(fc.uniqueArray(text), runs, text, (first, all, begin) => {
      const expected = new Set(first);
      const texts = new SortedTexts(first.sort(compareTexts));
      for (const { from, count, there } of all)
        for (let number = from; number < from + count; number++) {
          if (there) expected.add(`${number}`);
          else expected.delete(`${number}`);
          if (there) texts.add(`${number}`);
          else texts.delete(`${number}`);
        }
      const sorted = [...expected].sort(compareTexts);
      expect([...texts.from('')]).toEqual(sorted);
      expect([...texts.from(begin)]).toEqual(sorted.filter((one) => one >= begin));
      expect(texts.isEmpty).toBe(sorted.length === 0);
    }),
    { numRuns: 30 },
  );
});
