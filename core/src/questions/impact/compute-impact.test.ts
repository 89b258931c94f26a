import { describe, expect, it } from 'vitest';
import type { Kind } from '../../records/kinds.js';
import { type DeclaredRecord, declare, definitionOf } from '../../records/registry.js';
import type { PairLine } from './api/access-delta.js';
import { computeImpact } from './compute-impact.js';

const NOW = Date.parse('2026-11-23T00:00:00Z');

function record(kind: Kind, raw: Record<string, unknown>): DeclaredRecord {
  return declare(kind, definitionOf(kind).schema.parse(raw) as never) as DeclaredRecord;
}

const policy = (name: string, fields: Record<string, unknown> = {}) =>
  record('policy', { name, effect: 'ALLOW', resource_type: 'docs/file', actions: ['read'], ...fields });
const given = (name: string, entity_type: string, entity: string, more = {}) =>
  record('policy_assignment', { policy: name, entity_type, entity, ...more });
const member = (group: string, entity: string, more = {}) =>
  record('group_membership', { group, entity_type: entity.includes('/') ? 'subject' : 'group', entity, ...more });
const holds = (role: string, entity: string, more = {}) =>
  record('role_assignment', { role, entity_type: entity.includes('/') ? 'subject' : 'group', entity, ...more });

const folder = { application: 'docs', name: 'folder', actions: ['read'] };
const file = { application: 'docs', name: 'file', actions: ['read', 'write'] };
const parents = [{ type: 'docs/folder', property: 'folder' }];

const base = [
  record('application', { name: 'docs' }),
  record('resource_type', folder),
  record('resource_type', { ...file, parents }),
  record('resource', { type: 'docs/folder', name: 'hr' }),
  record('resource', { type: 'docs/folder', name: 'it' }),
  record('resource', { type: 'docs/file', name: 'plan', parents: ['docs/folder/hr'] }),
  record('resource', { type: 'docs/file', name: 'note' }),
  ...['anne', 'bert', 'cleo'].map((id) => record('subject', { type: 'user', id })),
  ...['staff', 'team'].map((name) => record('group', { name })),
  record('role', { name: 'reader' }),
  member('staff', 'team'),
  member('team', 'user/anne'),
  policy('files'),
];

function impactOf(before: DeclaredRecord[], after: DeclaredRecord[]) {
  return computeImpact({ records: before }, { records: after }, { now: NOW });
}

const short = ({ subject, action, resource, before, after, change }: PairLine) =>
  `${subject} ${action} ${resource} ${before} ${after} ${change}`;

const without = (records: DeclaredRecord[], ...gone: DeclaredRecord[]) =>
  records.filter(({ address }) => !gone.some((one) => one.address === address));

describe('triples whose answer changes', () => {
  const read = (who: string, what: string, change: string) => `user/${who} read docs/file/${what} ${change}`;
  const gains = (who: string, ...what: string[]) => what.map((one) => read(who, one, 'deny allow gained'));
  const loses = (who: string, ...what: string[]) => what.map((one) => read(who, one, 'allow deny lost'));
  const toStaff = given('files', 'group', 'staff');
  const denied = policy('shut', { effect: 'DENY', priority: 1 });
  const tomorrow = '2026-11-24T00:00:00Z';
  const changes: [string, DeclaredRecord[], DeclaredRecord[], string[]][] = [
    ['a policy given to a group', base, [...base, toStaff], gains('anne', 'note', 'plan')],
    [
      'a membership in a nested group',
      [...base, toStaff],
      [...base, toStaff, member('team', 'user/bert')],
      gains('bert', 'note', 'plan'),
    ],
    [
      'a group that leaves its group',
      [...base, toStaff],
      [...without(base, member('staff', 'team')), toStaff],
      loses('anne', 'note', 'plan'),
    ],
    [
      'a role on a resource that holds another',
      [...base, given('files', 'role', 'reader')],
      [...base, given('files', 'role', 'reader'), holds('reader', 'user/bert', { resource: 'docs/folder/hr' })],
      gains('bert', 'plan'),
    ],
    [
      'a role that includes another',
      [...base, record('role', { name: 'chief' }), given('files', 'role', 'reader'), holds('chief', 'user/cleo')],
      [
        ...base,
        record('role', { name: 'chief', includes: ['reader'] }),
        given('files', 'role', 'reader'),
        holds('chief', 'user/cleo'),
      ],
      gains('cleo', 'note', 'plan'),
    ],
    [
      'a policy given to everyone',
      base,
      [...base, given('files', 'everyone', 'user')],
      ['anne', 'bert', 'cleo'].flatMap((who) => gains(who, 'note', 'plan')),
    ],
    [
      'a policy on a folder and all below',
      base,
      [
        ...base,
        policy('hr', {
          resource_type: undefined,
          actions: undefined,
          resources: [{ resource: 'docs/folder/hr', actions: ['read'], below: true }],
        }),
        given('hr', 'subject', 'user/bert'),
      ],
      [read('bert', 'plan', 'deny allow gained'), 'user/bert read docs/folder/hr deny allow gained'],
    ],
    [
      'every action',
      [...base, toStaff],
      [...without(base, policy('files')), policy('files', { actions: ['*'] }), toStaff],
      ['note', 'plan'].map((what) => `user/anne write docs/file/${what} deny allow gained`),
    ],
    [
      'a DENY of a higher priority',
      [...base, toStaff],
      [...base, toStaff, denied, given('shut', 'subject', 'user/anne')],
      loses('anne', 'note', 'plan'),
    ],
    [
      'a DENY that loses its priority to the ALLOW',
      [...base, toStaff, denied, given('shut', 'group', 'team')],
      [
        ...without(base, policy('files')),
        policy('files', { priority: 2 }),
        toStaff,
        denied,
        given('shut', 'group', 'team'),
      ],
      gains('anne', 'note', 'plan'),
    ],
    [
      'a membership that ends',
      [...base, toStaff],
      [...without(base, member('team', 'user/anne')), toStaff, member('team', 'user/anne', { expires_at: tomorrow })],
      ['note', 'plan'].map((what) => read('anne', what, 'allow depends lost')),
    ],
    [
      'a resource that moves out of a folder',
      [...base, given('files', 'role', 'reader'), holds('reader', 'team', { resource: 'docs/folder/hr' })],
      [
        ...without(base, record('resource', { type: 'docs/file', name: 'plan' })),
        record('resource', { type: 'docs/file', name: 'plan', parents: ['docs/folder/it'] }),
        given('files', 'role', 'reader'),
        holds('reader', 'team', { resource: 'docs/folder/hr' }),
      ],
      loses('anne', 'plan'),
    ],
    [
      'a subject of another name',
      [...base, given('files', 'subject', 'user/cleo')],
      [
        ...without(base, record('subject', { type: 'user', id: 'cleo' })),
        record('subject', { type: 'user', id: 'cora' }),
        given('files', 'subject', 'user/cora'),
      ],
      [...loses('cleo', 'note', 'plan'), ...gains('cora', 'note', 'plan')],
    ],
    ['nothing but a description', base, [...without(base, policy('files')), policy('files', { description: 'x' })], []],
    [
      'a membership that was over',
      base,
      [...base, toStaff, member('staff', 'user/bert', { expires_at: '2026-01-01T00:00:00Z' })],
      gains('anne', 'note', 'plan'),
    ],
  ];

  it.each(changes)('%s', (_, before, after, expected) => {
    const impact = impactOf(before, after);
    expect([...impact.pairs()].map(short)).toEqual(expected);
    const { gained, lost, mixed, unknown } = impact.delta.counts;
    expect(gained + lost + mixed + unknown).toBe(expected.length);
    const back = [...impactOf(after, before).pairs()].map(({ change }) => change);
    expect(back.filter((change) => change === 'gained')).toHaveLength(lost);
  });
});

describe('findings', () => {
  const invoices = Array.from({ length: 30 }, (_, at) =>
    record('resource', { type: 'docs/file', name: `f${at}`, properties: { owner: `u${at % 10}` } }),
  );
  const people = Array.from({ length: 10 }, (_, at) => record('subject', { type: 'user', id: `u${at}` }));
  const shut = policy('shut', { effect: 'DENY', priority: 1 });
  const onFolder = holds('reader', 'user/bert', { resource: 'docs/folder/it' });
  const ownFiles = policy('own', { condition: 'resource.properties.owner == subject.id' });
  const toStaff = given('files', 'group', 'staff');
  const tomorrow = { expires_at: '2026-11-24T00:00:00Z' };
  const later = { expires_at: '2030-01-01T00:00:00Z' };

  function said(before: DeclaredRecord[], after: DeclaredRecord[]) {
    return impactOf(before, after).delta.findings.map(
      ({ change, subjects, actions, actions_except, resources, condition, condition_before, from, until }) => {
        const who = [
          ...subjects.principals.map(({ principal, subjects: some, of }) => `${principal} ${some}/${of}`),
          ...subjects.unrecorded.map((type) => `?${type}`),
          ...(subjects.named_role === undefined ? [] : [`named ${subjects.named_role}`]),
        ].join(', ');
        const what = resources
          .map(({ type, which, below, names }) => [which, names?.join(' ') ?? type, below].filter(Boolean).join(' '))
          .join(', ');
        const except = actions_except === undefined ? '' : ` but ${actions_except.join(' ')}`;
        const when = [from, until].some((one) => one !== null) ? `; ${from ?? 'now'} to ${until ?? 'ever'}` : '';
        const was = condition_before === undefined ? '' : `; was ${condition_before}`;
        return `${change}: ${who}; ${actions.join(' ')}${except}; ${what}; ${condition}${was}${when}`;
      },
    );
  }

  it.each<[string, DeclaredRecord[], DeclaredRecord[], string[]]>([
    [
      'name a group by which all have it, and what nobody has recorded yet',
      base,
      [...base, toStaff],
      ['gained: subject/user/anne 1/1; read; all docs/file; null'],
    ],
    [
      'name everyone, recorded or not',
      base,
      [...base, given('files', 'everyone', '*')],
      ['gained: everyone 3/3, ?*, ?user; read; all docs/file; null'],
    ],
    [
      'keep what joins subjects and resources as a condition',
      [...base, ...people, ...invoices],
      [...base, ...people, ...invoices, ownFiles, given('own', 'everyone', 'user')],
      ['gained: everyone/user 13/13, ?user; read; all docs/file; resource.properties.owner == subject.id'],
    ],
    [
      'say from when until when',
      [...base, toStaff, member('staff', 'user/bert', tomorrow)],
      [...base, toStaff, member('staff', 'user/bert', later)],
      [
        'gained: subject/user/bert 1/1; read; all docs/file; null; 2026-11-24T00:00:00.000Z to 2030-01-01T00:00:00.000Z',
      ],
    ],
    [
      'have an action that nothing names yet',
      [...base, toStaff],
      [...without(base, policy('files')), policy('files', { actions: ['*'] }), toStaff],
      ['gained: subject/user/anne 1/1; * but read; all docs/file; null'],
    ],
    [
      'have roles that requests name',
      base,
      [...base, given('files', 'role', 'reader')],
      ['gained: named role/reader; read; all docs/file; null'],
    ],
    [
      'leave out roles that requests may not name',
      [...without(base, record('role', { name: 'reader' })), record('role', { name: 'reader', from_requests: false })],
      [
        ...without(base, record('role', { name: 'reader' })),
        record('role', { name: 'reader', from_requests: false }),
        given('files', 'role', 'reader'),
      ],
      [],
    ],
    [
      'say that a condition asks for less',
      [...base, toStaff].map((one) =>
        one.address === 'policy/files' ? policy('files', { condition: 'context.amount < 10' }) : one,
      ),
      [...base, toStaff].map((one) =>
        one.address === 'policy/files' ? policy('files', { condition: 'context.amount < 20' }) : one,
      ),
      ['widened: subject/user/anne 1/1; read; all docs/file; context.amount < 20; was context.amount < 10'],
    ],
    [
      'say that names of what has no record may be anything',
      base,
      [...base, policy('x', { condition: 'resource.name.startsWith("x")' }), given('x', 'subject', 'user/cleo')],
      ['gained: subject/user/cleo 1/1; read; unrecorded docs/file; resource.name.startsWith("x")'],
    ],
    [
      'have what will lie below a resource',
      base,
      [
        ...base,
        given('files', 'role', 'reader'),
        record('role_assignment', {
          role: 'reader',
          entity_type: 'subject',
          entity: 'user/bert',
          resource: 'docs/folder/it',
        }),
      ],
      [
        'gained: named role/reader; read; all docs/file; null',
        'gained: subject/user/bert 1/1; read; unrecorded docs/file docs/folder/it; null',
      ],
    ],
    [
      'have what a DENY that goes leaves to roles below a resource',
      [...base, given('files', 'role', 'reader'), onFolder, shut, given('shut', 'everyone', '*')],
      [...base, given('files', 'role', 'reader'), onFolder, shut],
      [
        'gained: named role/reader; read; all docs/file; null',
        'gained: subject/user/bert 1/1; read; unrecorded docs/file docs/folder/it; null',
      ],
    ],
    [
      'have types of subjects that only a condition names',
      base,
      [...base, policy('robots', { condition: 'subject.type == "robot"' }), given('robots', 'everyone', '*')],
      ['gained: ?robot; read; all docs/file; null'],
    ],
  ])('%s', (_, before, after, expected) => {
    expect(said(before, after)).toEqual(expected);
  });

  it('count what a join allows', () => {
    const before = [...base, ...people, ...invoices];
    const { delta } = impactOf(before, [...before, ownFiles, given('own', 'everyone', 'user')]);
    expect(delta.counts).toEqual({ gained: 30, lost: 0, mixed: 0, unknown: 0 });
    // Of two files no owner is recorded, so that a request may name each of thirteen people.
    expect(delta.findings.map(({ triples, exact }) => [triples, exact])).toEqual([[30 + 2 * 13, true]]);
  });

  it('name the records that bring them, and no others', () => {
    const denied = policy('shut', { effect: 'DENY', priority: 1 });
    const before = [...base, denied, given('shut', 'group', 'staff')];
    const after = [...base, denied, toStaff, member('staff', 'user/cleo')];
    const causes = impactOf(before, after).delta.findings.map(({ subjects, causes: sets, risks }) => [
      subjects.principals.map(({ principal }) => principal),
      sets.map((set) => set.map(({ address, change }) => `${change} ${address}`)),
      risks,
    ]);
    const added = ['added group_membership/staff//subject/user/cleo', 'added policy_assignment/files//group/staff'];
    expect(causes).toEqual([
      [['group/staff'], [[...added, 'removed policy_assignment/shut//group/staff']], ['deny_weakened']],
    ]);
  });

  it.each([
    ['subjects', [given('files', 'subject', 'user/bert'), given('files', 'group', 'team')]],
    ['types of subjects', [given('files', 'everyone', 'robot'), given('files', 'subject', 'user/bert')]],
    ['actions', [toStaff, policy('more', { actions: ['write'] }), given('more', 'group', 'staff')]],
    [
      'resources',
      ['hr', 'it'].map((place) => holds('reader', 'user/bert', { resource: `docs/folder/${place}` })),
      [given('files', 'role', 'reader')],
    ],
  ])('name what brings each of several %s', (_, added, existing: DeclaredRecord[] = []) => {
    const before = [...base, ...existing];
    const { findings } = impactOf(before, [...before, ...added]).delta;
    const told = new Set(findings.flatMap(({ causes: [cause = []] }) => cause.map(({ address }) => address)));
    expect([...told].sort()).toEqual(added.map(({ address }) => address).sort());
    expect(Math.max(...findings.map(({ causes: [cause = []] }) => cause.length))).toBeGreaterThan(1);
  });

  it('name alternatives that bring the same', () => {
    const again = policy('again');
    const { findings } = impactOf(base, [...base, toStaff, again, given('again', 'subject', 'user/anne')]).delta;
    expect(findings[0]?.causes.map((set) => set.map(({ address }) => address))).toEqual([
      ['policy/again', 'policy_assignment/again//subject/user/anne'],
      ['policy_assignment/files//group/staff'],
    ]);
  });

  it('have requests that the engine answers differently', () => {
    const { findings } = impactOf(base, [
      ...base,
      policy('x', { condition: 'context.a > 5' }),
      given('x', 'everyone', '*'),
    ]).delta;
    expect(findings[0]?.witness).toMatchObject({ before: false, after: true, request: { context: { a: 6 } } });
  });

  it('have an identity that hangs on nothing but what they say', () => {
    const after = [...base, toStaff];
    const ids = (records: DeclaredRecord[]) => impactOf(base, records).delta.findings.map(({ id }) => id);
    expect(ids([...after].reverse())).toEqual(ids(after));
    const renamed = after.map((one) => (one === toStaff ? given('same', 'group', 'staff') : one));
    expect(ids([...renamed, policy('same')])).toEqual(ids(after));
  });
});

describe('the identity of a finding', () => {
  it('hangs on the names that are too many to be shown, too', () => {
    const names = Array.from({ length: 25 }, (_, index) => `f${10 + index}`);
    const many = [...base, ...names.map((name) => record('resource', { type: 'docs/file', name }))];
    const findingFor = (covered: string[]) => {
      const resources = covered.map((name) => ({ resource: `docs/file/${name}`, actions: ['read'] }));
      const some = record('policy', { name: 'some', effect: 'ALLOW', resources });
      const [finding] = impactOf(many, [...many, some, given('some', 'subject', 'user/bert')]).delta.findings;
      return finding;
    };
    const [first, second] = [findingFor(names.slice(0, 22)), findingFor([...names.slice(0, 21), 'f33'])];
    expect(second?.resources).toEqual(first?.resources);
    expect(second?.id).not.toBe(first?.id);
  });
});
