import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { below, billing } from './cli/tenant.js';
import { Workbench } from './cli/workbench.js';

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.create();
});
afterAll(() => bench.close());

interface Report {
  mutation: {
    covered: number;
    total: number;
    percent: number;
    mutants: {
      address: string;
      operator: string;
      detail: string;
      status: string;
      line: number;
      test?: string;
      accepted?: string;
    }[];
  };
}

const mutate = async (folder: string, ...flags: string[]) =>
  (await bench.json<Report>(['test', folder, '--mutate', ...flags])).mutation;

/** A tenant in which something can be changed by every operator, so that it makes a difference. */
const RICH = {
  'rich/tenant.yaml': `version: 1
applications:
  docs:
    resource_types:
      folder: { actions: [list, read] }
      page: { actions: [read, edit, print], parents: [{ type: folder, property: folder }] }
    resources:
      hr: { type: folder }
      all: { type: folder }
      plan: { type: page, parents: [folder/hr], properties: { size: 10, owner: ann } }
      memo: { type: page, parents: [folder/all], properties: { size: 20 } }
    roles: { viewer: {}, editor: { includes: [viewer] } }
    policies:
      read: { effect: ALLOW, resource_type: page, actions: [read], assigned_to: [role/docs/viewer] }
      list: { effect: ALLOW, resource_type: folder, actions: [list], assigned_to: [role/docs/viewer] }
      peek: { effect: ALLOW, resource_type: folder, actions: [read], assigned_to: [user/guest] }
      edit:
        effect: ALLOW
        resource_type: page
        actions: [edit]
        condition: resource.properties.size <= 10 && (!has(context.draft) || resource.properties.owner == subject.id)
        modifiers: { ip_ranges: [10.0.0.0/8], time_windows: [{ start: "08:00", end: "18:00" }] }
        assigned_to: [role/docs/editor]
      print: { effect: ALLOW, resources: [{ resource: page/memo, actions: [print] }], assigned_to: [group/staff] }
      sealed:
        effect: DENY
        priority: 10
        resource_type: page
        actions: [read]
        condition: resource.properties.size > 15
        unless: { mfa_required: true }
        assigned_to: [everyone]
groups: { staff: { members: [user/ann, user/ben] }, empty: { roles: [docs/viewer] } }
subjects: { user/ann: {}, user/ben: {}, user/guest: {} }
role_assignments:
  - { role: docs/editor, to: group/staff }
  - { role: docs/viewer, to: user/guest, resource: docs/folder/hr, expires_at: "2027-03-01T00:00:00Z" }
`,
};
const FEW = `clock: 2027-01-31T10:00:00Z
tests:
  - { name: reads, subject: user:ann, action: read, resource: page:plan, expect: allow }
`;

describe('servicectl test --mutate', () => {
  it('proposes tests that the records pass and that kill every survivor', async () => {
    await bench.write({ ...RICH, 'rich/a.test.yaml': FEW });
    const first = await mutate('rich');
    expect(new Set(first.mutants.map(({ operator }) => operator))).toEqual(
      new Set([
        ...['drop-assignment', 'drop-deny', 'drop-end', 'flip-effect', 'drop-clause', 'drop-negation'],
        ...['loosen-comparison', 'widen-actions', 'widen-resources', 'widen-type', 'widen-place'],
        ...['drop-modifier', 'drop-unless'],
      ]),
    );
    const unkilled = first.mutants.filter(({ status }) => status !== 'killed' && status !== 'survived');
    expect(unkilled.map(({ address, detail, status }) => `${status}: ${address} ${detail}`)).toEqual([
      'equivalent: role_assignment/docs/viewer//group/empty removed',
    ]);
    const tests = new Set(first.mutants.flatMap(({ test }) => test ?? []));
    await bench.write({ 'rich/a.test.yaml': `${FEW}${[...tests].join('\n')}\n` });
    const second = await mutate('rich', '--threshold', '100');
    expect(second).toMatchObject({ percent: 100, covered: second.total });
    expect(second.total).toBe(first.total);
  });

  it.each([
    [
      'an assignment',
      '{ subject: user:alice, action: read, resource: invoice:INV-1, expect: allow }',
      'drop-assignment',
    ],
    [
      'a looser comparison at its bound',
      '{ subject: user:bob, action: approve, resource: { type: invoice, name: x, properties: { amount: 1000 } }, expect: deny }',
      'loosen-comparison',
    ],
    [
      'the action *',
      '{ subjects: [user:alice], actions: [read, approve], resources: [invoice:INV-1], allowed: [{ actions: [read] }] }',
      'widen-actions',
    ],
  ])('has tests notice %s', async (_, test, operator) => {
    const other =
      'tests:\n  - { name: none, subject: user:bob, action: read, resource: invoice:INV-1, expect: deny }\n';
    await bench.write({ ...below('notice', billing()), 'notice/t.test.yaml': other });
    const killed = async () =>
      (await mutate('notice')).mutants.filter((one) => one.operator === operator && one.status === 'killed').length;
    const before = await killed();
    await bench.write({ 'notice/t.test.yaml': `${other}  - ${test.replace('{', '{ name: it,')}\n` });
    expect(await killed()).toBeGreaterThan(before);
  });

  it('shows survivors at their places with tests to paste, and fails below the threshold', async () => {
    await bench.write({
      ...below('text', billing()),
      'text/t.test.yaml':
        'tests:\n  - { name: a, subject: user:alice, action: read, resource: invoice:INV-1, expect: allow }\n',
    });
    const { code, stdout } = await bench.run(['test', 'text', '--mutate', '--threshold', '99.9']);
    expect(code).toBe(1);
    expect(
      stdout,
    ).toContain(`text/apps/billing.yaml:17:20: survived: policy/billing/approve with <= instead of < in resource.properties.amount < 1000
  - name: policy/billing/approve with <= instead of < in resource.properties.amount < 1000 is noticed
    subject: user:bob
    action: approve
    resource: { type: invoice, name: INV-1, properties: { amount: 1000 } }
    expect: deny
`);
    expect(stdout).toMatch(/Killed \d+ of \d+ mutants \(\d\d\.\d\d %\); \d+ survived\n/);
    expect(stdout).toMatch(/less than 99\.9 %\n$/);
  });

  it('accepts survivors by comments, and says nothing where tests fail', async () => {
    const files = below('accept', billing());
    const apps = (files['accept/apps/billing.yaml'] ?? '').replace(
      '      approve:\n',
      '      approve: # accept mutation: decided by the ledger as well\n',
    );
    const test = (expected: string) =>
      `tests:\n  - { name: a, subject: user:alice, action: read, resource: invoice:INV-1, expect: ${expected} }\n`;
    await bench.write({ ...files, 'accept/apps/billing.yaml': apps, 'accept/t.test.yaml': test('allow') });
    const { mutants, total } = await mutate('accept');
    const accepted = mutants.filter((one) => one.accepted !== undefined);
    expect(new Set(accepted.map(({ address, accepted: why }) => `${address}: ${why}`))).toEqual(
      new Set(['policy/billing/approve: decided by the ledger as well']),
    );
    expect(total).toBe(mutants.length - accepted.length);
    await bench.write({ 'accept/t.test.yaml': test('deny') });
    const failing = await bench.run(['test', 'accept', '--mutate']);
    expect(failing).toMatchObject({ code: 1, stderr: expect.stringContaining('Not all tests pass') });
    expect(failing.stdout).not.toContain('mutants');
  });

  it('kills the mutants of the examples with their tests', async () => {
    for (const name of ['tenant', 'document-store']) {
      const folder = new URL(`../../../examples/${name}`, import.meta.url).pathname;
      const { mutants } = await mutate(folder);
      const survivors = mutants.filter(({ status, accepted }) => status === 'survived' && accepted === undefined);
      expect(survivors.map(({ address, detail }) => `${address} ${detail}`)).toEqual([]);
    }
  });
});
