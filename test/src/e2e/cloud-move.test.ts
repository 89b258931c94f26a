import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasPostgres, PostgresServer } from '../../../cloud/testing/postgres-server.js';
import { Workbench } from './cli/workbench.js';
import { bootstrapEnv, CloudProcess } from './cloud/cloud-process.js';

describe.skipIf(!hasPostgres)('servicectl cloud', () => {
  let server: PostgresServer;
  let bench: Workbench;
  let database: string;
  let clouds: CloudProcess[] = [];

  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.stop());

  beforeEach(async () => {
    bench = await Workbench.create();
    database = await server.database();
  });
  afterEach(async () => {
    for (const cloud of clouds) await cloud.kill();
    clouds = [];
    await bench.close();
  });

  const start = (env: Record<string, string> = {}): CloudProcess => {
    const cloud = new CloudProcess(bench.path('data'), { ...bootstrapEnv(), ...env });
    clouds.push(cloud);
    return cloud;
  };
  const stop = async (cloud: CloudProcess) => {
    cloud.signal('SIGTERM');
    expect(await cloud.exited).toMatchObject({ code: 0 });
  };
  const move = (...args: string[]) =>
    bench.run(['cloud', 'move', '--from', `sqlite:${bench.path('data')}`, ...args], {
      env: { DATABASE_URL: database },
    });

  it('move brings a whole cloud from SQLite to PostgreSQL, once', async () => {
    const sqlite = start();
    const before = await sqlite.client();
    const role = (name: string) => ({ op: 'create', kind: 'role', fields: { name } }) as const;
    const origins = { commit: 'abc1234', uncommitted: true as const, places: { 'b.yaml': { 'role/b': 3 } } };
    await before.changeset({ stack: 'git', origins, changes: [role('a'), role('b')] });
    await before.changeset({ changes: [{ op: 'delete', address: 'role/a' }] });
    await before.tenants.create({ name: 'acme' });
    const { secret } = await before.records('api_key').create({ name: 'k', scopes: ['records:read'] });
    const keys = await (await fetch(`${await sqlite.url()}/.well-known/jwks.json`)).json();
    const state = await before.state();
    const running = await move();
    expect([running.code, running.stderr]).toEqual([
      1,
      expect.stringContaining('Another process has the data directory'),
    ]);
    await stop(sqlite);

    const moved = await move();
    expect({ ...moved, stdout: moved.stdout.split('\n')[0] }).toEqual({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^Moved 2 tenants \(\d+ rows\), digests compared:$/),
    });
    expect(moved.stdout).toContain(`default at revision ${state.revision}`);
    const again = await move();
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringContaining('holds tenants already: move to an empty one'),
    ]);

    const postgres = start({ DATABASE_URL: database });
    const url = await postgres.url();
    expect(await (await fetch(`${url}/.well-known/jwks.json`)).json()).toEqual(keys);
    const after = await postgres.client();
    expect(await after.state()).toEqual(state);
    expect(await after.origins(['role/b'])).toEqual([
      { address: 'role/b', commit: 'abc1234', uncommitted: true, path: 'b.yaml', line: 3 },
    ]);
    const past = await fetch(`${url}/v1/state?at=2`, { headers: { authorization: `Bearer ${secret}` } });
    expect(((await past.json()) as { records: { address: string }[] }).records.map(({ address }) => address)).toContain(
      'role/a',
    );
    await after.changeset({ changes: [role('c')] });
    await after.tenants.create({ name: 'another' });
    await stop(postgres);
  });

  it.each([
    [['--from', 'data'], '--from is "data": write sqlite: and the folder of the database'],
    [['--from', 'sqlite:nothing'], 'There is no database in "nothing": name the folder of the cloud'],
    [
      ['--from', 'sqlite:x', '--to', 'postgres://cloud:hunter2@db/authz'],
      '--to has a password, which others can see there',
    ],
    [['--from', 'sqlite:x', '--to', 'mysql://db/authz'], '--to is not a URL like "postgres://'],
  ])('move refuses %j', async (args, detail) => {
    const { code, stdout, stderr } = await bench.run(['cloud', 'move', ...args], { env: { DATABASE_URL: database } });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(detail);
    expect(stderr).not.toContain('hunter2');
  });

  it('migrate says what a start would do, and does it', async () => {
    const env = { DATABASE_URL: database };
    const pending = await bench.run(['cloud', 'migrate', '--check'], { env });
    expect([pending.code, pending.stdout]).toEqual([
      2,
      expect.stringMatching(/^\d+ migrations to be done:\n {2}0001-initial\n/),
    ]);
    const done = await bench.run(['cloud', 'migrate'], { env });
    expect([done.code, done.stdout]).toEqual([0, pending.stdout.replace('to be done', 'done')]);
    const none = await bench.run(['cloud', 'migrate', '--check', '--json'], { env });
    expect([none.code, JSON.parse(none.stdout)]).toEqual([0, { pending: [] }]);

    const sqlite = start();
    await sqlite.url();
    await stop(sqlite);
    const folder = ['--data-dir', bench.path('data')];
    const checked = await bench.run(['cloud', 'migrate', '--check', ...folder], { env });
    expect([checked.code, checked.stdout]).toEqual([0, 'The schema is up to date.\n']);
    const missing = await bench.run(['cloud', 'migrate', '--check', '--data-dir', 'nothing'], { env });
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('There is no database in "nothing"')]);
  });
});
