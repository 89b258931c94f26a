import { type Refusal, refuse } from '../framework/diagnostics.js';
import type { Values } from '../framework/value.js';
import type { Service } from './service.js';

/** Terraform prints this with the second resource. */
export function declareOnce({ declared, arrivals }: Service, { address }: Values): void {
  if (typeof address !== 'string') return;
  if (declared.has(address)) {
    throw refuse(
      'Record declared twice',
      `"${address}" is declared by another resource of this configuration, too: remove one of the two, or give it another name.`,
    );
  }
  declared.add(address);
  arrivals.emit(address);
}

/** If two resources hold one record, removing one of them would remove the other's record. */
export function keep({ kept, removed }: Service, { address }: Values): void {
  kept.add(String(address));
  if (removed.has(String(address))) throw heldTwice(String(address));
}

export function remove({ kept, removed }: Service, { address }: Values): void {
  removed.add(String(address));
  if (kept.has(String(address))) throw heldTwice(String(address));
}

function heldTwice(address: string): Refusal {
  const detail = `Two resources in the state hold "${address}". Removing one of them would remove the record of the other: make Terraform forget the one to be removed with "terraform state rm".`;
  return refuse('Record held twice', detail);
}
