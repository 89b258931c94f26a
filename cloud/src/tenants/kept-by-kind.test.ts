import { TimeSlicing } from '@authz-service/core/concurrency/time-slicing';
import type { Address } from '@authz-service/core/records/address';
import { TenantState } from '@authz-service/core/state/tenant-state';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BEGINNING, changesets } from '../../testing/random-changes.js';
import { KeptByKind } from './kept-by-kind.js';
import { NameIndex } from './name-index.js';
import { SortedAddresses } from './sorted-addresses.js';

const KINDS = ['subject', 'group', 'role', 'group_membership', 'role_assignment'] as const;
let ids = 0;
const options = { now: new Date(0), newId: () => `id-${++ids}`, revision: 1 };

/** Both that the service keeps of a state; their work passes `between` before it ends. */
class Kept {
  readonly names: KeptByKind<NameIndex>;
  readonly addresses: KeptByKind<SortedAddresses>;

  constructor(
    public state: TenantState,
    between: () => unknown = () => {},
    inPlaceMax?: number,
  ) {
    const slicing = new TimeSlicing(() => 0);
    const run = async <T>(steps: Generator<undefined, T>) => {
      const done = await slicing.run(steps);
      await between();
      return done;
    };
    const records = (kind: (typeof KINDS)[number]) => this.state.records(kind);
    this.names = new KeptByKind(run, records as never, NameIndex.of, inPlaceMax);
    this.addresses = new KeptByKind(run, records as never, SortedAddresses.of, inPlaceMax);
  }

  follow(staged: ReturnType<TenantState['stage']>): void {
    this.names.follow(staged);
    this.addresses.follow(staged);
  }

  /** All that they hold, with every commit. */
  async all(): Promise<unknown[]> {
    const ofKind = async (kind: (typeof KINDS)[number]) => [
      [...(await this.names.current(kind)).from({ word: '', address: '' as Address })],
      [...(await this.addresses.current(kind)).from('')],
    ];
    return await Promise.all(KINDS.map(ofKind));
  }
}

function commitGroups(state: TenantState, from: number, count: number) {
  const names = Array.from({ length: count }, (_, at) => `g${String(from + at).padStart(4, '0')}`);
  const staged = state.stage(
    names.map((name) => ({ op: 'create', kind: 'group', fields: { name } })),
    options,
  );
  state.commit(staged);
  return staged;
}

/** Lets all work end that waits for nothing. */
async function settled(): Promise<void> {
  await new Promise(setImmediate);
}

describe('what is kept of the records of each kind', () => {
  it('stays what is made anew of them, whatever is committed, also while it is made', async () => {
    await fc.assert(
      fc.asyncProperty(changesets, async (all) => {
        const state = new TenantState();
        state.commit(state.stage(BEGINNING, options));
        const commits: (() => void)[] = all.map((changes) => () => {
          let staged: ReturnType<TenantState['stage']>;
          try {
            staged = state.stage(changes, options);
          } catch {
            return;
          }
          state.commit(staged);
          for (const kept of keeping) kept.follow(staged);
        });
        const meanwhile = new Kept(state, () => commits.shift()?.(), 1);
        const keeping = [new Kept(state), new Kept(state, () => {}, 0), meanwhile];
        for (const kept of keeping) await kept.all();
        while (commits.length > 0) commits.shift()?.();
        const fresh = await new Kept(state).all();
        for (const kept of keeping) expect(await kept.all()).toEqual(fresh);
        for (const [names, addresses] of fresh as [{ word: string; address: string }[], string[]][]) {
          expect(addresses).toEqual([...addresses].sort());
          const texts = names.map(({ word, address }) => `${word}\0${address}`);
          expect(texts).toEqual([...new Set(texts)].sort());
        }
      }),
      { numRuns: 40 },
    );
  });

  it('lets nobody wait for a large commit who asks for it at once, and has it for others', async () => {
    const state = new TenantState();
    const work: (() => void)[] = [];
    let waits = false;
    const kept = new Kept(state, () => (waits ? new Promise<void>((resolve) => work.push(resolve)) : undefined));
    const commit = (from: number, count: number) => kept.follow(commitGroups(state, from, count));
    await kept.all();
    commit(0, 3);
    waits = true;
    commit(3, 1_000);
    commit(2_000, 2);
    await kept.names.atOnce('group');
    let current = false;
    const all = kept.addresses.current('group').then((addresses) => {
      current = true;
      return [...addresses.from('')].length;
    });
    await settled();
    expect(current).toBe(false);
    waits = false;
    for (const goOn of work) goOn();
    expect(await all).toBe(1_005);
    expect(await kept.all()).toEqual(await new Kept(state).all());
  });

  it('is made anew where the records were read again while it was worked at', async () => {
    const [lost, read] = [new TenantState(), new TenantState()];
    commitGroups(read, 0, 2);
    const kept: Kept = new Kept(lost, () => {
      if (kept.state === read) return;
      kept.state = read;
      kept.names.clear();
      kept.addresses.clear();
    });
    await kept.all();
    kept.state = lost;
    kept.follow(commitGroups(lost, 0, 200));
    await settled();
    expect(await kept.all()).toEqual(await new Kept(read).all());
  });

  it('is made anew after work on it has failed', async () => {
    const state = new TenantState();
    let fails = false;
    const kept = new Kept(state, () => {
      if (fails) throw new Error('it stops');
    });
    await kept.all();
    fails = true;
    kept.follow(commitGroups(state, 0, 200));
    await settled();
    await expect(kept.addresses.current('group')).rejects.toThrow('it stops');
    fails = false;
    expect(await kept.all()).toEqual(await new Kept(state).all());
  });
});
