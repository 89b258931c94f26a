import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProblemError } from '../problem.js';
import type { Address } from '../records/address.js';
import type { Kind } from '../records/kinds.js';
import { type DeclaredRecord, declare, definitionOf, referencesOf, type StoredRecord } from '../records/registry.js';
import type { Move } from '../state/renames.js';
import { revisionText } from '../state/revision.js';
import { TenantState } from '../state/tenant-state.js';
import { planChanges } from './changes.js';
import { plan } from './diff.js';
import type { Plan } from './plan.js';
import { parsePlan } from './saved.js';

const UNIVERSE: [Kind, Record<string, unknown>][] = [
  ...['a', 'b', 'c'].map((name): [Kind, Record<string, unknown>] => ['application', { name }]),
  ...['a', 'b', 'c'].flatMap((application): [Kind, Record<string, unknown>][] => [
    ['resource_type', { application, name: 't', actions: ['read', 'write'] }],
    ['role', { application, name: 'r' }],
    ['role', { application, name: 's' }],
    ['policy', { application, name: 'p', effect: 'ALLOW', resource_type: `${application}/t`, actions: ['read'] }],
    ['role_assignment', { role: `${application}/r`, entity_type: 'subject', entity: 'user/1' }],
    ['policy_assignment', { policy: `${application}/p`, entity_type: 'role', entity: `${application}/s` }],
  ]),
  ['policy', { name: 'q', effect: 'ALLOW', resource_type: 'a/t', actions: ['read'] }],
  ['policy', { name: 'q', effect: 'ALLOW', resource_type: 'b/t', actions: ['read'] }],
  ['subject', { type: 'user', id: '1' }],
  ['subject', { type: 'user', id: '2' }],
  ['group', { name: 'g' }],
  ['group', { name: 'h' }],
  ['group_membership', { group: 'g', entity_type: 'group', entity: 'h' }],
  ['group_membership', { group: 'h', entity_type: 'subject', entity: 'user/1' }],
  ['oauth_client', { name: 'ci', scopes: ['records:write'] }],
];

/** Most of the universe with a description here and there, without what would dangle. */
const records = fc
  .array(fc.record({ weight: fc.nat(9), note: fc.constantFrom(undefined, undefined, 'one', 'two') }), {
    minLength: UNIVERSE.length,
    maxLength: UNIVERSE.length,
  })
  .map((choices) => {
    const chosen = new Map<Address, DeclaredRecord>();
    UNIVERSE.forEach(([kind, fields], index) => {
      const { weight = 0, note } = choices[index] ?? {};
      if (weight < 2) return;
      const { schema } = definitionOf(kind);
      const described = 'description' in schema.shape && note !== undefined ? { ...fields, description: note } : fields;
      const record = declare(kind, schema.parse(described) as never);
      chosen.set(record.address, record);
    });
    for (let size = -1; size !== chosen.size; ) {
      size = chosen.size;
      for (const [address, { kind, fields }] of chosen) {
        if (referencesOf(kind, fields).some(({ target }) => !chosen.has(target))) chosen.delete(address);
      }
    }
    return [...chosen.values()];
  });

const move = fc
  .constantFrom(
    ['application/a', 'application/b', 'application/c'],
    ['role/a/r', 'role/a/s', 'role/b/r', 'role/b/s', 'role/old', 'role/c/x'],
    ['group/g', 'group/h', 'group/i'],
    ['policy/a/p', 'policy/q', 'policy/b/p'],
    ['subject/user/1', 'subject/user/2'],
  )
  .chain((addresses) => fc.record({ from: fc.constantFrom(...addresses), to: fc.constantFrom(...addresses) }));

/** Names that records had before, from the newest renaming to the oldest. */
const OLD_NAMES: Move[] = [
  { from: 'role/a/r0', to: 'role/a/r' },
  { from: 'role/b/s0', to: 'role/b/s' },
  { from: 'policy/a/p0', to: 'policy/a/p' },
  { from: 'group/g0', to: 'group/g' },
  { from: 'subject/user/0', to: 'subject/user/1' },
  { from: 'application/a0', to: 'application/a' },
  { from: 'application/b0', to: 'application/b' },
];

let ids = 0;
const options = { now: new Date(0), newId: () => `id-${++ids}`, revision: 2 };

function tenantOf(declared: DeclaredRecord[], foreign: Set<Address>): TenantState {
  const stored = declared.map(
    (record) =>
      ({
        ...record,
        id: record.kind === 'subject' ? record.address.slice('subject/'.length) : `id-${++ids}`,
        managed_by: foreign.has(record.address) ? 'other' : 'main',
        created_at: '2026-01-01T00:00:00.000Z',
        updated_at: '2026-01-01T00:00:00.000Z',
        revision: 1,
      }) as StoredRecord,
  );
  return new TenantState(stored);
}

/** Returns what the function gives; undefined if it is refused. */
function allowed<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    expect(['conflict', 'not_owner', 'invalid_records']).toContain(error.code);
    return undefined;
  }
}

describe('a plan', () => {
  it('is what its change-set does, survives being saved, and leaves nothing to do', () => {
    let made = 0;
    let moved = 0;
    fc.assert(
      fc.property(
        records,
        records,
        fc.subarray(OLD_NAMES),
        fc.array(move, { maxLength: 1 }),
        fc.infiniteStream(fc.nat(14)),
        fc.boolean(),
        (declared, held, past, wild, random, takeOwnership) => {
          const moves = [...past, ...wild];
          const foreign = new Set(held.filter(() => random.next().value === 0).map(({ address }) => address));
          const state = tenantOf(held, foreign);
          for (const { from, to } of past) {
            const back = allowed(() => state.stage([{ op: 'move', from: to, to: from }], options));
            if (back) state.commit(back);
          }
          const before = new Set([...state.records()].map(({ id }) => id));
          const planned = () =>
            plan(
              { records: declared, moves, stack: 'main' },
              { tenant: 'acme', revision: revisionText(1, state.digest()), records: state.records() },
              { takeOwnership },
            );
          const first = allowed(planned);
          if (!first) return;
          expect(parsePlan(JSON.stringify(first)).plan).toEqual(first);
          const staged = allowed(() => state.stage(planChanges(first), { ...options, stack: 'main', takeOwnership }));
          if (!staged) return;
          expect(counts(first)).toEqual({
            added: staged.put.filter(({ previous }) => !previous).length,
            changed: staged.put.filter(({ previous }) => previous).length,
            removed: staged.remove.length,
          });
          made += 1;
          state.commit(staged);
          for (const change of first.changes) {
            if (change.action !== 'move') continue;
            moved += 1;
            if (change.kind !== 'subject') expect(before).toContain(state.get(change.address)?.id);
          }
          const second = planned();
          expect(second.changes).toEqual([]);
          expect(second.counts).toEqual({ added: 0, changed: 0, removed: 0, unchanged: declared.length });
        },
      ),
      { numRuns: 300 },
    );

    expect(made).toBeGreaterThan(50);
    expect(moved).toBeGreaterThan(50);
  });
});

function counts({ counts: { added, changed, removed } }: Plan) {
  return { added, changed, removed };
}
