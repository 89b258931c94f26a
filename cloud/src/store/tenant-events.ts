import type { Knex } from 'knex';
import type { AuditRow, TenantEvent, TenantRow } from './store.js';

/**
 * Notes an event in the transaction that makes it, which holds the lock `operators`: so an event is committed before those
 * with higher numbers, and nobody who has read these has missed it. As for commits, the times never decrease.
 */
export async function noteTenantEvent(
  trx: Knex,
  op: TenantEvent['op'],
  { id, name }: Pick<TenantRow, 'id' | 'name'>,
  { at, request_id, credential }: Pick<AuditRow, 'at' | 'request_id' | 'credential'>,
  about: {
    subject?: string;
    properties?: readonly string[] | undefined;
    agent?: string;
    credentials?: readonly string[];
  } = {},
): Promise<void> {
  const before = await trx('tenant_events').max<{ at: string | null }>('at as at').first();
  const names = about.properties ?? about.credentials;
  await trx('tenant_events').insert({
    op,
    at: before?.at && before.at > at ? before.at : at,
    tenant_id: id,
    tenant_name: name,
    request_id,
    credential_kind: credential.kind,
    credential_id: credential.id,
    credential_name: credential.name,
    subject: about.subject ?? null,
    properties: names === undefined ? null : JSON.stringify(names),
    agent: about.agent ?? null,
  });
}

interface TenantEventRow {
  number: number;
  op: TenantEvent['op'];
  at: string;
  tenant_id: string;
  tenant_name: string;
  request_id: string;
  credential_kind: AuditRow['credential']['kind'];
  credential_id: string;
  credential_name: string;
  subject: string | null;
  properties: string | null;
  agent: string | null;
}

/** An event of a tenant; number 0 where there is none. A database that was set back gives its number to another one. */
export interface EventPoint {
  number: number;
  /** The identity that tells it from others of its number. */
  identity: string;
}

export const NO_EVENT: EventPoint = { number: 0, identity: '' };

/** Two pasts have the same event only if the same request made it at the same time. */
export function eventPoint({
  number,
  ...row
}: Pick<TenantEventRow, 'number' | 'op' | 'at' | 'tenant_id' | 'request_id'>): EventPoint {
  return { number: Number(number), identity: JSON.stringify([row.op, row.at, row.tenant_id, row.request_id]) };
}

/** The names of tenants that were created, were not removed, and are missing. */
export async function lostTenants(knex: Knex): Promise<string[]> {
  const removed = knex('tenant_events').where('op', 'delete').select('tenant_id');
  const rows: { tenant_name: string }[] = await knex('tenant_events')
    .where('op', 'create')
    .whereNotIn('tenant_id', knex('tenants').select('id'))
    .whereNotIn('tenant_id', removed)
    .orderBy('number')
    .select('tenant_name');
  return rows.map((row) => row.tenant_name);
}

/** Newest first, with numbers below `before`. */
export async function listTenantEvents(
  knex: Knex,
  { before, limit }: { before?: number; limit: number },
): Promise<TenantEvent[]> {
  const query = knex<TenantEventRow>('tenant_events').orderBy('number', 'desc').limit(limit);
  if (before !== undefined) query.where('number', '<', before);
  return (await query).map(eventOf);
}

/** See `Store.tenantEventsAfter`. */
export async function tenantEventsAfter(
  knex: Knex,
  { number, identity }: EventPoint,
): Promise<{ events: TenantEvent[]; newest: EventPoint } | undefined> {
  const rows = await knex<TenantEventRow>('tenant_events').where('number', '>=', number).orderBy('number');
  const known = number === 0 ? undefined : rows.shift();
  if (number > 0 && (known === undefined || eventPoint(known).identity !== identity)) return undefined;
  const newest = rows.at(-1);
  return { events: rows.map(eventOf), newest: newest ? eventPoint(newest) : { number, identity } };
}

function eventOf(row: TenantEventRow): TenantEvent {
  return {
    number: Number(row.number),
    op: row.op,
    at: row.at,
    tenant: { id: row.tenant_id, name: row.tenant_name },
    request_id: row.request_id,
    credential: { kind: row.credential_kind, id: row.credential_id, name: row.credential_name },
    ...(row.subject !== null && { subject: row.subject }),
    ...(row.properties !== null && {
      [row.op === 'erase' ? 'properties' : 'credentials']: JSON.parse(row.properties),
    }),
    ...(row.agent !== null && { agent: row.agent }),
  };
}
