import type { EngineRecord, RecordChange } from '@authz-service/core/access/api/engine';
import { ApplicationSlice } from '@authz-service/core/access/slice/application-slice';
import type { RevisionRef } from '@authz-service/core/bundle/delta';
import { type ChangeText, packDelta } from '@authz-service/core/bundle/delta-write';
import { recordText } from '@authz-service/core/bundle/record-text';
import type { BundleContent } from '@authz-service/core/bundle/types';
import { packBundle } from '@authz-service/core/bundle/write';
import { eachInSteps } from '@authz-service/core/concurrency/time-slicing';
import type { Path } from '@authz-service/core/records/address';
import { addressOf, type StoredRecord } from '@authz-service/core/records/registry';
import { DigestSet } from '@authz-service/core/state/digest-set';
import { revisionNumber, revisionText } from '@authz-service/core/state/revision';
import { SerialQueue } from '../concurrency/serial-queue.js';
import type { BundleKeys } from './bundle-keys.js';
import { type AddressedChange, Journal, SLICE_JOURNAL_BOUNDS } from './journal.js';
import { PackedBundles, type PackedDelta } from './packed-bundles.js';

const RECORDS_PER_STEP = 64;

/** The tenant, as its slices read it. */
export interface SliceSource {
  readonly id: string;
  readonly name: string;
  readonly revisionRef: RevisionRef;
  records(): Iterable<StoredRecord>;
  /** The changes from a revision to the newest one; undefined if they are not known. */
  changesSince(revision: string): readonly ChangeText[] | undefined;
  run<T>(steps: Generator<undefined, T>): Promise<T>;
}

interface SliceState extends RevisionRef {
  slice: ApplicationSlice;
  digests: DigestSet;
  /** The number of its records. */
  size: number;
  /** The tenant's revision. */
  of: string;
}

/**
 * The bundle and the deltas for agents that decide about some applications of a tenant. It follows the tenant when it is asked
 * for: a commit outside of it changes nothing but the revision of which it is the part. A revision of it is told by its digest,
 * since each process gives it the number at which it first saw it.
 */
export class TenantSlice {
  readonly #queue = new SerialQueue();
  readonly #journal = new Journal(SLICE_JOURNAL_BOUNDS);
  #state: SliceState | undefined;
  readonly #packed = new PackedBundles();

  constructor(
    private readonly source: SliceSource,
    /** Sorted. */
    private readonly applications: readonly Path[],
  ) {}

  /** The revision that the last `follow` found. */
  get revision(): string {
    return this.#current.revision;
  }

  /** The tenant's revision of which that is the part. */
  get of(): string {
    return this.#current.of;
  }

  /** Whether it is at the present revision of the tenant. */
  get isCurrent(): boolean {
    return this.#state?.of === this.source.revisionRef.revision;
  }

  /** Whether a revision, by whatever number, is the present one. */
  isAt(revision: string): boolean {
    return digestOf(revision) === digestOf(this.revision);
  }

  /** Takes over what the tenant has by now. */
  follow(): Promise<void> {
    return this.#queue.run(async () => {
      try {
        while (!this.isCurrent) await this.#advance();
      } catch (error) {
        // What it was may be why: the next one to ask gets it made anew.
        this.#state = undefined;
        throw error;
      }
    });
  }

  /** The whole bundle, packed and signed once for each revision and key; call it while the slice is current. */
  bundle(keys: BundleKeys): Promise<Buffer> {
    return this.#packed.bundle(keys, () => this.#pack(keys));
  }

  /** The changes from an earlier revision; undefined if they are not known, or not clearly smaller than the bundle. */
  delta(from: string, keys: BundleKeys): PackedDelta | undefined {
    const { revision, digest, of, size } = this.#current;
    return this.#packed.delta(from, keys, {
      since: {
        count: this.#journal.countSince(anyNumber(from)),
        read: () => this.#journal.since(anyNumber(from)),
      },
      size,
      onlyNewest: true,
      pack: ({ base, changes }) => {
        const { id, name } = this.source;
        const slice = { applications: this.applications, of };
        const head = { tenant: { id, name }, base: { ...base, revision: from }, revision, digest, slice };
        return packDelta(head, changes, (sha256) => keys.signDelta(sha256));
      },
    });
  }

  /** Sends no more deltas over what was, because history has lost something of it. */
  forgetChanges(): void {
    this.#journal.clear();
    this.#packed.clearDeltas();
  }

  get #current(): SliceState {
    if (this.#state === undefined) throw new Error('the slice has not followed its tenant yet');
    return this.#state;
  }

  async #pack(keys: BundleKeys): Promise<Buffer> {
    const { source, applications } = this;
    const { slice, revision, digest, of } = this.#current;
    if (!this.isCurrent) throw new Error('the slice is packed only at the present revision of its tenant');
    const records = [...source.records()];
    const kept = await source.run(collect(slice, records));
    const tenant = { id: source.id, name: source.name, revision, digest, slice: { applications, of }, records: kept };
    const bundle: BundleContent = { revision, tenants: [tenant] };
    return await packBundle(
      bundle,
      (sha256) => keys.sign(bundle, sha256),
      (steps) => source.run(steps),
    );
  }

  async #advance(): Promise<void> {
    const { source } = this;
    const before = this.#state;
    const { revision: of } = source.revisionRef;
    const texts = before && source.changesSince(before.of);
    const changes = texts && (await source.run(eachOf(texts, changeIn)));
    if (before !== undefined && changes?.every((change) => isOutsideShape(before.slice, change))) {
      const own = (await source.run(eachOf(changes, (change) => sliced(change, before.slice, before.slice)))).flat();
      return await this.#take(before, own, { ...before, digests: before.digests.copy(), of });
    }
    const records = [...source.records()];
    const slice = await source.run(ApplicationSlice.of(this.applications, records));
    if (before === undefined || changes === undefined) {
      const digests = new DigestSet();
      this.forgetChanges();
      const size = await source.run(addAll(digests, slice, records));
      const digest = await source.run(digests.hexInSteps());
      this.#packed.clear();
      this.#state = { slice, digests, size, digest, revision: revisionText(revisionNumber(of), digest), of };
      return;
    }
    const own = await source.run(differences(records, changes, before.slice, slice));
    await this.#take(before, own, { ...before, slice, digests: before.digests.copy(), of });
  }

  /** Goes on to what follows from these changes of its own records. */
  async #take(before: SliceState, changes: readonly AddressedChange[], next: SliceState): Promise<void> {
    const { digests } = next;
    const digest = await this.source.run(digestAfter(digests, changes));
    if (digest === before.digest) {
      this.#state = { ...next, digests: before.digests };
      return;
    }
    const sizes = changes.map(
      ({ before: gone, after: come }) => Number(come !== undefined) - Number(gone !== undefined),
    );
    const size = sizes.reduce((sum, one) => sum + one, before.size);
    this.#journal.note({ revision: anyNumber(before.revision), digest: before.digest }, changes);
    this.#packed.clear();
    this.#state = { ...next, size, digest, revision: revisionText(revisionNumber(next.of), digest) };
  }
}

/** The digest in the name of a revision. */
function digestOf(revision: string): string {
  return revision.slice(revision.indexOf('.') + 1);
}

/** The revision as the journal of a slice names it, whose processes number it differently. */
function anyNumber(revision: string): string {
  return `0.${digestOf(revision)}`;
}

/** Changes a set of leaves in short steps, and returns its digest. */
function* digestAfter(digests: DigestSet, changes: readonly AddressedChange[]): Generator<undefined, string> {
  yield* eachInSteps(changes, RECORDS_PER_STEP, ({ before: gone }) => {
    if (gone !== undefined) digests.remove(gone.address, gone.fields);
  });
  yield* eachInSteps(changes, RECORDS_PER_STEP, ({ after: come }) => {
    if (come !== undefined) digests.add(come.address, come.fields);
  });
  return yield* digests.hexInSteps();
}

/** Maps a list in short steps. */
function* eachOf<T, U>(items: readonly T[], map: (item: T) => U): Generator<undefined, U[]> {
  const made: U[] = [];
  yield* eachInSteps(items, RECORDS_PER_STEP, (item) => void made.push(map(item)));
  return made;
}

function changeIn({ before, after }: ChangeText): RecordChange {
  return {
    ...(before !== undefined && { before: JSON.parse(before) as EngineRecord }),
    ...(after !== undefined && { after: JSON.parse(after) as EngineRecord }),
  };
}

function isOutsideShape(slice: ApplicationSlice, { before, after }: RecordChange): boolean {
  return [before, after].every((record) => record === undefined || !slice.isShapedBy(record));
}

/** The change of a slice by one of the tenant; none if it is the same afterwards. */
function sliced({ before, after }: RecordChange, was: ApplicationSlice, is: ApplicationSlice): AddressedChange[] {
  const gone = before && was.recordOf(before);
  const come = after && is.recordOf(after);
  if (gone === come || (gone !== undefined && come !== undefined && gone.fields === come.fields)) return [];
  if (gone !== undefined && come !== undefined && recordText(gone) === recordText(come)) return [];
  return [{ ...(gone && { before: addressed(gone) }), ...(come && { after: addressed(come) }) }];
}

function addressed<R extends EngineRecord>(record: R): R & { address: string } {
  return { ...record, address: addressOf(record.kind, record.fields) };
}

function* addAll(
  digests: DigestSet,
  slice: ApplicationSlice,
  records: readonly EngineRecord[],
): Generator<undefined, number> {
  const kept = yield* collect(slice, records);
  yield* eachInSteps(kept, RECORDS_PER_STEP, ({ kind, fields }) => digests.add(addressOf(kind, fields), fields));
  return kept.length;
}

function* collect(slice: ApplicationSlice, records: readonly EngineRecord[]): Generator<undefined, EngineRecord[]> {
  const kept: EngineRecord[] = [];
  yield* eachInSteps(records, RECORDS_PER_STEP, (record) => {
    const own = slice.recordOf(record);
    if (own !== undefined) kept.push(own);
  });
  return kept;
}

/** The difference between two slices: of what the tenant has changed, and of what only the slice has. */
function* differences(
  records: readonly StoredRecord[],
  changes: readonly RecordChange[],
  was: ApplicationSlice,
  is: ApplicationSlice,
): Generator<undefined, AddressedChange[]> {
  const found = changes.flatMap((change) => sliced(change, was, is));
  const addresses = changes.flatMap(({ before, after }) => [before ?? [], after ?? []].flat());
  const changed = new Set(addresses.map(({ kind, fields }) => addressOf(kind, fields)));
  yield* eachInSteps(records, RECORDS_PER_STEP, (record) => {
    if (!changed.has(record.address)) found.push(...sliced({ before: record, after: record }, was, is));
  });
  return found;
}
