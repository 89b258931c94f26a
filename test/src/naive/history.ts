import type { EngineRecord, RecordChange } from '@authz-service/core/access/api/engine';
import type { Address } from '@authz-service/core/records/address';
import type { Kind } from '@authz-service/core/records/kinds';
import { addressOf, type Fields, referencesOf, type StoredRecord } from '@authz-service/core/records/registry';
import { equalJson } from '@authz-service/core/state/equal-json';
import { TenantState } from '@authz-service/core/state/tenant-state';
import fc from 'fast-check';

/*
 * Random histories of a tenant: valid states, each made of the one before. Records come and go with all that hangs on
 * them, change, trade ids, and are moved.
 */

export type State = ReadonlyMap<Address, EngineRecord>;

/** One change of a state. `at` picks records, round and round. */
type Step =
  | { op: 'toggle'; at: number[]; kind?: Kind }
  | { op: 'alter'; at: number[]; seed: number }
  | { op: 'trade'; at: number[] }
  | { op: 'move'; at: number; to: number }
  | { op: 'become'; tenant: number };

/** Records of several tenants, and which of them each tenant has. */
interface Pool {
  all: State;
  tenants: Address[][];
}

const picks = (most: number) => fc.array(fc.nat(), { minLength: 1, maxLength: most });

/** Kinds of which there are few records, with much that hangs on each. */
const few = fc.constantFrom<Kind[]>(
  'resource_type',
  'resource',
  'resource',
  'subject_type',
  'subject',
  'role',
  'role',
  'group',
);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: picks(6).map((at): Step => ({ op: 'toggle', at })) },
  { weight: 4, arbitrary: fc.tuple(few, picks(1)).map(([kind, at]): Step => ({ op: 'toggle', kind, at })) },
  { weight: 5, arbitrary: fc.tuple(picks(6), fc.nat()).map(([at, seed]): Step => ({ op: 'alter', at, seed })) },
  { weight: 1, arbitrary: picks(3).map((at): Step => ({ op: 'trade', at })) },
  { weight: 2, arbitrary: fc.tuple(fc.nat(), fc.nat(1)).map(([at, to]): Step => ({ op: 'move', at, to })) },
  { weight: 3, arbitrary: fc.nat(1).map((tenant): Step => ({ op: 'become', tenant })) },
);

/** States in the order in which they come to be, the first of them a tenant of `tenants`. */
export const history = (tenants: fc.Arbitrary<EngineRecord[]>, steps: number): fc.Arbitrary<State[]> =>
  fc
    .tuple(fc.tuple(tenants, tenants), fc.array(step, { minLength: 1, maxLength: steps, size: 'max' }))
    .map(([made, list]) => {
      const pool = poolOf(made);
      const states = [become(pool, 0)];
      for (const one of list) states.push(next(pool, states.at(-1) ?? new Map(), one));
      return states;
    });

/** Returns what makes the second state of the first, in an order that `seed` shuffles. */
export function changesBetween(first: State, second: State, seed: number): RecordChange[] {
  const changes: RecordChange[] = [];
  for (const address of new Set([...first.keys(), ...second.keys()])) {
    const [before, after] = [first.get(address), second.get(address)];
    if (!equalJson(before, after)) changes.push({ before, after });
  }
  const key = (at: number) => Math.imul(at + 1, seed | 1) >>> 0;
  return changes
    .map((change, at) => ({ change, key: key(at) }))
    .sort((a, b) => a.key - b.key)
    .map((one) => one.change);
}

function poolOf(made: readonly EngineRecord[][]): Pool {
  const all = new Map<Address, EngineRecord>();
  const tenants = made.map((records) =>
    records.map((record) => {
      const address = addressOf(record.kind, record.fields);
      if (!all.has(address)) all.set(address, { ...record, id: `id-${all.size}` });
      return address;
    }),
  );
  return { all, tenants };
}

function become({ all, tenants }: Pool, which: number): State {
  const state = new Map<Address, EngineRecord>();
  for (const address of tenants[which] ?? []) add(all, state, address);
  return state;
}

function next(pool: Pool, state: State, step: Step): State {
  const made = new Map(state);
  const addresses = [...state.keys()];
  const pick = (at: number, among: readonly Address[]) => among[at % Math.max(1, among.length)] ?? '';
  switch (step.op) {
    case 'become':
      return become(pool, step.tenant);
    case 'toggle':
      for (const at of step.at) {
        const address = pick(at, step.kind === undefined ? [...pool.all.keys()] : ofKind(pool, step.kind));
        if (made.has(address)) remove(made, address);
        else add(pool.all, made, address);
      }
      return made;
    case 'alter':
      for (const at of step.at) alter(pool.all, made, pick(at, addresses), step.seed);
      return made;
    case 'trade': {
      const resources = addresses.filter((address) => address.startsWith('resource/'));
      for (const at of step.at) trade(made, pick(at, resources), pick(at + 1, resources));
      return made;
    }
    case 'move':
      return move(state, pick(step.at, addresses), step.to);
  }
}

function ofKind({ all }: Pool, kind: Kind): Address[] {
  return [...all].filter(([, record]) => record.kind === kind).map(([address]) => address);
}

/** Puts in a record and all that it mentions. */
function add(all: State, state: Map<Address, EngineRecord>, address: Address): void {
  const record = all.get(address);
  if (record === undefined || state.has(address)) return;
  // A record that was moved here may still have the id.
  const taken = [...state.values()].some(({ kind, id }) => kind === record.kind && id === record.id);
  state.set(address, taken ? { ...record, id: `${address} again` } : record);
  for (const { target } of referencesOf(record.kind, record.fields)) add(all, state, target);
}

/** Takes out a record and all that mentions it. */
export function remove(state: Map<Address, EngineRecord>, address: Address): void {
  if (!state.delete(address)) return;
  for (const [other, { kind, fields }] of [...state])
    if (referencesOf(kind, fields).some(({ target }) => target === address)) remove(state, other);
}

function alter(all: State, state: Map<Address, EngineRecord>, address: Address, seed: number): void {
  const record = state.get(address);
  if (record === undefined) return;
  const put = (fields: object) => state.set(address, { ...record, fields } as EngineRecord);
  const n = [1, 2, 'x', null][seed % 4] ?? null;
  switch (record.kind) {
    case 'policy': {
      // Says what another policy of the pool says, as far as that is about what is there.
      const others = [...all.values()].filter(({ kind }) => kind === 'policy');
      const other = others[seed % others.length];
      if (other === undefined || !referencesOf('policy', other.fields).every(({ target }) => state.has(target))) return;
      const { application, name } = record.fields as { application?: string; name: string };
      put({ ...other.fields, application, name });
      return;
    }
    case 'resource_type': {
      const { parents = [] } = record.fields as Fields<'resource_type'>;
      const named = parents.map(({ property }) => property);
      const sent = [undefined, [], ['n'], named, ['n', ...named]][seed % 5];
      if (seed % 2 === 0) put({ ...record.fields, from_requests: sent });
      else put({ ...record.fields, actions: ['read', 'write', 'other'].slice(0, 1 + (seed % 3)) });
      return;
    }
    case 'subject_type':
      put({ ...record.fields, from_requests: [undefined, [], ['n']][seed % 3] });
      return;
    case 'resource':
      if (seed % 3 === 0) put({ ...record.fields, parents: undefined });
      else put({ ...record.fields, properties: seed % 5 === 0 ? undefined : { n } });
      return;
    case 'subject': {
      const { suspended: _, suspended_until: __, ...fields } = record.fields as Fields<'subject'>;
      if (seed % 3 === 0) put({ ...fields, properties: seed % 5 === 0 ? undefined : { n } });
      else
        put({ ...fields, ...[{}, { suspended: true }, { suspended_until: new Date(1000).toISOString() }][seed % 4] });
      return;
    }
    case 'role': {
      const { includes } = (all.get(address) ?? record).fields as { includes?: string[] };
      const there = includes?.filter((role) => state.has(`role/${role}`));
      put({ ...record.fields, includes: seed % 3 === 0 || there?.length === 0 ? undefined : there });
      return;
    }
    case 'policy_assignment':
    case 'role_assignment':
    case 'group_membership': {
      const ms = [undefined, 1000, 2000][seed % 3];
      put({
        ...record.fields,
        starts_at: undefined,
        expires_at: ms === undefined ? undefined : new Date(ms).toISOString(),
      });
      return;
    }
    default:
      put({ ...record.fields, description: `${seed}` });
  }
}

function trade(state: Map<Address, EngineRecord>, one: Address, other: Address): void {
  const [first, second] = [state.get(one), state.get(other)];
  if (first === undefined || second === undefined) return;
  state.set(one, { ...first, id: second.id });
  state.set(other, { ...second, id: first.id });
}

/** Renames a record by the product's own rules, which say what mentions it and follows. */
function move(state: State, from: Address, to: number): State {
  const stored = [...state].map(([address, record]) => ({ ...record, address }) as StoredRecord);
  const made = new TenantState(stored);
  try {
    const options = { now: new Date(0), newId: () => 'new', revision: 1 };
    made.commit(made.stage([{ op: 'move', from, to: `${from}${to + 1}` }], options));
  } catch {
    // Links are not moved by themselves, and not everything may be.
    return state;
  }
  return new Map(
    [...made.records()].map(({ kind, id, fields, address }) => [address, { kind, id, fields }] as const),
  ) as State;
}
