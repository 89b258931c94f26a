import knex from 'knex';

/** Runs one statement on a SQLite database that no process has open, as somebody who tampers with the file would. */
export async function changeDatabase(path: string, statement: string): Promise<void> {
  const database = knex.knex({ client: 'sqlite3', connection: { filename: path }, useNullAsDefault: true });
  await database.raw(statement);
  await database.destroy();
}
