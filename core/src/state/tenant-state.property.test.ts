import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestRecords } from '../bundle/digest.js';
import { canonicalJson } from '../json/json.js';
import { ProblemError } from '../problem.js';
import type { Address } from '../records/address.js';
import { InboundIndex } from '../records/inbound-index.js';
import type { Kind } from '../records/kinds.js';
import {
  addressOf,
  type DeclaredRecord,
  declare,
  definitionOf,
  referencesOf,
  type StoredRecord,
} from '../records/registry.js';
import type { Change } from './change.js';
import { parseFields } from './parse-fields.js';
import { TenantState } from './tenant-state.js';
import { validateRecords } from './validate.js';

/** Names for random changes, so few that they meet, collide, dangle and form circles. */
const word = (...words: string[]) => fc.constantFrom(...words);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const app = word('a', 'b');
const type = word('a/t', 'b/t');
const resource = word('a/t/x', 'b/t/x');
const role = word('r', 'a/r', 'b/r');
const group = word('g', 'h', 'i');
const policy = word('p', 'a/p', 'b/p');
const subject = word('user/1', 'user/2');
const actions = fc.subarray(['read', 'write'], { minLength: 1 });
const note = maybe(word('one', 'two'));

const entity = <K extends string>(kinds: { [P in K]: fc.Arbitrary<string> }) =>
  fc.oneof(
    ...(Object.keys(kinds) as K[]).map((kind) => fc.record({ entity_type: fc.constant(kind), entity: kinds[kind] })),
  );

const FIELDS: { [K in Kind]?: fc.Arbitrary<Record<string, unknown>> } = {
  application: fc.record({ name: app, description: note }),
  resource_type: fc.record({ application: app, name: word('t'), actions }),
  resource: fc.record({ type, name: word('x'), description: note }),
  subject: fc.record({ type: word('user'), id: word('1', '2'), name: note }),
  role: fc.record({ application: maybe(app), name: word('r'), description: note }),
  group: fc.record({ name: group, description: note }),
  policy: fc
    .tuple(
      fc.record({ application: maybe(app), name: word('p'), effect: word('ALLOW', 'DENY') }),
      fc.oneof(
        fc.record({ resource_type: type, actions }),
        fc.record({ resources: fc.tuple(fc.record({ resource, actions })) }),
      ),
    )
    .map(([start, covers]) => ({ ...start, ...covers })),
  policy_assignment: fc.tuple(policy, entity({ role, group, subject })).map(([to, of]) => ({ policy: to, ...of })),
  role_assignment: fc.tuple(role, entity({ group, subject })).map(([to, of]) => ({ role: to, ...of })),
  group_membership: fc.tuple(group, entity({ group, subject })).map(([to, of]) => ({ group: to, ...of })),
  api_key: fc.record({ name: word('k'), scopes: fc.constant(['bundle']), description: note }),
};

const kind = fc.constantFrom(...(Object.keys(FIELDS) as Kind[]));
const declared = (of: Kind): fc.Arbitrary<DeclaredRecord> =>
  (FIELDS[of] ?? fc.constant({})).map((fields) => declare(of, definitionOf(of).schema.parse(fields) as never));

const change: fc.Arbitrary<Change> = kind.chain((of) =>
  fc.oneof(
    declared(of).map(({ fields }): Change => ({ op: 'create', kind: of, fields })),
    declared(of).map(({ address, fields }): Change => ({ op: 'update', address, fields })),
    declared(of).map(({ address }): Change => ({ op: 'delete', address })),
    declared(of).map(({ address }): Change => ({ op: 'adopt', address })),
    fc
      .tuple(declared(of), declared(of))
      .map(([one, other]): Change => ({ op: 'move', from: one.address, to: other.address })),
  ),
);
/** Moves among more names than are declared, so that many find their place free. */
const moves = fc
  .constantFrom(
    ['application/a', 'application/b', 'application/c', 'application/d'],
    ['resource_type/a/t', 'resource_type/b/t', 'resource_type/a/u'],
    ['subject/user/1', 'subject/user/2', 'subject/service/1'],
    ['role/r', 'role/s', 'role/a/r', 'role/a/s'],
    ['group/g', 'group/h', 'group/i', 'group/j'],
    ['policy/p', 'policy/a/p', 'policy/a/q'],
  )
  .chain((addresses) =>
    fc.array(fc.tuple(fc.constantFrom(...addresses), fc.constantFrom(...addresses)), { minLength: 1, maxLength: 2 }),
  )
  .map((pairs) => pairs.map(([from, to]): Change => ({ op: 'move', from, to })));
const several = fc.array(change, { minLength: 1, maxLength: 4 });
const changeSets = fc.array(
  fc.oneof(
    several,
    moves,
    fc.tuple(moves, several).map((sets) => sets.flat()),
  ),
  {
    minLength: 10,
    maxLength: 30,
  },
);

/** A tenant that holds much of the universe, so that there is something to change and to delete. */
function start(): TenantState {
  const fields: [Kind, Record<string, unknown>][] = [
    ['application', { name: 'a' }],
    ['application', { name: 'b' }],
    ['resource_type', { application: 'a', name: 't', actions: ['read', 'write'] }],
    ['resource', { type: 'a/t', name: 'x' }],
    ['subject', { type: 'user', id: '1' }],
    ['role', { name: 'r' }],
    ['role', { application: 'a', name: 'r' }],
    ['group', { name: 'g' }],
    ['group', { name: 'h' }],
    ['policy', { application: 'a', name: 'p', effect: 'ALLOW', resource_type: 'a/t', actions: ['read'] }],
    ['policy_assignment', { policy: 'a/p', entity_type: 'role', entity: 'a/r' }],
    ['role_assignment', { role: 'a/r', entity_type: 'group', entity: 'h' }],
    ['group_membership', { group: 'g', entity_type: 'group', entity: 'h' }],
    ['group_membership', { group: 'h', entity_type: 'subject', entity: 'user/1' }],
  ];
  const state = new TenantState();
  const changes = fields.map(([of, values]): Change => ({ op: 'create', kind: of, fields: values }));
  state.commit(state.stage(changes, options(1)));
  return state;
}

let ids = 0;
const options = (revision: number) => ({
  stack: 'main',
  takeOwnership: true,
  now: new Date(revision),
  newId: () => `id-${++ids}`,
  revision,
});

const snapshot = (state: TenantState) =>
  canonicalJson([...state.records()].map((record) => [record.address, record]).sort());

function attempt(state: TenantState, changes: Change[], revision: number) {
  try {
    return state.stage(changes, options(revision));
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    expect(['conflict', 'invalid_records']).toContain(error.code);
    expect(error.errors.length).toBeGreaterThan(0);
    for (const { pointer, detail } of error.errors) {
      expect(pointer).toMatch(/^\/changes\/\d+(\/|$)/);
      expect(detail).not.toMatch(/undefined|\[object/);
    }
    return undefined;
  }
}

function checkInvariants(state: TenantState): void {
  const records = [...state.records()];
  const inbound = new InboundIndex();
  for (const record of records) {
    expect(state.get(record.address)).toBe(record);
    expect(state.find(record.kind, record.id)).toBe(record);
    expect(addressOf(record.kind, record.fields)).toBe(record.address);
    expect(parseFields(record.kind, record.fields).fields).toEqual(record.fields);
    for (const { target } of referencesOf(record.kind, record.fields)) expect(state.get(target)).toBeDefined();
    inbound.add(record);
  }
  for (const { address } of records)
    expect([...state.inbound(address)].sort()).toEqual([...inbound.of(address)].sort());
  expect(state.digest()).toBe(digestRecords(records));
  expect(new TenantState(records).digest()).toBe(state.digest());
  expect(faults(new Map(records.map((record) => [record.address, record])))).toEqual([]);
}

function faults(records: ReadonlyMap<Address, DeclaredRecord>) {
  const inbound = new InboundIndex();
  for (const record of records.values()) inbound.add(record);
  const view = { get: (address: Address) => records.get(address), inbound: (address: Address) => inbound.of(address) };
  return validateRecords(view, records.keys()).filter(({ severity }) => severity === 'error');
}

/** Computes what a change-set without moves makes, as a whole and without any index; undefined if it is refused. */
function naive(state: TenantState, changes: Change[]): Map<Address, DeclaredRecord> | undefined {
  const records = new Map<Address, DeclaredRecord>([...state.records()].map((record) => [record.address, record]));
  const asked = new Map<Address, string>();
  for (const op of ['delete', 'create', 'update', 'adopt'] as const) {
    for (const one of changes.filter((change) => change.op === op)) {
      if (one.op === 'move') return undefined;
      const address = one.op === 'create' ? addressOf(one.kind, one.fields) : one.address;
      if (records.has(address) === (op === 'create')) return undefined;
      const before = asked.get(address) ?? '';
      if (!['', 'delete'].includes(before) && !(before === 'update' && op === 'adopt')) return undefined;
      asked.set(address, op);
      if (one.op === 'delete') records.delete(address);
      else if (one.op === 'create')
        records.set(address, { kind: one.kind, address, fields: one.fields } as DeclaredRecord);
      else if (one.op === 'update')
        records.set(address, { ...records.get(address), fields: one.fields } as DeclaredRecord);
    }
  }
  return faults(records).length === 0 ? records : undefined;
}

const contents = (records: Iterable<DeclaredRecord>) =>
  canonicalJson([...records].map(({ address, fields }) => [address, fields]).sort());

describe('TenantState under random change-sets', () => {
  it('keeps its invariants, and staging never touches it', () => {
    let moved = 0;
    fc.assert(
      fc.property(changeSets, (sets) => {
        const state = start();
        sets.forEach((changes, index) => {
          const before = snapshot(state);
          const staged = attempt(state, changes, index + 2);
          expect(snapshot(state)).toBe(before);
          if (!staged) return;
          const size = state.size;
          state.commit(staged);
          const inserted = staged.put.filter(({ previous }) => !previous).length;
          expect(state.size).toBe(size + inserted - staged.remove.length);
          for (const { record, previous } of staged.put) {
            checkKept(record, previous);
            if (previous && previous.address !== record.address) moved += 1;
          }
          checkInvariants(state);
        });
      }),
      { numRuns: 100 },
    );
    expect(moved).toBeGreaterThan(50);
  });

  it('accepts what the whole state after it would allow, and nothing else', () => {
    const set = several.map((changes) => changes.filter(({ op }) => op !== 'move'));
    const withoutMoves = fc.array(set, { minLength: 10, maxLength: 30 });
    let accepted = 0;
    fc.assert(
      fc.property(withoutMoves, (sets) => {
        const state = start();
        sets.forEach((changes, index) => {
          const expected = naive(state, changes);
          const staged = attempt(state, changes, index + 2);
          expect(staged !== undefined).toBe(expected !== undefined);
          if (!staged || !expected) return;
          if (staged.put.length + staged.remove.length > 0) accepted += 1;
          state.commit(staged);
          expect(contents(state.records())).toBe(contents(expected.values()));
        });
      }),
      { numRuns: 100 },
    );
    expect(accepted).toBeGreaterThan(50);
  });
});

function checkKept(record: StoredRecord, previous: StoredRecord | undefined): void {
  expect(record.revision).toBeGreaterThan(previous?.revision ?? 0);
  if (!previous) return;
  expect(record.kind).toBe(previous.kind);
  expect(record.created_at).toBe(previous.created_at);
  if (record.kind !== 'subject') expect(record.id).toBe(previous.id);
}
