import { TenantState } from '@authz-service/core/state/tenant-state';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BEGINNING, changesets } from '../../testing/random-changes.js';
import { SortedRecords } from './sorted-records.js';

const KINDS = ['subject', 'group', 'role', 'group_membership', 'role_assignment'] as const;
let ids = 0;
const options = { now: new Date(0), newId: () => `id-${++ids}`, revision: 1 };

describe('sorted records', () => {
  it('stay what sorting anew gives, whatever is committed', () => {
    fc.assert(
      fc.property(changesets, (all) => {
        const state = new TenantState();
        state.commit(state.stage(BEGINNING, options));
        const kept = new SortedRecords();
        const lists = (sorted: SortedRecords) => KINDS.map((kind) => [...sorted.of(kind, (of) => state.records(of))]);
        const first = kept.of('group', (of) => state.records(of));
        lists(kept);
        for (const changes of all) {
          let staged: ReturnType<TenantState['stage']>;
          try {
            staged = state.stage(changes, options);
          } catch {
            continue;
          }
          state.commit(staged);
          kept.follow(staged);
          expect(lists(kept)).toEqual(lists(new SortedRecords()));
        }
        expect(kept.of('group', () => [])).toBe(first);
      }),
      { numRuns: 50 },
    );
  });

  it('are sorted anew after many changes', () => {
    const state = new TenantState();
    const kept = new SortedRecords();
    const sorted = () => kept.of('role', (kind) => state.records(kind)).map(({ address }) => address);
    expect(sorted()).toEqual([]);
    const names = Array.from({ length: 60 }, (_, at) => `${(at * 7) % 60}`);
    const staged = state.stage(
      names.map((name) => ({ op: 'create', kind: 'role', fields: { name } })),
      options,
    );
    state.commit(staged);
    kept.follow(staged);
    expect(sorted()).toEqual(names.map((name) => `role/${name}`).sort());
  });
});
