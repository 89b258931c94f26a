import { describe, expect, it } from 'vitest';
import { digestRecords } from '../bundle/digest.js';
import type { Kind } from '../records/kinds.js';
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

  it('that is small is judged in steps, too, where a role has many holders and a limited writer gives it to everyone', () => {
    const state = new TenantState();
    const create = (kind: Kind, fields: Record<string, unknown>): Change => ({ op: 'create', kind, fields });
    const held = (role: string, entity: string) =>
      create('role_assignment', { role, entity_type: entity === '*' ? 'everyone' : 'subject', entity });
    const holders = Array.from({ length: 5000 }, (_, at) => create('subject', { type: 'user', id: `u${at}` }));
    const links = holders.map((_, at) => held('a/r', `user/u${at}`));
    const role = [create('application', { name: 'a' }), create('role', { application: 'a', name: 'r' })];
    state.commit(state.stage([...role, ...holders, ...links], { ...options, stack: 'a' }));
    const writer = { name: 'ci', limits: { applications: ['a'] } };
    expect(stepsOf(state.stageInSteps([held('a/r', '*')], { ...options, stack: 'a', writer }))).toBeGreaterThan(15);
  });

  it('is a rename of what many records mention', () => {
    const state = new TenantState();
    const create = (kind: Kind, fields: Record<string, unknown>): Change => ({ op: 'create', kind, fields });
    const members = Array.from({ length: 2000 }, (_, at) => [
      create('subject', { type: 'user', id: `u${at}` }),
      create('group_membership', { group: 'g', entity_type: 'subject', entity: `user/u${at}` }),
    ]);
    state.commit(state.stage([create('group', { name: 'g' }), ...members.flat()], options));
    const rename: Change[] = [{ op: 'move', from: 'group/g', to: 'group/h' }];
    const judged = stepsOf(
      state.stageInSteps([{ op: 'move', from: 'subject/user/u0', to: 'subject/user/v' }], options),
    );
    // Each of the 2,000 memberships is looked at, and written, in steps of 50.
    expect(stepsOf(state.stageInSteps(rename, options)) - judged).toBeGreaterThan(110);
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
