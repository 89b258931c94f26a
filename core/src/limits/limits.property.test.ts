import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProblemError } from '../problem.js';
import type { Address } from '../records/address.js';
import type { Limits } from '../records/limits.js';
import { declare, type Fields, type StoredRecord } from '../records/registry.js';
import type { Change, Staged, StageOptions } from '../state/change.js';
import { TenantState } from '../state/tenant-state.js';

/*
 * Random writers with random limits on random tenants. What may be written is said again here, kind by kind from the table
 * of decision 0020, and must be what the change-set is granted by.
 */

const APPLICATIONS = ['a', 'b'];
const STACKS = ['s', 't'];
const RUNS = Number(process.env.LIMIT_RUNS ?? 1500);

const subset = (names: string[]) => fc.subarray(names, { minLength: 1 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const shared = fc.option(subset(APPLICATIONS), { nil: undefined, freq: 1 });
const stack = fc.constantFrom(...STACKS);

const limits: fc.Arbitrary<Limits> = fc
  .record({ stacks: maybe(subset(STACKS)), applications: maybe(subset(APPLICATIONS)), priority_max: maybe(fc.nat(2)) })
  .map(({ stacks, applications, priority_max }) => ({
    ...(stacks && { stacks }),
    ...(applications && { applications }),
    ...(priority_max !== undefined && { priority_max }),
  }));

const places = ['a/', 'b/', ''];
const rolePaths = places.map((place) => `${place}r`);
const policyPaths = places.map((place) => `${place}p`);
const withPath = (path: string) => {
  const [name = '', application] = path.split('/').reverse();
  return { ...(application !== undefined && { application }), name };
};

const coverage = fc.oneof(
  fc.subarray(['a/x', 'b/x'], { minLength: 1 }).map((types) => ({ resource_types: types, actions: ['*'] })),
  fc.constantFrom(...APPLICATIONS).map((a) => ({ resource_type: `${a}/x`, actions: ['*'] })),
  fc
    .subarray(['a/x/1', 'b/x/1'], { minLength: 1 })
    .map((resources) => ({ resources: resources.map((resource) => ({ resource, actions: ['*'] })) })),
);
const end = (kinds: string[]) =>
  fc.constantFrom(
    ...[
      ...rolePaths.map((entity) => ({ entity_type: 'role', entity })),
      { entity_type: 'group', entity: 'g' },
      { entity_type: 'subject', entity: 'u/1' },
      { entity_type: 'everyone', entity: 'u' },
    ].filter(({ entity_type: kind }) => kinds.includes(kind)),
  );

type Some = { kind: StoredRecord['kind']; fields: Fields };
const of = (kind: StoredRecord['kind'], fields: fc.Arbitrary<object>): fc.Arbitrary<Some> =>
  fields.map((made) => ({
    kind,
    fields: Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)) as Fields,
  }));
const record = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(model);

const oneOfKind = {
  application: of(
    'application',
    fc.constantFrom(...APPLICATIONS).map((name) => ({ name })),
  ),
  resource_type: of(
    'resource_type',
    record({
      application: fc.constantFrom(...APPLICATIONS),
      name: fc.constant('x'),
      actions: fc.constant(['do']),
      shared_with: shared,
    }),
  ),
  resource: of(
    'resource',
    record({ type: fc.constantFrom('a/x', 'b/x'), name: fc.constant('1'), shared_with: shared }),
  ),
  subject: of(
    'subject',
    fc.constantFrom('1', '2').map((id) => ({ type: 'u', id })),
  ),
  role: of(
    'role',
    fc
      .tuple(fc.constantFrom(...rolePaths), shared, maybe(fc.subarray(rolePaths, { minLength: 1 })))
      .map(([p, s, more]) => {
        // Those that come later, so that there is no circle.
        const includes = more?.filter((path) => rolePaths.indexOf(path) > rolePaths.indexOf(p));
        return { ...withPath(p), shared_with: s, ...(includes?.length && { includes }) };
      }),
  ),
  group: of('group', record({ name: fc.constantFrom('g', 'h'), shared_with: shared })),
  policy: of(
    'policy',
    fc
      .tuple(fc.constantFrom(...policyPaths), coverage, fc.nat(3), shared)
      .map(([p, covered, priority, s]) => ({ ...withPath(p), effect: 'ALLOW', priority, ...covered, shared_with: s })),
  ),
  policy_assignment: of(
    'policy_assignment',
    fc
      .tuple(fc.constantFrom(...policyPaths), end(['role', 'group', 'subject', 'everyone']))
      .map(([p, e]) => ({ policy: p, ...e })),
  ),
  role_assignment: of(
    'role_assignment',
    fc
      .tuple(
        fc.constantFrom(...rolePaths),
        end(['group', 'subject', 'everyone']),
        maybe(fc.constantFrom('a/x/1', 'b/x/1')),
      )
      .map(([r, e, resource]) => ({ role: r, ...e, resource })),
  ),
  group_membership: of(
    'group_membership',
    fc.tuple(fc.constantFrom('g', 'h'), end(['subject'])).map(([g, e]) => ({ group: g, ...e })),
  ),
  api_key: of(
    'api_key',
    fc.tuple(fc.constantFrom('k', 'l'), maybe(limits)).map(([name, held]) => ({
      name,
      scopes: ['decisions'],
      ...(held && Object.keys(held).length > 0 && { limits: held }),
    })),
  ),
};

const some = fc.oneof(...Object.values(oneOfKind));

/** A tenant that holds at least one record of each kind. */
const tenant = fc
  .tuple(...Object.values(oneOfKind).map((kind) => fc.array(fc.tuple(kind, stack), { minLength: 1, maxLength: 6 })))
  .map((kinds) => {
    const changes = new Map<Address, { owner: string; change: Change }>();
    const put = (kind: Some['kind'], fields: Fields, owner: string) =>
      changes.set(declare(kind, fields).address, { owner, change: { op: 'create', kind, fields } });
    for (const name of APPLICATIONS) {
      put('application', { name }, 's');
      put('resource_type', { application: name, name: 'x', actions: ['do'] }, 's');
      put('resource', { type: `${name}/x`, name: '1' }, 's');
    }
    for (const path of rolePaths) put('role', withPath(path), 's');
    for (const path of policyPaths)
      put('policy', { ...withPath(path), effect: 'ALLOW', priority: 0, resource_type: 'a/x', actions: ['*'] }, 's');
    for (const name of ['g', 'h']) put('group', { name }, 's');
    put('subject', { type: 'u', id: '1' }, 's');
    for (const [made, owner] of kinds.flat()) put(made.kind, made.fields, owner);
    let state = new TenantState();
    const all = [...changes.values()].map(({ change }) => change);
    const staged = state.stage(all, { now: new Date(0), newId: ids(), revision: 1 });
    const records = staged.put.map(({ record: held }) => ({
      ...held,
      managed_by: changes.get(held.address)?.owner ?? 's',
    }));
    state = new TenantState(records);
    return state;
  });

const ids = () => {
  let last = 0;
  return () => `id-${++last}`;
};

const one = fc.oneof(
  some.map(({ kind, fields }) => ({ write: { kind, fields } })),
  some.map(({ kind, fields }) => ({ delete: declare(kind, fields).address })),
  fc.nat(20).map((unlink) => ({ unlink })),
  some.map(({ kind, fields }) => ({ adopt: declare(kind, fields).address })),
  fc
    .constantFrom(
      ['role/a/r', 'role/a/q'],
      ['role/a/r', 'role/b/q'],
      ['role/b/r', 'role/a/q'],
      ['role/r', 'role/a/q'],
      ['policy/b/p', 'policy/a/q'],
      ['group/g', 'group/i'],
      ['application/a', 'application/c'],
      ['resource_type/a/x', 'resource_type/a/y'],
      ['api_key/k', 'api_key/m'],
    )
    .map(([from = '', to = '']) => ({ move: { from, to } })),
) as fc.Arbitrary<DrawnChange>;

interface DrawnChange {
  write?: Some;
  delete?: Address;
  /** Which of the links that there are goes. */
  unlink?: number;
  adopt?: Address;
  move?: { from: Address; to: Address };
}

/** Creates or changes what is written, as there is such a record or not. */
function changesOf(drawn: DrawnChange[], state: TenantState): Change[] {
  const links = [...state.records()].filter(({ kind }) => /assignment|membership/.test(kind));
  return drawn.map(({ write, delete: gone, unlink, adopt, move }): Change => {
    if (gone !== undefined) return { op: 'delete', address: gone };
    if (unlink !== undefined) return { op: 'delete', address: links[unlink % links.length]?.address ?? '' };
    if (adopt !== undefined) return { op: 'adopt', address: adopt };
    if (move !== undefined) return { op: 'move', ...move };
    const { kind, fields } = write as Some;
    const { address } = declare(kind, fields);
    return state.get(address) ? { op: 'update', address, fields } : { op: 'create', kind, fields };
  });
}

type View = (address: Address) => StoredRecord | undefined;
const applicationOf = (path: string) => path.split('/')[0] ?? '';

/** Whether the limits let a record be as it is: the table of decision 0020. */
function fits(record: StoredRecord, view: View, held: Limits, links = false): boolean {
  const { managed_by } = record;
  const { stacks, applications, priority_max } = held;
  if (!links && stacks && !stacks.includes(managed_by)) return false;
  const sharedBy = (address: Address) =>
    ((view(address)?.fields as { shared_with?: string[] } | undefined)?.shared_with ?? []).some((name) =>
      applications?.includes(name),
    );
  const may = (application: string | undefined) =>
    applications === undefined || (application !== undefined && applications.includes(application));
  const mayUse = (address: Address, path: string) =>
    may(path.includes('/') ? applicationOf(path) : undefined) || sharedBy(address);
  const mayUseResource = (path: string) =>
    mayUse(`resource/${path}`, path) || sharedBy(`resource_type/${path.split('/').slice(0, 2).join('/')}`);
  switch (record.kind) {
    case 'application':
      return may(record.fields.name);
    case 'resource_type':
      return may(record.fields.application);
    case 'role': {
      const { application, includes = [] } = record.fields;
      return may(application) && includes.every((path) => mayUse(`role/${path}`, path));
    }
    case 'resource':
      return may(applicationOf(record.fields.type));
    case 'policy': {
      const { application, priority, resource_type: type, resource_types: types = [], resources = [] } = record.fields;
      return (
        (priority_max === undefined || priority <= priority_max) &&
        may(application) &&
        (type === undefined || mayUse(`resource_type/${type}`, type)) &&
        types.every((path) => mayUse(`resource_type/${path}`, path)) &&
        resources.every(({ resource: path }) => mayUseResource(path))
      );
    }
    case 'group':
      return applications === undefined || (stacks?.includes(managed_by) ?? false);
    case 'role_assignment':
      return (
        mayUse(`role/${record.fields.role}`, record.fields.role) &&
        (links || record.fields.resource === undefined || mayUseResource(record.fields.resource))
      );
    case 'policy_assignment':
      return mayUse(`policy/${record.fields.policy}`, record.fields.policy);
    case 'group_membership': {
      const group = `group/${record.fields.group}`;
      const own = stacks?.includes(view(group)?.managed_by ?? '') ?? false;
      return applications === undefined || own || sharedBy(group);
    }
    case 'api_key':
    case 'oauth_client': {
      const { limits: own } = record.fields;
      const within = (set: 'stacks' | 'applications') =>
        held[set] === undefined || (own?.[set]?.every((name) => held[set]?.includes(name)) ?? false);
      const low = priority_max === undefined || (own?.priority_max ?? Number.POSITIVE_INFINITY) <= priority_max;
      return within('stacks') && within('applications') && low;
    }
    default:
      return applications === undefined;
  }
}

/** Who holds what by a record: `everyone` or a role, and a role or policy. */
function edgesOf(record: StoredRecord): [from: string, to: string][] {
  if (record.kind === 'role')
    return (record.fields.includes ?? []).map((path) => [record.address, `role/${path}`] as [string, string]);
  if (record.kind !== 'role_assignment' && record.kind !== 'policy_assignment') return [];
  const { entity_type: kind, entity } = record.fields;
  const to = record.kind === 'role_assignment' ? `role/${record.fields.role}` : `policy/${record.fields.policy}`;
  return kind === 'everyone' || kind === 'role' ? [[kind === 'role' ? `role/${entity}` : kind, to]] : [];
}

/** Whether a record gives to everyone nothing but what lies in the applications. */
function keepsFromAll(record: StoredRecord, after: ReadonlyMap<Address, StoredRecord>, held: Limits): boolean {
  const edges = [...after.values()].flatMap(edgesOf);
  const below = (start: string) => {
    const found = new Set([start]);
    for (let size = 0; size < found.size; ) {
      size = found.size;
      for (const [from, to] of edges) if (found.has(from)) found.add(to);
    }
    return found;
  };
  const all = below('everyone');
  const own = (address: string) => {
    const [, application, name] = address.split('/');
    return name !== undefined && (held.applications ?? []).includes(application ?? '');
  };
  if (held.applications === undefined) return true;
  return edgesOf(record).every(([from, to]) => !all.has(from) || [...below(to)].every(own));
}

/** Whether all that a change-set touches fits, before and after. */
function allFits(
  state: TenantState,
  staged: Staged,
  changes: Change[],
  held: Limits,
  writer: string,
  exclusive: boolean,
) {
  const before: View = (address) => state.get(address);
  const after = new Map([...state.records()].map((held) => [held.address, held]));
  for (const { address } of staged.remove) after.delete(address);
  for (const { previous } of staged.put) if (previous) after.delete(previous.address);
  for (const { record: put } of staged.put) after.set(put.address, put);
  // What moves alone make of records that no move names: these only follow.
  const moves = changes.filter((change) => change.op === 'move');
  const moved = tried(state, moves, { stack: writer, takeOwnership: true });
  const followers = new Map(
    (typeof moved === 'string' ? [] : moved.put)
      .filter(({ previous }) => !moves.some(({ from }) => from === previous?.address))
      .map(({ record: put }) => [put.address, put]),
  );
  const follows = (put: StoredRecord) => {
    const follower = followers.get(put.address);
    return follower?.managed_by === put.managed_by && JSON.stringify(follower.fields) === JSON.stringify(put.fields);
  };
  const isForeignLink = (removed: StoredRecord) => {
    const { role, policy, group } = removed.fields as { role?: string; policy?: string; group?: string };
    const granted = role ? `role/${role}` : policy ? `policy/${policy}` : `group/${group}`;
    const isLink = /assignment|membership/.test(removed.kind);
    return isLink && removed.managed_by !== writer && before(granted)?.managed_by === writer;
  };
  return (
    (held.stacks?.includes(writer) ?? true) &&
    staged.remove.every((gone) => fits(gone, before, held, exclusive && isForeignLink(gone))) &&
    staged.put.every(({ record: put, previous }) => {
      if (previous && follows(put)) return true;
      return (
        (!previous || fits(previous, before, held)) &&
        fits(put, (address) => after.get(address), held) &&
        keepsFromAll(put, after, held)
      );
    })
  );
}

function tried(state: TenantState, changes: Change[], options: Partial<StageOptions>): Staged | string {
  try {
    return state.stage(changes, { now: new Date(1), newId: ids(), revision: 2, ...options });
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return error.code;
  }
}

describe('a limited writer', () => {
  it('is granted what fits its limits before and after, and nothing else', () => {
    const seen = { granted: 0, refused: 0, foreign: 0 };
    const property = fc.property(
      tenant,
      limits.filter((held) => Object.keys(held).length > 0),
      fc.array(one, { minLength: 1, maxLength: 2 }),
      stack,
      fc.boolean(),
      fc.boolean(),
      (state, held, drawn, writer, takeOwnership, exclusive) => {
        const changes = changesOf(drawn, state);
        const options = { stack: writer, takeOwnership, exclusive };
        const unlimited = tried(state, changes, options);
        if (typeof unlimited === 'string') return;
        const limited = tried(state, changes, { ...options, writer: { name: 'w', limits: held } });
        const expected = allFits(state, unlimited, changes, held, writer, exclusive);
        expect(typeof limited === 'string' ? limited : 'granted').toBe(expected ? 'granted' : 'outside_limits');
        seen[expected ? 'granted' : 'refused'] += 1;
        if (expected && !takeOwnership && unlimited.remove.some(({ managed_by }) => managed_by !== writer))
          seen.foreign += 1;
      },
    );
    fc.assert(property, { numRuns: RUNS });
    // Else the runs say little.
    for (const [what, count] of Object.entries(seen)) expect([what, count >= RUNS / 1500]).toEqual([what, true]);
  });
});
