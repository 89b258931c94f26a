import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ALICE_READS, billing, TestCloud } from '../../testing/test-cloud.js';

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

let cloud: TestCloud;
let admin: string;

beforeAll(async () => {
  cloud = await TestCloud.start();
  admin = await cloud.token();
  await cloud.commit(admin, billing());
});

afterAll(() => cloud.close());

const samples = async () => {
  const { headers, body } = await cloud.ask('GET', '/metrics');
  expect(headers.get('content-type')).toContain('text/plain; version=0.0.4');
  const lines = (body as Buffer).toString().split('\n');
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
};

it('health and readiness need no credential', async () => {
  for (const path of ['/livez', '/healthz'])
    expect(await cloud.ask('GET', path)).toMatchObject({ status: 200, body: { status: 'ok' } });
  expect(await cloud.ask('GET', '/readyz')).toMatchObject({
    status: 200,
    body: { status: 'ready', writable: true },
  });
  expect((await cloud.ask('GET', '/readyz')).body).not.toHaveProperty('clock_behind_seconds');
});

it.skipIf(!hasPromtool)(
  'metrics are as promtool wants them, and those of limits are there before the first refusal',
  async () => {
    const { body } = await cloud.ask('GET', '/metrics');
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: body, encoding: 'utf8' });
    expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: '' });
    expect((await samples()).get('service_cloud_limited_total{scope="tenant",unit="requests"}')).toBe(0);
    expect((await samples()).get('service_cloud_replica{state="current"}')).toBe(1);
    expect((await samples()).get('service_cloud_replica_silent_seconds')).toBe(0);
  },
);

it('metrics count requests, decisions, commits and tenants', async () => {
  const before = await samples();
  await cloud.ask('POST', '/v1/authorize', { as: admin, body: ALICE_READS });
  await cloud.ask('POST', '/v1/authorize', { as: admin, body: { ...ALICE_READS, action: { name: 'delete' } } });
  await cloud.ask('POST', '/v1/authorize', { body: ALICE_READS });
  await cloud.ask('GET', `/v1/roles/${'x'.repeat(50)}`, { as: admin });
  await cloud.ask('GET', '/some/path/of/a/scanner');
  await cloud.ask('PROPFIND', '/v1/roles');
  await cloud.commit(admin, [{ op: 'create', kind: 'role', fields: { name: 'a' } }]);
  await cloud.tenant('other');
  const after = await samples();
  const grown = (sample: string) => (after.get(sample) ?? 0) - (before.get(sample) ?? 0);

  expect(grown('service_cloud_decisions_total{allowed="true",access_path="role"}')).toBe(1);
  expect(grown('service_cloud_decisions_total{allowed="false",access_path="none"}')).toBe(1);
  expect(grown('service_cloud_requests_total{method="POST",route="/v1/authorize",status="200"}')).toBe(2);
  expect(grown('service_cloud_requests_total{method="POST",route="/v1/authorize",status="401"}')).toBe(1);
  expect(grown('service_cloud_requests_total{method="GET",route="/v1/roles/{id}",status="404"}')).toBe(1);
  expect(grown('service_cloud_requests_total{method="GET",route="unknown",status="404"}')).toBe(1);
  expect(grown('service_cloud_requests_total{method="other",route="/v1/roles",status="405"}')).toBe(1);
  expect(grown('service_cloud_request_duration_seconds_count{method="POST",route="/v1/authorize"}')).toBe(3);
  expect(grown('service_cloud_commits_total')).toBe(1);
  expect(grown('service_cloud_commit_duration_seconds_count')).toBe(1);
  expect(grown('service_cloud_tenants')).toBe(1);
  expect(after.get('service_cloud_writable')).toBe(1);
  expect(after.get('service_cloud_clock_behind_seconds')).toBe(0);
});
