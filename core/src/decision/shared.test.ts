import { expect, it } from 'vitest';
import { Shared } from './shared.js';

it('keeps equal things as one until the last user has left', () => {
  const shared = new Shared<object>();
  const first = shared.take('a', () => ({}));
  expect(shared.take('a', () => ({}))).toBe(first);
  expect(shared.release('a')).toBeUndefined();
  expect(shared.take('a', () => ({}))).toBe(first);
  expect([shared.release('a'), shared.release('a')]).toEqual([undefined, first]);
  expect(() => shared.release('a')).toThrow('"a" is not held');
  expect(shared.take('a', () => ({}))).not.toBe(first);
});
