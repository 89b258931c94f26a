import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { expect, it, onTestFinished } from 'vitest';
import { DATABASE } from './database-name.js';
import { directoryBrakes } from './directory-brakes.js';
import { connectSqlite, openSqliteStore } from './sqlite.js';
import { sqliteDialect } from './sqlite-dialect.js';

it('finds what a directory took away without reading the commits by which it added something', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'authz-brakes-'));
  await (await openSqliteStore(dir)).close();
  const database = connectSqlite(join(dir, DATABASE));
  onTestFinished(async () => {
    await database.destroy();
    await rm(dir, { recursive: true, force: true });
  });
  const asked: { sql: string; bindings: Knex.RawBinding[] }[] = [];
  database.on('query', (query) => asked.push(query));
  await directoryBrakes(sqliteDialect(database)).directoryLosses('t', 'directory/okta', '2027', '2027');
  const plans: string[] = [];
  for (const { sql, bindings } of [...asked].filter(({ sql }) => sql.includes('from `revisions`'))) {
    const steps: { detail: string }[] = await database.raw(`explain query plan ${sql}`, bindings);
    plans.push(...steps.map(({ detail }) => detail));
  }
  expect(plans[0]).toMatch(
    /SEARCH revisions USING INDEX revisions_with_losses \(tenant_id=\? AND stack=\? AND at>\?\)/,
  );
});
