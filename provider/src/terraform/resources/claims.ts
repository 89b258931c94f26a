import type { Address } from '@authz-service/core/records/address';
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
  arrivals.emit('planned');
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

/** A type of resource that owns links: a set owns all links of a record. */
export interface LinkOwner {
  readonly type: string;
  readonly whole: boolean;
}

/**
 * An owner that gives up a link. It may stay in this run: with other links of the same record, as a set does that no longer
 * lists one, or elsewhere, under another key.
 */
export interface FormerOwner extends LinkOwner {
  readonly stays?: 'same record' | 'elsewhere' | undefined;
}

/** Notes the links that a resource holds after this run. Refuses one that a resource of the state gives up: it would be lost. */
export function list({ links }: Service, owner: LinkOwner, addresses: Iterable<Address>): void {
  for (const address of addresses) {
    const leaver = links.left.get(address);
    if (leaver !== undefined && !takesTurns(leaver, owner)) throw changesHands(address, leaver, owner);
    links.listed.set(address, owner);
  }
}

/** Notes the links that a resource of the state gives up in this run. */
export function leave({ links }: Service, owner: FormerOwner, addresses: Iterable<Address>): void {
  for (const address of addresses) {
    const holder = links.listed.get(address);
    if (holder !== undefined && !takesTurns(owner, holder)) throw changesHands(address, owner, holder);
    links.left.set(address, owner);
  }
}

/** Whether a removal and a creation are joined in one change-set, as those of two single links are. */
function takesTurns(from: LinkOwner, to: LinkOwner): boolean {
  return !from.whole && !to.whole;
}

function changesHands(address: Address, from: FormerOwner, to: LinkOwner): Refusal {
  const given = `A ${from.type} gives up "${address}", which a ${to.type} of this configuration owns from now on.`;
  return refuse('Link changes hands', `${given} ${handOver(from, to)}`);
}

/** How to hand over a link without a moment in which nobody holds it. */
function handOver({ type: from, stays }: FormerOwner, { type: to }: LinkOwner): string {
  if (stays === 'same record')
    return `The ${from} stays, and it removes every link of its record that it does not list: list this one there again, and remove the ${to}.`;
  const unordered = 'Terraform knows no order of the two, so that the link could be lost.';
  if (stays === 'elsewhere')
    return `${unordered} The ${from} stays under the same name with another key: give that one another name, and hand this one over by a moved block from ${from}.NAME to ${to}.NAME.`;
  return `${unordered} Hand it over:
  moved {
    from = ${from}.NAME
    to   = ${to}.NAME
  }
That moves one resource to one other. Have Terraform forget further ones, which leaves their links:
  removed {
    from = ${from}.NAME
    lifecycle {
      destroy = false
    }
  }`;
}

function heldTwice(address: string): Refusal {
  const detail = `Two resources in the state hold "${address}". Removing one of them would remove the record of the other: make Terraform forget the one to be removed with "terraform state rm".`;
  return refuse('Record held twice', detail);
}
