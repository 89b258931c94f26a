/** Reports of the controller to forges, which answer as they have been recorded: states, the plan on a pull request, who approved. */
import { generateKeyPairSync, verify } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { Workbench } from './cli/workbench.js';
import { ControllerProcess } from './sync/controller-process.js';
import { OriginRepository } from './sync/origin-repository.js';
import { RecordedForge, type RecordedRequest } from './sync/recorded-forge.js';

const TOKEN = 'the-token-of-the-forge';
const MARKER = '<!-- servicectl sync access -->';

let bench: Workbench;
let env: Record<string, string>;
let cloud: Awaited<ReturnType<Workbench['startCloud']>>;
let repository: OriginRepository;
let forge: RecordedForge;
let controller: ControllerProcess | undefined;
let count = 0;

const roles = (...names: string[]) =>
  `version: 1\nstack: access\nroles:\n${names.map((name) => `  ${name}: {}\n`).join('')}`;

beforeAll(async () => {
  bench = await Workbench.create();
  await bench.write({ token: `${TOKEN}\n` });
  cloud = await bench.startCloud();
}, 60_000);
afterAll(() => bench.close());
beforeEach(async () => {
  env = await cloud.tenant();
  repository = new OriginRepository(bench.path(`origin-${count++}`));
  await repository.create();
  forge = await RecordedForge.start();
});
afterEach(async () => {
  await controller?.stop('SIGKILL');
  controller = undefined;
  await forge.close();
});

interface Dialect {
  to: 'github' | 'gitlab' | 'gitea';
  /** The name of the header with the token, and its value. */
  token: [string, string];
  ref(pull: number): string;
  pulls: RegExp;
  pull(head: string): object;
  comments: RegExp;
  comment(text: string): object;
  states: RegExp;
  failure: string;
  provenance(commit: string): [RegExp, unknown][];
}

const PROJECT = '/repos/acme/authz';
const hubLike = (to: 'github' | 'gitea'): Dialect => ({
  to,
  token: ['authorization', to === 'github' ? `Bearer ${TOKEN}` : `token ${TOKEN}`],
  ref: (pull) => `refs/pull/${pull}/head`,
  pulls: /^GET \/repos\/acme\/authz\/pulls\?state=open&(per_page|limit)=100&page=1$/,
  pull: (sha) => ({ number: 7, state: 'open', head: { sha, ref: 'clerk' }, base: { ref: 'main' } }),
  comments: /^GET \/repos\/acme\/authz\/issues\/7\/comments\?(per_page|limit)=100&page=1$/,
  comment: (body) => ({ id: 99, body, user: { login: 'bot' } }),
  states: new RegExp(`^${PROJECT}/statuses/`),
  failure: 'failure',
  provenance: (commit) => {
    const pull = { number: 6, merged_at: '2026-11-01T00:00:00Z', user: { login: 'ann' } };
    return [
      [new RegExp(`^GET ${PROJECT}/commits/${commit}/pulls?$`), to === 'github' ? [pull] : pull],
      [
        /^GET \/repos\/acme\/authz\/pulls\/6\/reviews\?(per_page|limit)=100&page=1$/,
        [
          { state: 'CHANGES_REQUESTED', user: { login: 'eve' } },
          { state: 'APPROVED', user: { login: 'bob' } },
          { state: 'APPROVED', user: { login: 'eve' } },
          { state: 'APPROVED', user: { login: 'mallory' } },
          { state: 'DISMISSED', user: { login: 'mallory' } },
        ],
      ],
    ];
  },
});

const GITLAB: Dialect = {
  to: 'gitlab',
  token: ['private-token', TOKEN],
  ref: (pull) => `refs/merge-requests/${pull}/head`,
  pulls: /^GET \/projects\/acme%2Fauthz\/merge_requests\?state=opened&target_branch=main&per_page=100&page=1$/,
  pull: (sha) => ({ iid: 7, sha, state: 'opened', target_branch: 'main' }),
  comments: /^GET \/projects\/acme%2Fauthz\/merge_requests\/7\/notes\?per_page=100&page=1$/,
  comment: (body) => ({ id: 99, body, author: { username: 'bot' } }),
  states: /^\/projects\/acme%2Fauthz\/statuses\//,
  failure: 'failed',
  provenance: (commit) => [
    [
      new RegExp(`^GET /projects/acme%2Fauthz/repository/commits/${commit}/merge_requests$`),
      [{ iid: 6, state: 'merged', author: { username: 'ann' } }],
    ],
    [
      /^GET \/projects\/acme%2Fauthz\/merge_requests\/6\/approvals$/,
      { approved_by: [{ user: { username: 'bob' } }, { user: { username: 'eve' } }] },
    ],
  ],
};

it.each([hubLike('github'), hubLike('gitea'), GITLAB])(
  'reports to $to',
  async (dialect) => {
    const first = await repository.commit({ 'tenant/roles.yaml': roles('auditor') });
    await repository.git('checkout', '-q', '-b', 'clerk');
    let head = await repository.commit({ 'tenant/roles.yaml': roles('auditor', 'clerk') });
    await repository.git('update-ref', dialect.ref(7), head);
    await repository.git('checkout', '-q', 'main');
    let comment: string | undefined;
    const isComment = ({ body }: RecordedRequest) => {
      comment = String(body.body);
      return { status: 201, body: dialect.comment(comment) };
    };
    const empty = () => ({ body: [] });
    forge.answers = [
      ...dialect.provenance(first).map(([pattern, body]) => [pattern, () => ({ body })] as RecordedForge['answers'][0]),
      [dialect.pulls, () => ({ body: [dialect.pull(head)] })],
      [dialect.comments, () => ({ body: comment === undefined ? [] : [dialect.comment(comment)] })],
      [/^GET .*page=\d+$/, empty],
      [/^(POST|PATCH|PUT) .*(comments|notes)(\/99)?$/, isComment],
      [/^POST .*\/statuses\//, () => ({ status: 201, body: {} })],
    ];
    const stack = {
      ...{ repository: repository.folder, branch: 'main', path: 'tenant', poll: '1s', webhook_secret: 'token' },
      reports: { to: dialect.to, api: forge.url, project: 'acme/authz', token: 'token' },
    };
    controller = await ControllerProcess.start(bench, `forge-${count}`, { access: stack }, env);
    await controller.until('access', { ready: true, applied: first });

    const states = (commit: string) => forge.requests.filter(({ path }) => path.endsWith(`/statuses/${commit}`));
    await expect
      .poll(() => states(first).map(({ body }) => body.state), { timeout: 20_000 })
      .toEqual(expect.arrayContaining(['pending', 'success']));
    await expect.poll(() => states(head).map(({ body }) => body.state), { timeout: 20_000 }).toEqual(['success']);
    expect(comment).toMatch(new RegExp(`^${MARKER}\n`));
    expect(comment).toContain('clerk');

    // A new tip changes the comment in its place; one that is broken is said there, and as the state.
    await repository.git('checkout', '-q', 'clerk');
    head = await repository.commit({ 'tenant/roles.yaml': `${roles('auditor')}  clerk: { nonsense: 1 }\n` });
    await repository.git('update-ref', dialect.ref(7), head);
    await repository.git('checkout', '-q', 'main');
    await fetch(`${controller.url}/hooks/access`, { method: 'POST', headers: { 'x-gitlab-token': TOKEN } });
    await expect.poll(() => states(head).map(({ body }) => body.state), { timeout: 20_000 }).toEqual([dialect.failure]);
    expect(comment).toContain('nonsense');
    expect(forge.written(/(comments|notes)$/)).toHaveLength(1);
    expect(forge.written(/(comments|notes)\/99$/)).toHaveLength(1);

    const audit = JSON.stringify(await bench.json(['audit', '--limit', '1'], { env }));
    expect(audit).toContain('"author":"ann","pull_request":6,"approved_by":["bob","eve"]');
    const [name, value] = dialect.token;
    expect(new Set(forge.requests.map(({ headers }) => headers[name]))).toEqual(new Set([value]));
    expect(controller.log.join('')).not.toContain(TOKEN);
  },
  90_000,
);

it('a forge that is away stops nothing, and its token is in no log', async () => {
  const first = await repository.commit({ 'tenant/roles.yaml': roles('auditor') });
  forge.answers = [[/./, () => ({ status: 500, body: { message: 'oops' } })]];
  const stack = {
    ...{ repository: repository.folder, branch: 'main', path: 'tenant', poll: '1s' },
    reports: { to: 'github', api: forge.url, project: 'acme/authz', token: 'token' },
  };
  controller = await ControllerProcess.start(bench, `forge-${count}`, { access: stack }, env);
  await controller.until('access', { ready: true, applied: first });
  expect((await controller.get('/metrics')).text).toMatch(/service_sync_report_failures_total\{stack="access"\} [1-9]/);
  expect(controller.log.join('')).toContain('answered 500: oops');
  expect(controller.log.join('')).not.toContain(TOKEN);
}, 60_000);

it('applies a commit while pull requests take long', async () => {
  await repository.commit({ 'tenant/roles.yaml': roles('auditor') });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow = async () => {
    await released;
    return { body: [] };
  };
  forge.answers = [
    [/^GET .*\/pulls\?/, slow],
    [/^GET /, () => ({ body: [] })],
    [/^POST /, () => ({ status: 201, body: {} })],
  ];
  const stack = {
    ...{ repository: repository.folder, branch: 'main', path: 'tenant', poll: '1s' },
    reports: { to: 'github', api: forge.url, project: 'acme/authz', token: 'token' },
  };
  controller = await ControllerProcess.start(bench, `forge-${count}`, { access: stack }, env);
  await expect.poll(() => forge.requests.some(({ path }) => path.includes('/pulls?')), { timeout: 20_000 }).toBe(true);
  const second = await repository.commit({ 'tenant/roles.yaml': roles('auditor', 'clerk') });
  await controller.until('access', { ready: true, applied: second }, 15_000);
  release();
}, 60_000);

it('gets tokens as a GitHub App', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await bench.write({ 'app.pem': privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() });
  const first = await repository.commit({ 'tenant/roles.yaml': roles('auditor') });
  forge.answers = [
    [
      /^POST \/app\/installations\/34\/access_tokens$/,
      () => ({ status: 201, body: { token: 'ghs_made', expires_at: new Date(Date.now() + 3_600_000).toISOString() } }),
    ],
    [/^GET /, () => ({ body: [] })],
    [/^POST /, () => ({ status: 201, body: {} })],
  ];
  const stack = {
    ...{ repository: repository.folder, branch: 'main', path: 'tenant', poll: '1s' },
    access: { app: { id: 12, installation: 34, key: 'app.pem' } },
    reports: { to: 'github', api: forge.url, project: 'acme/authz' },
  };
  controller = await ControllerProcess.start(bench, `forge-${count}`, { access: stack }, env);
  await controller.until('access', { ready: true, applied: first });
  const asked = forge.requests.filter(({ path }) => path.endsWith('/access_tokens'));
  expect(asked).toHaveLength(1);
  const [head = '', claims = '', signature = ''] = String(asked[0]?.headers.authorization).slice(7).split('.');
  expect(verify('RSA-SHA256', Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, 'base64url'))).toBe(
    true,
  );
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ iss: '12' });
  expect(forge.requests.find(({ path }) => path.includes('/statuses/'))?.headers.authorization).toBe('Bearer ghs_made');
  expect(controller.log.join('')).not.toContain('ghs_made');
}, 60_000);
