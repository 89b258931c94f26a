import { remembered } from '../collections/remembered.js';
import { eachInSteps, finished } from '../concurrency/time-slicing.js';
import type { Address } from '../records/address.js';
import { InboundIndex, type MentionedKind } from '../records/inbound-index.js';
import { isDistributed, KINDS, type Kind } from '../records/kinds.js';
import type { StoredRecord } from '../records/registry.js';
import type { Change, Staged, StageOptions } from './change.js';
import { DigestSet } from './digest-set.js';
import type { BaseView } from './overlay.js';
import { Stage } from './stage.js';

/** Records in one step of the digest: some tenths of a millisecond. */
const STEP = 100;

/** The present records of one tenant in memory: by kind and address, by kind and id, and by whom they are mentioned. */
export class TenantState implements BaseView {
  readonly #byAddress = new Map<string, Map<Address, StoredRecord>>(KINDS.map((kind) => [kind, new Map()]));
  /** Records by id, for each kind of which one was looked for. */
  readonly #byId = new Map<Kind, Map<string, StoredRecord>>();
  #size = 0;
  readonly #inbound = new InboundIndex();
  /** How many subjects there are of each type. */
  readonly #subjectsOfType = new Map<string, number>();
  /** Made when it is first asked for, unless `add` has made it: a plan has no use for it. */
  #digests: DigestSet | undefined;
  /** The digest as it will be once this is committed. */
  #preflight: { staged: Staged; digest: DigestSet } | undefined;

  constructor(records: Iterable<StoredRecord> = []) {
    for (const record of records) this.#insert(record);
  }

  /** The state of these records, built step by step, with its digest. */
  static *inSteps(records: readonly StoredRecord[]): Generator<undefined, TenantState> {
    const state = new TenantState();
    yield* eachInSteps(records, STEP, (record) => state.add(record));
    yield* state.ownDigestInSteps();
    return state;
  }

  /** Adds a record to a state that is being built, and to its digest. */
  add(record: StoredRecord): void {
    this.#insert(record);
    this.#digests ??= new DigestSet();
    addTo(this.#digests, record);
  }

  get size(): number {
    return this.#size;
  }

  get(address: Address): StoredRecord | undefined {
    return this.#byAddress.get(address.slice(0, address.indexOf('/')))?.get(address);
  }

  /** The record of a kind by its server-side id. */
  find(kind: Kind, id: string): StoredRecord | undefined {
    // A subject's id is its path.
    if (kind === 'subject') return this.#byAddress.get(kind)?.get(`subject/${id}`);
    return remembered(this.#byId, kind, () => idsOf(this.records(kind))).get(id);
  }

  /** All records, or those of a kind, in no order. */
  records(kind?: Kind): Iterable<StoredRecord> {
    return kind === undefined ? ofAll(this.#byAddress.values()) : (this.#byAddress.get(kind)?.values() ?? []);
  }

  *addresses(kind: Kind): Generator<Address> {
    for (const record of this.records(kind)) yield record.address;
  }

  /** The addresses of the records, or of those of one kind, that mention this one. */
  inbound(address: Address, kind?: Kind): Iterable<Address> {
    return this.#inbound.of(address, kind);
  }

  /** The addresses of one kind, or of everyone, that records of another kind mention. */
  mentionedBy(kind: Kind, mentioned: MentionedKind): Iterable<Address> {
    return this.#inbound.mentionedBy(kind, mentioned);
  }

  /** The types of the recorded subjects. */
  subjectTypes(): Iterable<string> {
    return this.#subjectsOfType.keys();
  }

  /** How many subjects there are of each type. */
  get subjectsOfType(): ReadonlyMap<string, number> {
    return this.#subjectsOfType;
  }

  /** SHA-256 over the canonical records but credentials, in hex; see `DigestSet`. */
  digest(): string {
    return this.#digest.hex();
  }

  /** Does what `digest` does, step by step, where `add` has built the state. */
  ownDigestInSteps(): Generator<undefined, string> {
    return this.#digest.hexInSteps();
  }

  /** The digest that this state will have once `staged` is committed. */
  digestAfter(staged: Staged): string {
    return finished(this.digestInSteps(staged));
  }

  /** Does what `digestAfter` does, step by step; between the steps this state must stay as it is. */
  *digestInSteps(staged: Staged): Generator<undefined, string> {
    const digest = this.#digest.copy();
    yield* eachInSteps(recordsGone(staged), STEP, (record) => {
      if (isDistributed(record)) digest.remove(record.address, record.fields);
    });
    yield* eachInSteps(staged.put, STEP, ({ record }) => addTo(digest, record));
    this.#preflight = { staged, digest };
    return yield* digest.hexInSteps();
  }

  /**
   * Stages what these changes make, judged on the state that all of them together give; this state stays as it is. Only
   * touched records and those whose validity hangs on them are looked at. A change that says what is already so makes
   * nothing.
   *
   * Throws `invalid_records` (wrong fields, dangling references, group cycles, conditions), `conflict` (creating what
   * exists, changing what does not, deleting what is still mentioned) or `not_owner`, with all faults of that sort;
   * their pointers lead into the list of changes, like `/changes/3/fields/role`.
   */
  stage(changes: readonly Change[], options: StageOptions): Staged {
    return finished(this.stageInSteps(changes, options));
  }

  /** Does what `stage` does, step by step; between the steps this state must stay as it is. */
  stageInSteps(changes: readonly Change[], options: StageOptions): Generator<undefined, Staged> {
    return new Stage(this, options).run(changes);
  }

  /** Makes a change-set that `stage` judged on this very state part of it. */
  commit(staged: Staged): void {
    const gone = recordsGone(staged);
    for (const record of gone) {
      if (this.get(record.address) !== record)
        throw new Error(`The state holds another ${record.address} than was staged`);
    }
    if (this.#preflight?.staged !== staged) this.digestAfter(staged);
    this.#digests = this.#preflight?.digest;
    this.#preflight = undefined;
    for (const record of gone) this.#take(record);
    for (const { record } of staged.put) this.#insert(record);
  }

  get #digest(): DigestSet {
    if (this.#digests === undefined) {
      this.#digests = new DigestSet();
      for (const record of this.records()) addTo(this.#digests, record);
    }
    return this.#digests;
  }

  #insert(record: StoredRecord): void {
    const ofKind = this.#byAddress.get(record.kind);
    if (ofKind?.has(record.address)) throw new Error(`The state holds ${record.address} twice`);
    ofKind?.set(record.address, record);
    this.#size++;
    this.#byId.get(record.kind)?.set(record.id, record);
    this.#inbound.add(record);
    this.#count(record, 1);
  }

  #count({ kind, fields }: StoredRecord, by: 1 | -1): void {
    if (kind !== 'subject') return;
    const count = (this.#subjectsOfType.get(fields.type) ?? 0) + by;
    if (count === 0) this.#subjectsOfType.delete(fields.type);
    else this.#subjectsOfType.set(fields.type, count);
  }

  #take(record: StoredRecord): void {
    this.#byAddress.get(record.kind)?.delete(record.address);
    this.#size--;
    this.#byId.get(record.kind)?.delete(record.id);
    this.#inbound.remove(record);
    this.#count(record, -1);
  }
}

function* ofAll(kinds: Iterable<Map<Address, StoredRecord>>): Generator<StoredRecord> {
  for (const records of kinds) yield* records.values();
}

function idsOf(records: Iterable<StoredRecord>): Map<string, StoredRecord> {
  const ids = new Map<string, StoredRecord>();
  for (const record of records) ids.set(record.id, record);
  return ids;
}

function addTo(digest: DigestSet, record: StoredRecord): void {
  if (isDistributed(record)) digest.add(record.address, record.fields);
}

/** The records that a change-set takes away or puts others in the place of. */
function recordsGone({ put, remove }: Staged): StoredRecord[] {
  return [...remove, ...put.flatMap(({ previous }) => previous ?? [])];
}
