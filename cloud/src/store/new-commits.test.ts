import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commitsSince } from './changes-since.js';
import { DATABASE } from './database-name.js';
import { down, up } from './migrations/0015-new-commits.js';
import { newestCommits } from './record-versions.js';
import { connectSqlite, openSqliteStore } from './sqlite.js';

const TENANT = 'a';
let dir: string;
let database: Knex;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'authz-commits-'));
  await (await openSqliteStore(dir)).close();
  database = connectSqlite(join(dir, DATABASE));
  await database('tenants').insert({ id: TENANT, name: TENANT, created_at: '2027-01-01T00:00:00Z', revision: 2 });
  const credential = { credential_kind: 'api_key', credential_id: '', credential_name: '' };
  for (const number of [0, 1, 2]) {
    const counts = { added: 1, changed: 0, removed: 0, changes: '[]', truncated: false };
    const digests = { digest: String(number), row_digest: '' };
    const at = `2027-01-01T00:00:0${number}Z`;
    await database('revisions').insert({
      tenant_id: TENANT,
      number,
      at,
      request_id: '',
      ...digests,
      ...credential,
      ...counts,
    });
  }
});

afterAll(async () => {
  await database.destroy();
  await rm(dir, { recursive: true, force: true });
});

/** How the database finds what the statements of some work ask it of records and their versions: one line for each time. */
async function plansOf(work: () => Promise<unknown>): Promise<string[]> {
  const asked: { sql: string; bindings: unknown[] }[] = [];
  const note = (query: { sql: string; bindings: unknown[] }) => asked.push(query);
  database.on('query', note);
  await work();
  database.off('query', note);
  const plans: string[] = [];
  for (const { sql, bindings } of asked) {
    const steps: { detail: string }[] = await database.raw(`explain query plan ${sql}`, bindings as Knex.RawBinding[]);
    plans.push(...steps.map(({ detail }) => detail).filter((detail) => / (records|record_versions)\b/.test(detail)));
  }
  return plans;
}

it.each<[what: string, work: () => Promise<unknown>]>([
  ['the newest commits', () => newestCommits(database, TENANT, { commits: 10, changes: 10 })],
  ['the commits since a revision', () => commitsSince(database, TENANT, { revision: 1, digest: '1' })],
])('finds %s without going through all records of the tenant', async (_, work) => {
  const plans = await plansOf(work);
  expect(plans.length).toBeGreaterThan(1);
  for (const plan of plans)
    expect(plan).toMatch(/^SEARCH .*(\((tenant_id=\? AND (revision|until)>\?)\)|INDEX record_versions_erased )/);
});

it('gets its indexes in the order in which commits lock the tables', async () => {
  await down(database);
  const made: string[] = [];
  const note = ({ sql }: { sql: string }) => made.push(...(/create index .* on `(\w+)`/.exec(sql)?.slice(1) ?? []));
  database.on('query', note);
  await up(database);
  database.off('query', note);
  expect(made).toEqual(['record_versions', 'records']);
});
