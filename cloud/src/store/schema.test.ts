import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DATABASE } from './database-name.js';
import { connectSqlite, openSqliteStore } from './sqlite.js';

interface Column {
  name: string;
  type: string;
  notnull: number;
  pk: number;
}

const HEAD = `# The schema of the database

The same tables on SQLite and PostgreSQL, as the migrations in \`cloud/src/store/migrations\` make them. Generated: after a migration,
\`npx vitest run --project unit cloud/src/store/schema.test.ts -u\` writes this page.

On PostgreSQL, texts compare by their bytes (collation \`C\`), and keys of records are \`bigint\` from the sequence \`records_pk\`. Times are
RFC 3339 in UTC, and JSON is text. Tables that begin with \`knex_\` note which migrations were done. The schema may change with every
version: read from it, and write through the API.

| column | type | null | key | refers to |
|---|---|---|---|---|
`;

it('is the one in docs/schema.md', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'authz-schema-'));
  await (await openSqliteStore(dir)).close();
  const database = connectSqlite(join(dir, DATABASE));
  const tables: { name: string }[] = await database('sqlite_master')
    .where('type', 'table')
    .select('name')
    .orderBy('name');
  const lines: string[] = [];
  for (const { name: table } of tables.filter(({ name }) => !/^(knex|sqlite)_/.test(name))) {
    const columns: Column[] = await database.raw('select * from pragma_table_info(?)', [table]);
    const references: { from: string; table: string; to: string; on_delete: string }[] = await database.raw(
      'select * from pragma_foreign_key_list(?)',
      [table],
    );
    for (const { name, type, notnull, pk } of columns) {
      const to = references.find(({ from }) => from === name);
      const target = to === undefined ? '' : `\`${to.table}.${to.to}\`, on delete ${to.on_delete.toLowerCase()}`;
      const optional = notnull === 0 && pk === 0 ? 'yes' : '';
      lines.push(`| \`${table}.${name}\` | ${type.toLowerCase()} | ${optional} | ${pk > 0 ? pk : ''} | ${target} |\n`);
    }
  }
  await database.destroy();
  await rm(dir, { recursive: true, force: true });
  await expect(HEAD + lines.join('')).toMatchFileSnapshot('../../../docs/schema.md');
});
