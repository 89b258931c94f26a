import { cp, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import knex, { type Knex } from 'knex';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { billing, TestCloud } from '../../testing/test-cloud.js';
import { backUp } from './back-up.js';
import { restore } from './restore.js';

let cloud: TestCloud;
let admin: string;
let home: string;
let dir: string;
let backup: string;
let count = 0;

const signal = new AbortController().signal;
const now = () => Date.parse('2026-05-01T12:00:00.000Z');

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'authz-backup-'));
  cloud = await TestCloud.start();
  admin = await cloud.token();
  await cloud.commit(admin, [
    ...billing(),
    key('stays'),
    key('renewed'),
    key('widened'),
    key('narrowed'),
    key('revoked'),
  ]);
  backup = join(home, 'backup');
  await backUp(backup, cloud.dir, { replace: false, signal });
  const fields = { name: 'renewed', scopes: ['decisions'] };
  await cloud.commit(admin, [
    { op: 'delete', address: 'api_key/revoked' },
    { op: 'update', address: 'api_key/renewed', fields, secret: `svc_${'k'.repeat(40)}` },
    { op: 'update', address: 'api_key/widened', fields: { name: 'widened', scopes: ['decisions', 'bundle'] } },
    {
      op: 'update',
      address: 'api_key/narrowed',
      fields: { name: 'narrowed', scopes: ['decisions'], limits: { stacks: ['billing'] } },
    },
    key('later'),
  ]);
});
afterAll(async () => {
  await cloud.close();
  await rm(home, { recursive: true, force: true });
});
beforeEach(() => {
  dir = join(home, `restored-${count++}`);
});

function key(name: string) {
  return { op: 'create', kind: 'api_key', fields: { name, scopes: ['decisions'] } };
}

const bring = (file = backup, replace = false) => restore(file, dir, { replace, now });

/** A backup for tests to damage. */
async function copied(name: string): Promise<string> {
  const copy = join(home, `${count++}-${name}`);
  await cp(backup, copy);
  return copy;
}

async function change(filename: string, work: (database: Knex) => PromiseLike<unknown>): Promise<string> {
  const database = knex.knex({ client: 'sqlite3', connection: { filename }, useNullAsDefault: true });
  await work(database);
  await database.destroy();
  return filename;
}

describe('a backup', () => {
  it('is one file for its owner alone, and names what it holds', async () => {
    const file = join(home, 'one');
    const made = await backUp(file, cloud.dir, { replace: false, signal });
    const { size, mode } = await stat(file);
    expect({ ...made, mode: mode & 0o777 }).toEqual({
      file,
      bytes: size,
      tenants: [{ name: 'default', revision: expect.stringMatching(/^3\.[0-9a-f]{16}$/) }],
      mode: 0o600,
    });
    expect((await readdir(home)).filter((name) => name.startsWith('one'))).toEqual(['one']);
  });

  it('takes the place of no other file, unless it may', async () => {
    const file = join(home, 'present');
    await writeFile(file, 'precious');
    const refused = backUp(file, cloud.dir, { replace: false, signal });
    await expect(refused).rejects.toMatchObject({ code: 'conflict', detail: expect.stringContaining('--replace') });
    expect(await readFile(file, 'utf8')).toBe('precious');
    await backUp(file, cloud.dir, { replace: true, signal });
    await restore(file, dir, { replace: false, now });
  });

  it('that is interrupted leaves nothing', async () => {
    const stopped = AbortSignal.abort(new Error('stopped'));
    await expect(backUp(join(home, 'cut'), cloud.dir, { replace: false, signal: stopped })).rejects.toThrow('stopped');
    expect((await readdir(home)).filter((name) => name.startsWith('cut'))).toEqual([]);
  });

  it('to a folder that does not exist or cannot hold it names that folder', async () => {
    const missing = join(home, 'no-such-folder');
    await expect(backUp(join(missing, 'b'), cloud.dir, { replace: false, signal })).rejects.toMatchObject({
      code: 'invalid_config',
      detail: `There is no folder "${missing}": create it, or name another file.`,
    });
    const file = join(home, 'a-file');
    await writeFile(file, '');
    await expect(backUp(join(file, 'b'), cloud.dir, { replace: false, signal })).rejects.toMatchObject({
      detail: `No backup can be written to the folder "${file}" (ENOTDIR): make it writable, or name another file.`,
    });
  });

  it('of a folder without a database is refused, and makes none', async () => {
    const empty = await mkdtemp(join(home, 'empty-'));
    await expect(backUp(join(home, 'none'), empty, { replace: false, signal })).rejects.toMatchObject({
      code: 'invalid_config',
      detail: `There is no "cloud.sqlite" in "${empty}": name the data directory of the cloud with --data-dir.`,
    });
    expect(await readdir(empty)).toEqual([]);
  });
});

describe('a restore', () => {
  it('brings the backup back, and says which credentials come with it', async () => {
    const done = await bring();
    expect(done.tenants).toEqual([{ name: 'default', revision: expect.stringMatching(/^2\./) }]);
    expect(done).toMatchObject({ compared: false });
    expect(done.credentials.map(({ name }) => name).sort()).toEqual([
      'administrator',
      'narrowed',
      'renewed',
      'revoked',
      'stays',
      'widened',
    ]);
    expect(done.credentials).toContainEqual({
      tenant: 'default',
      kind: 'oauth_client',
      id: 'admin',
      name: 'administrator',
      scopes: expect.arrayContaining(['credentials']),
      operator: true,
      off: false,
    });
    expect((await readdir(dir)).sort()).toEqual(['cloud.lock', 'cloud.sqlite']);
    expect((await stat(join(dir, 'cloud.sqlite'))).mode & 0o777).toBe(0o600);
  });

  it('in the place of a database keeps that one, and says what had become of the credentials since', async () => {
    await backUp(join(home, 'later'), cloud.dir, { replace: true, signal });
    await bring(join(home, 'later'));
    await expect(bring()).rejects.toMatchObject({ code: 'conflict', detail: expect.stringContaining('--replace') });
    const done = await bring(backup, true);
    const since = Object.fromEntries(done.credentials.map((each) => [each.name, each.since]));
    expect({ compared: done.compared, since }).toEqual({
      compared: true,
      since: {
        administrator: 'unchanged',
        stays: 'unchanged',
        renewed: 'changed',
        widened: 'changed',
        narrowed: 'changed',
        revoked: 'removed',
      },
    });
    expect(done.kept).toBe(join(dir, 'cloud.sqlite.before-restore-20260501T120000Z'));
    expect((await restore(done.kept ?? '', join(dir, 'again'), { replace: false, now })).tenants).toEqual([
      { name: 'default', revision: expect.stringMatching(/^3\./) },
    ]);
  });

  it('in the place of a damaged database cannot compare, and says so', async () => {
    await bring();
    await writeFile(join(dir, 'cloud.sqlite'), 'no database');
    expect(await bring(backup, true)).toMatchObject({ compared: false });
  });

  it('into the folder of a running cloud is refused', async () => {
    dir = cloud.dir;
    await expect(bring(backup, true)).rejects.toMatchObject({
      code: 'invalid_config',
      detail: expect.stringContaining(`Another process has the data directory "${dir}" open: stop it`),
    });
    expect((await cloud.ask('GET', '/v1/whoami', { as: admin })).status).toBe(200);
  });

  it.each(['cloud.sqlite-wal', 'cloud.sqlite-shm', 'cloud.sqlite-journal'])(
    'beside a left-over %s is refused, and changes nothing',
    async (name) => {
      await bring();
      await writeFile(join(dir, name), 'left over');
      const before = await readFile(join(dir, 'cloud.sqlite'));
      await expect(bring(backup, true)).rejects.toMatchObject({
        code: 'invalid_config',
        detail: expect.stringMatching(
          `"${join(dir, name)}" lies there, it belongs to a database that was not closed: `,
        ),
      });
      expect((await readFile(join(dir, 'cloud.sqlite'))).equals(before)).toBe(true);
      await rm(join(dir, 'cloud.sqlite'));
      await expect(bring()).rejects.toMatchObject({ code: 'invalid_config' });
      expect((await readdir(dir)).sort()).toEqual(['cloud.lock', name]);
    },
  );

  it.each<[string, () => Promise<string>, RegExp]>([
    [
      'cut short',
      async () => {
        const file = await copied('cut');
        await truncate(file, (await stat(file)).size - 8192);
        return file;
      },
      /^The backup ".*-cut" cannot be used: it is damaged \(/,
    ],
    [
      'overwritten in places',
      async () => {
        const file = await copied('overwritten');
        const bytes = await readFile(file);
        await writeFile(file, bytes.fill(0xff, 8192, 3 * 8192));
        return file;
      },
      /^The backup ".*-overwritten" cannot be used: it is damaged \(/,
    ],
    [
      'that is no database',
      async () => {
        const file = join(home, 'text');
        await writeFile(file, 'this is no database, whatever its name says');
        return file;
      },
      /^The backup ".*text" cannot be used: it is damaged \(SQLITE_NOTADB\)/,
    ],
    [
      'that is another’s database',
      () => change(join(home, 'other'), (database) => database.raw('create table tenants (id text)')),
      /^The backup ".*other" cannot be used: it is not a database of the cloud\.$/,
    ],
    [
      'that is empty',
      async () => {
        const file = join(home, 'empty');
        await writeFile(file, '');
        return file;
      },
      /it is not a database of the cloud\.$/,
    ],
    [
      'in which a subject was renamed',
      async () =>
        change(await copied('renamed'), (database) =>
          database('records').where('address', 'subject/user/alice').update({ address: 'subject/user/mallory' }),
        ),
      /^The backup ".*-renamed" cannot be restored\. .* the tenant "default" is at revision 2\..* those of 2\./,
    ],
    [
      'that a newer version wrote',
      async () =>
        change(await copied('newer'), (database) =>
          database('knex_migrations').insert({ name: '9999-later', batch: 9, migration_time: 0 }),
        ),
      /^The backup ".*-newer" cannot be used: a newer version of this program wrote it\. Start that version, or a later one\.$/,
    ],
    [
      'that is a raw copy of a running database',
      async () => {
        const file = await copied('raw');
        await writeFile(`${file}-wal`, 'commits');
        return file;
      },
      /-raw-wal" lies there, it is not a finished backup: make one with "servicectl cloud backup"\.$/,
    ],
  ])('of a file %s is refused, and leaves no database', async (_, make, said) => {
    const file = await make();
    await expect(bring(file)).rejects.toMatchObject({ code: 'invalid_config', detail: expect.stringMatching(said) });
    expect((await readdir(dir).catch(() => [])).filter((name) => name !== 'cloud.lock')).toEqual([]);
  });

  it('of a file that is not there is refused, and makes no folder', async () => {
    await expect(bring(join(home, 'nowhere'))).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(stat(dir)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
