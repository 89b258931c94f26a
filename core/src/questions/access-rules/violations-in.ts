import { remembered } from '../../collections/remembered.js';
import { finished } from '../../concurrency/time-slicing.js';
import type { Address } from '../../records/address.js';
import { InboundIndex } from '../../records/inbound-index.js';
import type { Kind } from '../../records/kinds.js';
import type { DeclaredRecord } from '../../records/registry.js';
import type { AccessView } from './access-view.js';
import { existingViolations } from './judge-rules.js';
import type { Violation } from './violation.js';

/** Finds what breaks the rules among these records as they stand: at most one violation of each rule. */
export function violationsIn(records: readonly DeclaredRecord[], now: number): Violation[] {
  if (!records.some(({ kind }) => kind === 'access_rule')) return [];
  return finished(existingViolations(accessViewOf(records), now, 1));
}

/** A view of a list of records. */
export function accessViewOf(records: readonly DeclaredRecord[]): AccessView {
  const byAddress = new Map<Address, DeclaredRecord>();
  const byKind = new Map<Kind, Address[]>();
  const inbound = new InboundIndex();
  const types = new Set<string>();
  for (const record of records) {
    byAddress.set(record.address, record);
    inbound.add(record);
    remembered(byKind, record.kind, () => []).push(record.address);
    if (record.kind === 'subject') types.add(record.fields.type);
  }
  return {
    get: (address) => byAddress.get(address),
    inbound: (address, kind) => inbound.of(address, kind),
    mentionedBy: (kind, mentioned) => inbound.mentionedBy(kind, mentioned),
    addresses: (kind) => byKind.get(kind) ?? [],
    subjectTypes: () => types,
  };
}
