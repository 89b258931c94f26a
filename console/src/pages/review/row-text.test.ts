import { expect, it } from 'vitest';
import { whoText } from './row-text.js';

it.each([
  ['group/finance', 'group/finance, 2 subjects'],
  ['everyone', 'Grants to everyone, 2 subjects'],
  ['everyone/user', 'Grants to everyone of type user, 2 subjects'],
])('says of some members of %s how many they are, and not that they are all', (of, said) => {
  expect(whoText({ subject: { kind: 'members', of, count: 2 } })).toBe(said);
});
