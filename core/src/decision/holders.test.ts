import { expect, it } from 'vitest';
import { Principal } from './entities.js';
import { type Holders, holdersOf, numberOf, withHolder, withoutHolder } from './holders.js';

const people = Array.from({ length: 20 }, (_, at) => new Principal('subject', 'user', `${at}`));

it.each([1, 2, 8, 9, 20])('%i holders come and go', (count) => {
  const some = people.slice(0, count);
  let holders: Holders = null;
  for (const to of some) holders = withHolder(holders, { to, until: 1 });
  expect(numberOf(holders)).toBe(count);
  expect([...holdersOf(holders)].map(({ to }) => to)).toEqual(some);
  for (const to of some) {
    expect(() => withHolder(holders, { to, until: null })).toThrow('already holds');
    holders = withoutHolder(holders, to);
    expect(() => withoutHolder(holders, to)).toThrow('does not hold');
  }
  expect([holders, numberOf(holders)]).toEqual([null, 0]);
});
