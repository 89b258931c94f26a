import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProblemError } from '@authz-service/core/problem';
import knex from 'knex';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { storeContract } from '../../testing/store-contract.js';
import { cannotOpen, connectSqlite, openSqliteStore } from './sqlite.js';

storeContract('SQLite', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'authz-store-'));
  return { open: () => openSqliteStore(dir), drop: () => rm(dir, { recursive: true, force: true }) };
});

describe('a data directory', () => {
  let dir: string;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'authz-store-'));
  });

  afterEach(() => rm(dir, { recursive: true, force: true }));

  const refusal = async (path: string) => {
    const error = await openSqliteStore(path).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ProblemError);
    return error as ProblemError;
  };

  it('is taken by one store at a time, and free again after it', async () => {
    const store = await openSqliteStore(dir);
    expect((await refusal(dir)).detail).toContain(`Another process has the data directory "${dir}" open`);
    await store.close();
    await (await openSqliteStore(dir)).close();
  });

  it('has the pages of large indexes in memory, and gathers 64 MiB of changed ones before it writes them into place', async () => {
    const database = connectSqlite(join(dir, 'large.sqlite'));
    const read = async (setting: string) => Object.values((await database.raw(`pragma ${setting}`))[0])[0];
    const [kibibytes, pages, bytes] = await Promise.all(['cache_size', 'wal_autocheckpoint', 'page_size'].map(read));
    await database.destroy();
    expect([Number(kibibytes) * -1024, Number(pages) * Number(bytes)]).toEqual([2 ** 26, 2 ** 26]);
  });

  it('is free again after a process that was killed', async () => {
    const script = join(dir, 'hold.mjs');
    const lock = JSON.stringify(join(dir, 'cloud.lock'));
    const sqlite = JSON.stringify(import.meta.resolve('sqlite3'));
    await writeFile(
      script,
      `import sqlite3 from ${sqlite}; const file = new sqlite3.Database(${lock});
       file.exec('begin exclusive', (error) => process.send(String(error))); setInterval(() => {}, 1000);`,
    );
    const holder = fork(script);
    expect(await once(holder, 'message')).toEqual(['null', undefined]);
    expect((await refusal(dir)).code).toBe('invalid_config');
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    await (await openSqliteStore(dir)).close();
  });

  it('is made, closed to other users', async () => {
    const inner = join(dir, 'a', 'b');
    const store = await openSqliteStore(inner);
    expect((await stat(inner)).mode & 0o777).toBe(0o700);
    for (const file of ['cloud.sqlite', 'cloud.sqlite-wal', 'cloud.lock']) {
      expect({ file, mode: (await stat(join(inner, file))).mode & 0o777 }).toEqual({ file, mode: 0o600 });
    }
    await store.close();
  });

  it('holds a write-ahead log that every commit is synced to, with foreign keys on', async () => {
    const store = await openSqliteStore(dir);
    expect(await readdir(dir)).toContain('cloud.sqlite-wal');
    await store.close();
    const database = knex.knex({
      client: 'sqlite3',
      connection: { filename: join(dir, 'cloud.sqlite') },
      useNullAsDefault: true,
    });
    expect(await database.raw('pragma journal_mode')).toEqual([{ journal_mode: 'wal' }]);
    await database.destroy();
  });

  it('opens after a kill in the middle of a migration', async () => {
    await (await openSqliteStore(dir)).close();
    const database = knex.knex({
      client: 'sqlite3',
      connection: { filename: join(dir, 'cloud.sqlite') },
      useNullAsDefault: true,
    });
    await database('knex_migrations_lock').update({ is_locked: 1 });
    await database.destroy();
    await (await openSqliteStore(dir)).close();
  });

  it('that a newer version wrote is refused', async () => {
    await (await openSqliteStore(dir)).close();
    const database = knex.knex({
      client: 'sqlite3',
      connection: { filename: join(dir, 'cloud.sqlite') },
      useNullAsDefault: true,
    });
    await database('knex_migrations').insert({ name: '9999-later', batch: 9, migration_time: 0 });
    await database.destroy();
    expect((await refusal(dir)).detail).toContain('a newer version of this program wrote it. Start that version');
  });

  it('whose database another process writes says so of a change, and takes it once that has ended', async () => {
    const store = await openSqliteStore(dir);
    const other = knex.knex({
      client: 'sqlite3',
      connection: { filename: join(dir, 'cloud.sqlite') },
      useNullAsDefault: true,
    });
    const key = { version: 1, kid: 'bundle-k', jwk: '{}', announcement: 'a', created_at: '2026-01-01T00:00:00Z' };
    const add = () => store.addBundleKey(key);
    try {
      const held = await other.transaction();
      await held('bundle_keys').delete();
      const refused = await add().catch((error: unknown) => error);
      await held.rollback();
      expect(refused).toMatchObject({
        code: 'not_ready',
        detail: expect.stringMatching(/Another process.*nothing was changed: wait until it ends, then send it again/),
      });
      await add();
      expect(await store.bundleKeys()).toHaveLength(1);
    } finally {
      await other.destroy();
      await store.close();
    }
  });

  it('that holds something else is refused', async () => {
    await writeFile(join(dir, 'cloud.sqlite'), 'this is no database, whatever its name says');
    expect((await refusal(dir)).detail).toContain(
      'cannot be used: it is damaged, or no database (SQLITE_NOTADB). Restore a backup, or name another.',
    );
  });

  it.skipIf(process.platform !== 'linux').each(['/proc/authz-cloud', '/proc/authz-cloud/a/b'])(
    'that cannot be made is refused: %s',
    async (path) => {
      expect((await refusal(path)).detail).toBe(`The data directory "${path}" cannot be used: ENOENT.`);
    },
  );

  it.each([
    ['EACCES', 'the user of this process may not write there (EACCES). Give it to that user, or name another.'],
    ['EROFS', 'it can only be read (EROFS). Mount its file system so that it can be written, or name another.'],
    ['ENOSPC', 'there is no space left (ENOSPC). Free space there.'],
    ['ENOENT', 'ENOENT.'],
  ])('that fails with %s is refused with a remedy', (code, text) => {
    const error = Object.assign(new Error('no'), { code });
    expect(cannotOpen('The data directory "/data"', error).detail).toBe(
      `The data directory "/data" cannot be used: ${text}`,
    );
  });

  it('that is a file is refused', async () => {
    const file = join(dir, 'file');
    await writeFile(file, '');
    expect((await refusal(file)).code).toBe('invalid_config');
  });
});
