import type { ReviewRow } from '@authz-service/sdk/console-client';
import { expect, it } from 'vitest';
import { tableOf, whoText } from './row-text.js';

it.each([
  ['group/finance', 'group/finance, 2 subjects'],
  ['everyone', 'Grants to everyone, 2 subjects'],
  ['everyone/user', 'Grants to everyone of type user, 2 subjects'],
])('says of some members of %s how many they are, and not that they are all', (of, said) => {
  expect(whoText({ subject: { kind: 'members', of, count: 2 } })).toBe(said);
});

it.each([
  ['with its text behind, in words', 'context.mfa', 'with a second factor (context.mfa)'],
  ['as its text, where it has no words', 'f(1)', 'f(1)'],
  ['as nothing, where there is none', null, ''],
])('writes a condition %s', (_, condition, expected) => {
  const row: ReviewRow = {
    id: '1',
    subject: { kind: 'recorded', path: 'user/bob' },
    actions: ['read'],
    resources: [],
    ways: [],
    condition,
    from: null,
    until: null,
  };
  const words = new Map([
    ['context.mfa', 'with a second factor'],
    ['f(1)', null],
  ]);
  const [headings = [], cells = []] = tableOf([row], words);
  expect(cells[headings.indexOf('If')]).toBe(expected);
});
