import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { ServiceClient } from '@authz-service/sdk/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv } from './agent/agent-process.js';
import { type Finished, Workbench } from './cli/workbench.js';

const FIXTURE = fileURLToPath(new URL('../../../examples/authzen-fixture', import.meta.url));

/*
 * Cloud and agent as a user starts them, with the tenant of the certification scenario, asked by the program's own
 * commands.
 */
let bench: Workbench;
let admin: Record<string, string>;
let agent: AgentProcess;
/** Decision points by name: the URL, and the environment with a credential that may only decide, or none. */
const points = new Map<string, { url: string; env: Record<string, string> }>();

beforeAll(async () => {
  bench = await Workbench.create();
  const cloud = await bench.startCloud();
  admin = await cloud.tenant('authzen');
  await bench.json(['apply', FIXTURE, '--yes'], { env: admin });
  const { secret: bundle } = await bench.json<{ secret: string }>(['keys', 'create', 'agent', '--scope', 'bundle'], {
    env: admin,
  });
  const { secret } = await bench.json<{ secret: string }>(['keys', 'create', 'caller', '--scope', 'decisions'], {
    env: admin,
  });
  agent = new AgentProcess({
    env: agentEnv(bench.folder, cloud.url, { SERVICE_API_KEY: bundle, SERVICE_CACHE_DIR: bench.path('bundles') }),
  });
  await agent.healthy(({ status }) => status === 'ok');
  points.set('cloud', { url: cloud.url, env: { SERVICE_CLOUD_URL: cloud.url, SERVICE_API_KEY: secret } });
  points.set('agent', { url: await agent.url(), env: {} });
});
afterAll(async () => {
  await agent?.kill();
  await bench.close();
});

describe.each(['cloud', 'agent'])('the %s', (name) => {
  const point = () => points.get(name) ?? expect.fail(name);
  const run = (...args: string[]): Promise<Finished> => bench.run(args, { env: point().env });

  it('passes the certification scenario', async () => {
    const { code, stdout, stderr } = await run('conformance', point().url);
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toContain('FAIL');
    expect(stdout).toMatch(/\d\d checks passed, 0 failed/);
    const report = await bench.json<{ failed: number; levels: { conforms: boolean }[] }>(['conformance', point().url], {
      env: point().env,
    });
    expect(report.failed).toBe(0);
    expect(report.levels.map(({ conforms }) => conforms)).toEqual(Array(7).fill(true));
  });

  it('says who can', async () => {
    const { stdout, stderr } = await run('who-can', 'read', 'record:record-1', '--url', point().url);
    expect({ stdout, stderr }).toEqual({ stdout: 'user:alice\nuser:bob\n', stderr: '2 subjects of type user\n' });
    const wrote = ['who-can', 'write', 'record:record-1', '--url', point().url];
    expect(await bench.json(wrote, { env: point().env })).toEqual({ results: [{ type: 'user', id: 'alice' }] });
    const archived = [
      ...wrote,
      '--resource-property',
      'status=archived',
      '--subject-type',
      'user',
      '--subject-type',
      'robot',
    ];
    expect(await bench.json(archived, { env: point().env })).toEqual({
      results: [{ type: 'user', id: 'bob' }],
      left_out: { count: 1, absent: ['subject.properties.role'] },
    });
  });

  it('says where nothing is found what it cannot know', async () => {
    const { code, stderr } = await run('who-can', 'raed', 'record:record-1', '--url', point().url);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^0 subjects of type user; http\S+ does not tell whether the named things exist\n$/);
  });

  it('says what can be done', async () => {
    const json = (...args: string[]) => bench.json(['what-can', ...args, '--url', point().url], { env: point().env });
    expect(await json('user:alice', 'read', '--resource-type', 'record', '--limit', '1')).toEqual({
      results: [{ type: 'record', id: 'record-1' }],
    });
    expect(await json('user:alice', '--resource', 'record:record-1')).toEqual({
      results: [{ name: 'read' }, { name: 'write' }],
      left_out: { count: 1, absent: ['action.properties.soft'] },
    });
  });

  it('does not tell its resource types without the right to read records', async () => {
    const { code, stderr } = await run('what-can', 'user:alice', '--url', point().url);
    expect(code).toBe(1);
    expect(stderr).toContain('does not show the resource types');
    expect(stderr).toContain('--resource-type');
  });
});

describe('what-can, of one who may read records', () => {
  it('refuses a type that there is not, naming the nearest', async () => {
    const { code, stderr } = await bench.run(['what-can', 'user:bob', '--resource-type', 'recrod'], { env: admin });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('did you mean "record"?') });
  });

  it('goes through all types', async () => {
    const { stdout } = await bench.run(['what-can', 'user:bob'], { env: admin });
    expect(stdout).toBe('RESOURCE         ACTIONS\nrecord:record-1  read\nrecord:record-2  read, write\n');
    expect(await bench.json(['what-can', 'user:alice', 'write'], { env: admin })).toEqual({
      results: [{ type: 'record', id: 'record-1' }],
      left_out: { count: 1, absent: ['subject.properties.role'] },
    });
  });

  it('refuses a subject that there is not, where it finds nothing', async () => {
    const { code, stdout, stderr } = await bench.run(['what-can', 'user:nobody'], { env: admin });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('user:nobody');
  });

  it.each([
    [
      'an action',
      ['who-can', 'raed', 'record:record-1'],
      /ACTION "raed" is not an action of record: did you mean "read"\?/,
    ],
    ['a type', ['who-can', 'read', 'recrod:x'], /RESOURCE "recrod" is not a resource type .*did you mean "record"\?/],
    ['an action of every type', ['what-can', 'user:bob', 'raed'], /"raed" is not an action of any resource type/],
    ['a type', ['what-can', 'user:bob', '--resource', 'recrod:x'], /--resource "recrod" is not a resource type/],
  ])('fails where the slip is in %s, in place of finding nobody', async (_, args, message) => {
    const { code, stdout, stderr } = await bench.run(args, { env: admin });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(message);
  });

  it('refuses a type of subjects of which there is none, and says of whom nothing is recorded', async () => {
    const robots = await bench.run(['who-can', 'read', 'record:record-1', '--subject-type', 'robot'], { env: admin });
    expect(robots).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: --subject-type "robot": there is no subject of this type: /),
    });
    const asked = ['authorize', '-s', 'user:nobody', '-a', 'read', '-r', 'record:record-1', '--explain'];
    const explained = await bench.run(asked, { env: admin });
    expect(explained.stdout).toContain('; there is no subject "user/nobody".');
  });

  it('refuses a question without an unknown', async () => {
    const { code, stderr } = await bench.run(['what-can', 'user:bob', 'read', '--resource', 'record:record-1'], {
      env: admin,
    });
    expect(code).toBe(1);
    expect(stderr).toContain('nothing to search for');
  });
});

describe('conformance', () => {
  it('exits with 1 where the decision point does not conform', async () => {
    const wrong = { SERVICE_CLOUD_URL: admin.SERVICE_CLOUD_URL ?? '', SERVICE_API_KEY: 'svc_wrong' };
    const { code, stdout } = await bench.run(['conformance', admin.SERVICE_CLOUD_URL ?? '', '--level', 'basic-core'], {
      env: wrong,
    });
    expect(code).toBe(1);
    expect(stdout).toContain('expected status 200, got 401');
    expect(stdout).not.toContain('svc_wrong');
  });

  it('sends another vendor no secret of the cloud, and asks it for no token', async () => {
    const asked: (string | undefined)[] = [];
    const vendor = createServer((request, response) => {
      asked.push(request.url, request.headers.authorization);
      response.writeHead(404).end();
    });
    await once(vendor.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
    for (const env of [
      admin,
      { ...admin, SERVICE_CLIENT_ID: '', SERVICE_CLIENT_SECRET: '', SERVICE_API_KEY: 'svc_a' },
    ]) {
      expect((await bench.run(['conformance', url, '--level', 'basic-core'], { env })).code).toBe(1);
    }
    vendor.close();
    expect(asked).toContain('/access/v1/evaluation');
    expect(asked).not.toContain('/oauth/token');
    expect(asked.filter((_, index) => index % 2 === 1)).toEqual(Array(asked.length / 2).fill(undefined));
  });

  it('uses client credentials, where they are what there is', async () => {
    const { levels } = await bench.json<{ levels: unknown }>(
      ['conformance', admin.SERVICE_CLOUD_URL ?? '', '--level', 'batch-core'],
      {
        env: admin,
      },
    );
    expect(levels).toEqual([
      { level: 'basic-core', conforms: true },
      { level: 'batch-core', conforms: true },
    ]);
  });
});

it('cloud and agent name the revision of each answer, also after a change', async () => {
  const {
    SERVICE_CLOUD_URL: url = '',
    SERVICE_CLIENT_ID: clientId = '',
    SERVICE_CLIENT_SECRET: clientSecret = '',
  } = admin;
  const client = new ServiceClient({ url, credentials: { clientId, clientSecret } });
  const question = {
    subject: { type: 'user', id: 'alice' },
    action: { name: 'read' },
    resource: { type: 'record', id: 'record-1' },
  };
  const asked: [path: string, body?: object][] = [
    ['/v1/authorize', question],
    ['/access/v1/evaluation', question],
    ['/access/v1/evaluations', { evaluations: [question, question] }],
    ['/access/v1/evaluations', question],
    ['/access/v1/search/subject', { ...question, subject: { type: 'user' } }],
    ['/access/v1/search/resource', { ...question, resource: { type: 'record' } }],
    ['/access/v1/search/action', { subject: question.subject, resource: question.resource }],
  ];
  const seen: string[] = [];
  for (const name of ['erin', 'frank']) {
    await client.records('subject').create({ type: 'user', id: name });
    const revision = (await client.state())?.revision ?? '';
    await agent.serves(revision);
    for (const { url, env } of points.values()) {
      const headers: Record<string, string> = { 'content-type': 'application/json' };
      if (env.SERVICE_API_KEY !== undefined) headers.authorization = `Bearer ${env.SERVICE_API_KEY}`;
      for (const [path, body] of asked) {
        const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
        expect([path, answer.status, answer.headers.get('service-revision')]).toEqual([path, 200, revision]);
      }
      const refused = await fetch(`${url}/v1/authorize`, { method: 'POST', headers, body: '{}' });
      expect([refused.status, refused.headers.get('service-revision')]).toEqual([400, null]);
    }
    seen.push(revision);
  }
  expect(new Set(seen).size).toBe(2);
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, { post?: { responses: Record<string, { headers?: object }> } }>;
  };
  for (const [path] of asked)
    expect(Object.keys(paths[path]?.post?.responses[200]?.headers ?? {}), path).toEqual([
      'Service-Revision',
      'Service-Erased-Records',
    ]);
});
