import type { Address } from '../records/address.js';
import type { DeclaredRecord } from '../records/registry.js';
import type { RecordView } from './change.js';
import { equalJson } from './equal-json.js';

/**
 * Untouched records whose validity hangs on a resource type that takes away actions or says something else about
 * properties: its resources, its policies, and the policies on its resources. Each with the address of that type.
 * `before` are the touched records as they were, under the addresses they have now.
 */
export function affectedByTypes(view: RecordView, before: ReadonlyMap<Address, DeclaredRecord>): Map<Address, Address> {
  const affected = new Map<Address, Address>();
  for (const [address, previous] of before) {
    const present = view.get(address);
    if (previous.kind !== 'resource_type' || present?.kind !== 'resource_type') continue;
    const actions = new Set(present.fields.actions);
    const kept = previous.fields.actions.every((action) => actions.has(action));
    if (kept && equalJson(previous.fields.properties, present.fields.properties)) continue;
    for (const source of view.inbound(address)) {
      affected.set(source, address);
      if (view.get(source)?.kind !== 'resource') continue;
      for (const policy of view.inbound(source)) affected.set(policy, address);
    }
  }
  return affected;
}
