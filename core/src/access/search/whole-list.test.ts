import { describe, expect, it } from 'vitest';
import { finished } from '../../concurrency/time-slicing.js';
import { WholeList } from './whole-list.js';

interface Thing {
  readonly name: string;
  readonly version: number;
}

const thing = (at: number, version = 0): Thing => ({ name: `${at % 2 === 0 ? '' : 'ä /'}n${at}`, version });

/** How many of 1000 things are replaced or removed, and how many come. */
const CHANGES = [
  { what: 'nothing', replaced: 0, removed: 0, come: 0 },
  { what: 'one of each', replaced: 1, removed: 1, come: 1 },
  { what: 'as many as are put in one by one', replaced: 20, removed: 20, come: 24 },
  { what: 'more', replaced: 200, removed: 150, come: 700 },
  { what: 'everything', replaced: 0, removed: 1000, come: 0 },
];

describe('a whole list', () => {
  it.each(CHANGES)('is what a new one would be after $what changed, and leaves the former as it was', (changes) => {
    const things = new Map(Array.from({ length: 1000 }, (_, at) => [thing(at).name, thing(at)]));
    const make = () =>
      new WholeList(
        () => things.values(),
        ({ name }: Thing) => name,
      );
    const list = make();
    const before = finished(list.get());
    const copy = [...before];
    const put = (one: Thing) => {
      things.set(one.name, one);
      list.note(one.name, one);
    };
    for (let at = 0; at < changes.replaced; at++) put(thing(at, 1));
    for (let at = 999; at > 999 - changes.removed; at--) {
      things.delete(thing(at).name);
      list.note(thing(at).name, undefined);
    }
    for (let at = 0; at < changes.come; at++) put(thing(at + 5000));
    // What came and went again is not there.
    list.note('gone', undefined);
    expect(finished(list.get())).toEqual(finished(make().get()));
    expect(before).toEqual(copy);
  });
});
