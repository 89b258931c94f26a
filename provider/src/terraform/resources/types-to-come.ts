import { setTimeout } from 'node:timers/promises';
import type { Address } from '@authz-service/core/records/address';
import type { Kind } from '@authz-service/core/records/kinds';
import type { DeclaredRecord } from '@authz-service/core/records/registry';
import type { Overlay } from '@authz-service/core/state/overlay';
import type { Diagnostic } from '../framework/diagnostics.js';
import { judgeRecord } from './judge.js';
import type { Records } from './snapshot.js';

/** Terraform asks for the plans of independent resources at once. */
const SOON_MS = 300;

/**
 * The findings about a policy, judged again where it is in doubt whether anything can lie below a resource: types that
 * name its type as a parent may be planned later, or stand in the tenant already.
 */
export async function withAllTypes(
  found: readonly Diagnostic[],
  record: DeclaredRecord,
  view: Overlay,
  records: Records,
): Promise<Diagnostic[]> {
  if (!found.some(isOfBelow)) return [...found];
  await setTimeout(SOON_MS);
  const get = (address: Address) =>
    view.get(address) ?? (address.startsWith('resource_type/') ? records.get(address) : undefined);
  const addresses = function* (kind: Kind) {
    yield* view.addresses(kind);
    if (kind !== 'resource_type') return;
    for (const { address } of records.all())
      if (address.startsWith('resource_type/') && view.get(address) === undefined) yield address;
  };
  const all = { get, addresses, inbound: (address: Address) => view.inbound(address) };
  return [...found.filter((one) => !isOfBelow(one)), ...judgeRecord(record, all).filter(isOfBelow)];
}

function isOfBelow({ severity, path }: Diagnostic): boolean {
  return severity === 'warning' && path?.at(-1) === 'below';
}
