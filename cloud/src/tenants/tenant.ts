import type { CompiledEngine } from '@authz-service/core/access/engine/compiled-engine';
import type { TenantSearch } from '@authz-service/core/access/search/tenant-search';
import type { RevisionRef } from '@authz-service/core/bundle/delta';
import { packDelta } from '@authz-service/core/bundle/delta-write';
import type { BundleContent, BundleTenant } from '@authz-service/core/bundle/types';
import { packBundle } from '@authz-service/core/bundle/write';
import { reading } from '@authz-service/core/concurrency/read-write-lock';
import type { TimeSlicing } from '@authz-service/core/concurrency/time-slicing';
import { ProblemError } from '@authz-service/core/problem';
import type { Path } from '@authz-service/core/records/address';
import type { Kind } from '@authz-service/core/records/kinds';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { Staged } from '@authz-service/core/state/change';
import { recordChangesOf, type StoredChange } from '@authz-service/core/state/record-changes';
import { revisionText } from '@authz-service/core/state/revision';
import type { TenantState } from '@authz-service/core/state/tenant-state';
import { touchesCredentials } from '../auth/credential-index.js';
import type { BundleKeys } from '../bundles/bundle-keys.js';
import { JOURNAL_BOUNDS, Journal } from '../bundles/journal.js';
import { PackedBundles, type PackedDelta } from '../bundles/packed-bundles.js';
import { type SliceSource, TenantSlice } from '../bundles/tenant-slice.js';
import { SerialQueue } from '../concurrency/serial-queue.js';
import type {
  AuditRow,
  ChangedStoreError,
  ChangesSince,
  KeptCommit,
  Store,
  TenantRow,
  TenantStore,
} from '../store/store.js';
import { EntryIndex, type EntryKind } from './entry-index.js';
import { KeptByKind } from './kept-by-kind.js';
import { NameIndex } from './name-index.js';
import { type ReadOptions, readTenant, type TenantContent } from './read-tenant.js';
import { SortedAddresses } from './sorted-addresses.js';
import { TenantEngine } from './tenant-engine.js';
import { TenantWork } from './tenant-work.js';
import type { WorkBudget } from './work-budget.js';

/** A tenant at one revision, as searches and batches use it. */
export interface TenantView {
  id: string;
  revision: string;
  engine: CompiledEngine;
  search: TenantSearch;
}

/** A tenant for reading: as it is, or as it was at a past revision. */
export interface ReadableTenant {
  readonly id: string;
  readonly name: string;
  readonly revision: string;
  readonly state: TenantState;
  /** The number of a past revision's records that have lost values since: then its digest proves nothing. */
  readonly erased: number;
  /** For work that ends within one turn of the event loop. */
  readonly engine: CompiledEngine;
  inTurn<T>(work: () => T): Promise<Awaited<T>>;
  reading<T>(work: (view: TenantView) => Generator<undefined, T>): Promise<T>;
  /** The addresses of a kind's records, in order; read them within one turn of the event loop. */
  addresses(kind: Kind): Promise<SortedAddresses>;
}

/** How tenants share the process. */
export interface WorkSharing {
  slicing: TimeSlicing;
  /** Creates a tenant's budget; absent if there is no limit. */
  budget?: (() => WorkBudget) | undefined;
  /** Is told of each tenant that has been read. */
  onLoad?: (tenant: Tenant) => void;
  /** Is told of each tenant that is not as it was committed, once for each reason. */
  onBroken?: (tenant: TenantRow, reason: ChangedStoreError) => void;
  /** Is told of each tenant that the database cannot read, once. */
  onFailed?: (tenant: TenantRow, error: unknown) => void;
  /** Is told when such a tenant has been read again. */
  onMended?: (tenant: TenantRow) => void;
}

/** The slices that are kept up to date; others are made anew when they are asked for. */
const SLICES_MAX = 256;

/** Changes that the index of entries takes over within one turn, in some milliseconds. */
const ENTRIES_AT_ONCE = 5000;

/**
 * One tenant in memory, at its newest committed revision. Everything derived from the records is computed when first
 * used.
 */
export class Tenant implements ReadableTenant {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  #state: TenantState;
  #number: number;
  #revision: string | undefined;
  #committedAt: number;
  /** Runs decisions and searches, of past revisions too, within the tenant's budget. */
  readonly work: TenantWork;
  readonly erased = 0;
  readonly #engine: TenantEngine;
  readonly #packed = new PackedBundles();
  readonly #journal = new Journal();
  /** By applications, longest ago first. */
  readonly #slices = new Map<string, TenantSlice>();
  readonly #addresses: KeptByKind<SortedAddresses>;
  readonly #names: KeptByKind<NameIndex>;
  readonly #entries: KeptByKind<EntryIndex>;
  readonly #queue = new SerialQueue();
  readonly #slicing: TimeSlicing;

  private constructor(
    row: TenantRow,
    content: TenantContent,
    { slicing, budget }: WorkSharing,
    private readonly changed: (tenant: Tenant) => void,
  ) {
    this.#slicing = slicing;
    this.work = new TenantWork(slicing, row.id, budget?.());
    const run = <T>(steps: Generator<undefined, T>) => slicing.run(steps, row.id);
    const records = (kind: Kind) => this.#state.records(kind);
    this.#addresses = new KeptByKind(run, records, SortedAddresses.of);
    this.#names = new KeptByKind(run, records, NameIndex.of);
    this.#entries = new KeptByKind(run, records, EntryIndex.of, ENTRIES_AT_ONCE);
    this.#engine = new TenantEngine(row.id, slicing, () => this.work.shouldEnd);
    this.id = row.id;
    this.name = row.name;
    this.createdAt = row.created_at;
    this.#state = content.state;
    this.#number = content.revision;
    this.#committedAt = content.committedAt;
  }

  /**
   * `changed` is called whenever the tenant gets another revision, and `assertOpen`, which throws to stop, again and again
   * while it is read. Throws `ChangedStoreError`.
   */
  static async load(
    row: TenantRow,
    store: Store,
    sharing: WorkSharing,
    changed: (tenant: Tenant) => void,
    assertOpen: () => void,
  ): Promise<Tenant> {
    const content = await readTenant(store, row, { ...readingFor(row, sharing.slicing), assertOpen });
    const tenant = new Tenant(row, content, sharing, changed);
    tenant.#engine.hold(content.engine);
    tenant.#journal.fill(upTo(content.revision, await store.newestCommits(row.id, JOURNAL_BOUNDS)));
    // What others have committed while it was read must not be missing in what its first callers are told.
    if (store.shared) await tenant.catchUp(store, store);
    return tenant;
  }

  get state(): TenantState {
    return this.#state;
  }

  get revisionNumber(): number {
    return this.#number;
  }

  /** The recorded time of the newest commit, in milliseconds since the epoch. */
  get committedAt(): number {
    return this.#committedAt;
  }

  /** `NUMBER.DIGEST`. */
  get revision(): string {
    this.#revision ??= revisionText(this.#number, this.#state.digest());
    return this.#revision;
  }

  get revisionRef(): RevisionRef {
    return { revision: this.revision, digest: this.#state.digest() };
  }

  /** For work that ends within one turn of the event loop. */
  get engine(): CompiledEngine {
    return this.#engine.at(() => this.#state.records());
  }

  /** Runs work that decides with `engine`, when it is this tenant's turn. Throws `too_many_requests`. */
  inTurn<T>(work: () => T): Promise<Awaited<T>> {
    return this.work.once(() => this.engine, work);
  }

  /**
   * Runs work of several turns, which sees one revision. Throws `too_many_requests`, also in the middle of the work.
   */
  reading<T>(work: (view: TenantView) => Generator<undefined, T>): Promise<T> {
    const view = () => {
      const { id, revision, engine } = this;
      return { id, revision, engine, search: this.#engine.searchOf(engine) };
    };
    const run = (seen: TenantView) => this.work.inSteps(() => seen.engine, work(seen));
    return reading(view, ({ engine }) => engine.lock, run);
  }

  addresses(kind: Kind): Promise<SortedAddresses> {
    return this.#addresses.current(kind);
  }

  /**
   * The words in the names of a kind's records; read them within one turn of the event loop. For a moment after a large commit,
   * they are partly those from before it.
   */
  names(kind: Kind): Promise<NameIndex> {
    return this.#names.atOnce(kind);
  }

  /** The entries of directories, with all commits so far; read them within one turn of the event loop. */
  entries(kind: EntryKind): Promise<EntryIndex> {
    return this.#entries.current(kind);
  }

  /** Does what `entries` does, if that is at hand. */
  entriesNow(kind: EntryKind): EntryIndex | undefined {
    return this.#entries.now(kind);
  }

  /** The bundle of this tenant alone, packed and signed once per revision and key. */
  bundle(keys: BundleKeys): Promise<Buffer> {
    return this.#packed.bundle(keys, () => {
      const bundle: BundleContent = { revision: this.revision, tenants: [this.bundled()] };
      const run = <T>(steps: Generator<undefined, T>) => this.#slicing.run(steps, this.id);
      return packBundle(bundle, (sha256) => keys.sign(bundle, sha256), run);
    });
  }

  /**
   * The changes from an earlier revision to this one, or part of the way to it unless `onlyNewest`, packed and signed once per
   * revision and key; undefined if they are not known, or not clearly smaller than the bundle.
   */
  delta(from: string, keys: BundleKeys, { onlyNewest }: { onlyNewest: boolean }): PackedDelta | undefined {
    return this.#packed.delta(from, keys, {
      since: { count: this.#journal.countSince(from), read: (most) => this.#journal.since(from, most) },
      size: this.#state.size,
      onlyNewest,
      pack: ({ base, to = this.revisionRef, changes }) => {
        const head = { tenant: { id: this.id, name: this.name }, base, ...to };
        return packDelta(head, changes, (sha256) => keys.signDelta(sha256));
      },
    });
  }

  /** The part of this tenant that is for these applications, sorted. */
  slice(applications: readonly Path[]): TenantSlice {
    const name = JSON.stringify(applications);
    const slice = this.#slices.get(name) ?? new TenantSlice(this.#sliceSource(), applications);
    this.#slices.delete(name);
    this.#slices.set(name, slice);
    const [oldest] = this.#slices.keys();
    if (this.#slices.size > SLICES_MAX && oldest !== undefined) this.#slices.delete(oldest);
    return slice;
  }

  #sliceSource(): SliceSource {
    const revisionRef = () => this.revisionRef;
    return {
      id: this.id,
      name: this.name,
      get revisionRef() {
        return revisionRef();
      },
      records: () => this.#state.records(),
      changesSince: (revision) => this.#journal.since(revision)?.changes,
      run: (steps) => this.#slicing.run(steps, this.id),
    };
  }

  /** Whether the tenant has had this revision, as far as that is known without asking the store. */
  hadLately(revision: string): boolean {
    return this.#journal.knows(revision);
  }

  /** This tenant's part of a bundle. */
  bundled(): BundleTenant {
    const records = [...this.#state.records()];
    return { id: this.id, name: this.name, revision: this.revision, digest: this.#state.digest(), records };
  }

  /** Whether something runs or waits that only one may do at a time. */
  get isBusy(): boolean {
    return this.#queue.isBusy;
  }

  /** Runs work while no other work of this tenant runs here, in the order of calls. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.run(work);
  }

  /**
   * Takes over a commit that the store has, and runs `along`, in one turn of the event loop. Resolves when that is
   * done, so that nobody who is told of the commit gets a decision from before it.
   */
  async follow(staged: Staged, made: Pick<AuditRow, 'revision' | 'at'>, along: () => void): Promise<void> {
    const before = this.revisionRef;
    await this.#takeOver(staged, made, (changes) => {
      this.#journal.note(before, changes);
      along();
    });
  }

  /**
   * Takes over what others have committed since, as `changes` gives it, or else by reading all from the store. Returns whether
   * credentials have changed: after reading all, nothing is known of that. Call it while no other work of the tenant runs.
   */
  async catchUp(
    changes: Pick<TenantStore, 'commitsSince'>,
    store: Pick<Store, 'load' | 'newestCommits'>,
  ): Promise<boolean | 'unknown'> {
    const since = await changes.commitsSince(this.id, { revision: this.#number, digest: this.#state.digest() });
    if (since?.revision === this.#number) return false;
    if (since !== undefined && since.revision < this.#number) {
      const now = `the tenant "${this.name}" is at revision ${since.revision} there, and was at ${this.#number}`;
      const remedy = 'if it was restored on purpose, start the service again';
      throw new ProblemError('storage_failed', `The database is behind what this process has seen: ${now}; ${remedy}.`);
    }
    const staged = since && stagedOf(this.#state, since);
    const digest = staged && (await this.#slicing.run(this.#state.digestInSteps(staged), this.id));
    if (since === undefined || staged === undefined || digest !== since.digest) {
      await this.reload(store);
      return 'unknown';
    }
    await this.#takeOver(staged, since, () => {
      if (since.commits === undefined) this.#journal.clear();
      else this.#journal.fill(since.commits);
    });
    return touchesCredentials(staged);
  }

  async #takeOver(
    staged: Staged,
    { revision, at }: Pick<AuditRow, 'revision' | 'at'>,
    along: (changes: readonly StoredChange[]) => void,
  ): Promise<void> {
    const changes = recordChangesOf(staged);
    await this.#engine.follow(
      changes,
      () => recordsAfter(this.#state, staged),
      () => {
        this.#packed.clear();
        this.#state.commit(staged);
        this.#number = revision;
        this.#revision = undefined;
        this.#committedAt = Date.parse(at);
        this.#addresses.follow(staged);
        this.#names.follow(staged);
        this.#entries.follow(staged);
        along(changes);
        this.changed(this);
      },
    );
  }

  /** Sends no more deltas over the commits up to now, because history has lost something of them. */
  forgetCommits(): void {
    this.#journal.clear();
    this.#packed.clearDeltas();
    for (const slice of this.#slices.values()) slice.forgetChanges();
  }

  /** Reads the store again, if the memory may have fallen behind it. */
  async reload(store: Pick<Store, 'load' | 'newestCommits'>): Promise<void> {
    const { state, engine, revision, committedAt } = await readTenant(store, this, readingFor(this, this.#slicing));
    const commits = await store.newestCommits(this.id, JOURNAL_BOUNDS);
    this.#state = state;
    this.#number = revision;
    this.#revision = undefined;
    this.#committedAt = committedAt;
    this.#addresses.clear();
    this.#names.clear();
    this.#entries.clear();
    this.#journal.clear();
    this.#journal.fill(upTo(revision, commits));
    this.#packed.clear();
    this.#engine.hold(engine);
    this.changed(this);
  }
}

function readingFor({ id }: { id: string }, slicing: TimeSlicing): ReadOptions {
  return { run: (steps) => slicing.run(steps, id), compile: true };
}

/** Others may have committed after the state of this revision was read: it comes to them later. */
function upTo(revision: number, commits: readonly KeptCommit[]): KeptCommit[] {
  return commits.filter(({ base }) => base.revision < revision);
}

/** Returns what others have committed, as a change of these records. */
function stagedOf(state: TenantState, { put, gone }: ChangesSince): Staged {
  return {
    put: put.map((record) => {
      const previous = state.get(record.address);
      return previous === undefined ? { record } : { record, previous };
    }),
    remove: gone.flatMap((address) => state.get(address) ?? []),
    created: [],
  };
}

/** The records of a state after `staged` is committed. */
function* recordsAfter(state: TenantState, { put, remove }: Staged): Generator<StoredRecord> {
  const gone = new Set([...remove, ...put.flatMap(({ previous }) => previous ?? [])]);
  for (const record of state.records()) if (!gone.has(record)) yield record;
  for (const { record } of put) yield record;
}
