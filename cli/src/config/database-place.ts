/** The database that a command works on: the folder of the flag, DATABASE_URL, or the folder of the environment. */
export async function databasePlace(dataDir: string | undefined) {
  const { readDataDir, readPostgres } = await import('@authz-service/cloud/config/config');
  const postgres = dataDir === undefined ? readPostgres(process.env) : undefined;
  return postgres === undefined ? { dataDir: readDataDir(process.env, dataDir) } : { postgres };
}
