import { expect, it } from 'vitest';
import { Principal } from '../graph/principal.js';
import { type Assignees, assigneesOf, numberOf, withAssignee, withoutAssignee } from './assignees.js';

const people = Array.from({ length: 20 }, (_, at) => new Principal('subject', 'user', `${at}`));

it.each([1, 2, 8, 9, 20])('%i assignees come and go', (count) => {
  const some = people.slice(0, count);
  let assignees: Assignees = null;
  for (const to of some) assignees = withAssignee(assignees, { to, period: { start: 0, end: 1 } });
  expect(numberOf(assignees)).toBe(count);
  expect([...assigneesOf(assignees)].map(({ to }) => to)).toEqual(some);
  for (const to of some) {
    expect(() => withAssignee(assignees, { to, period: null })).toThrow('already assigned');
    assignees = withoutAssignee(assignees, to);
    expect(() => withoutAssignee(assignees, to)).toThrow('not assigned');
  }
  expect([assignees, numberOf(assignees)]).toEqual([null, 0]);
});
