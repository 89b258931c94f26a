import { expect, it } from 'vitest';
import { decodeCursor, encodeCursor } from './cursor.js';

const LIST = ['tenant', 'role', '{}'];

it('a cursor gives its position back', () => {
  for (const position of ['role/a', 'role/ünï', ''])
    expect(decodeCursor(LIST, encodeCursor(LIST, position))).toBe(position);
});

it('a cursor is refused in another list, or when it was changed', () => {
  const cursor = encodeCursor(LIST, 'role/a');
  expect(() => decodeCursor(['other', 'role', '{}'], cursor)).toThrow('start again without a cursor');
  for (const changed of [`${cursor}A`, cursor.slice(1), `${cursor}=`, '', 'é', `${cursor.slice(0, -4)}AAAA`]) {
    expect(() => decodeCursor(LIST, changed)).toThrow('start again without a cursor');
  }
});
