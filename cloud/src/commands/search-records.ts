import { ProblemError } from '@authz-service/core/problem';
import type { Address } from '@authz-service/core/records/address';
import { KINDS, type Kind } from '@authz-service/core/records/kinds';
import type { StoredRecord } from '@authz-service/core/records/registry';
import { decodeCursor, encodeCursor } from '@authz-service/core/values/cursor';
import { toWire } from '../records/record-wire.js';
import { folded, type NameEntry, wordsOf } from '../tenants/name-index.js';
import type { Tenant } from '../tenants/tenant.js';

/** Entries looked at for one page: some milliseconds. A page that ends by this may hold less than was asked for. */
const LOOKED_AT_MAX = 2_000;

export interface SearchOrder {
  words: string;
  /** Without it, the best of every kind. */
  kind?: Kind | undefined;
  application?: string | undefined;
  managedBy?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}

interface FoundRecords {
  records: StoredRecord[];
  next?: string;
}

/**
 * The records of which a name, an id or the path begins with the first of the words, and some word with each other one.
 * What is exactly that word comes first. Throws `invalid_request` where there is no word, `invalid_cursor`.
 */
export async function searchRecords(tenant: Tenant, order: SearchOrder): Promise<FoundRecords> {
  const { kind, words, limit, cursor } = order;
  const [first, ...others] = folded(words).split(/\s+/).filter(Boolean);
  if (first === undefined)
    throw new ProblemError('invalid_request', 'The query has no word to search for: give one in "q".');
  if (kind !== undefined) return await page(tenant, kind, first, others, order);
  if (cursor !== undefined)
    throw new ProblemError('invalid_request', 'A search of every kind has one page only: name a kind beside "cursor".');
  const exact: StoredRecord[] = [];
  const beginning: StoredRecord[] = [];
  for (const each of KINDS) {
    const { records } = await page(tenant, each, first, others, order);
    for (const record of records) (wordsOf(record).has(first) ? exact : beginning).push(record);
  }
  return { records: [...exact, ...beginning].slice(0, limit) };
}

async function page(
  tenant: Tenant,
  kind: Kind,
  first: string,
  others: string[],
  order: SearchOrder,
): Promise<FoundRecords> {
  const { application, managedBy, limit, cursor } = order;
  const list = [tenant.id, 'search', kind, first, ...others, application ?? '', managedBy ?? ''];
  const after = cursor === undefined ? undefined : readEntry(decodeCursor(list, cursor));
  const index = await tenant.names(kind);
  const records: StoredRecord[] = [];
  let last: NameEntry | undefined;
  let looked = 0;
  for (const entry of index.from(after ?? { word: first, address: NOWHERE })) {
    const { word, address } = entry;
    if (word === after?.word && address === after.address) continue;
    if (!word.startsWith(first)) break;
    if (last !== undefined && (looked === LOOKED_AT_MAX || records.length === limit))
      return { records, next: encodeCursor(list, entryText(last)) };
    last = entry;
    looked++;
    const record = tenant.state.get(address);
    if (record === undefined) continue;
    const words = [...wordsOf(record)];
    // A record with several such words is found by the first of them.
    const earliest = words.filter((word) => word.startsWith(first)).sort()[0];
    if (word !== earliest) continue;
    if (!others.every((other) => words.some((word) => word.startsWith(other)))) continue;
    if (managedBy !== undefined && record.managed_by !== managedBy) continue;
    if (application !== undefined && toWire(record, tenant.state).application !== application) continue;
    records.push(record);
  }
  return { records };
}

/** Before every address. */
const NOWHERE = '' as Address;
/** Stands between word and address in a cursor, and is in no word. */
const END = '\0';

function entryText({ word, address }: NameEntry): string {
  return word + END + address;
}

function readEntry(text: string): NameEntry {
  const end = text.indexOf(END);
  return { word: text.slice(0, end), address: text.slice(end + 1) as Address };
}
