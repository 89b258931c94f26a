import type { SideRecord } from '@authz-service/core/access/universe/side';
import type { Address } from '@authz-service/core/records/address';
import { isCredential, type Kind } from '@authz-service/core/records/kinds';

const FIELDS = ['expires_at', 'suspended_until'] as const;

/** The end of a record, which counts no more then, or of its suspension. */
export interface Ending {
  address: Address;
  kind: Kind;
  what: 'link' | 'credential' | 'suspension' | 'suspension of a rule';
  /** RFC 3339. */
  ends_at: string;
  reason?: string;
}

/** Finds what ends after `now` and until `until`, in milliseconds; the next first. */
export function endingsIn(records: Iterable<SideRecord>, now: number, until: number): Ending[] {
  const found: Ending[] = [];
  for (const record of records) {
    const at = endOf(record);
    if (at === undefined || Date.parse(at) <= now || Date.parse(at) > until) continue;
    const { suspension_reason: reason } = record.fields as { suspension_reason?: string };
    found.push({
      ...{ address: record.address, kind: record.kind, what: whatOf(record.kind), ends_at: at },
      ...(reason !== undefined && { reason }),
    });
  }
  return found.sort(
    (left, right) => Date.parse(left.ends_at) - Date.parse(right.ends_at) || (left.address < right.address ? -1 : 1),
  );
}

/** The records as if what ends in them never did: all that is different without it is what the end does. */
export function endless(records: readonly SideRecord[], endings: readonly Ending[]): SideRecord[] {
  const ends = new Set(endings.map(({ address }) => address));
  return records.map((record) => {
    if (!ends.has(record.address)) return record;
    const { expires_at: _, suspended_until: until, ...fields } = record.fields as Record<string, unknown>;
    const suspended = until !== undefined && record.kind === 'subject' ? { suspended: true } : {};
    return { ...record, fields: { ...fields, ...suspended } } as unknown as SideRecord;
  });
}

function endOf({ fields }: SideRecord): string | undefined {
  const dated = fields as { [F in (typeof FIELDS)[number]]?: string };
  return FIELDS.map((name) => dated[name]).find((at) => at !== undefined);
}

function whatOf(kind: Kind): Ending['what'] {
  if (isCredential(kind)) return 'credential';
  if (kind === 'subject') return 'suspension';
  return kind === 'access_rule' ? 'suspension of a rule' : 'link';
}
