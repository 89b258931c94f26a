import { expect, it } from 'vitest';
import { acceptsManipulation } from './instance-manipulation.js';

it.each<[string | string[] | undefined, boolean]>([
  [undefined, false],
  ['', false],
  ['policy-delta', true],
  ['Policy-Delta', true],
  ['vcdiff, policy-delta;q=0.5, gzip', true],
  [['vcdiff', 'policy-delta'], true],
  ['policy-delta;q=0', false],
  ['policy-delta; q = 0.000', false],
  ['policy-delta; q=0.001', true],
  ['policy-deltas', false],
  ['"policy-delta"', false],
  ['x;policy-delta', false],
])('A-IM: %o asks for deltas: %s', (header, asked) => {
  expect(acceptsManipulation(header, 'policy-delta')).toBe(asked);
});
