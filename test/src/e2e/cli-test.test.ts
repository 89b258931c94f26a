import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { below, billing } from './cli/tenant.js';
import { Workbench } from './cli/workbench.js';

const PAGE = fileURLToPath(new URL('../../../docs/testing.md', import.meta.url));

let bench: Workbench;
/** The YAML of docs/testing.md, by the file name in its first line. */
let shown: Record<string, string>;
beforeAll(async () => {
  bench = await Workbench.create();
  const text = await readFile(PAGE, 'utf8');
  shown = Object.fromEntries(
    [...text.matchAll(/```yaml\n# (\S+)\n([\s\S]*?)```/g)].map(([, name, yaml]) => [name ?? '', yaml ?? '']),
  );
  await bench.write(below('shown', shown));
});
afterAll(() => bench.close());

const TABLE = `
tests:
  - name: clerks
    subjects: [user:alice, user:bob]
    actions: [read, approve]
    resources: [invoice:INV-1]
    allowed:
      - { subjects: [user:alice], actions: [read] }
      - { subjects: [user:bob], actions: [approve], policy: billing/approve }
`;

describe('servicectl test', () => {
  it('passes what its page shows, and counts the questions as that says', async () => {
    expect(Object.keys(shown)).toEqual(['tenant.yaml', 'access.test.yaml', 'auditors.test.yaml']);
    expect(await bench.run(['test', 'shown', '--filter', 'access.test.yaml'])).toEqual({
      code: 0,
      stderr: '',
      stdout: '✓ 21 questions in 2 files: passed\n',
    });
    expect(await bench.json(['test', 'shown'])).toMatchObject({ files: 2, passed: 22, failed: 0, faults: [] });
  });

  it('is not read by validate, and refused as records', async () => {
    expect(await bench.json(['validate', 'shown'])).toMatchObject({ valid: true, files: 1 });
    const refused = await bench.run(['validate', 'shown/access.test.yaml']);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('servicectl test') });
  });

  it.each([
    [
      'a grant that no table lists',
      'applications: { billing: { policies: { more: { effect: ALLOW, resource_type: invoice, actions: [read], assigned_to: [user/bob] } } } }',
      TABLE,
      /^t\.test\.yaml:3:5: failed: clerks: user:bob read invoice:INV-1\n {2}expected {2}deny\n {2}actual {4}allow\n {2}reason .*policy\/billing\/more/m,
    ],
    [
      'a grant beyond an exact set of subjects',
      'groups: { more: { members: [user/bob], roles: [billing/clerk] } }',
      'tests: [{ name: readers, who_can: { action: read, resource: invoice:INV-1 }, exactly: [user:alice] }]',
      /readers: who can read invoice:INV-1\n.*\n.*\n {2}reason {4}not expected: user:bob/,
    ],
    [
      'a subject missing in an exact set',
      '',
      'tests: [{ name: approvers, who_can: { action: approve, resource: invoice:INV-1 }, exactly: [user:alice, user:bob] }]',
      /reason {4}missing: user:alice/,
    ],
    [
      'a resource beyond an exact set',
      'applications: { billing: { resources: { INV-2: { type: invoice } } } }',
      'tests: [{ name: reading, what_can: { subject: user:alice, action: read }, exactly: [invoice:INV-1] }]',
      /not expected: billing\/invoice\/INV-2/,
    ],
    [
      'another action',
      '',
      'tests: [{ name: doing, what_can: { subject: user:alice, resource: invoice:INV-1 }, exactly: [read, approve] }]',
      /missing: approve/,
    ],
    [
      'another policy',
      '',
      'tests: [{ name: why, subject: user:bob, action: approve, resource: invoice:INV-1, expect: allow, policy: billing/read }]',
      /expected {2}allow by billing\/read\n {2}actual {4}allow by billing\/approve/,
    ],
    [
      'another reason',
      '',
      'tests: [{ name: why, subject: user:bob, action: read, resource: invoice:INV-1, expect: deny, reason: locked }]',
      /expected {2}deny, because "locked"\n {2}actual {4}deny\n {2}reason {4}No policy matched/,
    ],
    [
      'a decision that cannot be made, where a denial is expected',
      '',
      'tests: [{ name: text, subject: user:bob, action: approve, resource: { type: invoice, name: x, properties: { amount: many } }, expect: deny }]',
      /expected {2}deny\n {2}actual {4}failure/,
    ],
  ])('fails on %s', async (_, records, tests, expected) => {
    await bench.write({
      ...below('failing', billing()),
      'failing/more.yaml': records,
      'failing/t.test.yaml': tests.trimStart(),
    });
    const { code, stdout } = await bench.run(['test', '.'], { cwd: 'failing' });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      expected.source.startsWith('^t') ? new RegExp(expected.source.replace(':3:5:', ':2:5:'), 'm') : expected,
    );
    expect(stdout).toMatch(/\n✗ 1 of \d questions? in 1 file failed\n$/);
  });

  it('takes context and clock from the file, and from a test over it', async () => {
    const records = `applications:
  billing:
    policies:
      night: { effect: ALLOW, resource_type: invoice, actions: [read], condition: context.site == "a", modifiers: { time_windows: [{ start: "00:00", end: "06:00", zone: UTC }] }, assigned_to: [user/bob] }
`;
    const ask = (name: string, more: string, expected: string) =>
      `  - { name: ${name}, subject: user:bob, action: read, resource: invoice:INV-1, expect: ${expected}${more} }\n`;
    const tests = `clock: 2027-01-31T02:00:00Z
context: { site: a, other: 1 }
tests:
${ask('file', '', 'allow')}${ask('clock', ', clock: "2027-01-31T12:00:00Z"', 'deny')}${ask('context', ', context: { site: b }', 'deny')}`;
    await bench.write({ ...below('clock', billing()), 'clock/more.yaml': records, 'clock/t.test.yaml': tests });
    expect(await bench.json(['test', 'clock'])).toMatchObject({ passed: 3, failed: 0 });
    await bench.write({ 'clock/t.test.yaml': tests.replace(/^clock.*\n/, '') });
    const late = await bench.json(['test', 'clock', '--now', '2027-01-31T12:00:00Z'], { code: 1 });
    expect(late).toMatchObject({ failed: 1, results: [{ test: 'file', passed: false }, {}, {}] });
  });

  it('asks about actions with properties, in line and by the names of fixtures', async () => {
    const records = `applications:
  billing:
    resource_types: { note: { actions: [drop] } }
    resources: { N: { type: note } }
    policies:
      softly: { effect: ALLOW, resource_type: note, actions: [drop], condition: action.properties.soft == true, assigned_to: [user/bob] }
`;
    const tests = `fixtures: { actions: { softly: { name: drop, properties: { soft: true } } } }
tests:
  - name: table
    subjects: [user:bob, user:alice]
    actions: [drop, softly, { name: drop, properties: { soft: false } }]
    resources: [note:N]
    allowed: [{ subjects: [user:bob], actions: [softly] }]
    denied: [{ subjects: [user:bob], actions: [{ name: drop, properties: { soft: false } }], reason: No policy matched }]
  - { name: one, subject: user:bob, action: { name: drop, properties: { soft: true } }, resource: note:N, expect: allow }
  - { name: who, who_can: { action: softly, resource: note:N }, exactly: [user:bob] }
  - { name: what, what_can: { subject: user:bob, action: softly }, exactly: [note:N] }
`;
    await bench.write({ ...below('actions', billing()), 'actions/more.yaml': records, 'actions/t.test.yaml': tests });
    const { results, failed } = await bench.json<{ results: { question: string }[]; failed: number }>([
      'test',
      'actions',
    ]);
    expect(failed).toBe(0);
    expect(results.map(({ question }) => question)).toContain('user:bob drop { soft: false } note:N');
    await bench.write({
      'actions/t.test.yaml': `${tests.replace('softly: { name: drop', 'drop: { name: drpo')}  - { name: x, subject: user:bob, action: { name: drop }, resource: note:N, expect: allow }
`,
    });
    const { stdout } = await bench.run(['test', 'actions']);
    expect(stdout).toMatch(/tests\[4\]\.action\.properties: is missing/);
    await bench.write({ 'actions/t.test.yaml': tests.replace('softly: { name: drop', 'drop: { name: drpo') });
    const names = await bench.run(['test', 'actions']);
    expect(names.stdout).toMatch(/fixtures\.actions\.drop: "drop" is the name of an action that a type declares/);
    expect(names.stdout).toMatch(/billing\/note has no action "softly"/);
  });

  it('reads records that only the tests have, also for external ones', async () => {
    await bench.write({
      'stand-ins/tenant.yaml': `version: 1
external: [role/billing/clerk, application/billing]
groups: { finance: { members: [user/alice], roles: [billing/clerk] } }
subjects: { user/alice: {} }
`,
      'stand-ins/a.test.yaml': `records:
  applications:
    billing:
      resource_types: { invoice: { actions: [read] } }
      resources: { INV-1: { type: invoice } }
      roles: { clerk: {} }
      policies: { read: { effect: ALLOW, resource_type: invoice, actions: [read], assigned_to: [role/billing/clerk] } }
tests: [{ name: reads, who_can: { action: read, resource: invoice:INV-1 }, exactly: [user:alice] }]
`,
    });
    expect(await bench.json(['test', 'stand-ins'])).toMatchObject({ passed: 1, failed: 0 });
    await bench.write({
      'stand-ins/a.test.yaml': 'records:\n  roles:\n    x: { assigned_to: [user/zoe] }\ntests: [{ name: a }]\n',
    });
    const { stdout, code } = await bench.run(['test', 'stand-ins']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/a\.test\.yaml:3:\d+: .*"user\/zoe" does not exist/);
  });

  it('reports every fault at its place and runs nothing', async () => {
    await bench.write({
      ...below('faulty', billing()),
      'faulty/a.test.yaml': `fixtures: { subjects: { "a:b": { type: user, id: x } } }
tests:
  - { name: a, subject: user:alcie, action: raed, resource: invoce:INV-1, expect: alow }
  - { name: b, subject: user:alcie, action: raed, resource: invoice:INV-2, expect: allow, policy: billing/aprove }
  - { name: b, subject: { type: user }, action: read, resource: invoice:INV-1, expect: allow }
  - { name: d, subjects: [user:alice], actions: [read], resources: [invoice:INV-1], allowd: [] }
  - { name: e, what_can: { subject: user:alice }, exactly: [] }
  - { name: f, subjects: [user:alice], actions: [read], resources: [invoice:INV-1], allowed: [{ subjects: [user:bob] }] }
`,
      'faulty/b.test.yaml': 'tests: [\n',
    });
    const first = await bench.run(['test', 'faulty']);
    expect(first.code).toBe(1);
    for (const line of [
      /a\.test\.yaml:3:\d+: tests\[0\]\.expect: "alow" .*did you mean "allow"\?/,
      /a\.test\.yaml:5:\d+: tests\[2\]\.subject\.id: is missing/,
      /a\.test\.yaml:6:\d+: .*the key "allowd" is not known: did you mean "allowed"\?/,
      /b\.test\.yaml:\d+:\d+: /,
      /\n✗ \d+ faults; no test was run\n$/,
    ]) {
      expect(first.stdout).toMatch(line);
    }
    const names = (await readFile(bench.path('faulty/a.test.yaml'), 'utf8'))
      .replace('alow', 'allow')
      .replace('{ type: user }', '{ type: user, id: x }')
      .replace('allowd', 'allowed');
    await bench.write({ 'faulty/a.test.yaml': names, 'faulty/b.test.yaml': '# nothing\n' });
    const second = await bench.run(['test', 'faulty']);
    for (const line of [
      /a\.test\.yaml:1:\d+: fixtures\.subjects\.a:b: the name "a:b" reads as TYPE:NAME/,
      /a\.test\.yaml:3:\d+: tests\[0\]\.subject: No subject "user:alcie" is recorded: did you mean "user:alice"\?/,
      /a\.test\.yaml:3:\d+: tests\[0\]\.resource: There is no resource type "invoce": did you mean "invoice"\?/,
      /a\.test\.yaml:4:\d+: tests\[1\]\.action: billing\/invoice has no action "raed": did you mean "read"\?/,
      /a\.test\.yaml:4:\d+: tests\[1\]\.resource: No resource "invoice:INV-2" is recorded: did you mean "invoice:INV-1"\?/,
      /a\.test\.yaml:4:\d+: tests\[1\]\.policy: There is no policy "billing\/aprove": did you mean "billing\/approve"\?/,
      /a\.test\.yaml:5:\d+: tests\[2\]\.name: "b" is also the name of the test at faulty\/a\.test\.yaml:4:\d+/,
      /a\.test\.yaml:7:\d+: tests\[4\]\.what_can: takes either "action"/,
      /a\.test\.yaml:8:\d+: tests\[5\]\.allowed\[0\]\.subjects\[0\]: "user:bob" is not among the subjects of the table/,
      /b\.test\.yaml:1:1: The file is empty/,
    ]) {
      expect(second.stdout).toMatch(line);
    }
    expect(await bench.json(['test', 'faulty'], { code: 1 })).toMatchObject({
      results: [],
      error: { code: 'invalid_records' },
    });
  });

  it('writes JUnit, with what failed and nothing that is no XML', async () => {
    await bench.write({
      ...below('junit', billing()),
      'junit/t.test.yaml': `tests:
  - { name: "a <b> & \\"c\\" \\u0001", subject: user:bob, action: read, resource: invoice:INV-1, expect: allow }
  - { name: fine, subject: user:alice, action: read, resource: invoice:INV-1, expect: allow }
`,
    });
    expect((await bench.run(['test', 'junit', '--junit', 'report.xml'])).code).toBe(1);
    const xml = await readFile(bench.path('report.xml'), 'utf8');
    expect(xml).toContain('<testsuites tests="2" failures="1" errors="0">');
    expect(xml).toContain('name="a &lt;b&gt; &amp; &quot;c&quot; ?: user:bob read invoice:INV-1"');
    expect(xml).toContain('<failure message="expected allow, and it is deny">');
    expect(xml.match(/<testcase /g)).toHaveLength(2);
  });

  it('asks about what a Terraform plan will make', async () => {
    const managed = (type: string, name: string, values: object) => ({
      ...{ address: `service_${type}.${name}`, mode: 'managed', type: `service_${type}` },
      values: { managed_by: 'acme', id: 'x', ...values },
    });
    const resources = (granted: string) => [
      managed('application', 'billing', { name: 'billing', path: 'billing' }),
      managed('resource_type', 'invoice', { application: 'billing', name: 'invoice', actions: ['read', 'pay'] }),
      managed('resource', 'one', { type: 'billing/invoice', name: 'INV-1' }),
      managed('subject', 'ann', { type: 'user', id: 'ann' }),
      managed('policy', 'read', {
        ...{ application: 'billing', name: 'read', effect: 'ALLOW', resource_type: 'billing/invoice' },
        ...{ actions: [granted], priority: 0 },
      }),
      managed('policy_assignment', 'ann', { policy: 'billing/read', entity_type: 'subject', entity: 'user/ann' }),
    ];
    const plan = (granted: string) =>
      JSON.stringify({
        format_version: '1.2',
        prior_state: { format_version: '1.0', values: { root_module: { resources: resources('pay') } } },
        planned_values: { root_module: { resources: resources(granted) } },
        resource_changes: [],
      });
    const tests = `tests:
  - { name: reads, what_can: { subject: user:ann, resource: invoice:INV-1 }, exactly: [read] }
`;
    await bench.write({
      'terraform/plan.json': plan('read'),
      'terraform/other.json': plan('pay'),
      'terraform/main.tf': 'resource "service_policy" "read" {\n}\n',
      'terraform/tests/a.test.yaml': tests,
    });
    const ask = (file: string, ...more: string[]) =>
      bench.run(['test', 'terraform/tests', '--terraform', `terraform/${file}.json`, ...more]);
    expect(await ask('plan')).toMatchObject({ code: 0, stdout: '✓ 1 question in 1 file: passed\n' });
    expect((await ask('plan', '--coverage')).stdout).toContain('terraform/main.tf:1');
    expect(await ask('other')).toMatchObject({ code: 1, stdout: expect.stringContaining('missing: read') });
    expect(await ask('plan', '--changed-since', 'main')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--changed-since looks at lines of YAML'),
    });
    await bench.write({ 'terraform/tests/a.test.yaml': `records: { roles: { r: {} } }\n${tests}` });
    expect((await ask('plan')).stdout).toMatch(
      /a\.test\.yaml:1:1: records: are read together with a tree of YAML alone/,
    );
  });

  it('needs tests, and a filter that finds some', async () => {
    await bench.write(below('none', billing()));
    expect(await bench.run(['test', 'none'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('*.test.yaml'),
    });
    const nothing = await bench.run(['test', 'shown', '--filter', 'user:zoe']);
    expect(nothing).toMatchObject({ code: 1, stderr: expect.stringContaining('No question contains "user:zoe"') });
    const clock = await bench.run(['test', 'shown', '--now', 'tomorrow']);
    expect(clock).toMatchObject({ code: 1, stderr: expect.stringContaining('--now "tomorrow" is not a time') });
  });
});
