import { compareTexts, sortedInSteps } from '@authz-service/core/collections/sorted-in-steps';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { Changed, Made } from './kept-by-kind.js';
import { SortedTexts } from './sorted-texts.js';

/** The addresses of a kind's records, in order. */
export class SortedAddresses extends SortedTexts implements Made {
  static *of(records: readonly StoredRecord[]): Generator<undefined, SortedAddresses> {
    const addresses = records.map(({ address }) => address);
    return new SortedAddresses(yield* sortedInSteps(addresses, compareTexts));
  }

  change({ record: { address }, there }: Changed): void {
    if (there) this.add(address);
    else this.delete(address);
  }
}
