import type { AccessReview } from '@authz-service/sdk/console-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CloudBench, Workbench } from './cli/workbench.js';

const TREE = `
version: 1
stack: payroll
applications:
  payroll:
    resource_types:
      payslip: { actions: [read, write] }
      report: { actions: [read] }
    policies:
      read: { effect: ALLOW, resource_type: payroll/payslip, actions: [read], assigned_to: [group/clerks] }
      reports: { effect: ALLOW, resource_type: payroll/report, actions: [read] }
groups:
  clerks: { members: [user/alice, user/eve] }
subjects:
  user/alice: {}
  user/eve: {}
  user/zoe: {}
`;

const AUDIT = `policies:
      audit: { effect: ALLOW, resource_type: payroll/payslip, actions: [read], assigned_to: [role/auditor] }`;

const SCOPE = { scope: 'resource_type/payroll/payslip' };

let bench: Workbench;
let cloud: CloudBench;
let env: Record<string, string>;
let cookie: string;

async function signIn(as: Record<string, string>): Promise<string> {
  const { url: link } = await bench.json<{ url: string }>(['console'], { env: as });
  const signedIn = await fetch(`${cloud.url}/console/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: cloud.url },
    body: JSON.stringify({ link: new URL(link).hash.slice(1) }),
  });
  return signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

async function ask(method: string, path: string, body?: unknown, as = cookie) {
  const answer = await fetch(`${cloud.url}/console/api${path}`, {
    method,
    headers: { 'content-type': 'application/json', origin: cloud.url, cookie: as },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: the test looks into answers of any shape.
  return { status: answer.status, body: (await answer.json()) as any };
}

const PAYSLIPS = 'scope=resource_type/payroll/payslip';
const review = async (query = PAYSLIPS) => (await ask('GET', `/access-review?${query}`)).body as AccessReview;
/** Each subject by itself. */
const subjects = async (query = PAYSLIPS) => review(`${query}&list=subjects`);

async function apply(tree: string): Promise<void> {
  await bench.write({ 'tree/main.yaml': tree });
  await bench.json(['apply', 'tree', '--yes', '--prune'], { env });
}

beforeAll(async () => {
  bench = await Workbench.create();
  cloud = await bench.startCloud();
  env = (await cloud.tenant('acme')) as Record<string, string>;
  await apply(TREE);
  cookie = await signIn(env);
});
afterAll(() => bench.close());

describe('a sign-off', () => {
  it('says who reviewed what when at which revision, and stays over a restart', async () => {
    const { revision, as_of, row_count } = await review();
    const made = await ask('POST', '/sign-offs', { ...SCOPE, revision, as_of, decision: 'keep', note: 'Fine.' });
    expect(made).toMatchObject({
      status: 201,
      body: {
        scope: 'resource_type/payroll/payslip',
        revision,
        as_of,
        decision: 'keep',
        note: 'Fine.',
        row_count,
        to_change: [],
        person: { kind: 'oauth_client' },
      },
    });
    await cloud.stop();
    await cloud.start();
    const { body } = await ask('GET', '/sign-offs?scope=resource_type/payroll/payslip');
    expect(body.items).toEqual([made.body]);
    expect((await ask('GET', '/sign-offs?scope=application/payroll')).body.items).toEqual([]);
  });

  it('of an application counts as its review once it is about every action', async () => {
    const reviewed = async () => (await ask('GET', '/summary')).body.reviews;
    expect(await reviewed()).toEqual([{ application: 'payroll', signed_off_at: null }]);
    const sign = async (actions: object) => {
      const { revision, as_of } = await review();
      const wish = { scope: 'application/payroll', revision, as_of, decision: 'keep', ...actions };
      return (await ask('POST', '/sign-offs', wish)).body;
    };
    await sign({ actions: ['read'] });
    expect(await reviewed()).toEqual([{ application: 'payroll', signed_off_at: null }]);
    const { at } = await sign({});
    expect(await reviewed()).toEqual([{ application: 'payroll', signed_off_at: at }]);
  });

  it('keeps what the rows say that need change', async () => {
    const { revision, as_of, rows } = await review();
    const clerks = rows.find(({ subject }) => subject.kind === 'members' && subject.of === 'group/clerks');
    const when = `at=${revision}&as_of=${as_of}`;
    const { rows: members } = await review(`${PAYSLIPS}&${when}&row=${clerks?.id}`);
    expect(members.map(({ subject }) => 'path' in subject && subject.path)).toEqual(['user/alice', 'user/eve']);
    const marked = [clerks, members[1]].map((one) => one ?? { id: '', ways: [] });
    const toChange = { rows_to_change: marked.map(({ id }) => id) };
    const wish = { ...SCOPE, revision, as_of, decision: 'change', note: 'Eve has left.', ...toChange };
    const { status, body } = await ask('POST', '/sign-offs', wish);
    const said = marked.map(({ ways: _, ...one }) => one);
    expect({ status, to_change: body.to_change }).toEqual({ status: 201, to_change: said });
    expect((await ask('GET', '/sign-offs?limit=1')).body.items[0].id).toBe(body.id);
  });

  it('is of the clock that was looked at, though a term has ended since', async () => {
    const committed = async (seconds: number): Promise<AccessReview> => {
      const expires_at = new Date(Date.now() + seconds * 1000).toISOString();
      const term = `user/zoe: { roles: [{ role: auditor, expires_at: "${expires_at}" }] }`;
      await apply(`${TREE.replace('user/zoe: {}', term).replace('policies:', AUDIT)}roles: { auditor: {} }\n`);
      const found = await review();
      // On a busy machine the commit may come after the end of the term.
      return found.committed_at < expires_at ? found : await committed(seconds * 2);
    };
    const { revision, committed_at: as_of } = await committed(5);
    const query = (at: string) => `scope=resource_type/payroll/payslip&at=${revision}&as_of=${at}`;
    const zoes = ({ rows }: AccessReview) =>
      rows.filter(({ subject }) => subject.kind === 'recorded' && subject.path === 'user/zoe');
    await expect.poll(async () => zoes(await subjects()), { timeout: 60_000 }).toEqual([]);
    const then = await subjects(query(as_of));
    expect([then.as_of, zoes(then).length]).toEqual([as_of, 1]);
    const wish = { ...SCOPE, revision, as_of, decision: 'change', rows_to_change: [zoes(then)[0]?.id] };
    const { status, body } = await ask('POST', '/sign-offs', wish);
    expect({ status, as_of: body.as_of, count: body.row_count }).toEqual({ status: 201, as_of, count: then.row_count });
    await apply(TREE);
  });

  it.each<[string, object, number, string]>([
    ['a row that is not in the review', { decision: 'change', rows_to_change: ['0000'] }, 400, '/rows_to_change/0'],
    ['rows beside "keep"', { decision: 'keep', rows_to_change: ['0000'] }, 400, '/decision'],
    ['a change of which nothing is said', { decision: 'change' }, 400, '/note'],
    ['a revision that never was', { decision: 'keep', revision: '99.0123456789abcdef' }, 404, 'never had'],
    [
      'a scope that is not there',
      { decision: 'keep', scope: 'resource_type/payroll/nothing' },
      404,
      'There is no record',
    ],
    ['no full revision', { decision: 'keep', revision: '2' }, 400, '/revision'],
    ['a clock before the revision', { decision: 'keep', as_of: '2020-01-01T00:00:00Z' }, 400, '/as_of'],
    ['a clock in the future', { decision: 'keep', as_of: '2999-01-01T00:00:00Z' }, 400, '/as_of'],
    ['no clock', { decision: 'keep', as_of: undefined }, 400, '/as_of'],
  ])('refuses %s, and keeps nothing of it', async (_, more, status, words) => {
    const { revision, as_of } = await review();
    const before = (await ask('GET', '/sign-offs')).body.items.length;
    const refused = await ask('POST', '/sign-offs', { ...SCOPE, revision, as_of, note: '', ...more });
    expect(refused.status).toBe(status);
    expect(JSON.stringify(refused.body)).toContain(words);
    expect((await ask('GET', '/sign-offs')).body.items.length).toBe(before);
  });

  it('takes a session that may read records, and is seen in its own tenant alone', async () => {
    const scopes = ['decisions'];
    const { id, client_secret } = (await ask('POST', '/v1/oauth-clients', { name: 'asker', scopes })).body as Record<
      string,
      string
    >;
    const asker = await signIn({ ...env, SERVICE_CLIENT_ID: id ?? '', SERVICE_CLIENT_SECRET: client_secret ?? '' });
    const { revision, as_of } = await review();
    const wish = { ...SCOPE, revision, as_of, decision: 'keep' };
    expect((await ask('POST', '/sign-offs', wish, asker)).status).toBe(403);
    expect((await ask('GET', '/sign-offs', undefined, asker)).status).toBe(403);

    const stranger = await signIn((await cloud.tenant('stranger')) as Record<string, string>);
    const [own] = (await ask('GET', '/sign-offs')).body.items;
    expect((await ask('GET', '/sign-offs', undefined, stranger)).body.items).toEqual([]);
    expect((await ask('GET', `/sign-offs/${own.id}/changes`, undefined, stranger)).status).toBe(404);
    expect((await ask('POST', '/sign-offs', wish, stranger)).status).toBe(404);
  });

  it('of more rows than a page has covers them all', async () => {
    const many = Array.from({ length: 1200 }, (_, at) => `temp/t${at}`);
    const alone = `${TREE.replace('assigned_to: [group/clerks]', `assigned_to: [group/clerks, ${many.join(', ')}]`)}${many
      .map((one) => `  ${one}: {}\n`)
      .join('')}`;
    await apply(alone);
    const { revision, as_of, rows, row_count } = await review(`${PAYSLIPS}&limit=1000`);
    expect({ rows: rows.length, row_count }).toEqual({ rows: 1000, row_count: 1201 });
    const { rows: rest } = await review(`${PAYSLIPS}&at=${revision}&as_of=${as_of}&limit=1000&offset=1000`);
    const [last] = rest.slice(-1);
    const wish = { ...SCOPE, revision, as_of, decision: 'change', rows_to_change: [last?.id] };
    const { status, body } = await ask('POST', '/sign-offs', wish);
    expect({ status, rows: body.row_count, changed: body.to_change[0]?.id }).toEqual({
      ...{ status: 201, rows: 1201, changed: last?.id },
    });
    await apply(TREE);
  });

  it.each([
    ['a row that is not there', 'row=0000', 404],
    ['a limit that is none', 'limit=1001', 400],
    ['an offset that is none', 'offset=-1', 400],
  ])('is looked at without %s', async (_, more, status) => {
    expect((await ask('GET', `/access-review?${PAYSLIPS}&${more}`)).status).toBe(status);
  });

  it('tells what has changed since in access in its scope, and of no other', async () => {
    const { revision, as_of } = await review();
    const { body: signed } = await ask('POST', '/sign-offs', { ...SCOPE, revision, as_of, decision: 'keep' });
    const since = async () => (await ask('GET', `/sign-offs/${signed.id}/changes`)).body;
    expect(await since()).toMatchObject({
      before: { revision },
      after: { revision },
      finding_count: 0,
      complete: true,
    });
    await apply(TREE.replace('actions: [read] }\ngroups', 'actions: [read], assigned_to: [user/zoe] }\ngroups'));
    const other = await since();
    expect(other.after.revision).not.toBe(revision);
    expect(other.findings).toEqual([]);
    await apply(TREE.replace('user/eve]', 'user/zoe]'));
    const { findings } = await since();
    const said = findings.map((one: { change: string; subjects: { principals: { principal: string }[] } }) =>
      [one.change, ...one.subjects.principals.map(({ principal }) => principal)].join(' '),
    );
    expect(said.sort()).toEqual(['gained subject/user/zoe', 'lost subject/user/eve']);
    const past = await subjects(`scope=resource_type/payroll/payslip&at=${revision}`);
    expect(past.rows.map(({ subject }) => 'path' in subject && subject.path)).toEqual(['user/alice', 'user/eve']);
  });
});

it('reviews the past without what has been erased from it, though it was reviewed before', async () => {
  await apply(TREE.replace('user/alice: {}', 'user/alice: { name: Alice Erased }'));
  const { revision } = await review();
  await apply(TREE);
  const past = async () => JSON.stringify((await subjects(`scope=resource_type/payroll/payslip&at=${revision}`)).rows);
  expect(await past()).toContain('Alice Erased');
  await bench.json(['tenants', 'erase', 'acme', 'user/alice', '--yes'], { env: cloud.operator });
  const after = await past();
  expect([after.includes('user/alice'), after.includes('Alice Erased')]).toEqual([true, false]);
});
