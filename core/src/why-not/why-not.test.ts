import { describe, expect, it } from 'vitest';
import type { ManifestFile } from '../manifest/manifest.js';
import { readManifest } from '../manifest/read.js';
import { patchFiles } from './patch-files.js';
import { whyNot } from './why-not.js';

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

function proposed(request: ReturnType<typeof ask>, tree = files()) {
  const { manifest, faults } = readManifest(tree, { now: NOW });
  expect(faults).toEqual([]);
  return whyNot(manifest?.records ?? [], request, NOW);
}

describe('whyNot', () => {
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

describe('patchFiles', () => {
  it.each([
    ['carol', 'read', 'INV-1', {}],
    ['bob', 'approve', 'INV-1', { mfa: true }],
    ['bob', 'approve', 'INV-2', {}],
    ['dave', 'read', 'INV-2', {}],
  ])(
    'writes every proposal for %s to %s %s, so that it is allowed, and keeps the rest',
    (who, action, what, context) => {
      const request = ask(who, action, what, context);
      const before = files();
      const { placeOf } = readManifest(before, { now: NOW });
      for (const proposal of proposed(request).proposals) {
        const changed = patchFiles(before, placeOf, proposal);
        const after = before.map((file) => changed.find(({ path }) => path === file.path) ?? file);
        expect(proposed(request, after).allowed, proposal.summary).toBe(true);
        const lines = (list: ManifestFile[]) => list.flatMap(({ text }) => text.split('\n'));
        const gone = lines(before).filter((line) => !lines(after).includes(line));
        expect(gone.length, proposal.summary).toBeLessThanOrEqual(1);
        expect(lines(after).join('\n')).toContain('# Large ones go to the board.');
      }
    },
  );

  it('refuses removals, naming the place', () => {
    const tree = files(DENY);
    const { placeOf } = readManifest(tree, { now: NOW });
    const [proposal] = proposed(ask('alice', 'read', 'INV-1'), tree).proposals;
    expect(() => patchFiles(tree, placeOf, proposal ?? { summary: '', changes: [] })).toThrow(
      /billing\.yaml:\d+ cannot be written/,
    );
  });
});
