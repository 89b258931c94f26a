import { expect, it } from 'vitest';
import { everyoneText } from '../../text/everyone.js';
import { rankOf } from './ranks.js';

it.each([
  ['everyone', 'Everyone'],
  ['everyone/*', 'Everyone'],
  ['everyone/user', 'Everyone of type user'],
])('names %s %s, and ranks it with subjects', (address, label) => {
  expect([everyoneText(address), rankOf(address)]).toEqual([label, rankOf('subject/user/alice')]);
});
