import { CREDENTIAL_KINDS } from '@authz-service/core/records/kinds';
import type { Knex } from 'knex';
import { inParts } from './batch.js';
import type { Dialect } from './dialect.js';
import type { AuditRow, JudgeOperators, TenantRow } from './store.js';
import { noteTenantEvent } from './tenant-events.js';

type By = Pick<AuditRow, 'at' | 'request_id' | 'credential'>;

/** Turns credentials off and on, in whatever state their records are. Who did is kept among the events of tenants. */
export interface CredentialSwitch {
  /** Turns off all credentials of all tenants but the operators'. Returns how many were on. */
  disableCredentials(by: By): Promise<number>;
  /**
   * Turns on credentials of a tenant, by their addresses, or all of them. Returns the addresses of those that were off.
   * Throws what `judge` throws.
   */
  enableCredentials(
    tenant: TenantRow,
    addresses: readonly string[] | undefined,
    by: By,
    judge?: JudgeOperators,
  ): Promise<string[]>;
}

interface Found {
  pk: number;
  tenant_id: string;
  address: string;
}

/** `judged` runs a transaction in which no operator's credential changes otherwise. */
export function credentialSwitch(
  dialect: Dialect,
  judged: <T>(judge: JudgeOperators | undefined, work: (trx: Knex) => Promise<T>) => Promise<T>,
): CredentialSwitch {
  return {
    disableCredentials: (by) =>
      dialect.writing(async (trx) => {
        await dialect.lock(trx, 'operators');
        const on: Found[] = await found(trx).where('operator', false).whereNull('off_since');
        await turn(trx, on, by.at);
        for (const { id, name } of await trx<TenantRow>('tenants').select('id', 'name').orderBy('name')) {
          const own = on.flatMap(({ tenant_id, address }) => (tenant_id === id ? [address] : []));
          if (own.length > 0) await noteTenantEvent(trx, 'disable', { id, name }, by, { credentials: own });
        }
        return on.length;
      }),

    enableCredentials: ({ id, name }, addresses, by, judge) =>
      judged(judge, async (trx) => {
        const off: Found[] = await found(trx).where('tenant_id', id).whereNotNull('off_since').orderBy('address');
        const wanted = off.filter(({ address }) => addresses?.includes(address) ?? true);
        if (wanted.length === 0) return [];
        await turn(trx, wanted, null);
        const credentials = wanted.map(({ address }) => address);
        await noteTenantEvent(trx, 'enable', { id, name }, by, { credentials });
        await dialect.tell(trx, id, 0);
        return credentials;
      }),
  };
}

function found(trx: Knex): Knex.QueryBuilder {
  return trx('records')
    .join('secrets', 'secrets.record_pk', 'records.pk')
    .whereIn('kind', CREDENTIAL_KINDS)
    .select('pk', 'tenant_id', 'address');
}

async function turn(trx: Knex, credentials: readonly Found[], offSince: string | null): Promise<void> {
  const pks = credentials.map(({ pk }) => pk);
  await inParts(pks, async (part) => {
    await trx('secrets').whereIn('record_pk', part).update({ off_since: offSince });
  });
}
