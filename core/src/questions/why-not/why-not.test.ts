import { describe, expect, it } from 'vitest';
import type { ManifestFile } from '../../manifest/manifest.js';
import { readManifest } from '../../manifest/read.js';
import { patchTree } from '../../patch/patch-tree.js';
import { computeImpact } from '../impact/compute-impact.js';
import type { Proposal, ProposedChange } from './proposal.js';
import { isRefused, whyNot } from './why-not.js';

const NOW = Date.parse('2027-03-01T12:00:00Z');

const files = (more = ''): ManifestFile[] => [
  {
    path: 'billing.yaml',
    text: `version: 1
applications:
  billing:
    resource_types:
      invoice: { actions: [read, approve], properties: { amount: number } }
    resources:
      # The first invoice.
      INV-1: { type: invoice, properties: { amount: 1200 } }
      INV-2: { type: invoice, properties: { amount: 10 } }
    roles:
      clerk: {}
      accountant: {}
    policies:
      read: { effect: ALLOW, resource_type: invoice, actions: [read], assigned_to: [role/billing/clerk] }
      approve:
        effect: ALLOW
        resource_type: invoice
        actions: [approve]
        # Large ones go to the board.
        condition: resource.properties.amount < 1000 && (context.mfa == true || context.ip == "10.0.0.1")
        assigned_to: [role/billing/accountant]
${more}groups:
  finance: { members: [user/alice], roles: [billing/clerk] }
`,
  },
  {
    path: 'people.yaml',
    text: 'subjects:\n  user/alice: {} # in finance\n  user/bob: { roles: [billing/accountant] }\n  user/carol: {}\n',
  },
];

const DENY = `      freeze: { effect: DENY, priority: 5, resource_type: invoice, actions: ['*'], assigned_to: [group/finance] }
`;

const ask = (who: string, action: string, what: string, context = {}) => ({
  ...{ subject: { type: 'user', id: who }, action: { name: action }, resource: { type: 'invoice', name: what } },
  context,
});

function proposed(request: ReturnType<typeof ask>, tree = files(), weigh?: number) {
  const { manifest, faults } = readManifest(tree, { now: NOW });
  expect(faults).toEqual([]);
  return whyNot(manifest?.records ?? [], request, { now: NOW, weigh });
}

describe('whyNot', () => {
  const suspending = (who: string, how: string) =>
    files().map((file) => ({
      ...file,
      text: file.text.replace(new RegExp(`user/${who}: \\{`), `user/${who}: { ${how}`),
    }));

  it.each([['suspended: true'], ['suspended_until: 2099-01-01T00:00:00Z']])(
    'proposes to reinstate who is suspended (%s), which takes away a protection',
    (how) => {
      const { allowed, proposals } = proposed(ask('alice', 'read', 'INV-1'), suspending('alice', `${how} `));
      expect(allowed).toBe(false);
      expect(proposals).toHaveLength(1);
      expect(proposals[0]).toMatchObject({ summary: 'reinstate subject/user/alice', removes_protection: true });
      expect(proposals[0]?.changes[0]?.after?.fields).toEqual({ type: 'user', id: 'alice' });
    },
  );

  it('proposes nothing for who is suspended without reinstating as well', () => {
    const { proposals } = proposed(ask('carol', 'read', 'INV-1'), suspending('carol', 'suspended: true '));
    expect(proposals.length).toBeGreaterThan(0);
    for (const { summary, removes_protection } of proposals) {
      expect(summary).toMatch(/^reinstate subject\/user\/carol, and /);
      expect(removes_protection).toBe(true);
    }
  });

  it('says what the caller could do before what takes away a protection, which is marked and comes after all else', () => {
    const both = files().map((file) => ({
      ...file,
      text: file.text
        .replace('roles:\n      clerk', 'roles:\n      free: {}\n      clerk')
        .replace(
          '    policies:\n',
          '    policies:\n      all: { effect: ALLOW, resource_type: invoice, actions: ["*"], assigned_to: [role/billing/free] }\n',
        ),
    }));
    const { ask: otherwise, proposals } = proposed(ask('bob', 'approve', 'INV-2'), both);
    expect(otherwise.requests[0]?.summary).toBe('ask with a second factor: context.mfa = true');
    const marked = proposals.filter(({ removes_protection }) => removes_protection);
    expect(marked.length).toBeGreaterThan(0);
    expect(proposals.slice(-marked.length)).toEqual(marked);
    expect(proposals[0]?.removes_protection).toBeUndefined();
  });

  it('proposes to take a DENY from everyone', () => {
    const everyone = `      freeze: { effect: DENY, priority: 5, resource_type: invoice, actions: ['*'], assigned_to: [everyone] }\n`;
    const { proposals } = proposed(ask('alice', 'read', 'INV-1'), files(everyone));
    expect(proposals.map(({ summary }) => summary)).toContain('remove policy_assignment/billing/freeze//everyone/*');
  });

  it('proposes links, ranked by what else they would grant', () => {
    const { allowed, proposals } = proposed(ask('carol', 'read', 'INV-1'));
    expect(allowed).toBe(false);
    expect(proposals.map(({ summary, grants }) => [summary, grants])).toEqual([
      ['give role/billing/clerk to subject/user/carol on resource/billing/invoice/INV-1', 0],
      ['give role/billing/clerk to subject/user/carol', 1],
      ['put subject/user/carol into group/finance', 1],
      ['assign policy/billing/read to subject/user/carol', 1],
    ]);
  });

  it.each<[string, ReturnType<typeof ask>, string[], string]>([
    [
      'a property',
      ask('bob', 'approve', 'INV-1', { mfa: true }),
      ['set "amount" of resource/billing/invoice/INV-1 to 999'],
      '',
    ],
    [
      'a clause',
      ask('bob', 'approve', 'INV-2'),
      ['take the clause context.mfa == true || context.ip == "10.0.0.1" out of policy/billing/approve'],
      '',
    ],
    ['a DENY less', ask('alice', 'read', 'INV-1'), ['remove policy_assignment/billing/freeze//group/finance'], DENY],
  ])('proposes %s', (_, request, expected, more) => {
    const { proposals } = proposed(request, files(more));
    const summaries = proposals.map(({ summary }) => summary);
    expect(summaries).toEqual(expect.arrayContaining(expected));
  });

  it.each([
    [
      'resource.properties.amount <= subject.properties.limit',
      ['set "amount" of resource/app/doc/d to 10', 'set "limit" of subject/user/u to 20'],
    ],
    ['subject.id in resource.properties.readers', ['set "readers" of resource/app/doc/d to ["x","u"]']],
    ['resource.properties.state in ["open", "new"]', ['set "state" of resource/app/doc/d to "open"']],
  ])('proposes properties that fit what they are compared with: %s', (condition, expected) => {
    const text = `version: 1
applications:
  app:
    resource_types: { doc: { actions: [read] } }
    resources: { d: { type: doc, properties: { amount: 20, readers: [x], state: shut } } }
    policies: { p: { effect: ALLOW, resource_type: doc, actions: [read], condition: '${condition}', assigned_to: [user/u] } }
subjects: { user/u: { properties: { limit: 10 } } }
`;
    const request = {
      subject: { type: 'user', id: 'u' },
      action: { name: 'read' },
      resource: { type: 'doc', name: 'd' },
    };
    const { proposals } = proposed({ ...request, context: {} }, [{ path: 'a.yaml', text }]);
    expect(proposals.map(({ summary }) => summary)).toEqual(expect.arrayContaining(expected));
  });

  it('proposes two changes where one does not do, and a subject without a record', () => {
    const { proposals } = proposed(ask('dave', 'approve', 'INV-1', { mfa: true }));
    expect(proposals.length).toBeGreaterThan(0);
    expect(proposals[0]?.changes).toHaveLength(3);
    expect(proposals[0]?.summary).toContain(', and ');
  });

  it('has nothing to propose for what is allowed', () => {
    expect(proposed(ask('alice', 'read', 'INV-1'))).toMatchObject({ allowed: true, proposals: [] });
  });
});

describe('proposals and access rules', () => {
  const rule = (mode = '') => ({
    path: 'rules.yaml',
    text: `access_rules:
  no-carol: { ${mode}never: { subjects: { named: [user/carol] }, actions: [read], resources: { named: [billing/invoice/INV-2] } } }
  nothing: { never: { subjects: { named: [user/carol] }, actions: [approve], resources: billing/invoice } }
`,
  });

  it('are marked and come last where a rule would refuse them, whatever they grant', () => {
    const { proposals } = proposed(ask('carol', 'read', 'INV-1'), [...files(), rule()]);
    expect(proposals.map((one) => [one.summary, isRefused(one), one.breaks.map(({ rule }) => rule)])).toEqual([
      ['give role/billing/clerk to subject/user/carol on resource/billing/invoice/INV-1', false, []],
      ['give role/billing/clerk to subject/user/carol', true, ['access_rule/no-carol']],
      ['put subject/user/carol into group/finance', true, ['access_rule/no-carol']],
      ['assign policy/billing/read to subject/user/carol', true, ['access_rule/no-carol']],
    ]);
    expect(proposals[1]?.breaks[0]?.detail).toMatch(/"no-carol" forbids it, and user\/carol may "read" .*INV-2/);
  });

  it('keep their rank where a rule only warns', () => {
    const { proposals } = proposed(ask('carol', 'read', 'INV-1'), [...files(), rule('mode: warn, ')]);
    expect(proposals.map((one) => [isRefused(one), one.breaks.map(({ mode }) => mode)])).toEqual([
      [false, []],
      ...[1, 2, 3].map(() => [false, ['warn']]),
    ]);
  });
});

describe('the weighing of proposals', () => {
  /** A tenant with so many roles by which a policy can be had. */
  const wide = (roles: number): ManifestFile[] => [
    {
      path: 'a.yaml',
      text: `version: 1
applications:
  app:
    resource_types: { doc: { actions: [read] } }
    resources: { d: { type: doc } }
    roles: { ${Array.from({ length: roles }, (_, n) => `r${n}: {}`).join(', ')} }
    policies: { p: { effect: ALLOW, resource_type: doc, actions: [read], assigned_to: [${Array.from({ length: roles }, (_, n) => `role/app/r${n}`).join(', ')}] } }
subjects: { user/alice: {} }
`,
    },
  ];
  const request = {
    ...{ subject: { type: 'user', id: 'alice' }, action: { name: 'read' }, resource: { type: 'doc', name: 'd' } },
    context: {},
  };

  it('is of all that fit into a bounded work, and not of a few', () => {
    const { proposals, not_weighed } = proposed(request, wide(12));
    expect([proposals.length, not_weighed]).toEqual([25, 0]);
  });

  it('is of few where roles include many, each of which requests may name', () => {
    const [{ path, text }] = wide(400) as [ManifestFile];
    const chain = text.replaceAll(/r(\d+): {}/g, (role, n) =>
      n === '399' ? role : `r${n}: { includes: [r${Number(n) + 1}] }`,
    );
    const { proposals, not_weighed } = proposed(request, [{ path, text: chain }]);
    expect(proposals).not.toHaveLength(0);
    expect(proposals.length + not_weighed).toBe(801);
    expect(proposals.length).toBeLessThan(25);
  });

  it('says how many are left, which are the broad ones', () => {
    const { proposals, not_weighed } = proposed(request, wide(12), 12);
    expect([proposals.length, not_weighed]).toEqual([12, 13]);
    expect(proposals.every(({ breadth }) => breadth === 'resource')).toBe(true);
  });
});

describe('what proposals grant', () => {
  it.each([
    ['a subject that has a record', ask('carol', 'approve', 'INV-2')],
    ['a subject that has none', ask('dora', 'read', 'INV-1')],
    ['a resource that has none', ask('carol', 'read', 'INV-9'), 0],
    ['one whom a DENY stops', ask('alice', 'read', 'INV-1')],
  ])('is what a comparison of the whole trees says, for %s', (_, request, asked = 1) => {
    const { manifest } = readManifest(files(DENY), { now: NOW });
    const records = manifest?.records ?? [];
    const { proposals } = proposed(request, files(DENY));
    expect(proposals.length).toBeGreaterThan(0);
    for (const { changes, grants, findings, summary } of proposals) {
      const after = new Map(records.map((record) => [record.address, record]));
      for (const { before } of changes) if (before !== undefined) after.delete(before.address);
      for (const { after: made } of changes) if (made !== undefined) after.set(made.address, made);
      const { delta } = computeImpact({ records }, { records: after.values() }, { now: NOW });
      const { gained, mixed, unknown } = delta.counts;
      expect([summary, grants, findings]).toEqual([summary, gained + mixed + unknown - asked, delta.findings.length]);
    }
  });
});

it('says which proposals grant what has no record, too', () => {
  const text = `version: 1
applications:
  a:
    resource_types: { t: { actions: [read], properties: { open: boolean } } }
    resources: { t/x: { properties: { open: false } } }
    policies:
      open: { effect: ALLOW, resource_type: t, actions: [read], condition: resource.properties.open, assigned_to: [user/ann] }
      all: { effect: ALLOW, resource_type: t, actions: [read] }
subjects: { user/ann: {} }
`;
  const request = {
    subject: { type: 'user', id: 'ann' },
    action: { name: 'read' },
    resource: { type: 't', name: 'x' },
  };
  const { proposals } = proposed({ ...request, context: {} }, [{ path: 'a.yaml', text }]);
  const told = proposals.map(({ summary, grants, beyond_records }) => [summary, grants, beyond_records]);
  expect(told).toContainEqual(['set "open" of resource/a/t/x to true', 0, false]);
  expect(told).toContainEqual(['assign policy/a/all to subject/user/ann', 0, true]);
});

describe('patchTree', () => {
  const OTHER_FORMS = `policy_assignments:
  - { policy: billing/freeze, to: user/alice } # for now
  - policy: billing/freeze
    to: role/billing/clerk
    expires_at: 2030-01-01T00:00:00Z
group_memberships:
  - { group: auditors, member: user/alice, starts_at: 2030-01-01T00:00:00Z }
groups:
  auditors: { policies: [billing/read] }
`;
  const FREEZE = `      # Nobody reads in March.
      freeze: { effect: DENY, priority: 5, resource_type: invoice, actions: ['*'], assigned_to: [] }
`;

  it.each<[string, string, ReturnType<typeof ask>, ManifestFile[]]>([
    ['a right', 'give role/billing/clerk to subject/user/carol', ask('carol', 'read', 'INV-1'), files()],
    [
      'a property',
      'set "amount" of resource/billing/invoice/INV-1 to 999',
      ask('bob', 'approve', 'INV-1', { mfa: true }),
      files(),
    ],
    [
      'a clause less',
      'take the clause context.mfa == true || context.ip == "10.0.0.1" out of policy/billing/approve',
      ask('bob', 'approve', 'INV-2'),
      files(),
    ],
    ['a subject', 'give role/billing/clerk to subject/user/dave', ask('dave', 'read', 'INV-2'), files()],
    [
      'the removal of an only assignment, and of a DENY',
      'remove policy/billing/freeze with its assignments',
      ask('alice', 'read', 'INV-1'),
      files(DENY),
    ],
    [
      'removals of what is written in several forms and files',
      'remove policy/billing/freeze with its assignments',
      ask('alice', 'read', 'INV-1'),
      [...files(FREEZE), { path: 'more.yaml', text: OTHER_FORMS }],
    ],
    [
      'a membership without its period',
      'put subject/user/alice into group/auditors without a period',
      ask('alice', 'read', 'INV-1'),
      [
        ...files('').map((file) => ({ ...file, text: file.text.replace('members: [user/alice], ', '') })),
        { path: 'more.yaml', text: OTHER_FORMS.slice(OTHER_FORMS.indexOf('group_memberships')) },
      ],
    ],
  ])(
    'writes every proposal of %s, so that the request is allowed, and keeps the rest',
    (_, summary, request, before) => {
      const { proposals } = proposed(request, before);
      expect(proposals.map((one) => one.summary)).toContain(summary);
      for (const proposal of proposals) {
        const { changed, records } = patchTree(before, proposal, NOW);
        expect(whyNot(records, request, { now: NOW }).allowed, proposal.summary).toBe(true);
        const after = before.map((file) => changed.find(({ path }) => path === file.path) ?? file);
        const lines = (list: ManifestFile[]) => list.flatMap(({ text }) => text.split('\n'));
        const gone = lines(before).filter((line) => !lines(after).includes(line));
        expect(gone.length, `${proposal.summary}\n${gone.join('\n')}`).toBeLessThanOrEqual(
          proposal.breadth === 'policy' ? 7 : 3,
        );
        expect(lines(after).join('\n')).toContain('# Large ones go to the board.');
      }
    },
  );

  it.each([
    ['user/alice, user/bob', 'group_membership/others//subject/user/alice would change, too. Nothing was written.'],
    ['user/alice', 'cannot be written into the files: "billing.yaml" says it for other records, too'],
  ])('refuses what would change another record, too: an alias of [%s]', (members, expected) => {
    const aliased = files().map((file) => ({
      ...file,
      text: file.text
        .replace('members: [user/alice], roles', `members: &who [${members}], roles`)
        .concat(file.path === 'billing.yaml' ? '  others: { members: *who }\n' : ''),
    }));
    const { manifest } = readManifest(aliased, { now: NOW });
    const before = manifest?.records.find((one) => one.address === 'group_membership/finance//subject/user/alice');
    const proposal = { summary: '', changes: [{ before } as ProposedChange], breadth: 'link' as const };
    expect(() => patchTree(aliased, proposal, NOW)).toThrow(expected);
  });

  it('refuses a file of several documents', () => {
    const several = files().map((file) => ({ ...file, text: `${file.text}---\n{}\n` }));
    const [proposal] = proposed(ask('carol', 'read', 'INV-1'), several).proposals;
    expect(() => patchTree(several, proposal as Proposal, NOW)).toThrow(
      '"people.yaml" holds several YAML documents and cannot be patched',
    );
  });
});
