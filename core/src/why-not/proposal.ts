import type { Address } from '../records/address.js';
import type { DeclaredRecord } from '../records/registry.js';

/** A record before and after a change; one of them is absent where it is created or removed. */
export interface ProposedChange {
  before?: DeclaredRecord;
  after?: DeclaredRecord;
}

/** Changes that may allow a request, in words. */
export interface Proposal {
  summary: string;
  changes: readonly ProposedChange[];
}

/** The records of a tenant by address, as proposals look them up. */
export type Records = ReadonlyMap<Address, DeclaredRecord>;

export function keyOf({ changes }: Proposal): string {
  return JSON.stringify(changes.map(({ before, after }) => [(before ?? after)?.address, after?.fields]));
}
