import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestCloud } from '../../testing/test-cloud.js';

const START = Date.parse('2026-06-01T00:00:00Z');
const COMMIT = 'a'.repeat(40);
const STATUS = {
  state: 'synced',
  ready: true,
  repository: 'https://git.example/acme/authz',
  ref: 'main',
  observed: COMMIT,
  applied: COMMIT,
  revision: '1.0000000000000000',
  since: new Date(START).toISOString(),
};

let cloud: TestCloud;
let writer: string;
let now = START;
beforeAll(async () => {
  cloud = await TestCloud.start({ now: () => now });
  const admin = await cloud.token();
  writer = await cloud.key(admin, ['records:read', 'records:write']);
});
afterAll(() => cloud.close());

const claim = (stack: string, body: object) => cloud.ask('PUT', `/v1/sync/${stack}`, { as: writer, body });

describe('the lease of a stack', () => {
  it('is held by one controller, renewed by its term, and taken by another once it has expired', async () => {
    const first = await claim('payments', { holder: 'a', lease_seconds: 30, status: STATUS });
    expect(first.body).toMatchObject({ holder: 'a', term: 1, live: true, status: STATUS });
    expect(await claim('payments', { holder: 'b', lease_seconds: 30 })).toMatchObject({
      status: 409,
      body: {
        code: 'conflict',
        detail:
          'This controller does not hold the lease of the stack "payments". "a" has it until 2026-06-01T00:00:30.000Z.',
      },
    });
    now += 20_000;
    expect((await claim('payments', { holder: 'a', term: 1, lease_seconds: 30 })).body).toMatchObject({ term: 1 });
    now += 31_000;
    // What was reported last goes on to the successor.
    expect((await claim('payments', { holder: 'b', lease_seconds: 30 })).body).toMatchObject({
      term: 2,
      status: STATUS,
    });
    expect((await claim('payments', { holder: 'a', term: 1, lease_seconds: 30 })).status).toBe(409);
  });

  it('that has expired is renewed if nobody has taken it', async () => {
    const { body } = await claim('slow', { holder: 'a', lease_seconds: 1 });
    now += 60_000;
    expect((await claim('slow', { holder: 'a', term: body.term, lease_seconds: 1 })).body).toMatchObject({ term: 1 });
  });

  it('is given back', async () => {
    const { body } = await claim('given', { holder: 'a', lease_seconds: 30 });
    await claim('given', { holder: 'a', term: body.term, lease_seconds: 0 });
    expect((await claim('given', { holder: 'b', lease_seconds: 30 })).body).toMatchObject({ holder: 'b', term: 2 });
  });

  it('goes to one of many who ask at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => claim('race', { holder: `c${n}`, lease_seconds: 30 })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
  });

  it('is over once the stack is forgotten', async () => {
    const { body } = await claim('gone', { holder: 'a', lease_seconds: 30 });
    expect((await cloud.ask('DELETE', '/v1/sync/gone', { as: writer })).status).toBe(204);
    expect((await cloud.ask('DELETE', '/v1/sync/gone', { as: writer })).status).toBe(404);
    const late = await claim('gone', { holder: 'a', term: body.term, lease_seconds: 30 });
    expect(late).toMatchObject({ status: 409, body: { detail: expect.stringContaining('forgotten') } });
  });

  it('is for those alone who may write the stack', async () => {
    const limits = { stacks: ['team'] };
    const { body: made } = await cloud.ask('POST', '/v1/api-keys', {
      as: await cloud.token(),
      body: { name: 'team', scopes: ['records:write'], limits },
    });
    const as = made.secret;
    const body = { holder: 'a', lease_seconds: 30 };
    expect((await cloud.ask('PUT', '/v1/sync/team', { as, body })).status).toBe(200);
    for (const [method, asked] of [
      ['PUT', { body }],
      ['DELETE', {}],
    ] as const)
      expect(await cloud.ask(method, '/v1/sync/payments', { as, ...asked })).toMatchObject({
        status: 403,
        body: { code: 'outside_limits', detail: expect.stringContaining('and "payments" is another stack') },
      });
  });

  it.each([
    ['a stack whose name is none', '\n', { holder: 'a', lease_seconds: 1 }],
    ['a lease without end', 'x', { holder: 'a', lease_seconds: 601 }],
    ['a commit that is none', 'x', { holder: 'a', lease_seconds: 1, status: { ...STATUS, applied: 'main' } }],
  ])('refuses %s', async (_name, stack, body) => {
    expect((await claim(encodeURIComponent(stack), body)).body.code).toBe('invalid_request');
  });
});

it('lists the stacks with whether somebody follows them', async () => {
  const { body } = await cloud.ask('GET', '/v1/sync', { as: writer });
  expect(body.stacks).toContainEqual(expect.objectContaining({ stack: 'slow', live: true, holder: 'a' }));
  now += 3_600_000;
  const later = await cloud.ask('GET', '/v1/sync', { as: writer });
  expect(later.body.stacks.some(({ live }: { live: boolean }) => live)).toBe(false);
});
