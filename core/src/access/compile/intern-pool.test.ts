import { expect, it } from 'vitest';
import { InternPool } from './intern-pool.js';

it('keeps equal things as one until the last user has left', () => {
  const pool = new InternPool<object>();
  const first = pool.take('a', () => ({}));
  expect(pool.take('a', () => ({}))).toBe(first);
  expect(pool.release('a')).toBeUndefined();
  expect(pool.take('a', () => ({}))).toBe(first);
  expect([pool.release('a'), pool.release('a')]).toEqual([undefined, first]);
  expect(() => pool.release('a')).toThrow('"a" is not held');
  expect(pool.take('a', () => ({}))).not.toBe(first);
});
