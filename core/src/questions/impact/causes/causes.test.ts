import { describe, expect, it } from 'vitest';
import type { Kind } from '../../../records/kinds.js';
import { type DeclaredRecord, declare, definitionOf } from '../../../records/registry.js';
import { computeImpact } from '../compute-impact.js';

function record(kind: Kind, raw: Record<string, unknown>): DeclaredRecord {
  return declare(kind, definitionOf(kind).schema.parse(raw) as never) as DeclaredRecord;
}

const policy = (name: string, condition: string, actions = ['read']) =>
  record('policy', { name, effect: 'ALLOW', resource_type: 'a/t', actions, condition });
const assigned = (policy: string, entity: string) => {
  const [entity_type, ...path] = entity.split('/');
  return record('policy_assignment', { policy, entity_type, entity: path.join('/') });
};

const tenant = [
  record('application', { name: 'a' }),
  record('resource_type', { application: 'a', name: 't', actions: ['read'] }),
  record('resource', { type: 'a/t', name: 'one' }),
  record('subject', { type: 'user', id: 'ann' }),
  ...['staff', 'team'].map((name) => record('group', { name })),
  ...['staff', 'team'].map((group) =>
    record('group_membership', { group, entity_type: 'subject', entity: 'user/ann' }),
  ),
];

/** Squares of numbers that no comparison tries: each holds for some request, and none is found. */
const [OLD, NEW, OTHER] = [1_234_321, 1_522_756, 1_841_449].map((square) => `context.n * context.n == ${square}`) as [
  string,
  string,
  string,
];

/** The causes of findings that no request shows. */
function causesOf(before: readonly DeclaredRecord[], after: readonly DeclaredRecord[]) {
  const { delta } = computeImpact({ records: before }, { records: after }, { now: 0 });
  const unshown = delta.findings.filter(({ witness }) => witness === undefined);
  return unshown.map(({ causes }) => causes.map((set) => set.map(({ address }) => address)));
}

describe('causes of findings that no request shows', () => {
  it('leave out what is about the same subject, resource and action, and makes no difference', () => {
    const others = (condition: string) => [
      ...[policy('unassigned', condition), policy('elsewhere', condition), assigned('elsewhere', 'subject/user/ben')],
      record('subject', { type: 'user', id: 'ben' }),
    ];
    const before = [...tenant, policy('p', OLD), assigned('p', 'group/staff'), ...others('false')];
    const after = [...tenant, policy('p', NEW), assigned('p', 'group/staff'), ...others('1 > 2')];
    expect(causesOf(before, after)).toEqual([[['policy/p']]]);
  });

  it('name all that it takes', () => {
    const before = [...tenant, policy('p', OLD), policy('q', NEW), record('role', { name: 'r', from_requests: false })];
    const after = [
      ...[...before, assigned('p', 'role/r'), assigned('q', 'group/staff')],
      record('role_assignment', { role: 'r', entity_type: 'group', entity: 'team' }),
    ];
    expect(causesOf(before, after)).toEqual([
      [['policy_assignment/p//role/r', 'policy_assignment/q//group/staff', 'role_assignment/r//group/team']],
    ]);
  });

  it('name alternatives, three at most', () => {
    const before = [...tenant, policy('p', OLD), policy('q', OTHER), assigned('p', 'group/staff')];
    const ways = ['group/staff', 'group/team', 'subject/user/ann', 'everyone/*'].map((entity) => assigned('q', entity));
    const found = causesOf(before, [...before, ...ways]).find((causes) => causes.length > 1);
    expect(found).toHaveLength(3);
    expect(new Set(found?.flat())).toHaveProperty('size', 3);
    expect(found?.every((set) => set.length === 1)).toBe(true);
  });
});

describe('causes of a finding about several subjects', () => {
  const before = [
    ...tenant,
    record('role', { name: 'r', from_requests: false }),
    ...['ben', 'cleo'].map((id) => record('subject', { type: 'user', id })),
    record('group', { name: 'all' }),
    policy('p', 'true'),
    assigned('p', 'role/r'),
  ];
  const held = (entity_type: string, entity: string) => record('role_assignment', { role: 'r', entity_type, entity });
  const member = (group: string, id: string) =>
    record('group_membership', { group, entity_type: 'subject', entity: `user/${id}` });
  const causes = (from: readonly DeclaredRecord[], added: readonly DeclaredRecord[]) => {
    const { delta } = computeImpact({ records: from }, { records: [...from, ...added] }, { now: 0 });
    return delta.findings.map((finding) => [
      finding.subjects.recorded,
      finding.causes.map((set) => set.map(({ address }) => address)),
    ]);
  };

  it('bring it for each way to the role that names them all', () => {
    expect(causes(before, [held('group', 'staff'), held('subject', 'user/ben')])).toEqual([
      [2, [['role_assignment/r//group/staff', 'role_assignment/r//subject/user/ben']]],
    ]);
  });

  it('bring it for each of those who come into the same group', () => {
    const from = [...before, held('group', 'all')];
    expect(causes(from, [member('all', 'ben'), member('all', 'cleo')])).toEqual([
      [2, [['group_membership/all//subject/user/ben', 'group_membership/all//subject/user/cleo']]],
    ]);
  });

  it('have twelve of these at most', () => {
    const many = Array.from({ length: 30 }, (_, at) => `u${at}`);
    const from = [...before, held('group', 'all'), ...many.map((id) => record('subject', { type: 'user', id }))];
    const [[recorded, sets] = []] = causes(
      from,
      many.map((id) => member('all', id)),
    );
    expect([recorded, (sets as string[][]).map((set) => set.length)]).toEqual([30, [12]]);
  });
});

it('says of a link that goes which policy, role or group goes with it', () => {
  const links = [policy('p', 'true'), assigned('p', 'group/staff')];
  const causes = (before: DeclaredRecord[], after: DeclaredRecord[]) =>
    computeImpact({ records: before }, { records: after }, { now: 0 }).delta.findings.flatMap((one) => one.causes);
  const gone = { address: 'policy_assignment/p//group/staff', change: 'removed' };
  expect(causes([...tenant, ...links], tenant)).toEqual([[{ ...gone, removed_with: 'policy/p' }]]);
  expect(causes([...tenant, ...links], [...tenant, policy('p', 'true')])).toEqual([[gone]]);
});
