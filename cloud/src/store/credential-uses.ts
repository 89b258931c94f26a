import { CREDENTIAL_KINDS } from '@authz-service/core/records/kinds';
import type { Knex } from 'knex';
import { inParts, insertRows } from './batch.js';
import type { Dialect } from './dialect.js';
import { CLOCKS_DIFFER_MS } from './tenant-use.js';

/** The kinds of records whose uses are kept: of a directory, that of any of its keys, since keys come and go. */
const USED_KINDS = ['directory', ...CREDENTIAL_KINDS];

/** A use of a credential, or of a directory. */
export interface CredentialUse {
  tenant: string;
  /** The id of its record. */
  id: string;
  /** Milliseconds since the epoch. */
  usedAt: number;
}

/** The part of the store that holds when credentials were last used. */
export interface CredentialUseStore {
  /**
   * Keeps the latest uses; those of credentials that are gone are ignored. What is kept from a time that comes only long
   * after `now` is replaced: it is of a clock that was ahead.
   */
  noteCredentialUses(uses: readonly CredentialUse[], now: number): Promise<void>;
  /** When these credentials and directories of a tenant were last used, by id, in milliseconds since the epoch. */
  credentialUses(tenant: string, ids: readonly string[]): Promise<Map<string, number>>;
}

const REPLACE = `on conflict (record_pk) do update set used_ms = excluded.used_ms
  where excluded.used_ms >= credential_uses.used_ms or credential_uses.used_ms > `;

export function credentialUses({ reading, writing }: Pick<Dialect, 'reading' | 'writing'>): CredentialUseStore {
  return {
    noteCredentialUses: (uses, now) =>
      writing(async (trx) => {
        const used = new Map(uses.map(({ tenant, id, usedAt }) => [`${tenant} ${id}`, usedAt]));
        const rows: [number, number][] = [];
        for (const tenant of new Set(uses.map((use) => use.tenant))) {
          const ids = uses.flatMap((use) => (use.tenant === tenant ? [use.id] : []));
          await inParts(ids, async (part) => {
            const found: { pk: number; id: string }[] = await credentialsOf(trx, tenant, part).select('pk', 'id');
            for (const { pk, id } of found) rows.push([Number(pk), used.get(`${tenant} ${id}`) ?? 0]);
          });
        }
        // In one order everywhere, so that two that note the same credentials wait for each other and not both.
        rows.sort(([left], [right]) => left - right);
        const latest = Math.trunc(now) + CLOCKS_DIFFER_MS;
        await insertRows(trx, 'credential_uses', ['record_pk', 'used_ms'], rows, `${REPLACE}${latest}`);
      }),

    credentialUses: (tenant, ids) =>
      reading(async (db) => {
        const found = new Map<string, number>();
        await inParts(ids, async (part) => {
          const rows: { id: string; used_ms: number | string }[] = await credentialsOf(db, tenant, part)
            .join('credential_uses', 'record_pk', 'pk')
            .select('id', 'used_ms');
          for (const { id, used_ms } of rows) found.set(id, Number(used_ms));
        });
        return found;
      }),
  };
}

function credentialsOf(db: Knex, tenant: string, ids: string[]): Knex.QueryBuilder {
  return db('records').where('tenant_id', tenant).whereIn('kind', USED_KINDS).whereIn('id', ids);
}
