import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../json/json.js';
import { DigestSet } from './digest-set.js';

type Entry = [address: string, fields: unknown];

/** The definition, word for word and without any care for speed. */
function byDefinition(entries: Entry[]): string {
  const sha = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
  const leaves = entries.map(([address, fields]) => sha(Buffer.from(`${address}\n${canonicalJson(fields)}`)));
  leaves.sort(Buffer.compare);
  const buckets = Array.from({ length: 256 }, (_, byte) => leaves.filter((leaf) => leaf[0] === byte));
  return sha(...buckets.filter((bucket) => bucket.length > 0).map((bucket) => sha(...bucket))).toString('hex');
}

function digestOf(entries: Entry[]): DigestSet {
  const set = new DigestSet();
  for (const [address, fields] of entries) set.add(address, fields);
  return set;
}

const entry = fc.tuple(fc.string(), fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }));

describe('DigestSet', () => {
  it('is the digest that its definition gives, also for full buckets', () => {
    const entries = Array.from({ length: 5000 }, (_, index): Entry => [`role/r${index}`, { name: `r${index}` }]);
    expect(digestOf(entries).hex()).toBe(byDefinition(entries));
    expect(new DigestSet().hex()).toBe(byDefinition([]));
  });

  it('tells leaves apart that begin alike', () => {
    // The first 5 bytes of the leaves of each two are equal; found by trying millions.
    const alike = [1123525, 1125404, 512018, 3074004, 989428, 3409434];
    const others = Array.from({ length: 20_000 }, (_, index) => index);
    for (const order of [alike, alike.toReversed()]) {
      const entries = [...order, ...others].map((index): Entry => [`role/r${index}`, { name: `r${index}` }]);
      expect(digestOf(entries).hex()).toBe(byDefinition(entries));
    }
  });

  it('is fixed for all time', () => {
    expect(digestOf([['role/auditor', { name: 'auditor' }]]).hex()).toBe(
      'a64933d866ab9b4eb0527ea3b3e1fc3fdcc8a955aa813515603d1873002bd464',
    );
  });

  it('does not depend on the order of records or members, nor on what came and went', () => {
    fc.assert(
      fc.property(fc.array(entry), fc.array(entry), (kept, gone) => {
        const set = digestOf([...gone, ...kept.toReversed()]);
        for (const [address, fields] of gone) {
          set.hex();
          set.remove(address, Object.fromEntries(Object.entries(fields).toReversed()));
        }
        expect(set.hex()).toBe(byDefinition(kept));
      }),
    );
  });

  it('stays what its definition gives while full buckets change, asked for at any time', () => {
    const all = Array.from({ length: 12_000 }, (_, index): Entry => [`role/r${index}`, { name: `r${index}` }]);
    const present = new Map(all.slice(0, 9000));
    const set = digestOf([...present]);
    const step = fc.tuple(fc.integer({ min: 1, max: 3000 }), fc.nat(), fc.boolean());
    fc.assert(
      fc.property(fc.array(step, { maxLength: 4 }), (steps) => {
        for (const [count, start, asked] of steps) {
          for (let index = 0; index < count; index++) {
            const [address, fields] = all[(start + index * 7) % all.length] as Entry;
            if (present.delete(address)) set.remove(address, fields);
            else {
              present.set(address, fields);
              set.add(address, fields);
            }
          }
          if (asked) set.hex();
        }
        expect(set.hex()).toBe(byDefinition([...present]));
      }),
      { numRuns: 20 },
    );
  });

  it('is copied, and the copy of the copy, without being changed by what changes them', () => {
    const all = Array.from({ length: 3000 }, (_, index): Entry => [`role/r${index}`, { name: `r${index}` }]);
    let set = digestOf(all);
    let present = all;
    for (let round = 0; round < 4; round++) {
      const before = set.hex();
      const copy = set.copy();
      expect(copy.hex()).toBe(before);
      const added = all.map(([address, fields]): Entry => [`${address}/${round}`, fields]).slice(0, 700 >> round);
      for (const [address, fields] of present.slice(0, 900)) copy.remove(address, fields);
      for (const [address, fields] of added) copy.add(address, fields);
      expect(() => copy.remove('role/none', {})).toThrow('role/none');
      expect(set.hex()).toBe(before);
      expect(set.hex()).toBe(byDefinition(present));
      present = [...present.slice(900), ...added];
      expect(copy.hex()).toBe(byDefinition(present));
      set = copy;
    }
  });

  it('takes memory for what a copy changes, and not for the buckets in which that is', () => {
    const all = Array.from({ length: 100_000 }, (_, index): Entry => [`role/r${index}`, {}]);
    const set = digestOf(all);
    set.hex();
    const before = process.memoryUsage().arrayBuffers;
    const copy = set.copy();
    for (let index = 0; index < 200; index++) copy.add(`role/new${index}`, {});
    copy.hex();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 20);
  });

  it.each<[string, Entry, Entry]>([
    ['an address', ['role/a', {}], ['role/b', {}]],
    ['a value', ['role/a', { x: 1 }], ['role/a', { x: 2 }]],
    ['a type', ['role/a', { x: 1 }], ['role/a', { x: '1' }]],
    ['a member', ['role/a', {}], ['role/a', { x: null }]],
  ])('changes with %s', (_, one, other) => {
    expect(digestOf([one]).hex()).not.toBe(digestOf([other]).hex());
  });

  it('counts a record twice that is there twice', () => {
    const one: Entry = ['role/a', {}];
    expect(digestOf([one, one]).hex()).not.toBe(digestOf([one]).hex());
  });

  it('refuses to take out what is not in it', () => {
    expect(() => digestOf([['role/a', {}]]).remove('role/a', { x: 1 })).toThrow('role/a');
  });
});
