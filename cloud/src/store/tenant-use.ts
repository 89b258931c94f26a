import { inParts } from './batch.js';
import type { Dialect } from './dialect.js';

/** When a tenant was asked for something last, and when it was committed to. Times are RFC 3339 in UTC. */
export interface TenantUse {
  tenant: string;
  /** Absent if that was never noted. */
  usedAt?: string;
  /** Absent if its newest commit is not recorded, which is a fault. */
  committedAt?: string;
}

export interface TenantUseStore {
  /** Returns the use of all tenants. */
  tenantUse(): Promise<TenantUse[]>;
  /**
   * Notes that these were used at this time, which is now, those that there still are. A time that comes only long after it
   * is replaced: it is of a clock that was ahead.
   */
  noteUse(tenants: readonly string[], at: string): Promise<void>;
}

/** By so much the clocks of replicas may differ. */
export const CLOCKS_DIFFER_MS = 10_000;

interface Row {
  id: string;
  used_at: string | null;
  at: string | null;
}

export function tenantUse({ reading, writing }: Dialect): TenantUseStore {
  return {
    tenantUse: () =>
      reading(async (db) => {
        const rows: Row[] = await db('tenants')
          .leftJoin('tenant_use', 'tenant_use.tenant_id', 'tenants.id')
          .leftJoin('revisions', { 'revisions.tenant_id': 'tenants.id', 'revisions.number': 'tenants.revision' })
          .select('tenants.id', 'tenant_use.used_at', 'revisions.at');
        return rows.map(({ id, used_at, at }) => ({
          tenant: id,
          ...(used_at !== null && { usedAt: used_at }),
          ...(at !== null && { committedAt: at }),
        }));
      }),

    noteUse: (tenants, at) =>
      writing(async (trx) => {
        const latest = new Date(Date.parse(at) + CLOCKS_DIFFER_MS).toISOString();
        await inParts(tenants, async (part) => {
          await trx.raw(
            `insert into tenant_use (tenant_id, used_at) select id, ? from tenants where id in (${part.map(() => '?').join(',')}) ` +
              'on conflict (tenant_id) do update set used_at = excluded.used_at where excluded.used_at > tenant_use.used_at or tenant_use.used_at > ?',
            [at, ...part, latest],
          );
        });
      }),
  };
}
