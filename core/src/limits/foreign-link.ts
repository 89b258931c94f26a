import { type Address, address } from '../records/address.js';
import { type DeclaredRecord, definitionOf, type StoredRecord } from '../records/registry.js';

/** Returns the role, policy or group that a link gives somebody; undefined for any other record. */
export function grantedBy({ kind, fields }: DeclaredRecord): Address | undefined {
  const { grants } = definitionOf(kind);
  // The field is named after the kind of what it holds the path of.
  return grants && address(grants, String((fields as Record<string, unknown>)[grants]));
}

/** Whether a record is another stack's grant of what this stack owns. */
export function isForeignLink(
  record: StoredRecord,
  view: { get(address: Address): Pick<StoredRecord, 'managed_by'> | undefined },
  stack: string | undefined,
): boolean {
  if (stack === undefined || record.managed_by === stack) return false;
  const granted = grantedBy(record);
  return granted !== undefined && view.get(granted)?.managed_by === stack;
}
