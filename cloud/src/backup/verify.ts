import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEpoch } from '@authz-service/core/bundle/epoch';
import { announcedKeys, followAnnouncements, type KeySet } from '@authz-service/core/bundle/key-set';
import { signingKey } from '@authz-service/core/bundle/make-key';
import { type BundleKey, signJson, verifiedJson } from '@authz-service/core/bundle/signing-key';
import { ProblemError } from '@authz-service/core/problem';
import { isDistributed } from '@authz-service/core/records/kinds';
import { DigestSet } from '@authz-service/core/state/digest-set';
import { revisionText } from '@authz-service/core/state/revision';
import { checkDatabase, copyDatabase } from '../store/copy-database.js';
import { DATABASE } from '../store/database-name.js';
import { isFolder } from '../store/folder-lock.js';
import type { BundleKeyRow } from '../store/key-store.js';
import { migratePostgres } from '../store/postgres/migrate-postgres.js';
import { openPostgresStore, type PostgresPlace } from '../store/postgres/postgres.js';
import { cannotOpen, openSqliteFile } from '../store/sqlite.js';
import { ChangedStoreError, type Store, type TenantRow } from '../store/store.js';
import { readTenant } from '../tenants/read-tenant.js';

/** The findings in a tenant. */
export interface VerifiedTenant {
  name: string;
  /** `NUMBER.DIGEST`; absent if its rows are not as they were committed. */
  revision?: string;
  records: number;
  /** How many of its past revisions have the records that their digests prove, from `since` on. */
  revisions: number;
  since?: string;
  /** How many of its credentials are off. */
  off: number;
}

export interface Verified {
  tenants: VerifiedTenant[];
  /** How many keys that sign bundles were found, each announced by the one before it. */
  keys: number;
  /** Differences from what was written. */
  faults: string[];
}

/** A place to look at: a backup or a data directory, the folder of a cloud that may be running, or a PostgreSQL database that may be in use. */
export type VerifyPlace = { file: string } | { dataDir: string } | { postgres: PostgresPlace };

/**
 * Proves that everything in a database is as it was written: the rows and digests of all tenants, those of all past revisions
 * that can be rebuilt, and the signatures by which each key announces the next. Changes nothing.
 */
export async function verify(place: VerifyPlace, signal: AbortSignal): Promise<Verified> {
  if ('postgres' in place) return await verifyPostgres(place.postgres);
  const named = 'file' in place ? place.file : place.dataDir;
  const file = 'dataDir' in place || (await isFolder(named)) ? join(named, DATABASE) : named;
  if (!existsSync(file))
    throw new ProblemError('invalid_config', `There is no "${file}": name a backup, or the folder of a cloud.`);
  const work = await mkdtemp(join(tmpdir(), 'authz-verify-'));
  try {
    const copy = join(work, `${randomUUID()}.sqlite`);
    const name = `"${file}"`;
    // One state, whatever is committed meanwhile; and what is migrated for reading is the copy.
    await copyDatabase(file, copy, signal).catch((error: unknown) => {
      throw signal.aborted ? error : cannotOpen(name, error);
    });
    await checkDatabase(copy, name);
    const store = await openSqliteFile(copy).catch((error: unknown) => {
      throw cannotOpen(name, error);
    });
    return await verifyStore(store).finally(() => store.close());
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function verifyPostgres(place: PostgresPlace): Promise<Verified> {
  const pending = await migratePostgres(place, { check: true });
  if (pending.length > 0)
    throw new ProblemError(
      'invalid_config',
      `The schema of the database lacks ${pending.length} migrations: bring it up to date with "servicectl cloud migrate" first.`,
    );
  const store = await openPostgresStore(place, { finishErasure: false });
  return await verifyStore(store).finally(() => store.close());
}

/** As `verify`, in a store that is open, and to which others may commit meanwhile. */
export async function verifyStore(store: Store): Promise<Verified> {
  const faults: string[] = (await store.lostTenants()).map((name) => `The tenant "${name}" is missing.`);
  const credentials = await store.credentials();
  const tenants: VerifiedTenant[] = [];
  for (const row of await store.tenants()) {
    const off = credentials.filter(({ tenant, off_since }) => tenant === row.id && off_since !== undefined).length;
    tenants.push({ name: row.name, off, ...(await verifyTenant(store, row, faults)) });
  }
  for (const { number, id, statement } of await store.epochs()) {
    const epoch = await readEpoch(statement);
    if (epoch?.number !== number || epoch.id !== id) faults.push(`The epoch ${number}-${id} is not signed.`);
  }
  return { tenants, keys: await verifyKeys(store, faults), faults };
}

async function verifyTenant(
  store: Store,
  row: TenantRow,
  faults: string[],
): Promise<Pick<VerifiedTenant, 'records' | 'revisions' | 'revision' | 'since'>> {
  try {
    const { state, revision } = await readTenant(store, row);
    const kept = await store.newestCommits(row.id, {
      commits: Number.MAX_SAFE_INTEGER - 1,
      changes: Number.MAX_SAFE_INTEGER,
    });
    const commits = kept.filter((commit) => commit.revision <= revision);
    const digests = new DigestSet();
    for (const record of state.records()) if (isDistributed(record)) digests.add(record.address, record.fields);
    const whole = { records: state.size, revision: revisionText(revision, state.digest()) };
    let proven = 0;
    // Backwards: each commit is undone, and what is left has to be what the commit before it recorded.
    for (const { base, revision: number, changes } of commits.toReversed()) {
      for (const { after } of changes) if (after) digests.remove(after.address, after.fields);
      for (const { before } of changes) if (before) digests.add(before.address, before.fields);
      if (digests.hex() !== base.digest) {
        faults.push(
          `The history of the tenant "${row.name}" does not lead back from revision ${number} to ${base.revision}.`,
        );
        return { ...whole, revisions: proven };
      }
      proven++;
    }
    const [first] = commits;
    return {
      ...whole,
      revisions: proven,
      ...(first && { since: revisionText(first.base.revision, first.base.digest) }),
    };
  } catch (error) {
    if (
      !(error instanceof ChangedStoreError) &&
      !/^The digest holds no such record/.test(String((error as Error).message))
    )
      throw error;
    faults.push(`${(error as Error).message}.`.replace(/^t/, 'T'));
    return { records: 0, revisions: 0 };
  }
}

/** Each key has to be announced by the one before it, the first by itself, and be the one that its announcement names. */
async function verifyKeys(store: Store, faults: string[]): Promise<number> {
  const rows = await store.bundleKeys();
  const [first] = rows;
  if (first === undefined) return 0;
  try {
    let trusted: KeySet = { version: 0, keys: announcedAs(first) };
    for (const row of rows) {
      trusted = await followAnnouncements(trusted, [row.announcement]);
      if (trusted.version !== row.version)
        faults.push(`The key ${row.kid} that signs bundles is not announced by the key before it.`);
      if (!(await signsAs(row, announcedAs(row))))
        faults.push(`The key ${row.kid} that signs bundles is not the one that its announcement names.`);
    }
  } catch {
    faults.push('The announcements of the keys that sign bundles cannot be read.');
  }
  return rows.length;
}

/** The public half of the key in its own announcement. */
function announcedAs({ kid, announcement }: BundleKeyRow): BundleKey[] {
  return announcedKeys(announcement).keys.filter((key) => key.kid === kid);
}

/** Whether agents that trust these keys accept what the key signs. */
async function signsAs({ kid, jwk }: BundleKeyRow, trusted: BundleKey[]): Promise<boolean> {
  try {
    const signed = await signJson(kid, 'trial', await signingKey(kid, JSON.parse(jwk)));
    return (await verifiedJson(signed, 'trial', trusted)) === kid;
  } catch {
    return false;
  }
}
