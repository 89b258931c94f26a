import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv } from './agent/agent-process.js';
import { below, billing } from './cli/tenant.js';
import { firstLine, PROGRAM, Workbench } from './cli/workbench.js';

let bench: Workbench;
let cloud: Awaited<ReturnType<Workbench['startCloud']>>;
let env: Record<string, string>;
beforeAll(async () => {
  bench = await Workbench.create();
  cloud = await bench.startCloud();
  env = await cloud.tenant('asked');
  await bench.write(below('tree', billing()));
  await bench.json(['apply', 'tree', '--yes'], { env });
});
afterAll(() => bench.close());

const question = (subject: string, action: string) => [
  'authorize',
  '--subject',
  `user:${subject}`,
  '--action',
  action,
  '--resource',
  'invoice:INV-1',
];

describe('authorize', () => {
  it.each<[string, string[], boolean, string]>([
    ['allows through a group', question('alice', 'read'), true, 'group'],
    ['allows through a role', question('bob', 'approve'), true, 'role'],
    ['denies', question('alice', 'approve'), false, 'none'],
    [
      'takes a qualified type',
      ['authorize', '-s', 'user:alice', '-a', 'read', '-r', 'billing/invoice:INV-1'],
      true,
      'group',
    ],
    [
      'takes properties over stored ones',
      [...question('bob', 'approve'), '--resource-property', 'amount=5000'],
      false,
      'none',
    ],
    ['takes roles of the request', [...question('zoe', 'read'), '--role', 'billing/clerk'], true, 'role'],
  ])('%s', async (_, args, decision, access_path) => {
    expect(await bench.json(args, { env })).toMatchObject({ decision, context: { access_path } });
  });

  it('prints the response object of POST /v1/authorize', async () => {
    expect(await bench.json(question('alice', 'read'), { env })).toEqual({
      decision: true,
      context: { reason: expect.any(String), policy_id: expect.any(String), access_path: 'group' },
    });
    expect(await bench.json(question('alice', 'approve'), { env })).toEqual({
      decision: false,
      context: { reason: expect.any(String), access_path: 'none' },
    });
  });

  it('takes the id of a resource', async () => {
    const { id } = await bench.json<{ id: string }>(['get', 'resource', 'billing/invoice/INV-1'], { env });
    const args = ['authorize', '-s', 'user:alice', '-a', 'read', '-r', 'invoice', '--resource-id', id];
    expect(await bench.json(args, { env })).toMatchObject({ decision: true });
  });

  it.each([
    ['an allow with --exit-code', [...question('alice', 'read'), '--exit-code'], 0],
    ['a denial', question('alice', 'approve'), 0],
    ['a denial with --exit-code', [...question('alice', 'approve'), '--exit-code'], 2],
    [
      'a question that cannot be answered',
      [...question('alice', 'read').slice(0, -1), 'unheard-of:x', '--exit-code', '--role', ''],
      1,
    ],
  ])('%s exits as it should', async (_, args, code) => {
    expect((await bench.run(args, { env })).code).toBe(code);
  });

  it('explains', async () => {
    const { stdout } = await bench.run([...question('bob', 'approve'), '--explain'], { env });
    expect(stdout).toContain('✓ policy/billing/approve  ALLOW  priority 0');
    expect(stdout).toContain('through subject/user/bob → role/billing/accountant');
    const answer = await bench.json<{ context: object }>([...question('bob', 'approve'), '--explain'], { env });
    expect(answer.context).toMatchObject({ explanation: { candidates: [{ policy: 'policy/billing/approve' }] } });
  });
});

describe('a batch', () => {
  const lines = ['alice', 'bob', 'zoe'].map((id) => ({
    subject: `user:${id}`,
    action: 'read',
    resource: 'invoice:INV-1',
  }));
  const jsonl = lines.map((line) => JSON.stringify(line)).join('\n');

  it('answers a line for each request, in order', async () => {
    await bench.write({ 'q.jsonl': jsonl });
    const { code, stdout } = await bench.run(['authorize', '--batch', 'q.jsonl', '--json'], { env });
    expect(code).toBe(0);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).decision),
    ).toEqual([true, false, false]);
  });

  it('reads standard input, and says by its exit code that something is denied', async () => {
    const { code, stdout } = await bench.run(['authorize', '--batch', '-', '--exit-code'], { env, input: jsonl });
    expect(code).toBe(2);
    expect(stdout).toMatch(/^allowed {2}user:alice read invoice:INV-1 {2}.*\ndenied {3}user:bob/);
  });

  it('answers the others where one request is malformed, and fails', async () => {
    const input = `${JSON.stringify({ subject: {}, action: 'read', resource: 'invoice:INV-1' })}\n${jsonl}`;
    const { code, stdout } = await bench.run(['authorize', '--batch', '-', '--json'], { env, input });
    expect(code).toBe(1);
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers).toHaveLength(4);
    expect(answers[0]).toMatchObject({
      error: { code: 'invalid_request', errors: [{ pointer: '/subject/type' }, {}] },
    });
    expect(answers[1]).toMatchObject({ decision: true });
  });

  it('exits with 1 where an answer is not the expected one', async () => {
    const questions = (...expectations: string[]) =>
      expectations.map((expect, index) => JSON.stringify({ ...lines[index], expect })).join('\n');
    const kept = questions('allow', 'deny', 'deny');
    expect(await bench.run(['authorize', '--batch', '-'], { env, input: kept })).toMatchObject({ code: 0, stderr: '' });
    const broken = await bench.run(['authorize', '--batch', '-'], { env, input: questions('deny', 'deny', 'deny') });
    expect(broken).toMatchObject({ code: 1, stderr: '✗ 1 of 3 expected answers: not as expected\n' });
    expect(broken.stdout).toMatch(/^allowed {2}user:alice read invoice:INV-1 {2}not as expected \(deny\)/);
  });

  it('takes a thousand and more', async () => {
    const input = Array.from({ length: 1500 }, (_, index) =>
      JSON.stringify({ ...lines[0], resource: `invoice:N-${index}` }),
    );
    const { code, stdout, stderr } = await bench.run(['authorize', '--batch', '-', '--json'], {
      env,
      input: input.join('\n'),
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.trimEnd().split('\n')).toHaveLength(1500);
  });
});

describe('an agent is asked like the cloud', () => {
  it('by its address alone, with or without credentials in the environment', async () => {
    const { secret } = await bench.json<{ secret: string }>(['keys', 'create', 'agent', '--scope', 'bundle'], { env });
    const agent = new AgentProcess({
      program: PROGRAM,
      args: ['agent', 'start'],
      env: agentEnv(bench.path('agent-home'), cloud.url, {
        SERVICE_API_KEY: secret,
        SERVICE_CACHE_DIR: bench.path('bundles'),
      }),
    });
    try {
      const url = await agent.url();
      await agent.logged((line) => line.msg === 'bundle activated');
      const fromCloud = await bench.json(question('alice', 'read'), { env });
      for (const variables of [env, {}, { SERVICE_API_KEY: secret }]) {
        const args = [...question('alice', 'read'), '--url', url];
        expect(await bench.json(args, { env: variables as Record<string, string> })).toEqual(fromCloud);
      }
      const byVariable = await bench.json(question('alice', 'read'), { env: { ...env, SERVICE_CLOUD_URL: url } });
      expect(byVariable).toEqual(fromCloud);
    } finally {
      await agent.kill();
    }
  });
});

describe('credentials', () => {
  it('keys create and clients create print what scripts rely on', async () => {
    const key = await bench.json(['keys', 'create', 'k1', '--scope', 'decisions', '--scope', 'bundle'], { env });
    expect(key).toEqual({ id: expect.any(String), secret: expect.stringMatching(/^svc_/) });
    const client = await bench.json(['clients', 'create', 'c1', '--scope', 'records:write'], { env });
    expect(client).toEqual({ client_id: expect.any(String), client_secret: expect.any(String) });
  });

  it('take the flags before or after the name', async () => {
    expect(await bench.json(['keys', 'create', '--scope', 'decisions', 'k0'], { env })).toMatchObject({});
    expect(await bench.json(['get', 'api_key/k0'], { env })).toMatchObject({ scopes: ['decisions'] });
  });

  it('text output can be used as it is, and the rest goes to stderr', async () => {
    const key = await bench.run(['keys', 'create', 'k2', '--scope', 'decisions'], { env });
    expect(key.stdout).toMatch(/^svc_[\w-]{43}\n$/);
    expect(key.stderr).toContain('shown only once');
    const client = await bench.run(['clients', 'create', 'c2', '--scope', 'records:read'], { env });
    const variables = Object.fromEntries(
      client.stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split('=') as [string, string]),
    );
    expect(Object.keys(variables)).toEqual(['SERVICE_CLIENT_ID', 'SERVICE_CLIENT_SECRET']);
    const who = await bench.json(['whoami'], { env: { ...variables, SERVICE_CLOUD_URL: cloud.url } });
    expect(who).toMatchObject({ tenant: { name: 'asked' }, credential: { name: 'c2' }, scopes: ['records:read'] });
  });

  it('a key may decide by what it was made for, and stops when it is deleted', async () => {
    const { secret, id } = await bench.json<{ secret: string; id: string }>(
      ['keys', 'create', 'k3', '--scope', 'decisions'],
      { env },
    );
    const asKey = { SERVICE_API_KEY: secret, SERVICE_CLOUD_URL: cloud.url };
    expect(await bench.json(question('alice', 'read'), { env: asKey })).toMatchObject({ decision: true });
    expect(await bench.json(['get', 'roles'], { env: asKey, code: 1 })).toMatchObject({ error: { code: 'forbidden' } });
    expect(await bench.json(['keys', 'delete', 'k3'], { env, code: 1 })).toMatchObject({
      error: { detail: expect.stringContaining('--yes') },
    });
    expect(await bench.json(['keys', 'delete', 'k3', '--yes'], { env })).toEqual({ deleted: 'k3' });
    expect(await bench.json(question('alice', 'read'), { env: asKey, code: 1 })).toMatchObject({
      error: { code: 'unauthorized' },
    });
    expect(await bench.json(['keys', 'delete', id, '--yes'], { env, code: 1 })).toMatchObject({
      error: { code: 'not_found' },
    });
  });

  it('the last administrator is not deleted, and nothing is without being asked', async () => {
    const administrator = ['clients', 'delete', 'administrator'];
    expect(await bench.json(administrator, { env, code: 1 })).toMatchObject({
      error: { detail: expect.stringContaining('--yes') },
    });
    expect(await bench.json([...administrator, '--yes'], { env, code: 1 })).toMatchObject({
      error: { code: 'conflict', detail: expect.stringContaining('"credentials"') },
    });
  });

  it('lists name no secret', async () => {
    const { secret } = await bench.json<{ secret: string }>(['keys', 'create', 'k4', '--scope', 'decisions'], { env });
    const { stdout } = await bench.run(['keys', 'list'], { env });
    expect(stdout).toMatch(/^NAME +ID +SCOPES( +LAST USED AT)?\n/);
    expect(stdout).toContain('k4');
    expect(stdout + JSON.stringify(await bench.json(['keys', 'list'], { env }))).not.toContain(secret);
    expect(await bench.json(['clients', 'list'], { env })).toMatchObject({
      items: [{ name: 'administrator' }, {}, {}],
    });
  });

  it('operators make operators, and nobody else does', async () => {
    const create = ['keys', 'create', 'fleet', '--scope', 'bundle', '--operator'];
    expect(await bench.json(create, { env, code: 1 })).toMatchObject({
      error: { code: 'forbidden', detail: expect.stringContaining('"operator"') },
    });
    const { secret } = await bench.json<{ secret: string }>(create, { env: cloud.operator });
    const { SERVICE_CLIENT_ID: _, SERVICE_CLIENT_SECRET: __, ...rest } = cloud.operator;
    const who = await bench.json(['whoami'], { env: { ...rest, SERVICE_API_KEY: secret } });
    expect(who).toMatchObject({ scopes: ['bundle', 'operator'] });
    expect((await bench.run(['keys', 'list'], { env: cloud.operator })).stdout).toMatch(/fleet .* bundle, operator/);
    await bench.json(['keys', 'delete', 'fleet', '--yes'], { env: cloud.operator });
  });

  it('are kept as a profile, which then stands for the environment', async () => {
    const who = await bench.json(['whoami'], { env });
    const saved = await bench.run(['profiles', 'save', 'here'], { env });
    expect(saved).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Saved the profile "here": OAuth client/) });
    expect(saved.stdout + saved.stderr).not.toContain(env.SERVICE_CLIENT_SECRET);
    expect(await bench.json(['whoami', '--profile', 'here'])).toEqual(who);
    expect(await bench.json(['profiles', 'save', 'here'], { env, code: 1 })).toMatchObject({
      error: { code: 'usage', detail: expect.stringContaining('--replace') },
    });
    const wrong = { ...env, SERVICE_CLIENT_SECRET: 'another secret than it is' };
    expect(await bench.json(['profiles', 'save', 'wrong'], { env: wrong, code: 1 })).toMatchObject({
      error: { code: 'invalid_client' },
    });
    expect(await bench.json(['profiles', 'save', 'none'], { code: 1 })).toMatchObject({ error: { code: 'usage' } });
    await bench.json(['profiles', 'delete', 'here']);
    expect(await bench.json(['profiles', 'list'])).toMatchObject({ items: [] });
  });

  it('tenants are made, listed and deleted by an operator', async () => {
    const made = await bench.json(['tenants', 'create', 'short-lived'], { env: cloud.operator });
    expect(made).toMatchObject({
      name: 'short-lived',
      client_id: expect.any(String),
      client_secret: expect.any(String),
    });
    const { items } = await bench.json<{ items: { name: string }[] }>(['tenants', 'list'], { env: cloud.operator });
    expect(items.map(({ name }) => name)).toEqual(['asked', 'default', 'short-lived']);
    expect(await bench.run(['tenants', 'delete', 'short-lived'], { env: cloud.operator })).toMatchObject({ code: 1 });
    expect((await bench.run(['tenants', 'delete', 'short-lived', '--yes'], { env: cloud.operator })).code).toBe(0);
    const trail = await bench.json<{ items: object[] }>(['audit', '--tenants', '--limit', '2'], {
      env: cloud.operator,
    });
    const tenant = { id: made.id, name: 'short-lived' };
    expect(trail.items).toMatchObject([
      { op: 'delete', tenant },
      { op: 'create', tenant },
    ]);
    const { stdout } = await bench.run(['audit', '--tenants', '--limit', '1'], { env: cloud.operator });
    expect(stdout).toMatch(/OP +TENANT +AT +BY\n-delete +short-lived /);
    expect(await bench.json(['audit', '--tenants'], { env, code: 1 })).toMatchObject({ error: { code: 'forbidden' } });
    expect(await bench.json(['tenants', 'list'], { env, code: 1 })).toMatchObject({ error: { code: 'forbidden' } });
  });
});

describe('looking', () => {
  it.each([
    [
      'a list',
      ['get', 'roles'],
      'PATH                MANAGED BY\nbilling/accountant  billing\nbilling/clerk       billing\n',
    ],
    ['a filtered list', ['get', 'subjects', '--filter', 'id=bob'], 'PATH      MANAGED BY\nuser/bob  billing\n'],
    ['a limited list', ['get', 'policies', '--limit', '1'], expect.stringMatching(/^PATH .*\n.*\n$/)],
    ['one record', ['get', 'role', 'billing/clerk'], expect.stringMatching(/^role\/billing\/clerk\n {2}id /)],
    ['one record by its address', ['get', 'subject/user/bob'], expect.stringMatching(/^subject\/user\/bob\n/)],
    ['nothing', ['get', 'roles', '--filter', 'name=none'], ''],
  ])('get shows %s', async (_, args, stdout) => {
    expect(await bench.run(args, { env })).toMatchObject({ code: 0, stdout });
  });

  it('get as JSON', async () => {
    const { items } = await bench.json<{ items: object[] }>(['get', 'roles'], { env });
    expect(items[0]).toMatchObject({ kind: 'role', address: 'role/billing/accountant', application: 'billing' });
    expect(await bench.json(['get', 'role', 'none'], { env, code: 1 })).toMatchObject({ error: { code: 'not_found' } });
  });

  it('audit shows the latest commits first', async () => {
    const { items } = await bench.json<{ items: { changes: object[] }[] }>(['audit'], { env });
    expect(items.at(-1)).toMatchObject({
      credential: { kind: 'oauth_client' },
      changes: [{ op: 'create', address: 'oauth_client/administrator' }],
    });
    const { stdout } = await bench.run(['audit', '--limit', '1'], { env });
    expect(stdout.trimEnd().split('\n')).toHaveLength(2);
  });
});

describe('servicectl cloud start', () => {
  const start = (...args: string[]) => [
    'cloud',
    'start',
    '--data-dir',
    'second',
    '--listen-addr',
    '127.0.0.1:0',
    ...args,
  ];

  it('prints one line of JSON when it is ready, shows the secret it made on stderr, and stops on SIGTERM', async () => {
    const child = bench.spawn(start());
    let stdout = '';
    let stderr = '';
    child.stdout?.on('data', (text) => (stdout += text));
    child.stderr?.on('data', (text) => (stderr += text));
    const line = await firstLine(child);
    const { url } = JSON.parse(line);
    expect(line).toBe(JSON.stringify({ url }));
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const [id = '', secret = ''] = ['ID', 'SECRET'].map(
      (name) => new RegExp(`SERVICE_CLIENT_${name}=(\\S+)`).exec(stderr)?.[1] ?? '',
    );
    const made = { SERVICE_CLIENT_ID: id, SERVICE_CLIENT_SECRET: secret, SERVICE_CLOUD_URL: url };
    expect(await bench.json(['whoami'], { env: made })).toMatchObject({ tenant: { name: 'default' } });
    const closed = new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
    child.kill('SIGTERM');
    expect(await closed).toEqual({ code: 0, signal: null });
    expect(stdout).toBe(`${line}\n`);
  });

  it.each([
    ['a wrong address', ['--listen-addr', 'nowhere'], 'HOST:PORT'],
    ['a wrong level', ['--log-level', 'loud'], 'loud'],
  ])('refuses %s', async (_, args, message) => {
    const refused = await bench.run(['cloud', 'start', '--data-dir', 'third', ...args]);
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(message) });
  });
});

describe('servicectl agent start', () => {
  it('is the agent: without a key it says so and exits with 1', async () => {
    const { code, stdout, stderr } = await bench.run(['agent', 'start']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(JSON.parse(stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({
      level: 'FATAL',
      msg: expect.stringContaining('API key is required'),
    });
  });
});
