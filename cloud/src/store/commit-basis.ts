import { isCredential } from '@authz-service/core/records/kinds';
import { referencesOf, type StoredRecord } from '@authz-service/core/records/registry';
import type { Knex } from 'knex';
import type { Dialect } from './dialect.js';
import { pksOf } from './record-pks.js';
import { rowDigestAfter } from './row-digest-after.js';
import { secretsOf } from './secret-rows.js';
import { type Commit, StaleStoreError } from './store.js';

/** The revision to which the newest commit of a tenant has brought it. */
export interface TenantRevision {
  revision: number;
  digest: string;
  rowDigest: string;
}

/**
 * The facts about the rows that a commit needs: they hold as long as the tenant is at the revision that the commit is based
 * on.
 */
export interface CommitBasis {
  /** The digest of the rows before; absent for the first commit of a tenant. */
  rowDigestBefore?: string;
  rowDigest: string;
  /** The keys of the records that it changes, removes or mentions, by their addresses. */
  pks: ReadonlyMap<string, number>;
  /** As many new keys as it creates records. */
  fresh: readonly number[];
}

/**
 * Reads what a commit has to know, so that nothing of this is left to do while others wait for its lock. Throws
 * `StaleStoreError` if the tenant is not at its base; whether it still is must be asked again with the lock held. `last`
 * is what is remembered of the tenant, which may be outdated.
 */
export async function readCommitBasis(
  knex: Knex,
  dialect: Pick<Dialect, 'newPks'>,
  commit: Commit,
  last: TenantRevision | undefined,
): Promise<CommitBasis> {
  const { tenant, base, put, remove } = commit;
  const first = base === 0;
  const current = first ? undefined : isBase(commit, last) ? last : await currentRevision(knex, tenant);
  if (!first && !isBase(commit, current)) throw new StaleStoreError(tenant, base);

  const gone = [...remove, ...put.flatMap(({ previous }) => previous ?? [])];
  const wanted = addressesOf(commit, gone);
  const pks = await pksOf(knex, tenant, wanted);
  const missing = wanted.find((address) => !pks.has(address));
  if (missing !== undefined) {
    // Others may have removed it since.
    if (first || isBase(commit, await currentRevision(knex, tenant)))
      throw new Error(`the store does not hold ${missing}, but the memory does`);
    throw new StaleStoreError(tenant, base);
  }
  const credentials = gone.flatMap(({ kind, address }) => (isCredential(kind) ? [address] : []));
  const held = await secretsOf(knex, tenant, credentials);
  const created = put.filter(({ previous }) => previous === undefined).length;
  return {
    ...(current && { rowDigestBefore: current.rowDigest }),
    rowDigest: await rowDigestAfter(knex, commit, { before: current?.rowDigest, held }),
    pks,
    fresh: created > 0 ? await dialect.newPks(knex, created) : [],
  };
}

/** Returns the revision of the tenant once the commit is stored. */
export function revisionAfter({ revision, audit }: Commit, { rowDigest }: CommitBasis): TenantRevision {
  return { revision, digest: audit.digest, rowDigest };
}

function isBase({ base, baseDigest }: Commit, current: TenantRevision | undefined): boolean {
  return current?.revision === base && current.digest === baseDigest;
}

async function currentRevision(knex: Knex, tenant: string): Promise<TenantRevision | undefined> {
  const row = await knex('tenants')
    .join('revisions', { 'revisions.tenant_id': 'tenants.id', 'revisions.number': 'tenants.revision' })
    .where('tenants.id', tenant)
    .first<{ number: number; digest: string; row_digest: string } | undefined>('number', 'digest', 'row_digest');
  return row && { revision: Number(row.number), digest: row.digest, rowDigest: row.row_digest };
}

/** Returns the addresses of the records that it changes or removes, and of those that it mentions without writing them. */
function addressesOf({ put, origins }: Commit, gone: readonly StoredRecord[]): string[] {
  const written = new Set(put.map(({ record }) => record.address));
  const wanted = new Set(gone.map(({ address }) => address));
  const mention = (address: string) => {
    if (!written.has(address)) wanted.add(address);
  };
  for (const { record } of put) for (const { target } of referencesOf(record.kind, record.fields)) mention(target);
  for (const address of origins.keys()) mention(address);
  return [...wanted];
}
