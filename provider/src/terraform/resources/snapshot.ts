import type { Address } from '@authz-service/core/records/address';
import type { Kind } from '@authz-service/core/records/kinds';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { TenantSnapshot } from '@authz-service/sdk/wire';

/** The part of the client that reading needs: `GET /v1/state`; undefined while the revision is still `ifNoneMatch`. */
export type StateSource = (ifNoneMatch: string | undefined, signal: AbortSignal) => Promise<TenantSnapshot | undefined>;

/** The records of the tenant at one moment, by address and by id. */
export class Records {
  private readonly byAddress = new Map<Address, StoredRecord>();
  private readonly byId = new Map<string, StoredRecord>();

  constructor(records: Iterable<StoredRecord>) {
    for (const record of records) this.put(record);
  }

  get(address: Address): StoredRecord | undefined {
    return this.byAddress.get(address);
  }

  find(kind: Kind, id: string): StoredRecord | undefined {
    return this.byId.get(`${kind}/${id}`);
  }

  all(): Iterable<StoredRecord> {
    return this.byAddress.values();
  }

  put(record: StoredRecord): void {
    this.byAddress.set(record.address, record);
    this.byId.set(`${record.kind}/${record.id}`, record);
  }

  delete(address: Address): void {
    const record = this.byAddress.get(address);
    if (record === undefined) return;
    this.byAddress.delete(address);
    this.byId.delete(`${record.kind}/${record.id}`);
  }
}

/** The tenant as this process knows it: fetched once for all reads, and updated by what the process itself writes. */
export class Snapshot {
  private known: { records: Records; revision: string } | undefined;
  private fetching: { generation: number; records: Promise<Records> } | undefined;
  /** The number of this process's writes so far, and how many of them the last fetch included. */
  private generation = 0;
  private seen = 0;

  constructor(private readonly source: StateSource) {}

  /** The records as fetched at the start, updated by this process's writes. */
  async records(signal: AbortSignal): Promise<Records> {
    return this.known?.records ?? this.fetch(signal);
  }

  /** The records as the service has them now: fetched again if this process has written since. */
  async present(signal: AbortSignal): Promise<Records> {
    return this.known !== undefined && this.seen === this.generation ? this.known.records : this.fetch(signal);
  }

  /** Follows a write of this process, so that it needs no further fetch. */
  follow(put: readonly StoredRecord[], removed: readonly Address[]): void {
    this.generation += 1;
    for (const address of removed) this.known?.records.delete(address);
    for (const record of put) this.known?.records.put(record);
  }

  /**
   * All waiting callers share one fetch. A fetch that began before a write does not answer a caller that came after the
   * write.
   */
  private fetch(signal: AbortSignal): Promise<Records> {
    const { generation } = this;
    if (this.fetching?.generation === generation) return this.fetching.records;
    const fetching = { generation, records: this.fetchNow(generation, signal) };
    this.fetching = fetching;
    const done = () => {
      if (this.fetching === fetching) this.fetching = undefined;
    };
    fetching.records.then(done, done);
    return fetching.records;
  }

  private async fetchNow(generation: number, signal: AbortSignal): Promise<Records> {
    const { known } = this;
    const fetched = await this.source(known?.revision, signal);
    const latest =
      fetched === undefined ? known : { records: new Records(fetched.records), revision: fetched.revision };
    if (latest === undefined) throw new Error('the service answered "not modified" to a request without a revision');
    if (generation === this.generation || this.known === undefined) {
      this.known = latest;
      this.seen = generation;
    }
    return latest.records;
  }
}
