import { expect, it } from 'vitest';
import { finished } from '../concurrency/time-slicing.js';
import { compareTexts, sortedInSteps } from './sorted-in-steps.js';

it.each([0, 1, 999, 1000, 1001, 2500, 3001])('puts %i texts in order, equal ones in the order given', (count) => {
  const items = Array.from({ length: count }, (_, index) => ({ key: `${(index * 7919) % 701}`, index }));
  const sorted = finished(sortedInSteps(items, (left, right) => compareTexts(left.key, right.key)));
  expect(sorted).toEqual(items.toSorted((left, right) => compareTexts(left.key, right.key)));
});
