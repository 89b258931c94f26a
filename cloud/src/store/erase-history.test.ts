import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import knex, { type Knex } from 'knex';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DATABASE } from './database-name.js';
import { eraseHistory } from './erase-history.js';
import { openSqliteStore } from './sqlite.js';
import { sqliteDialect } from './sqlite-dialect.js';

const EMAIL = 'alice.very.private@example.com';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'erase-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function isInFiles(): Promise<boolean> {
  const texts = await Promise.all((await readdir(dir)).map((name) => readFile(join(dir, name), 'latin1')));
  return texts.some((text) => text.includes(EMAIL));
}

const reopen = async () => await (await openSqliteStore(dir)).close();

it('is finished by the next start where the process ended before the file was written anew', async () => {
  await reopen();
  const connection = { filename: join(dir, DATABASE) };
  const database = knex.default({ client: 'sqlite3', connection, useNullAsDefault: true });
  const at = new Date().toISOString();
  await database('record_versions').insert({
    ...{ tenant_id: 't', address: 'subject/user/alice', kind: 'subject', id: 'r', until: 2, revision: 1 },
    // Long, so that it lies on pages that become free.
    fields: JSON.stringify({ type: 'user', id: 'alice', properties: { text: 'x'.repeat(20_000), email: EMAIL } }),
    ...{ managed_by: 'api', created_at: at, updated_at: at },
  });
  const ended = new Error('the process has ended');
  const mortal = new Proxy(database, {
    get: (target, name) =>
      name === 'raw'
        ? (sql: string) => (sql === 'vacuum' ? Promise.reject(ended) : target.raw(sql))
        : Reflect.get(target, name),
  }) as Knex;
  const by = { at, request_id: 'q', credential: { kind: 'oauth_client', id: 'o', name: 'operator' } as const };
  const erasure = { tenant: { id: 't', name: 'acme' }, subject: 'user/alice', by };
  await expect(eraseHistory(sqliteDialect(mortal), erasure)).rejects.toThrow(ended);
  await database.destroy();
  expect(await isInFiles()).toBe(true);

  await reopen();
  expect(await isInFiles()).toBe(false);
});
