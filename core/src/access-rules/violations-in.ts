import type { Address } from '../records/address.js';
import type { Kind } from '../records/kinds.js';
import { type DeclaredRecord, referencesOf } from '../records/registry.js';
import { remembered } from '../remembered.js';
import { finished } from '../time-slicing.js';
import type { AccessView } from './access-view.js';
import { standingViolations } from './judge-rules.js';
import type { Violation } from './violation.js';

/** What breaks the rules among these records as they stand: at most one violation of each rule. */
export function violationsIn(records: readonly DeclaredRecord[], now: number): Violation[] {
  if (!records.some(({ kind }) => kind === 'access_rule')) return [];
  const byAddress = new Map<Address, DeclaredRecord>();
  const byKind = new Map<Kind, Address[]>();
  const mentions = new Map<Address, Set<Address>>();
  for (const record of records) {
    byAddress.set(record.address, record);
    for (const { target } of referencesOf(record.kind, record.fields))
      remembered(mentions, target, () => new Set()).add(record.address);
    remembered(byKind, record.kind, () => []).push(record.address);
  }
  const view: AccessView = {
    get: (address) => byAddress.get(address),
    inbound: (address) => mentions.get(address) ?? [],
    addresses: (kind) => byKind.get(kind) ?? [],
  };
  return finished(standingViolations(view, now, 1));
}
