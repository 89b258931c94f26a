import { ProblemError } from '@authz-service/core/problem';
import { revisionText } from '@authz-service/core/state/revision';
import { Connection } from './connection.js';

/** A tenant in a copy of a database; its revision is `NUMBER.DIGEST`. */
export interface CopiedTenant {
  name: string;
  revision: string;
}

/**
 * Copies a database that another process may be writing, as it is at this moment, to an empty file. Commits continue
 * meanwhile and nobody waits: `VACUUM INTO` reads one snapshot, however many commits there are.
 */
export async function copyDatabase(filename: string, target: string, signal: AbortSignal): Promise<void> {
  const connection = await Connection.open(filename, { present: true });
  const interrupt = () => connection.interrupt();
  try {
    signal.throwIfAborted();
    signal.addEventListener('abort', interrupt);
    await connection.run('vacuum into ?', target);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', interrupt);
    await connection.close();
  }
}

/**
 * Checks a file that nobody else has open, and returns its tenants. Throws `invalid_config`, naming the file as `name`.
 */
export async function checkDatabase(filename: string, name: string): Promise<CopiedTenant[]> {
  const connection = await Connection.open(filename, { present: true });
  try {
    const found = await connection.all<{ integrity_check: string }>('pragma integrity_check');
    const [first] = found;
    if (first?.integrity_check !== 'ok') throw unusable(name, `it is damaged (${first?.integrity_check})`);
    const tables = await connection.all("select 1 from sqlite_master where name in ('tenants', 'revisions')");
    if (tables.length < 2) throw unusable(name, 'it is not a database of the cloud');
    const tenants = await connection.all<{ name: string; number: number; digest: string }>(
      'select name, number, digest from tenants join revisions on tenant_id = id and number = revision order by name',
    );
    return tenants.map((tenant) => ({ name: tenant.name, revision: revisionText(tenant.number, tenant.digest) }));
  } catch (error) {
    const { code } = error as { code?: string };
    throw code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT' ? unusable(name, `it is damaged (${code})`) : error;
  } finally {
    await connection.close();
  }
}

function unusable(name: string, why: string): ProblemError {
  return new ProblemError('invalid_config', `${name} cannot be used: ${why}.`);
}
