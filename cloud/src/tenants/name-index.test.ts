import type { StoredRecord } from '@authz-service/core/records/registry';
import { TenantState } from '@authz-service/core/state/tenant-state';
import { TimeSlicing } from '@authz-service/core/time-slicing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BEGINNING, changesets } from '../../testing/random-changes.js';
import { NameIndex, wordsOf } from './name-index.js';

const KINDS = ['subject', 'group', 'role', 'group_membership', 'role_assignment'] as const;
let ids = 0;
const options = { now: new Date(0), newId: () => `id-${++ids}`, revision: 1 };

/** An index whose builds pass `between` before they end. */
function indexOf(between: () => void = () => {}): NameIndex {
  const slicing = new TimeSlicing(() => 0);
  return new NameIndex(async (steps) => {
    const done = await slicing.run(steps);
    between();
    return done;
  });
}

async function lists(index: NameIndex, state: TenantState): Promise<(readonly string[])[]> {
  return await Promise.all(KINDS.map((kind) => index.of(kind, () => [...state.records(kind)])));
}

describe('the index of names', () => {
  it('stays what one built anew is, whatever is committed, also while it is built', async () => {
    await fc.assert(
      fc.asyncProperty(changesets, async (all) => {
        const state = new TenantState();
        state.commit(state.stage(BEGINNING, options));
        const kept = indexOf();
        const commits: (() => void)[] = all.map((changes) => () => {
          let staged: ReturnType<TenantState['stage']>;
          try {
            staged = state.stage(changes, options);
          } catch {
            return;
          }
          state.commit(staged);
          kept.follow(staged);
          meanwhile.follow(staged);
        });
        const meanwhile = indexOf(() => commits.shift()?.());
        await lists(kept, state);
        await lists(meanwhile, state);
        while (commits.length > 0) commits.shift()?.();
        const fresh = await lists(indexOf(), state);
        expect(await lists(kept, state)).toEqual(fresh);
        expect(await lists(meanwhile, state)).toEqual(fresh);
        for (const list of fresh) expect(list).toEqual([...list].sort());
      }),
      { numRuns: 40 },
    );
  });

  it.each([
    [
      'a subject by its id and its name',
      'subject/user/anne.b@x.org',
      { name: 'Anne Böhm' },
      ['user/anne.b@x.org', 'anne.b@x.org', 'anne', 'b', 'x', 'org', 'anne böhm', 'böhm'],
    ],
    [
      'a role by its own name, not by that of its application',
      'role/billing/main-clerk',
      { name: 'main-clerk' },
      ['billing/main-clerk', 'main-clerk', 'main', 'clerk'],
    ],
    [
      'a link by all that it joins',
      'role_assignment/billing/clerk//group/finance',
      {},
      ['billing/clerk//group/finance', 'billing', 'clerk', 'group', 'finance'],
    ],
    ['a name with a slash as it is written', 'group/a%2Fb', { name: 'a/b' }, ['a%2fb', 'a/b', 'a', 'b']],
  ])('finds %s', (_, address, fields, words) => {
    const record = { address, fields } as unknown as StoredRecord;
    expect([...wordsOf(record)].sort()).toEqual([...words].sort());
  });
});
