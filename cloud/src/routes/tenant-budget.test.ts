import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestCloud } from '../../testing/test-cloud.js';

/**
 * Two tenants with the same records. A decision on the heavy action takes some 70,000 steps, on the other one hardly
 * any.
 */
let cloud: TestCloud;
let loud: string;
let quiet: string;
const list = Array.from({ length: 100 }, (_, at) => at);
const CONDITIONS = {
  heavy: 'context.list.all(a, context.list.all(b, a + b + a + b >= 0))',
  light: 'context.light',
};

beforeAll(async () => {
  // The clock stands still, so tenants get no more than the two or three heavy decisions of their initial budget.
  cloud = await TestCloud.start({ clock: () => 0 }, { SERVICE_TENANT_STEPS_PER_SECOND: '200000' });
});
afterAll(() => cloud.close());

async function fill(name: string): Promise<string> {
  const admin = await cloud.tenant(name);
  const create = (kind: string, fields: object) => ({ op: 'create', kind, fields });
  const users = Array.from({ length: 20 }, (_, at) => `u${at}`);
  await cloud.commit(admin, [
    create('application', { name: 'app' }),
    create('resource_type', { application: 'app', name: 'doc', actions: ['heavy', 'light'] }),
    create('resource', { type: 'app/doc', name: 'd' }),
    create('group', { name: 'all' }),
    ...users.flatMap((id) => [
      create('subject', { type: 'user', id }),
      create('group_membership', { group: 'all', entity_type: 'subject', entity: `user/${id}` }),
    ]),
    ...Object.entries(CONDITIONS).flatMap(([action, condition]) => [
      create('policy', {
        application: 'app',
        name: action,
        effect: 'ALLOW',
        resource_type: 'app/doc',
        actions: [action],
        condition,
      }),
      create('policy_assignment', { policy: `app/${action}`, entity_type: 'group', entity: 'all' }),
    ]),
  ]);
  return await cloud.key(admin, ['decisions']);
}

let tenants = 0;
/** A new tenant with a full budget for each test. */
async function fresh(): Promise<void> {
  tenants++;
  [loud, quiet] = [await fill(`loud-${tenants}`), await fill(`quiet-${tenants}`)];
}

const question = (action: keyof typeof CONDITIONS, more: object = {}) => ({
  subject: { type: 'user', id: 'u1' },
  resource: { type: 'doc', id: 'd' },
  action: { name: action },
  context: { list, light: true },
  ...more,
});
const ask = (as: string, path: string, body: object) => cloud.ask('POST', path, { as, body });
const SINGLE = ['/v1/authorize', '/access/v1/evaluation', '/access/v1/evaluations'];

/** Asks until it is refused, and returns the answers before that and the refusal. */
async function untilRefused(path: string, body: object) {
  const answers = [];
  for (;;) {
    const answer = await ask(loud, path, body);
    if (answer.status !== 200) return { answers, refusal: answer };
    answers.push(answer.body);
    expect(answers.length).toBeLessThan(5);
  }
}

describe('a tenant beyond its budget', () => {
  it.each([...SINGLE.map((path) => [path, {}] as const), ['/v1/authorize', { options: { explain: true } }] as const])(
    'is refused decisions at %s %j, while others are answered',
    async (path, more) => {
      await fresh();
      const { answers, refusal } = await untilRefused(path, question('heavy', more));
      expect(answers.length).toBeGreaterThanOrEqual(2);
      expect(answers.every(({ decision }) => decision)).toBe(true);
      expect(refusal).toMatchObject({ status: 429, body: { code: 'too_many_requests', status: 429 } });
      expect(refusal.body).not.toHaveProperty('decision');
      expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect((await ask(quiet, path, question('light'))).body.decision).toBe(true);
    },
  );

  it('is refused a batch as a whole, also in its midst', async () => {
    await fresh();
    const batch = question('heavy', { evaluations: Array(10).fill({}) });
    const { status, headers, body } = await ask(loud, '/access/v1/evaluations', batch);
    expect({ status, code: body.code }).toEqual({ status: 429, code: 'too_many_requests' });
    expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(body).not.toHaveProperty('evaluations');
    const light = question('light', { evaluations: Array(10).fill({}) });
    expect((await ask(quiet, '/access/v1/evaluations', light)).body.evaluations).toHaveLength(10);
  });

  it('gets the pages of a search that it has steps for, and is not told that there is no more', async () => {
    await fresh();
    const search = question('heavy', { subject: { type: 'user' } });
    const { status, body } = await ask(loud, '/access/v1/search/subject', search);
    expect(status).toBe(200);
    expect(body.results.length).toBeGreaterThanOrEqual(1);
    expect(body.results.length).toBeLessThan(20);
    expect(body.page.next_token).not.toBe('');
    const { refusal } = await untilRefused('/access/v1/search/subject', search);
    expect(refusal.status).toBe(429);
    const light = question('light', { subject: { type: 'user' } });
    expect((await ask(quiet, '/access/v1/search/subject', light)).body.results).toHaveLength(20);
  });
});
