import type { Decision } from '@authz-service/sdk/decision';
import type { AuditEntry } from '@authz-service/sdk/wire';
import { expect, it } from 'vitest';
import { givenBy } from './given-by.js';

/** A client that decides by this candidate, and whose history has nothing. */
function clientOf(candidate: object, asked: string[]) {
  const context = { policy_id: 'p1', explanation: { candidates: [{ outcome: 'failed' }, candidate] } };
  return {
    decide: async () => ({ allowed: true, context }) as unknown as Decision,
    async *audit(options?: { filter?: { record?: string | undefined } }): AsyncGenerator<AuditEntry> {
      asked.push(options?.filter?.record ?? '');
      yield* [];
    },
  };
}

it.each([
  [
    'a role that is held on one resource, and another that it includes',
    ['subject/user/a%2Fb', 'group/staff', 'role/app/editor', 'role/app/viewer'],
    'resource/app/folder/hr',
    [
      'group_membership/staff//subject/user/a%2Fb',
      'role_assignment/app/editor//group/staff//app/folder/hr',
      'policy_assignment/app/view//role/app/viewer',
    ],
  ],
  [
    'everyone of a type',
    ['subject/user/a%2Fb', 'everyone/user'],
    undefined,
    ['policy_assignment/app/view//everyone/user'],
  ],
  ['everyone', ['subject/user/a%2Fb', 'everyone'], undefined, ['policy_assignment/app/view//everyone/*']],
])('names the links by which a subject has it through %s', async (_, through, place, links) => {
  const asked: string[] = [];
  const candidate = {
    policy: 'policy/app/view',
    policy_id: 'p1',
    outcome: 'applies',
    through,
    ...(place && { place }),
  };
  const question = { action: { name: 'read' }, resource: { type: 'app/doc', name: '1' } };
  const signal = new AbortController().signal;
  const [given] = await givenBy(clientOf(candidate, asked), [{ type: 'user', id: 'a/b' }], question, {
    own: {},
    signal,
  });
  expect(given?.why?.links.map(({ address }) => address)).toEqual(links);
  expect(asked).toEqual(links);
});
