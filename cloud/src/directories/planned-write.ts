import type { Address } from '@authz-service/core/records/address';
import type { Change } from '@authz-service/core/state/change';
import type { DirectoryView } from './directory-view.js';

/** The changes of one request, and the record that its answer shows. */
export interface PlannedWrite {
  changes: Change[];
  /** Absent where the resource is gone. */
  shown?: Address;
  /** Other names that it takes or frees, so that requests about the same are not joined. */
  claims: string[];
}

/** A request of a directory: what it changes at a revision. Throws what refuses it. */
export type Plan = (view: DirectoryView) => PlannedWrite;
