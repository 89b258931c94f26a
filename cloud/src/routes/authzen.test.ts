import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALICE_READS, billing, TestCloud } from '../../testing/test-cloud.js';

let cloud: TestCloud;
let admin: string;
let caller: string;
beforeAll(async () => {
  cloud = await TestCloud.start();
  admin = await cloud.token();
  await cloud.commit(admin, [
    ...billing(),
    {
      op: 'create',
      kind: 'policy',
      fields: {
        application: 'billing',
        name: 'odd',
        effect: 'ALLOW',
        resource_type: 'billing/invoice',
        actions: ['delete'],
        condition: 'context.odd > 1',
      },
    },
    {
      op: 'create',
      kind: 'policy_assignment',
      fields: { policy: 'billing/odd', entity_type: 'subject', entity: 'user/alice' },
    },
  ]);
  caller = await cloud.key(admin, ['decisions']);
});
afterAll(() => cloud.close());

const ask = (name: string, body: unknown, headers: Record<string, string> = {}) =>
  cloud.ask('POST', `/access/v1/${name}`, { as: caller, body, headers });

const metric = async (name: string) => {
  const { body } = await cloud.ask('GET', '/metrics');
  return [...String(body).matchAll(new RegExp(`^${name}\\{.*\\} (\\d+)$`, 'gm'))].reduce(
    (sum, [, n]) => sum + Number(n),
    0,
  );
};

describe('an evaluation', () => {
  it('is answered as /v1/authorize answers', async () => {
    const [first, second] = [
      await ask('evaluation', ALICE_READS, { 'x-request-id': 'bfe9eb29' }),
      await cloud.ask('POST', '/v1/authorize', { as: caller, body: ALICE_READS }),
    ];
    expect(first.body).toEqual(second.body);
    expect(first.headers.get('content-type')).toBe('application/json');
    expect(first.headers.get('x-request-id')).toBe('bfe9eb29');
  });
});

describe('evaluations', () => {
  it('are answered in order, each counted, and a failing one in its place', async () => {
    const before = await metric('service_cloud_decisions_total');
    const { status, body } = await ask('evaluations', {
      ...ALICE_READS,
      evaluations: [
        {},
        { action: { name: 'delete' }, context: { odd: 'x' } },
        { resource: {} },
        { action: { name: 'approve' } },
      ],
    });
    expect(status).toBe(200);
    expect(body.evaluations.map(({ decision }: { decision: boolean }) => decision)).toEqual([true, false, false, true]);
    expect(body.evaluations[1].context.error).toMatchObject({ status: 500, code: 'evaluation_failed' });
    expect(body.evaluations[2].context.error).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(body).not.toHaveProperty('decision');
    expect((await metric('service_cloud_decisions_total')) - before).toBe(2);
  });

  it('are one evaluation where the list is absent or empty', async () => {
    const single = await ask('evaluation', ALICE_READS);
    for (const evaluations of [undefined, []])
      expect((await ask('evaluations', { ...ALICE_READS, evaluations })).body).toEqual(single.body);
  });

  it('fail as a whole where the only one does', async () => {
    const { status, body } = await ask('evaluations', {
      ...ALICE_READS,
      action: { name: 'delete' },
      context: { odd: 'x' },
    });
    expect({ status, code: body.code }).toEqual({ status: 500, code: 'evaluation_failed' });
  });
});

describe('a search', () => {
  it('goes on page by page at one revision', async () => {
    const body = { ...ALICE_READS, page: { limit: 1 } };
    const first = await ask('search/action', body);
    expect(first.body).toMatchObject({
      page: { next_token: expect.any(String), count: 1 },
      results: [{ name: 'approve' }],
    });
    const page = { token: first.body.page.next_token };
    const second = await ask('search/action', { ...body, page });
    expect(second.body).toMatchObject({ page: { next_token: '', count: 1 }, results: [{ name: 'read' }] });
    await cloud.commit(admin, [{ op: 'create', kind: 'group', fields: { name: 'new' } }]);
    const late = await ask('search/action', { ...body, page });
    expect({ status: late.status, code: late.body.code }).toEqual({ status: 400, code: 'invalid_cursor' });
  });

  it('sees a change as soon as it is committed', async () => {
    const who = { subject: { type: 'user' }, action: { name: 'read' }, resource: ALICE_READS.resource };
    expect((await ask('search/subject', who)).body.results).toEqual([{ type: 'user', id: 'alice' }]);
    const link = { role: 'billing/accountant', entity_type: 'subject', entity: 'user/bea' };
    await cloud.commit(admin, [
      { op: 'create', kind: 'subject', fields: { type: 'user', id: 'bea' } },
      { op: 'create', kind: 'role_assignment', fields: link },
    ]);
    expect((await ask('search/subject', who)).body.results).toEqual([
      { type: 'user', id: 'alice' },
      { type: 'user', id: 'bea' },
    ]);
    await cloud.commit(admin, [{ op: 'delete', address: 'role_assignment/billing/accountant//subject/user/alice' }]);
    expect((await ask('search/subject', who)).body.results).toEqual([{ type: 'user', id: 'bea' }]);
  });
});

describe('the metadata', () => {
  const endpoints = (base: string) => ({
    policy_decision_point: base,
    access_evaluation_endpoint: `${base}/access/v1/evaluation`,
    access_evaluations_endpoint: `${base}/access/v1/evaluations`,
    search_subject_endpoint: `${base}/access/v1/search/subject`,
    search_resource_endpoint: `${base}/access/v1/search/resource`,
    search_action_endpoint: `${base}/access/v1/search/action`,
  });

  it('names the address it listens on, whatever host a request names', async () => {
    const headers = {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example',
    };
    const answer = await cloud.ask('GET', '/.well-known/authzen-configuration', { headers });
    expect(answer.body).toEqual(endpoints(cloud.url));
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
  });

  it('names the configured address', async () => {
    const other = await TestCloud.start({}, { SERVICE_PUBLIC_URL: 'https://pdp.example.com/' });
    try {
      const { body } = await other.ask('GET', '/.well-known/authzen-configuration');
      expect(body).toEqual(endpoints('https://pdp.example.com'));
    } finally {
      await other.close();
    }
  });
});
