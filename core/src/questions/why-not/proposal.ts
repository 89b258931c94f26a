import type { Address } from '../../records/address.js';
import type { DeclaredRecord } from '../../records/registry.js';
import type { OtherRequest } from './other-requests.js';

/** A record before and after a change; one of them is absent where it is created or removed. */
export interface ProposedChange {
  before?: DeclaredRecord;
  after?: DeclaredRecord;
}

/**
 * How much a proposal is likely to change besides: where not all are weighed, the narrow ones are. A right on the resource
 * alone, a property, a link, what holds for more than the subject, a policy as a whole.
 */
export const BREADTHS = ['resource', 'property', 'link', 'shared', 'policy'] as const;

/** Changes that may allow a request, in words. */
export interface Proposal {
  summary: string;
  changes: readonly ProposedChange[];
  breadth: (typeof BREADTHS)[number];
  /** Whether it takes away a protection: a DENY, a link to one, or something that an ALLOW requires. */
  removes_protection?: true;
  /** Values that the caller must send besides once it is made; absent where the request needs nothing else. */
  then_ask?: OtherRequest;
}

/** The records of a tenant by address, as proposals look them up; a tree does not know their ids. */
export type Records = ReadonlyMap<Address, DeclaredRecord & { id?: string }>;

export function keyOf({ changes }: Proposal): string {
  return JSON.stringify(changes.map(({ before, after }) => [(before ?? after)?.address, after?.fields]));
}
