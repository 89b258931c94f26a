import { describe, expect, it } from 'vitest';
import { digestRecords } from '../bundle/digest.js';
import type { Change, StageOptions } from './change.js';
import { TenantState } from './tenant-state.js';

describe('a large change-set', () => {
  const roles = (from: number, to: number) =>
    Array.from(
      { length: to - from },
      (_, at): Change => ({ op: 'create', kind: 'role', fields: { name: `r${from + at}` } }),
    );
  const options: StageOptions = { now: new Date(0), newId: () => `id-${Math.random()}`, revision: 9 };
  const stepsOf = (steps: Generator<undefined, unknown>) => [...steps].length;

  it('is judged, and its digest made, in steps', () => {
    const state = new TenantState();
    const changes = roles(0, 2000);
    const removal = changes.map((_, at): Change => ({ op: 'delete', address: `role/r${at}` }));
    expect(stepsOf(state.stageInSteps(changes, options))).toBeGreaterThan(50);
    const staged = state.stage(changes, options);
    expect(stepsOf(state.digestInSteps(staged))).toBeGreaterThan(20);
    state.commit(staged);
    expect(stepsOf(state.stageInSteps(removal, options))).toBeGreaterThan(50);
  });

  it('that is committed has the digest that was foretold, and no other has it', () => {
    const state = new TenantState();
    const before = state.digest();
    const [one, other] = [roles(0, 300), roles(300, 500)].map((changes) => state.stage(changes, options));
    if (!one || !other) throw new Error('nothing staged');
    const [foretold] = [state.digestAfter(one), state.digestAfter(other)];
    expect(state.digest()).toBe(before);
    state.commit(one);
    expect(state.digest()).toBe(foretold);
    expect(state.digest()).toBe(digestRecords(state.records()));
    state.commit(other);
    expect(state.digest()).toBe(digestRecords(state.records()));
  });
});
