import type { Address } from '@authz-service/core/records/address';
import { kindRank } from '@authz-service/core/records/kinds';
import { type DeclaredRecord, referencesOf } from '@authz-service/core/records/registry';

/**
 * Records in an order in which each stands after those that it mentions, and else by kind and address. Of records that
 * mention each other in a circle, as types that are each other's parents, one stands before a record that it mentions.
 */
export function declarationOrder(records: Iterable<DeclaredRecord>): DeclaredRecord[] {
  const sorted = [...records].sort(
    (left, right) => kindRank(left.kind) - kindRank(right.kind) || (left.address < right.address ? -1 : 1),
  );
  const byAddress = new Map(sorted.map((record) => [record.address, record]));
  const begun = new Set<Address>();
  const ordered: DeclaredRecord[] = [];
  for (const first of sorted) {
    const path = begun.has(first.address) ? [] : [visitOf(first)];
    begun.add(first.address);
    while (path.length > 0) {
      const last = path.at(-1) as Visit;
      const target = last.targets.next();
      if (target.done) {
        ordered.push(last.record);
        path.pop();
        continue;
      }
      const mentioned = byAddress.get(target.value);
      if (mentioned === undefined || begun.has(mentioned.address)) continue;
      begun.add(mentioned.address);
      path.push(visitOf(mentioned));
    }
  }
  return ordered;
}

interface Visit {
  readonly record: DeclaredRecord;
  readonly targets: Iterator<Address>;
}

function visitOf(record: DeclaredRecord): Visit {
  const targets = referencesOf(record.kind, record.fields).map(({ target }) => target);
  return { record, targets: targets[Symbol.iterator]() };
}

/** The name of the resource of another record, if a resource may refer to it. */
export type NameOf = (address: Address) => string | undefined;

/** For each record, the names of those that stand before it: Terraform knows no circles. */
export function namesBefore(
  ordered: readonly DeclaredRecord[],
  names: ReadonlyMap<Address, string>,
): (record: DeclaredRecord) => NameOf {
  const places = new Map(ordered.map(({ address }, place) => [address, place]));
  const placeOf = (address: Address) => places.get(address) ?? Number.POSITIVE_INFINITY;
  return (record) => (address) => (placeOf(address) < placeOf(record.address) ? names.get(address) : undefined);
}
