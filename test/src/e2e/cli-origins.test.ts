/** Places of records: from a real checkout to `servicectl get`. */
import { execFile } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { below } from './cli/tenant.js';
import { Workbench } from './cli/workbench.js';

let bench: Workbench;
let env: Record<string, string>;

const GIT = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@acme.example', GIT_CONFIG_NOSYSTEM: '1' };
const git = async (...args: string[]) => {
  const committer = { GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@acme.example' };
  const options = { cwd: bench.path('access'), env: bench.environment({ ...GIT, ...committer }) };
  return (await promisify(execFile)('git', args, options)).stdout.trim();
};

/** The environment of a run of GitHub Actions for a pull request that bob and eve have approved. */
const pipelineOf = (event: string) => ({
  GITHUB_ACTIONS: 'true',
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_REPOSITORY: 'acme/access',
  GITHUB_RUN_ID: '7',
  GITHUB_EVENT_PATH: event,
  SERVICE_APPROVED_BY: 'bob,eve',
});

const roles = (text: string) => `version: 1
stack: access
roles:
  auditor: { description: ${text} }
  clerk: {}
`;

beforeAll(async () => {
  bench = await Workbench.create();
  env = await (await bench.startCloud()).tenant();
  await bench.write(below('access', { 'tenant/roles.yaml': roles('one'), 'README.md': 'x' }));
  await git('init', '-q', '-b', 'main');
  await git('remote', 'add', 'origin', 'https://ci:s3cret@github.com/acme/access.git');
  await git('add', '.');
  await git('commit', '-qm', 'First');
}, 60_000);
afterAll(() => bench.close());

const apply = (...args: string[]) => bench.json<{ revision: string }>(['apply', ...args, '--yes'], { env });
const origin = async (address: string) => (await bench.json<{ origin?: object }>(['get', address], { env })).origin;

it('tells repository, commit, file and line of what the commit holds, without the password', async () => {
  const { revision } = await apply('access/tenant');
  const commit = await git('rev-parse', 'HEAD');
  const repository = 'https://github.com/acme/access';
  expect(await origin('role/auditor')).toEqual({
    repository,
    commit,
    path: 'tenant/roles.yaml',
    line: 4,
    link: `${repository}/blob/${commit}/tenant/roles.yaml#L4`,
  });
  const { stdout } = await bench.run(['get', 'role/clerk'], { env });
  expect(stdout).toContain(`declared in  acme/access at tenant/roles.yaml:5, commit ${commit.slice(0, 10)}\n`);
  for (const file of await readdir(bench.path('cloud')))
    expect([file, (await readFile(bench.path('cloud', file))).includes('s3cret')]).toEqual([file, false]);
  // It has no part in the digest: the same records from elsewhere are the same revision.
  await bench.write({ 'elsewhere/roles.yaml': roles('one') });
  await bench.write({ 'access/tenant/roles.yaml': roles('two') });
  await apply('access/tenant');
  const { revision: again } = await apply('elsewhere');
  expect(again.split('.')[1]).toBe(revision.split('.')[1]);
  expect(await origin('role/auditor')).toEqual({ path: 'roles.yaml', line: 4 });
});

it('tells who stands behind the commit, as the pipeline knows it', async () => {
  await bench.write({
    'access/tenant/roles.yaml': roles('by pull request'),
    'event.json': JSON.stringify({
      head_commit: { message: 'Merge pull request #214 from acme/roles', author: { username: 'ann' } },
    }),
  });
  await bench.json(['apply', 'access/tenant', '--yes'], { env: { ...env, ...pipelineOf(bench.path('event.json')) } });
  const { items } = await bench.json<{ items: object[] }>(['audit', '--limit', '1'], { env });
  expect(items[0]).toMatchObject({ source: { author: 'ann', pull_request: 214, approved_by: ['bob', 'eve'] } });
  const { stdout } = await bench.run(['audit', '--record', 'role/auditor'], { env });
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('pull request 214 by ann, approved by bob and eve');
  await git('checkout', '-q', '.');
  await apply('access/tenant');
});

it('says who gave somebody what they may do, and who approved', async () => {
  const tree = (members: string) => `version: 1
stack: who
applications:
  billing:
    resource_types: { invoice: { actions: [read] } }
    resources: { INV-1: { type: invoice } }
    roles: { clerk: {} }
    policies: { read: { effect: ALLOW, resource_type: invoice, actions: [read], assigned_to: [role/billing/clerk] } }
groups: { finance: { members: [${members}], roles: [billing/clerk] } }
subjects: { user/ann: {}, user/kim: {} }
`;
  await bench.write({ 'who/tenant.yaml': tree('user/ann') });
  await apply('who');
  await bench.write({ 'who/tenant.yaml': tree('user/ann, user/kim') });
  await bench.json(['apply', 'who', '--yes'], { env: { ...env, ...pipelineOf(bench.path('event.json')) } });
  const { stdout, stderr, code } = await bench.run(['who-can', 'read', 'invoice:INV-1', '--why'], { env });
  expect({ stderr, code }).toMatchObject({ code: 0 });
  expect(stdout).toMatch(
    /^user:ann\n {2}by policy\/billing\/read\n {2}group_membership\/finance\/\/subject\/user\/ann\n {4}given by the credential .*\n {2}role_assignment\/billing\/clerk\/\/group\/finance\n {4}given .*\n {2}policy_assignment\/billing\/read\/\/role\/billing\/clerk\n/,
  );
  expect(stdout).toMatch(
    /\nuser:kim\n.*\n {2}group_membership\/finance\/\/subject\/user\/kim\n {4}given by pull request 214 by ann, approved by bob and eve, \d{4}-/,
  );
});

it('tells file and line alone of what is in no commit', async () => {
  await bench.write({ 'access/tenant/roles.yaml': `# new\n${roles('three')}` });
  await apply('access/tenant');
  expect(await origin('role/auditor')).toEqual({ uncommitted: true, path: 'tenant/roles.yaml', line: 5 });
  expect((await bench.run(['get', 'role/auditor'], { env })).stdout).toContain(
    'declared in  tenant/roles.yaml:5, with uncommitted changes',
  );

  await git('commit', '-qam', 'Second');
  await bench.write({ 'access/tenant/more.yaml': 'roles: { third: {} }\n' });
  await apply('access/tenant');
  expect(await origin('role/third')).toMatchObject({ uncommitted: true, path: 'tenant/more.yaml' });
});

it('tells it of records that do not change if asked to, in no revision', async () => {
  await git('add', '.');
  await git('mv', 'tenant/roles.yaml', 'tenant/all.yaml');
  await git('commit', '-qm', 'Third');
  const commit = await git('rev-parse', 'HEAD');
  const before = (await apply('access/tenant')).revision;
  expect(await origin('role/clerk')).toMatchObject({ path: 'tenant/roles.yaml' });
  expect((await apply('access/tenant', '--origins')).revision).toBe(before);
  expect(await origin('role/clerk')).toMatchObject({ path: 'tenant/all.yaml', line: 6, commit });
  expect(await origin('role/third')).toMatchObject({ path: 'tenant/more.yaml', line: 1, commit });
});

it('keeps it beside a saved plan', async () => {
  await bench.write({ 'access/tenant/more.yaml': 'roles: { third: {}, fourth: {} }\n' });
  await git('commit', '-qam', 'Fourth');
  const commit = await git('rev-parse', 'HEAD');
  await bench.json(['plan', 'access/tenant', '--out', 'saved.plan'], { env });
  await rm(bench.path('access', '.git'), { recursive: true });
  await apply('saved.plan');
  expect(await origin('role/fourth')).toMatchObject({ path: 'tenant/more.yaml', line: 1, commit });
  const refused = await bench.run(['apply', 'saved.plan', '--yes', '--origins'], { env });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('--origins is for a folder')]);
});
