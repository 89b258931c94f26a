import type { StoredRecord } from '@authz-service/core/records/registry';
import type { Knex } from 'knex';
import type { JsonDialect } from './dialect.js';
import type { LoadedTenant, TakeRecords } from './loaded-tenant.js';
import { RowDigest } from './row-digest.js';
import { secretsOf } from './secret-rows.js';
import { ChangedStoreError, NoTenantError } from './store.js';

/** One or two milliseconds of parsing. */
const PAGE_ROWS = 1000;
/** No string can be longer than 512 Mi characters, and SQLite's driver ends the process where one would be. */
const PAGE_CHARACTERS = 4 * 1024 * 1024;
/** Each commit has a time of its own; records that came in one commit stand near each other. */
const SHARED_MAX = 10_000;

export interface RecordRow {
  tenant_id: string;
  kind: string;
  id: string;
  address: string;
  fields: string;
  managed_by: string;
  created_at: string;
  updated_at: string;
  revision: number;
}

/** The columns of a record in the order in which a page has them; the fields, which are JSON text already, come last. */
const TEXTS = ['kind', 'id', 'address', 'managed_by', 'created_at', 'updated_at'] as const;
type PagedRecord = [string, string, string, string, string, string, number, unknown];

/**
 * Reads a tenant with the digest of its rows, and what its newest commit recorded. On a connection that others write on, it
 * is for the caller to compare the digests. Each page is one JSON text that the database has made of its rows: to take
 * them over column by column costs twice as much.
 */
export async function loadTenant(
  db: Knex,
  json: JsonDialect,
  id: string,
  take: TakeRecords = async () => undefined,
): Promise<LoadedTenant> {
  const tenant = await db('tenants')
    .where('id', id)
    .first<{ id: string; name: string; revision: number } | undefined>();
  if (tenant === undefined) throw new NoTenantError(id);
  const secrets = await secretsOf(db, id);
  const digest = new RowDigest();
  digest.addTenant(tenant);
  const shared = new SharedTexts();
  let page: Promise<Page | undefined> = readPage(db, json, tenant, '');
  for (;;) {
    const read = await page;
    if (read === undefined) break;
    page = readPage(db, json, tenant, read.last);
    // Only the next turn of this loop waits for it, and taking may fail before.
    page.catch(() => undefined);
    const records = read.rows.map((row) => shared.record(row));
    for (const record of records) digest.toggle(record, secrets.get(record.address));
    await take(records);
  }
  const newest = await db('revisions')
    .where('tenant_id', id)
    .orderBy('number', 'desc')
    .select('number', 'digest', 'row_digest', 'at')
    .first<{ number: number; digest: string; row_digest: string; at: string } | undefined>();
  return {
    revision: Number(tenant.revision),
    rowDigest: digest.hex(),
    committed: newest && {
      revision: Number(newest.number),
      digest: newest.digest,
      rowDigest: newest.row_digest,
      at: newest.at,
    },
  };
}

interface Page {
  rows: PagedRecord[];
  /** The address after which the next page begins. */
  last: string;
}

async function readPage(
  db: Knex,
  { quoted, joined }: JsonDialect,
  tenant: { id: string; name: string },
  after: string,
): Promise<Page | undefined> {
  const columns = [...TEXTS.map(quoted), 'revision', 'fields'].join(" || ',' || ");
  const rows = db('records')
    .where('tenant_id', tenant.id)
    .andWhere('address', '>', after)
    .orderBy('address')
    .limit(PAGE_ROWS)
    .as('page');
  const summed = db
    .from(rows)
    .select('*', db.raw('sum(length(fields)) over (order by address) as so_far'))
    .as('summed');
  const { text, last } = await db
    .from(summed)
    // The first row in any case.
    .whereRaw('so_far <= ? or so_far = length(fields)', [PAGE_CHARACTERS])
    .select(db.raw(`${joined(`'[' || ${columns} || ']'`)} as text`), db.raw('max(address) as last'))
    .first<{ text: string | null; last: string }>();
  if (text === null) return undefined;
  return { rows: parsed(text) ?? (await readOneByOne(db, tenant, after, last)), last };
}

function parsed(text: string): PagedRecord[] | undefined {
  try {
    return JSON.parse(`[${text}]`);
  } catch {
    return undefined;
  }
}

/** Finds the row that cannot be read. */
async function readOneByOne(
  db: Knex,
  tenant: { id: string; name: string },
  after: string,
  last: string,
): Promise<PagedRecord[]> {
  const rows: RecordRow[] = await db('records')
    .where('tenant_id', tenant.id)
    .andWhere('address', '>', after)
    .andWhere('address', '<=', last);
  return rows.map((row) => {
    const { fields, revision } = storedRecord(row, tenant.name);
    return [row.kind, row.id, row.address, row.managed_by, row.created_at, row.updated_at, revision, fields];
  });
}

/** Makes records that share the texts which many of them have. */
class SharedTexts {
  readonly #texts = new Map<string, string>();

  record([kind, id, address, managed_by, created_at, updated_at, revision, fields]: PagedRecord): StoredRecord {
    if (this.#texts.size > SHARED_MAX) this.#texts.clear();
    return {
      kind: this.#one(kind),
      address,
      fields,
      id,
      managed_by: this.#one(managed_by),
      created_at: this.#one(created_at),
      updated_at: this.#one(updated_at),
      revision,
    } as StoredRecord;
  }

  #one(text: string): string {
    const known = this.#texts.get(text);
    if (known === undefined) this.#texts.set(text, text);
    return known ?? text;
  }
}

export function storedRecord(row: RecordRow, tenant: string): StoredRecord {
  return {
    kind: row.kind,
    address: row.address,
    fields: readFields(row, tenant),
    id: row.id,
    managed_by: row.managed_by,
    created_at: row.created_at,
    updated_at: row.updated_at,
    revision: Number(row.revision),
  } as StoredRecord;
}

function readFields({ fields, address }: RecordRow, tenant: string): unknown {
  try {
    return JSON.parse(fields);
  } catch {
    throw new ChangedStoreError(`in the tenant "${tenant}", the row of ${JSON.stringify(address)} cannot be read`);
  }
}
