import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SplitMap } from './split-map.js';

it('is a map, before and after it has been split', () => {
  const key = fc.oneof(fc.string(), fc.uuid(), fc.nat({ max: 6000 }).map(String));
  fc.assert(
    fc.property(fc.boolean(), fc.array(fc.tuple(key, fc.boolean())), (large, changes) => {
      const split = new SplitMap<number>();
      const map = new Map<string, number>();
      for (let index = 0; large && index < 5000; index++) {
        split.set(`${index}`, index);
        map.set(`${index}`, index);
      }
      for (const [at, [changed, stays]] of changes.entries()) {
        if (stays) {
          split.set(changed, -at);
          map.set(changed, -at);
        } else {
          expect(split.delete(changed)).toBe(map.delete(changed));
        }
      }
      expect(split.size).toBe(map.size);
      const sought = [...map.keys(), ...changes.map(([changed]) => changed)];
      expect(sought.filter((one) => split.get(one) !== map.get(one))).toEqual([]);
      expect(new Set(split.values())).toEqual(new Set(map.values()));
    }),
    { numRuns: 60 },
  );
});

it('holds keys in parts of like size, whatever part of them changes', () => {
  for (const name of [
    (at: number) => `user-${at}@example.com`,
    (at: number) => `${at}`.padStart(40, '0'),
    (at: number) => `${at}/${'a very long end of a name'.repeat(8)}`,
  ]) {
    const split = new SplitMap<number>();
    for (let at = 0; at < 50_000; at++) split.set(name(at), at);
    expect(split.get(name(49_999))).toBe(49_999);
    expect(split.largest).toBeLessThan(5 * (50_000 / 64));
  }
});
