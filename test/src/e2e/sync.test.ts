/** The controller that follows Git: real repositories, a real cloud, and what it does with commits that are wrong. */
import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Workbench } from './cli/workbench.js';
import { ControllerProcess } from './sync/controller-process.js';
import { OriginRepository } from './sync/origin-repository.js';

let bench: Workbench;
let env: Record<string, string>;
let cloud: Awaited<ReturnType<Workbench['startCloud']>>;
let repository: OriginRepository;
let controllers: ControllerProcess[] = [];
let count = 0;

const roles = (...names: string[]) =>
  `version: 1\nstack: access\nroles:\n${names.map((name) => `  ${name}: {}\n`).join('')}`;

const FAILING_TEST = `tests:
  - name: Ann reads
    subjects: [{ type: user, id: ann }]
    actions: [read]
    resources: [{ type: page, name: home }]
    allowed: [{ actions: [read] }]
`;

beforeAll(async () => {
  bench = await Workbench.create();
  cloud = await bench.startCloud();
}, 60_000);
afterAll(() => bench.close());
beforeEach(async () => {
  env = await cloud.tenant();
  count += 1;
  repository = new OriginRepository(bench.path(`origin-${count}`));
  await repository.create();
});
afterEach(async () => {
  await Promise.all(controllers.map((controller) => controller.stop('SIGKILL')));
  controllers = [];
});

async function follow(more: object = {}, name = `sync-${count}`): Promise<ControllerProcess> {
  const stack = { repository: repository.folder, branch: 'main', path: 'tenant', poll: '1s', ...more };
  const controller = await ControllerProcess.start(bench, name, { access: stack }, env);
  controllers.push(controller);
  return controller;
}

const text = async () => JSON.stringify(await bench.json(['get', 'roles'], { env }));

describe('a commit', () => {
  it('is applied, and the next one after it, with who stands behind it', async () => {
    const first = await repository.commit({ 'tenant/roles.yaml': roles('auditor'), README: 'x' });
    const controller = await follow();
    await controller.until('access', { state: 'synced', ready: true, applied: first });
    expect(await text()).toContain('auditor');
    const second = await repository.commit(
      { 'tenant/roles.yaml': roles('auditor', 'clerk') },
      'Merge pull request #214 from acme/clerk',
    );
    const { revision } = await controller.until('access', { ready: true, applied: second });
    const audit = JSON.stringify(await bench.json(['audit', '--limit', '1'], { env }));
    expect(audit).toContain('"pull_request":214');
    expect(audit).toContain(String(revision));
    // A commit that changes no record is applied as well.
    const third = await repository.commit({ README: 'y' });
    await controller.until('access', { ready: true, applied: third, revision });
    expect(await controller.get('/readyz')).toEqual({ status: 200, text: 'access: ready\n' });
    expect((await controller.get('/metrics')).text).toContain('service_sync_ready{stack="access"} 1');
    const { stdout } = await bench.run(['sync', 'status'], { env });
    expect(stdout).toContain(third.slice(0, 12));
  }, 60_000);

  it('that is broken is held, and the one before stays until it is mended', async () => {
    const good = await repository.commit({ 'tenant/roles.yaml': roles('auditor') });
    const controller = await follow();
    await controller.until('access', { ready: true });
    const broken = await repository.commit({ 'tenant/roles.yaml': `${roles('auditor')}  clerk: { nonsense: 1 }\n` });
    const status = await controller.until('access', { state: 'held', observed: broken, applied: good });
    expect(status.reason).toContain('tenant/roles.yaml:5:12: ');
    expect((await controller.get('/readyz')).status).toBe(503);
    const mended = await repository.commit({ 'tenant/roles.yaml': roles('auditor', 'clerk') });
    await controller.until('access', { ready: true, applied: mended });
  }, 60_000);

  it.each<[string, Record<string, string | undefined>, RegExp]>([
    [
      'removes more than the budget',
      { 'tenant/roles.yaml': roles('auditor') },
      /^The commit removes 1 record \(role\/clerk\), and "removals" allows 0\.$/,
    ],
    ['empties the folder', { 'tenant/roles.yaml': undefined }, /^There is no folder "tenant" in the commit/],
    [
      'fails a test',
      {
        'tenant/roles.yaml': `${roles('auditor', 'clerk')}applications: { app: { resource_types: { page: { actions: [read] } } } }\n`,
        'tenant/access.test.yaml': FAILING_TEST,
      },
      /^1 test beside the records failed, the first of them "Ann reads" \(user:ann read page:home\)/,
    ],
    [
      'is of another stack',
      { 'tenant/roles.yaml': roles('teller').replace('access', 'other') },
      /is of the stack "other", and not "access"/,
    ],
    [
      'brings a pointer of Git LFS',
      {
        '.gitattributes': '*.yaml filter=lfs\n',
        'tenant/more.yaml': 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n',
      },
      /tenant\/more\.yaml is a pointer of Git LFS/,
    ],
  ])(
    'that %s is held',
    async (_name, files, reason) => {
      const good = await repository.commit({ 'tenant/roles.yaml': roles('auditor', 'clerk') });
      const controller = await follow();
      await controller.until('access', { ready: true });
      const bad = await repository.commit(files);
      const status = await controller.until('access', { state: 'held', observed: bad, applied: good });
      expect(status.reason).toMatch(reason);
      expect(await text()).toContain('clerk');
    },
    60_000,
  );

  it('with a submodule is held', async () => {
    await repository.commit({ 'tenant/roles.yaml': roles('auditor') });
    const other = new OriginRepository(bench.path(`module-${count}`));
    await other.create();
    await other.commit({ 'more.yaml': roles('clerk') });
    await repository.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', other.folder, 'tenant/module');
    await repository.commit({});
    const controller = await follow();
    const { reason } = await controller.until('access', { state: 'held' });
    expect(reason).toMatch(/^"tenant\/module" is a submodule/);
  }, 60_000);

  it('that none of the signers has signed is held', async () => {
    const key = bench.path(`key-${count}`);
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
    await bench.write({ [`signers-${count}`]: `ann@acme.example ${await readFile(`${key}.pub`, 'utf8')}` });
    await repository.git('config', 'gpg.format', 'ssh');
    await repository.git('config', 'user.signingkey', key);
    await repository.commit({ 'tenant/roles.yaml': roles('auditor') });
    const controller = await follow({ signers: `signers-${count}` });
    const { reason } = await controller.until('access', { state: 'held' });
    expect(reason).toMatch(/^No allowed signer has signed the commit/);
    await repository.git('commit', '-q', '--allow-empty', '-S', '-m', 'Signed');
    await controller.until('access', { ready: true });
  }, 60_000);
});

it('is ready once every agent enforces it, however seldom Git is asked', async () => {
  const key = await bench.json<{ secret: string }>(['keys', 'create', 'agent', '--scope', 'bundle'], { env });
  const poll = async (revision?: string) => {
    const report = new URLSearchParams({ id: 'an-agent', version: '1', ...(revision && { revision }) });
    const headers = { authorization: `Bearer ${key.secret}`, 'service-agent': report.toString() };
    const answer = await fetch(`${cloud.url}/v1/policies/bundle`, { headers });
    await answer.arrayBuffer();
    return answer.headers.get('etag')?.slice(1, -1);
  };
  const before = await poll();
  await poll(before);
  const commit = await repository.commit({ 'tenant/roles.yaml': roles('auditor') });
  const controller = await follow({ poll: '1h' });
  const reason = 'Applied; 1 of 1 agent may decide by an earlier revision.';
  const { revision } = await controller.until('access', { state: 'synced', ready: false, applied: commit, reason });
  expect((await controller.get('/readyz')).text).toBe(`access: synced: ${reason}\n`);
  await poll(revision);
  await controller.until('access', { ready: true });
}, 60_000);

describe('history', () => {
  it('that was rewritten is held, and followed if the stack says so', async () => {
    await repository.commit({ 'tenant/roles.yaml': roles('auditor') });
    const good = await repository.commit({ 'tenant/roles.yaml': roles('auditor', 'clerk') });
    const controller = await follow();
    await controller.until('access', { ready: true });
    await repository.git('reset', '-q', '--hard', 'HEAD~1');
    const rewritten = await repository.commit({ 'tenant/roles.yaml': roles('auditor', 'teller') });
    const { reason } = await controller.until('access', { state: 'held', observed: rewritten, applied: good });
    expect(reason).toMatch(/^The history was rewritten/);
    await controller.stop();
    const follower = await follow({ rewrites: 'follow', removals: 1 }, `follow-${count}`);
    await follower.until('access', { ready: true, applied: rewritten });
    expect(await text()).not.toContain('clerk');
  }, 60_000);

  it('whose branch is gone leaves what was applied, and goes on when it is back', async () => {
    const good = await repository.commit({ 'tenant/roles.yaml': roles('auditor') });
    const controller = await follow();
    await controller.until('access', { ready: true });
    await repository.git('branch', '-m', 'main', 'away');
    const { reason } = await controller.until('access', { state: 'held', applied: good });
    expect(reason).toBe('The repository has no longer the branch "main": what was applied last stays.');
    await repository.git('branch', '-m', 'away', 'main');
    await controller.until('access', { ready: true, applied: good });
  }, 60_000);

  it('may be tags, of which the latest version counts', async () => {
    await repository.commit({ 'tenant/roles.yaml': roles('auditor') });
    await repository.git('tag', 'v9.0.0');
    const controller = await follow({ branch: undefined, tags: 'v*' });
    await controller.until('access', { ready: true });
    const tenth = await repository.commit({ 'tenant/roles.yaml': roles('auditor', 'clerk') });
    await repository.git('tag', 'v10.0.0');
    await controller.until('access', { ready: true, applied: tenth });
    await repository.git('tag', '-d', 'v10.0.0');
    await controller.until('access', { state: 'held', applied: tenth });
  }, 60_000);
});

describe('changes by others', () => {
  const change = async () => {
    await bench.write({ [`other-${count}/roles.yaml`]: roles('auditor', 'intruder') });
    await bench.json(['apply', `other-${count}`, '--yes'], { env });
  };

  it('are reported', async () => {
    await repository.commit({ 'tenant/roles.yaml': roles('auditor') });
    const controller = await follow({ removals: 5 });
    await controller.until('access', { ready: true });
    await change();
    const { reason } = await controller.until('access', { state: 'drifted', ready: false });
    expect(reason).toContain('1 to remove (role/intruder)');
  }, 60_000);

  it('are reverted if the stack says so', async () => {
    await repository.commit({ 'tenant/roles.yaml': roles('auditor') });
    const controller = await follow({ removals: 5, drift: 'revert' });
    const { revision } = await controller.until('access', { ready: true });
    await change();
    await expect
      .poll(async () => (await controller.status('access'))?.revision, { timeout: 20_000 })
      .not.toBe(revision);
    await controller.until('access', { ready: true });
    expect(await text()).not.toContain('intruder');
  }, 60_000);
});

describe('two controllers', () => {
  it('take turns: the one that is left goes on where the other was killed', async () => {
    await repository.commit({ 'tenant/roles.yaml': roles('auditor') });
    const one = await follow({}, `one-${count}`);
    await one.until('access', { ready: true, leads: true });
    const other = await follow({}, `other-${count}`);
    await other.until('access', { ready: true, leads: false });
    await one.stop('SIGKILL');
    const second = await repository.commit({ 'tenant/roles.yaml': roles('auditor', 'clerk') });
    await other.until('access', { ready: true, leads: true, applied: second }, 40_000);
    const third = await follow({}, `third-${count}`);
    await third.until('access', { leads: false });
    // One that is stopped gives its lease back.
    await other.stop();
    await third.until('access', { leads: true, applied: second }, 10_000);
  }, 90_000);
});

it('applies commits in their order, none twice, while controllers and the cloud are killed', async () => {
  await repository.commit({ 'tenant/roles.yaml': roles('role-0') });
  let [first, second] = [await follow({}, `a-${count}`), await follow({}, `b-${count}`)];
  await first.until('access', { ready: true });
  const commits: string[] = [];
  for (let n = 1; n <= 12; n++) {
    commits.push(
      await repository.commit({
        'tenant/roles.yaml': roles(...Array.from({ length: n + 1 }, (_, at) => `role-${at}`)),
      }),
    );
    if (n % 4 === 1) {
      await first.stop('SIGKILL');
      [first, second] = [second, await follow({}, `c${n}-${count}`)];
    }
    if (n % 4 === 3) {
      await cloud.stop();
      await cloud.start();
    }
  }
  await expect
    .poll(
      async () =>
        (await Promise.all([first, second].map((one) => one.status('access')))).find((one) => one?.ready && one.leads)
          ?.applied,
      {
        timeout: 60_000,
      },
    )
    .toBe(commits.at(-1));
  const { items } = await bench.json<{ items: { origins?: unknown }[] }>(['audit', '--limit', '100'], { env });
  const applied = commits.filter((commit) => JSON.stringify(items).includes(commit));
  const seen = items.flatMap((item) => commits.filter((commit) => JSON.stringify(item).includes(commit)));
  expect(applied).toContain(commits.at(-1));
  expect(seen.reverse()).toEqual(applied);
}, 120_000);

describe('a webhook', () => {
  it.each<[string, (body: string, secret: string) => Record<string, string>]>([
    [
      'GitHub',
      (body, secret) => ({
        'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
      }),
    ],
    ['Gitea', (body, secret) => ({ 'x-gitea-signature': createHmac('sha256', secret).update(body).digest('hex') })],
    ['GitLab', (_, secret) => ({ 'x-gitlab-token': secret })],
  ])(
    'of %s makes it look at once, and a forged one does not',
    async (_name, headersOf) => {
      await bench.write({ [`hook-${count}`]: 'the-secret-of-hooks\n' });
      await repository.commit({ 'tenant/roles.yaml': roles('auditor') });
      const controller = await follow({ poll: '1h', webhook_secret: `hook-${count}` });
      await controller.until('access', { state: 'synced' });
      const second = await repository.commit({ 'tenant/roles.yaml': roles('auditor', 'clerk') });
      const send = (headers: Record<string, string>) =>
        fetch(`${controller.url}/hooks/access`, { method: 'POST', body: '{}', headers });
      expect((await send(headersOf('{}', 'another-secret'))).status).toBe(401);
      expect((await send({})).status).toBe(401);
      expect((await send(headersOf('{}', 'the-secret-of-hooks'))).status).toBe(202);
      await controller.until('access', { applied: second });
    },
    60_000,
  );
});
