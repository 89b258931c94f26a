import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALICE_READS, billing, TestCloud } from '../../testing/test-cloud.js';

let cloud: TestCloud;
let admin: string;
let newest: string;

beforeAll(async () => {
  cloud = await TestCloud.start();
  admin = await cloud.token();
  const { body } = await cloud.ask('POST', '/v1/changesets', { as: admin, body: { changes: billing() } });
  newest = body.revision;
});
afterAll(() => cloud.close());

const READS: [string, string, object?][] = [
  ['POST', '/v1/authorize', ALICE_READS],
  ['POST', '/access/v1/evaluations', { ...ALICE_READS, evaluations: [{}] }],
  ['POST', '/access/v1/search/action', { ...ALICE_READS, action: undefined }],
  ['GET', '/v1/state'],
  ['GET', '/v1/roles'],
  ['GET', '/v1/whoami'],
];

describe.each(READS)('%s %s', (method, path, body) => {
  const from = (revision: string) =>
    cloud.ask(method, path, { as: admin, ...(body && { body }), headers: { 'service-min-revision': revision } });
  const number = () => Number.parseInt(newest, 10);

  it('answers from the revision of a commit, and from later ones', async () => {
    for (const revision of [newest, String(number()), '0', '1']) expect((await from(revision)).status).toBe(200);
  });

  it('refuses a revision that there is not', async () => {
    const digest = newest.slice(newest.indexOf('.'));
    for (const revision of [
      String(number() + 1),
      `${number() + 1}${digest}`,
      `${number()}.${'0'.repeat(16)}`,
      `1${digest}`,
    ]) {
      const { status, body: problem } = await from(revision);
      expect([revision, status, problem.code]).toEqual([revision, 412, 'unknown_revision']);
      expect(problem.detail).toContain(revision);
    }
  });

  it('refuses what is no revision', async () => {
    const { status, body: problem } = await from('newest');
    expect([status, problem.code]).toEqual([400, 'invalid_request']);
  });
});

it('is what every write answers with', async () => {
  const path = (made: { body: { id: string } }) => `/v1/roles/${made.body.id}`;
  const made = await cloud.ask('POST', '/v1/roles', { as: admin, body: { name: 'headed' } });
  const patched = await cloud.ask('PATCH', path(made), { as: admin, body: { description: 'more' } });
  const same = await cloud.ask('PATCH', path(made), { as: admin, body: { description: 'more' } });
  const deleted = await cloud.ask('DELETE', path(made), { as: admin });
  const key = { 'idempotency-key': 'once' };
  const change = { changes: [{ op: 'create', kind: 'role', fields: { name: 'listed' } }] };
  const committed = await cloud.ask('POST', '/v1/changesets', { as: admin, body: change, headers: key });
  const replayed = await cloud.ask('POST', '/v1/changesets', { as: admin, body: change, headers: key });
  const revisions = [made, patched, same, deleted, committed, replayed].map(({ status, headers }) => {
    const [number] = /^(?<number>\d+)\.[0-9a-f]{16}$/.exec(headers.get('service-revision') ?? '') ?? [];
    return [status, Number.parseInt(number ?? '', 10)];
  });
  const first = Number.parseInt(newest, 10) + 1;
  expect(revisions).toEqual([
    [201, first],
    [200, first + 1],
    [200, first + 1],
    [204, first + 2],
    [200, first + 3],
    [200, first + 3],
  ]);
  expect(committed.headers.get('service-revision')).toBe(committed.body.revision);
  newest = committed.body.revision;
});

it('asks for a credential first', async () => {
  const { status } = await cloud.ask('GET', '/v1/state', { headers: { 'service-min-revision': '9999' } });
  expect(status).toBe(401);
});

it('counts the requests that were not answered at once', async () => {
  const count = async (outcome: string) => {
    const text = await (await fetch(`${cloud.url}/metrics`)).text();
    return Number(
      new RegExp(`^service_cloud_revision_waits_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(text)?.[1],
    );
  };
  const before = [await count('reached'), await count('unknown')];
  await cloud.ask('GET', '/v1/state', { as: admin, headers: { 'service-min-revision': newest } });
  await cloud.ask('GET', '/v1/state', { as: admin, headers: { 'service-min-revision': '9999' } });
  expect([await count('reached'), await count('unknown')]).toEqual([before[0], (before[1] ?? 0) + 1]);
});
