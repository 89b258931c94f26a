import type { Address } from '../records/address.js';
import { InboundIndex, type MentionedKind } from '../records/inbound-index.js';
import type { Kind } from '../records/kinds.js';
import type { StoredRecord } from '../records/registry.js';
import type { RecordView } from './change.js';

/** The part of the underlying state that a change-set reads. */
export interface BaseView extends RecordView {
  get(address: Address): StoredRecord | undefined;
  addresses(kind: Kind): Iterable<Address>;
  mentionedBy(kind: Kind, mentioned: MentionedKind): Iterable<Address>;
  subjectTypes(): Iterable<string>;
}

/** A state with changes laid over it; the state below is never touched, and costs nothing where nothing changed. */
export class Overlay implements RecordView {
  readonly #base: BaseView;
  readonly #changed = new Map<Address, StoredRecord | undefined>();
  readonly #inbound = new InboundIndex();

  constructor(base: BaseView) {
    this.#base = base;
  }

  get(address: Address): StoredRecord | undefined {
    return this.#changed.has(address) ? this.#changed.get(address) : this.#base.get(address);
  }

  put(record: StoredRecord): void {
    this.delete(record.address);
    this.#changed.set(record.address, record);
    this.#inbound.add(record);
  }

  delete(address: Address): void {
    const present = this.#changed.get(address);
    if (present) this.#inbound.remove(present);
    this.#changed.set(address, undefined);
  }

  /** All addresses at which it may differ from the state below. */
  changed(): Iterable<Address> {
    return this.#changed.keys();
  }

  *inbound(address: Address, kind?: Kind): Generator<Address> {
    for (const source of this.#base.inbound(address, kind)) if (!this.#changed.has(source)) yield source;
    yield* this.#inbound.of(address, kind);
  }

  /** Yields mentions of the state below, too, though they may be no more. */
  *mentionedBy(kind: Kind, mentioned: MentionedKind): Generator<Address> {
    yield* this.#base.mentionedBy(kind, mentioned);
    yield* this.#inbound.mentionedBy(kind, mentioned);
  }

  /** Those of the state below count, too, though none of them may be left. */
  *subjectTypes(): Generator<string> {
    yield* this.#base.subjectTypes();
    for (const record of this.#changed.values()) if (record?.kind === 'subject') yield record.fields.type;
  }

  *addresses(kind: Kind): Generator<Address> {
    for (const address of this.#base.addresses(kind)) if (!this.#changed.has(address)) yield address;
    for (const [address, record] of this.#changed) if (record?.kind === kind) yield address;
  }
}
