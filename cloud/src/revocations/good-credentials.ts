import { readFile } from 'node:fs/promises';
import { ProblemError } from '@authz-service/core/problem';
import { address, encodeSegment } from '@authz-service/core/records/address';
import { Secret } from '@authz-service/core/values/secret';
import { CredentialIndex } from '../auth/credential-index.js';
import type { Store, TenantRow } from '../store/store.js';
import { LogKey } from './log-line.js';
import { type LoggedTenant, type ReadLog, readLog } from './read-log.js';

/** The place of a database's revocation log, and the file of its key. */
export interface LogFiles {
  files: readonly string[];
  keyFile: string;
}

/** The credentials of a backup that the log knows as good. */
export interface GoodCredentials {
  /** The addresses of those that were still good. */
  good: { tenant: TenantRow; addresses: string[] }[];
  /** Until when the log tells: what was revoked later is not in it. */
  logEndsAt: string;
}

/**
 * Which credentials of a database that was set back were still good at the end of the log of the one that was lost. Throws
 * `invalid_config` if the log was changed, or ends before the backup was made.
 */
export async function goodCredentials(
  store: Pick<Store, 'tenants' | 'credentials' | 'credentialsSince' | 'setBackAt'>,
  { files, keyFile }: LogFiles,
): Promise<GoodCredentials> {
  const key = new LogKey(await keyIn(keyFile));
  const logs = await Promise.all(files.map((file) => readLog(file, key)));
  const newest =
    logs
      .map(({ setBack }) => setBack)
      .sort()
      .at(-1) ?? '';
  const current = logs.filter(({ setBack }) => setBack === newest);
  const setBackAt = (await store.setBackAt()) ?? '';
  if (newest < setBackAt)
    throw tooShort(`the backup is of a database that was set back at ${setBackAt}, and the log is from before that`);
  const rows = await store.tenants();
  if (!rows.some(({ id }) => current.some(({ tenants }) => tenants.has(id))))
    throw tooShort('it knows none of the tenants of the backup, so that it is of another database');
  const logged = new Map(rows.map((row) => [row.id, loggedTenant(current, row)]));
  // Of a database that was set back since, the revisions are others.
  if (newest === setBackAt) await assertReaches(store, rows, logged);
  const good = rows.map((tenant) => ({ tenant, addresses: [] as string[] }));
  const index = new CredentialIndex(await store.credentials());
  for (const { tenant, addresses } of good)
    for (const known of index.ofTenant(tenant.id))
      if (logged.get(tenant.id)?.good.has(key.fingerprint(known)))
        addresses.push(address(known.kind, encodeSegment(known.name)));
  return { good: good.filter(({ addresses }) => addresses.length > 0), logEndsAt: endOf(current) };
}

async function keyIn(file: string): Promise<Secret> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const detail = `The key file "${file}" of the revocation log cannot be read (${error.code ?? 'error'}).`;
    throw new ProblemError('invalid_config', detail);
  });
  return new Secret(text.trim());
}

/**
 * Returns what the logs of all processes say of a tenant: who has seen the latest revision knows. Undefined if it was
 * removed, which may have been before the files began.
 */
function loggedTenant(logs: readonly ReadLog[], { id, name, created_at }: TenantRow): LoggedTenant | undefined {
  const said = logs.filter(({ tenants }) => tenants.has(id)).map(({ tenants }) => tenants.get(id));
  if (said.length === 0 && created_at > endOf(logs))
    throw tooShort(`it ends at ${endOf(logs)}, and the tenant "${name}" was created at ${created_at}`);
  if (said.length === 0) return undefined;
  if (said.includes(undefined)) return undefined;
  const known = said.flatMap((one) => one ?? []);
  const revision = Math.max(...known.map((one) => one.revision));
  // At one revision credentials are only ever turned on.
  const latest = known.filter((one) => one.revision === revision);
  return { revision, good: new Set(latest.flatMap(({ good }) => [...good])) };
}

/** When the last line was written. */
function endOf(logs: readonly ReadLog[]): string {
  return (
    logs
      .map(({ endsAt }) => endsAt)
      .sort()
      .at(-1) ?? ''
  );
}

/** Throws if a tenant of the backup had later credentials than the log knows of. */
async function assertReaches(
  store: Pick<Store, 'credentialsSince'>,
  rows: readonly TenantRow[],
  logged: ReadonlyMap<string, LoggedTenant | undefined>,
): Promise<void> {
  const known = rows.flatMap(({ id }) => {
    const { revision: since } = logged.get(id) ?? {};
    return since === undefined ? [] : [{ tenant: id, since }];
  });
  const later = (await store.credentialsSince(known)).find(
    ({ tenant, revision, rows: changed }) => changed !== undefined && revision > (logged.get(tenant)?.revision ?? 0),
  );
  if (later === undefined) return;
  const name = rows.find(({ id }) => id === later.tenant)?.name;
  const at = logged.get(later.tenant)?.revision;
  throw tooShort(`the tenant "${name}" is at revision ${later.revision} in the backup, and the log ends at ${at}`);
}

function tooShort(why: string): ProblemError {
  return new ProblemError(
    'invalid_config',
    `The revocation log does not reach over the time of the backup: ${why}. Give the files of all processes, as they were when the ` +
      'database was lost, or leave the log out: then all credentials but the operators’ stay off until an operator turns them on.',
  );
}
