import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { below, billing } from './cli/tenant.js';
import { Workbench } from './cli/workbench.js';

const QUESTION = ['--subject', 'user:alice', '--action', 'read', '--resource', 'invoice:INV-1'];

let bench: Workbench;
let env: Record<string, string>;
let operator: Record<string, string>;
/** The revision in which alice is in the group finance, and the time between it and the next. */
let first: string;
let between: string;

/** Alice in no group. */
const later = () => {
  const files = billing();
  return { ...files, 'apps/billing.yaml': (files['apps/billing.yaml'] ?? '').replace('[user/alice]', '[user/bob]') };
};

const git = (...args: string[]) => execFileSync('git', args, { cwd: bench.path('repo'), stdio: 'pipe' });

async function applied(): Promise<string> {
  return (await bench.json<{ revision: string }>(['apply', 'repo/tenant', '--yes', '--prune'], { env })).revision;
}

beforeAll(async () => {
  bench = await Workbench.create();
  const cloud = await bench.startCloud();
  env = await cloud.tenant();
  operator = cloud.operator;
  await bench.write(below('repo/tenant', billing()));
  git('init', '--quiet', '--initial-branch', 'main');
  git('add', '.');
  const author = ['-c', 'user.name=Alice', '-c', 'user.email=alice@example.com'];
  git(...author, 'commit', '--quiet', '--message', 'first');
  first = await applied();
  between = new Date().toISOString();
  await bench.write(below('repo/tenant', later()));
  await applied();
}, 60_000);
afterAll(() => bench.close());

describe('--at', () => {
  it.each<[string, () => string, object]>([
    ['a revision', () => first, {}],
    ['the number of a revision', () => first.split('.')[0] ?? '', {}],
    ['a Git revision with a path that begins here', () => 'HEAD:./tenant', { cwd: 'repo' }],
    ['a Git revision of the current folder', () => 'main', { cwd: 'repo/tenant' }],
  ])('takes %s', async (_, at, where) => {
    const { results } = await bench.json(['who-can', 'read', 'invoice:INV-1', '--at', at()], { env, ...where });
    expect(results).toEqual([{ type: 'user', id: 'alice' }]);
  });

  it.each<[string, () => string, object]>([
    ['a time', () => between, {}],
    ['a Git revision with a path', () => 'main:tenant/', { cwd: 'repo' }],
  ])(
    'asks %s what was possible then',
    async (_, at, where) => {
      const run = (args: string[]) => bench.json([...args, '--at', at()], { env, ...where });
      const now = await bench.json(['authorize', ...QUESTION], { env });
      expect([now.decision, (await run(['authorize', ...QUESTION])).decision]).toEqual([false, true]);
      expect(await run(['who-can', 'read', 'invoice:INV-1'])).toEqual({ results: [{ type: 'user', id: 'alice' }] });
      expect(await run(['what-can', 'user:alice'])).toMatchObject({ results: [{ id: 'INV-1', actions: ['read'] }] });
      expect(await run(['what-can', 'user:alice', '--resource', 'invoice:INV-1'])).toEqual({
        results: [{ name: 'read' }],
      });
      const members = await run(['get', 'group-memberships', '--filter', 'group=finance']);
      expect(members).toMatchObject({ items: [{ address: 'group_membership/finance//subject/user/alice' }] });
      expect(await run(['get', 'subject/user/alice'])).toMatchObject({ address: 'subject/user/alice', id: 'alice' });
      await run(['export', '--out', bench.path('out'), '--replace']);
      const { valid, records } = await bench.json(['validate', bench.path('out')]);
      expect([valid, records]).toEqual([true, (await bench.json(['validate', 'repo/tenant'])).records]);
      const { stdout } = await bench.run(['authorize', ...QUESTION, '--explain', '--at', at()], { env, ...where });
      expect(stdout).toContain('through subject/user/alice → group/finance → role/billing/clerk');
    },
    60_000,
  );

  it('asks a Git revision without the service', async () => {
    const asked = await bench.json(['authorize', ...QUESTION, '--at', 'main:tenant'], { cwd: 'repo' });
    expect(asked).toMatchObject({ decision: true });
  });

  it('answers a batch as of then', async () => {
    const line = '{"subject": "user:alice", "action": "read", "resource": "invoice:INV-1"}\n';
    const { stdout } = await bench.run(['authorize', '--batch', '-', '--json', '--at', first], { env, input: line });
    expect(JSON.parse(stdout)).toMatchObject({ decision: true });
  });

  it.each<[string, string[], RegExp, object]>([
    [
      'a Git revision that is none',
      ['authorize', ...QUESTION, '--at', 'no-such-branch'],
      /no revision "no-such-branch" here/,
      {},
    ],
    [
      'a path that is not there',
      ['authorize', ...QUESTION, '--at', 'main:nothing'],
      /no "nothing" in that revision/,
      {},
    ],
    ['a revision to come', ['get', 'roles', '--at', '99'], /never had this revision/, {}],
    ['a time before the tenant', ['export', '--out', 'x', '--at', '2001-01-01'], /oldest that can be had is 1\./, {}],
    ['an agent', ['who-can', 'read', 'invoice:INV-1', '--local', '--at', '1'], /--local.*--at|--at.*--local/, {}],
  ])('refuses %s', async (_, args, message) => {
    const { code, stderr } = await bench.run(args, { env, cwd: 'repo' });
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
  });
});

it('compares access with a past revision', async () => {
  type Delta = { counts: { gained: number; lost: number } };
  const { counts } = await bench.json<Delta>(['impact', `cloud@${first}`, `cloud@${first.split('.')[0]}`], { env });
  expect(counts).toMatchObject({ gained: 0, lost: 0 });
  const later = await bench.json<Delta>(['impact', `cloud@${between}`, 'cloud'], { env });
  expect(later.counts.lost).toBeGreaterThan(0);
  const { code, stderr } = await bench.run(['impact', 'cloud@yesterday', 'cloud'], { env });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/names no point of history/)]);
}, 60_000);

it('tells who could do it on that day, and who gave it to them', async () => {
  const who = await bench.json(['who-can', 'read', 'invoice:INV-1', '--at', between], { env });
  expect(who).toEqual({ results: [{ type: 'user', id: 'alice' }] });
  type Explained = { context: { explanation: { candidates: { through: string[] }[] } } };
  const asked = await bench.json<Explained>(['authorize', ...QUESTION, '--at', between, '--explain'], { env });
  const [candidate] = asked.context.explanation.candidates;
  expect(candidate?.through).toEqual(['subject/user/alice', 'group/finance', 'role/billing/clerk']);
  const links = ['group_membership/finance//subject/user/alice', 'role_assignment/billing/clerk//group/finance'];
  for (const record of links) {
    const { items } = await bench.json(['audit', '--record', record, '--until', between], { env });
    expect(items).toMatchObject([
      {
        revision: first,
        stack: 'billing',
        credential: { name: 'administrator' },
        changes: [{ op: 'create', address: record }],
      },
    ]);
  }
  const taken = await bench.json(['audit', '--subject', 'user:alice', '--since', between, '--actor', 'administrator'], {
    env,
  });
  expect(taken).toMatchObject({ items: [{ changes: [{ op: 'delete', address: links[0] }] }] });
}, 60_000);

it.each<[string, string[], RegExp]>([
  ['a credential', ['--actor', 'nobody'], /^No commit is by a credential "nobody": "servicectl clients list"/],
  ['a record', ['--record', 'roles'], /^No commit changed a record "roles": write its address/],
  ['a subject', ['--subject', 'user:nobody'], /^No commit concerns a subject "user\/nobody": write it as TYPE\/ID/],
  [
    'nothing that is unknown',
    ['--subject', 'user:alice', '--until', '2001-01-01'],
    /^No commit matches these filters\.\n$/,
  ],
])('says that no commit matches, and that nobody knows %s', async (_, filters, says) => {
  const { code, stdout, stderr } = await bench.run(['audit', ...filters], { env });
  expect([code, stdout, stderr]).toEqual([0, '', expect.stringMatching(says)]);
});

it('refuses a range of times that ends before it begins', async () => {
  const { code, stderr } = await bench.run(['audit', '--since', '2027-01-02', '--until', '2027-01-01'], { env });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/--until "2027-01-01" is before --since "2027-01-02"/)]);
});

it('erases properties from history, and says so', async () => {
  const { tenant } = await bench.json<{ tenant: { name: string } }>(['whoami'], { env });
  const people = (properties: string) =>
    `version: 1\nsubjects:\n  user/alice: ${properties}\n  user/bob: { roles: [billing/accountant] }\n`;
  await bench.write({ 'repo/tenant/people.yaml': people('{ properties: { email: alice@example.com } }') });
  const had = await applied();
  const args = ['tenants', 'erase', tenant.name, 'user/alice'];
  const early = await bench.run([...args, '--yes'], { env: operator });
  expect([early.code, early.stderr]).toEqual([
    1,
    expect.stringMatching(/still has "email": remove that where "billing"/),
  ]);
  await bench.write({ 'repo/tenant/people.yaml': people('{}') });
  await applied();
  expect((await bench.run(args, { env: operator })).stderr).toMatch(/cannot be undone: without a terminal, pass --yes/);
  const erased = await bench.json([...args, '--property', 'email', '--yes'], { env: operator });
  expect(erased).toEqual({ erased: 'user/alice', versions: 1, absent: [] });
  const misspelt = await bench.run([...args, '--property', 'emial', '--yes'], { env: operator });
  expect(misspelt).toEqual({
    code: 0,
    stdout: `There was nothing to erase from the history of user/alice in "${tenant.name}".\n`,
    stderr: expect.stringMatching(/warning: No past version of user\/alice has "emial"/),
  });
  const { stdout, stderr } = await bench.run(['get', 'subject/user/alice', '--at', had], { env });
  expect([stdout.includes('alice@example.com'), stderr]).toEqual([
    false,
    expect.stringMatching(/warning: Values of one record/),
  ]);
  const { stdout: trail } = await bench.run(['audit', '--tenants', '--limit', '1'], { env: operator });
  expect(trail).toMatch(/×erase .*user\/alice: email/);
}, 60_000);
