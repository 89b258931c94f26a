import { CREDENTIAL_KINDS } from '@authz-service/core/records/kinds';
import type { Knex } from 'knex';
import { inParts } from './batch.js';
import type { Dialect } from './dialect.js';
import type { AuditRow, CommitNotice, JudgeOperators, TenantRow } from './store.js';
import { noteTenantEvent } from './tenant-events.js';

type By = Pick<AuditRow, 'at' | 'request_id' | 'credential'>;

/**
 * Stands for signing in by an identity provider among the addresses of credentials: people have their rights from records, and
 * those of a backup may be rights that were taken away since.
 */
export const SIGN_IN = 'sign-in';

/** Turns credentials off and on, in whatever state their records are. Who did is kept among the events of tenants. */
export interface CredentialSwitch {
  /**
   * Turns off signing in, and all credentials of all tenants, the operators' only if these are named, too. Returns how many of
   * these were on.
   */
  disableCredentials(by: By, which?: { operators: boolean }): Promise<number>;
  /** When credentials were last turned off, as after a restore (RFC 3339); undefined if they never were. */
  setBackAt(): Promise<string | undefined>;
  /**
   * Turns on credentials of a tenant, by their addresses, or all of them, and signing in if it is named. Returns the addresses of
   * those that were off.
   * Throws what `judge` throws.
   */
  enableCredentials(
    tenant: TenantRow,
    addresses: readonly string[] | undefined,
    by: By,
    judge?: JudgeOperators,
  ): Promise<string[]>;
  /** Since when people cannot sign in to a tenant by an identity provider; undefined if they can. */
  signInOffSince(tenant: string): Promise<string | undefined>;
}

interface FoundCredential {
  pk: number;
  tenant_id: string;
  address: string;
}

/** `judged` runs a transaction in which no operator's credential changes otherwise. */
export function credentialSwitch(
  dialect: Dialect,
  judged: <T>(
    judge: JudgeOperators | undefined,
    work: (trx: Knex, notify: (notice: CommitNotice) => void) => Promise<T>,
  ) => Promise<T>,
): CredentialSwitch {
  return {
    disableCredentials: (by, { operators } = { operators: false }) =>
      dialect.writing(async (trx) => {
        await dialect.lock(trx, 'operators');
        const all = found(trx).whereNull('off_since');
        const on: FoundCredential[] = await (operators ? all : all.where('operator', false));
        const at = await laterThanEvents(trx, by.at);
        await turn(trx, on, at);
        for (const { id, name } of await trx<TenantRow>('tenants').select('id', 'name').orderBy('name')) {
          const own = on.flatMap(({ tenant_id, address }) => (tenant_id === id ? [address] : []));
          await noteTenantEvent(trx, 'disable', { id, name }, { ...by, at }, { credentials: [...own, SIGN_IN] });
        }
        return on.length;
      }),

    setBackAt: () =>
      dialect.reading(async (db) => {
        const last = await db('tenant_events').where('op', 'disable').max<{ at: string | null }>('at as at').first();
        return last?.at ?? undefined;
      }),

    enableCredentials: ({ id, name }, addresses, by, judge) =>
      judged(judge, async (trx, notify) => {
        const off: FoundCredential[] = await found(trx)
          .where('tenant_id', id)
          .whereNotNull('off_since')
          .orderBy('address');
        const wanted = off.filter(({ address }) => addresses?.includes(address) ?? true);
        const signIn = addresses?.includes(SIGN_IN) === true && (await signInOffSince(trx, id)) !== undefined;
        if (wanted.length === 0 && !signIn) return [];
        await turn(trx, wanted, null);
        const credentials = [...wanted.map(({ address }) => address), ...(signIn ? [SIGN_IN] : [])];
        await noteTenantEvent(trx, 'enable', { id, name }, by, { credentials });
        notify({ tenant: id, revision: 0, atLarge: true });
        return credentials;
      }),

    signInOffSince: (tenant) => dialect.reading((db) => signInOffSince(db, tenant)),
  };
}

/** Times when a database was set back tell these from each other, though its clock may be behind. */
async function laterThanEvents(trx: Knex, at: string): Promise<string> {
  const last = await trx('tenant_events').max<{ at: string | null }>('at as at').first();
  return last?.at && last.at >= at ? new Date(Date.parse(last.at) + 1).toISOString() : at;
}

/** Returns when sign-in was last turned off: the last change counts. */
async function signInOffSince(knex: Knex, tenant: string): Promise<string | undefined> {
  const last = await knex('tenant_events')
    .where('tenant_id', tenant)
    .whereIn('op', ['disable', 'enable'])
    .andWhere('properties', 'like', `%"${SIGN_IN}"%`)
    .orderBy('number', 'desc')
    .first<{ op: string; at: string } | undefined>('op', 'at');
  return last?.op === 'disable' ? last.at : undefined;
}

function found(trx: Knex): Knex.QueryBuilder {
  return trx('records')
    .join('secrets', 'secrets.record_pk', 'records.pk')
    .whereIn('kind', CREDENTIAL_KINDS)
    .select('pk', 'tenant_id', 'address');
}

async function turn(trx: Knex, credentials: readonly FoundCredential[], offSince: string | null): Promise<void> {
  const pks = credentials.map(({ pk }) => pk);
  await inParts(pks, async (part) => {
    await trx('secrets').whereIn('record_pk', part).update({ off_since: offSince });
  });
}
