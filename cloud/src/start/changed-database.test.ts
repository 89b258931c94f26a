import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TimeSlicing } from '@authz-service/core/concurrency/time-slicing';
import { ProblemError } from '@authz-service/core/problem';
import knex, { type Knex } from 'knex';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { billing, TestCloud } from '../../testing/test-cloud.js';
import { readConfig } from '../config/config.js';
import { startCloud } from '../main.js';
import { openSqliteStore } from '../store/sqlite.js';
import { readStore } from './read-store.js';

let original: TestCloud;
let revision: string;
let dir: string;

beforeAll(async () => {
  original = await TestCloud.start();
  const admin = await original.token();
  await original.tenant('other');
  await original.tenant('removed');
  await original.ask('DELETE', '/v1/tenants/removed', { as: admin });
  await original.commit(admin, [
    { op: 'create', kind: 'api_key', fields: { name: 'reader', scopes: ['records:read'] } },
    { op: 'create', kind: 'api_key', fields: { name: 'gone', scopes: ['bundle'] } },
    ...billing(),
  ]);
  const done = await original.commit(admin, [
    { op: 'move', from: 'api_key/reader', to: 'api_key/asker' },
    {
      op: 'update',
      address: 'api_key/asker',
      fields: { name: 'asker', scopes: ['decisions'] },
      secret: `svc_${'k'.repeat(40)}`,
    },
    { op: 'delete', address: 'api_key/gone' },
    { op: 'delete', address: 'group_membership/finance//subject/user/alice' },
  ]);
  revision = done.revision;
  await original.restart();
});
afterAll(() => original.close());

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'authz-changed-'));
  await cp(original.dir, dir, { recursive: true });
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function change(work: (database: Knex) => PromiseLike<unknown>): Promise<void> {
  const connection = { filename: join(dir, 'cloud.sqlite') };
  const database = knex.knex({ client: 'sqlite3', connection, useNullAsDefault: true });
  await work(database);
  await database.destroy();
}

const start = () => startCloud(readConfig({}, { dataDir: dir, listenAddr: '127.0.0.1:0', logLevel: 'silent' }));

/** Returns what a look at the whole database says. */
async function refusal(): Promise<string> {
  const store = await openSqliteStore(dir);
  const error = await readStore(store, { slicing: new TimeSlicing(() => 0) }, Date.now)
    .then(({ tenants }) => tenants.assertAsCommitted())
    .catch((reason: unknown) => reason)
    .finally(() => store.close());
  expect(error).toBeInstanceOf(ProblemError);
  expect((error as ProblemError).code).toBe('invalid_config');
  return (error as ProblemError).detail;
}

const alice = (database: Knex) => database('records').where({ address: 'subject/user/alice' });
const asker = (database: Knex) => database('records').where({ address: 'api_key/asker' });

describe('a database', () => {
  it('that nobody changed is started on', async () => {
    await (await start()).close();
  });

  it.each<[string, (database: Knex) => PromiseLike<unknown>]>([
    ['a subject is renamed', (database) => alice(database).update({ address: 'subject/user/mallory' })],
    ['fields are changed', (database) => alice(database).update({ fields: '{"type":"user","id":"alice"}' })],
    ['a record is gone', (database) => database('records').where({ kind: 'policy_assignment' }).delete()],
    ['a record has moved to another tenant', (database) => alice(database).update({ tenant_id: otherId(database) })],
  ])('in which %s is refused, naming the tenant and both revisions', async (_, work) => {
    await change(work);
    const detail = await refusal();
    expect(detail).toContain(`the tenant "default" is at revision ${revision}, but its records are those of 3.`);
    expect(detail).toContain('Undo that change, or restore a backup with "servicectl cloud restore".');
  });

  it.each<[string, (database: Knex) => PromiseLike<unknown>]>([
    ['an owner is another', (database) => alice(database).update({ managed_by: 'git' })],
    ['an id is another', (database) => alice(database).update({ id: 'mallory' })],
    ['a time is another', (database) => alice(database).update({ updated_at: '2020-01-01T00:00:00.000Z' })],
    ['a scope is added', (database) => asker(database).update({ fields: '{"name":"asker","scopes":["credentials"]}' })],
    ['a secret is another', (database) => secretOfAsker(database).update({ hash: 'f'.repeat(64) })],
    ['a secret is gone', (database) => secretOfAsker(database).delete()],
    ['an operator is made', (database) => secretOfAsker(database).update({ operator: 1 })],
    ['a tenant is renamed', (database) => database('tenants').where('name', 'default').update({ name: 'else' })],
  ])('in which %s is refused, naming the tenant and its revision', async (_, work) => {
    await change(work);
    expect(await refusal()).toMatch(
      new RegExp(`the tenant "(default|else)" is at revision ${revision} and has its records, but not its cred`),
    );
  });

  it.each<[string, (database: Knex) => PromiseLike<unknown>, RegExp]>([
    [
      'a tenant is set back',
      (database) => database('tenants').where('name', 'default').update({ revision: 2 }),
      /"default" is at revision 2, but its newest commit made 3\./,
    ],
    [
      'the newest commit is gone',
      (database) => database('revisions').where('number', 3).delete(),
      /"default" is at revision 3, but its newest commit made 2\./,
    ],
    [
      'all commits are gone',
      (database) => database('revisions').delete(),
      /"default" is at revision 3, but no commit is recorded; the tenant "other" is at/,
    ],
    [
      'a tenant is gone',
      (database) => database('tenants').where('name', 'other').delete(),
      /: the tenant "other" is gone\. Undo/,
    ],
    [
      'fields are no JSON',
      (database) => alice(database).update({ fields: '{"type":' }),
      /in the tenant "default", the row of "subject\/user\/alice" cannot be read/,
    ],
    [
      'fields are no object',
      (database) => database('records').where('kind', 'policy').update({ fields: 'null' }),
      /the tenant "default" is at revision 3, but its records cannot be read/,
    ],
    [
      'a key that signs tokens is damaged',
      (database) => database('signing_keys').update({ jwk: '{"kty":"EC","d":"private' }),
      /the keys that sign access tokens cannot be read\. Undo/,
    ],
    [
      'a key that signs bundles is damaged',
      (database) => database('bundle_keys').update({ announcement: 'nothing' }),
      /the keys that sign bundles cannot be read\. Undo/,
    ],
  ])('in which %s is refused', async (_, work, said) => {
    await change(work);
    expect(await refusal()).toMatch(said);
  });
});

function otherId(database: Knex): Knex.QueryBuilder {
  return database('tenants').select('id').where('name', 'other');
}

function secretOfAsker(database: Knex): Knex.QueryBuilder {
  return database('secrets').whereIn('record_pk', asker(database).select('pk'));
}
