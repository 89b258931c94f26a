import { eachInSteps } from '../concurrency/time-slicing.js';
import { jsonPointer } from '../json/json-pointer.js';
import { isForeignLink } from '../limits/foreign-link.js';
import { judgeEveryone } from '../limits/judge-everyone.js';
import { judgeForeignLink, judgeRecord } from '../limits/judge-record.js';
import { demandStack, type Writer } from '../limits/writer.js';
import { existingViolations, judgeChange } from '../questions/access-rules/judge-rules.js';
import { plainRenames } from '../questions/access-rules/renamed.js';
import type { RecordPair } from '../questions/access-rules/touched.js';
import { type Violation, violationText } from '../questions/access-rules/violation.js';
import { type Address, splitAddress } from '../records/address.js';
import { chosenSecretFault } from '../records/chosen-secret.js';
import { keptByDirectory } from '../records/directory-suspension.js';
import { isCredential, type Kind, kindRank } from '../records/kinds.js';
import { addressOf, type Fields, type StoredRecord } from '../records/registry.js';
import { withoutFalse } from '../records/suspension.js';
import { affectedByParents, affectedBySchemas, affectedByTypes } from './affected.js';
import { type Change, NOBODY, type Staged, type StageOptions } from './change.js';
import { equalJson } from './equal-json.js';
import { Faults } from './faults.js';
import { type Foreign, refuseForeign } from './foreign.js';
import { stillMentioned } from './mentions.js';
import { onlySuspends } from './only-suspends.js';
import { type BaseView, Overlay } from './overlay.js';
import { parseFields } from './parse-fields.js';
import { renames } from './renames.js';
import { consoleWriter, spareConsole } from './spare-console.js';
import { validateInSteps } from './validate.js';

/** Changes looked at in one step: well below a millisecond's work. */
const STEP = 50;

/** A requested change and its place in the change-set. */
type IndexedChange<O extends Change['op']> = Extract<Change, { op: O }> & { index: number };

/** A record that the change-set writes, and the place of the change that asks for it. */
interface Entry {
  record: StoredRecord;
  previous?: StoredRecord;
  index: number;
  /** No change names it: it only follows what it mentions. */
  follows?: true;
}

interface Removal {
  record: StoredRecord;
  index: number;
  /** It hangs on what the stack owns, and goes although another stack owns it. */
  foreignLink?: true;
}

/** One change-set on its way to `Staged`. See `TenantState.stage`. */
export class Stage {
  readonly #base: BaseView;
  readonly #options: StageOptions;
  readonly #time: string;
  readonly #overlay: Overlay;
  #moves: readonly IndexedChange<'move'>[] = [];
  /** The state with moves alone, where there are any. */
  #moved: Overlay | undefined;
  readonly #entries = new Map<Address, Entry>();
  readonly #removed = new Map<Address, Removal>();
  /** The requested change at an address, apart from moves. */
  readonly #asked = new Map<Address, Change['op'][]>();
  readonly #invalid = new Faults('invalid_records');
  readonly #conflicts = new Faults('conflict');
  readonly #foreign: Foreign[] = [];

  constructor(base: BaseView, options: StageOptions) {
    this.#base = base;
    this.#options = options;
    this.#time = options.now.toISOString();
    this.#overlay = new Overlay(base);
  }

  *run(changes: readonly Change[]): Generator<undefined, Staged> {
    const { stack, writer } = this.#options;
    if (writer !== undefined) demandStack(writer, stack);
    const indexed = changes.map((change, index) => ({ ...change, index }));
    const of = <O extends Change['op']>(op: O) =>
      indexed.filter((change): change is IndexedChange<O> => change.op === op);
    const creations: (Omit<IndexedChange<'create'>, 'fields'> & { fields: Fields })[] = [];
    const updates: (Omit<IndexedChange<'update'>, 'fields'> & { fields: Fields })[] = [];
    yield* eachInSteps(of('create'), STEP, (change) =>
      creations.push({ ...change, fields: this.#parse(change.kind, change) }),
    );
    yield* eachInSteps(of('update'), STEP, (change) =>
      updates.push({ ...change, fields: this.#parse(splitAddress(change.address).kind, change) }),
    );
    for (const change of [...creations, ...updates]) this.#judgeSecret(change);
    this.#invalid.raise();

    yield* this.#move(of('move'));
    yield* eachInSteps(of('delete'), STEP, (change) => this.#delete(change));
    const created: Address[] = [];
    yield* eachInSteps(creations, STEP, ({ kind, fields, index }) => created.push(this.#create(kind, fields, index)));
    yield* eachInSteps(updates, STEP, (change) => this.#update(change));
    for (const change of of('adopt')) this.#adopt(change);
    this.#conflicts.raise();
    if (stack !== undefined) refuseForeign(this.#foreign, stack, 'there');
    if (writer !== undefined) yield* this.#judgeLimits(writer);
    const spares = consoleWriter(this.#options);
    const touched = { removed: this.#removed.values(), put: this.#entries.values() };
    if (spares) yield* spareConsole(touched, { base: this.#base, overlay: this.#overlay }, spares);
    yield* this.#validate();
    yield* this.#refuseMentionedRemovals();
    const warnings = yield* this.#judgeRules();

    const put = [...this.#entries.values()].map(({ record, previous, follows }) => ({
      record,
      ...(previous && { previous }),
      ...(follows && { follows }),
    }));
    put.sort((left, right) => kindRank(left.record.kind) - kindRank(right.record.kind));
    const remove = [...this.#removed.values()].map(({ record }) => record);
    remove.sort((left, right) => kindRank(right.kind) - kindRank(left.kind));
    return { put, remove, created, ...(warnings.length > 0 && { warnings }) };
  }

  #parse(kind: Kind, { fields, index }: { fields: unknown; index: number }): Fields {
    const parsed = parseFields(kind, fields);
    for (const { pointer, detail } of parsed.faults ?? []) {
      this.#invalid.add(jsonPointer('changes', index, 'fields') + pointer, detail);
    }
    return (
      kind === 'subject' && parsed.fields ? withoutFalse(parsed.fields as Fields<'subject'>) : parsed.fields
    ) as Fields;
  }

  #judgeSecret(
    change: Pick<IndexedChange<'create'>, 'secret' | 'index'> & ({ kind: Kind } | { address: Address }),
  ): void {
    if (change.secret === undefined) return;
    const kind = 'kind' in change ? change.kind : splitAddress(change.address).kind;
    const fault = chosenSecretFault(kind, change.secret);
    if (fault !== undefined) this.#invalid.add(jsonPointer('changes', change.index, 'secret'), `The secret ${fault}.`);
  }

  *#move(moves: IndexedChange<'move'>[]): Generator<undefined, void> {
    this.#moves = moves;
    const refuse = ({ index }: { index: number }, detail: string, address: Address) =>
      this.#conflicts.add(jsonPointer('changes', index), detail, address);
    const found = yield* renames(this.#base, moves, refuse);
    if (found.length > 0) this.#moved = new Overlay(this.#base);
    yield* eachInSteps(found, STEP, ({ previous }) => {
      this.#overlay.delete(previous.address);
      this.#moved?.delete(previous.address);
    });
    yield* eachInSteps(found, STEP, ({ previous, address, fields, cause, explicit }) => {
      const owned = explicit ? this.#owned(previous, cause.index) : {};
      const record = { ...previous, ...owned, address, fields } as StoredRecord;
      this.#write(record, previous, cause.index, explicit ? undefined : true);
      this.#moved?.put(record);
    });
  }

  #delete({ address, index }: IndexedChange<'delete'>): void {
    const present = this.#present('delete', address, index);
    if (!present) return;
    const previous = this.#entries.get(address)?.previous ?? present;
    const foreignLink = this.#options.exclusive === true && isForeignLink(previous, this.#base, this.#options.stack);
    if (!foreignLink) this.#owned(present, index);
    this.#entries.delete(address);
    this.#overlay.delete(address);
    this.#removed.set(address, { record: previous, index, ...(foreignLink && { foreignLink }) });
  }

  #create(kind: Kind, fields: Fields, index: number): Address {
    const address = addressOf(kind, fields);
    this.#ask('create', address, index);
    if (this.#overlay.get(address)) {
      const instead = isCredential(kind) ? 'remove it first, since its secret is shown once' : 'update it instead';
      const detail = `"${address}" exists already: ${instead}, or choose another name.`;
      this.#conflicts.add(jsonPointer('changes', index), detail, address);
      return address;
    }
    const { stack, newId, revision } = this.#options;
    const record = {
      kind,
      address,
      fields,
      id: kind === 'subject' ? splitAddress(address).path : newId(),
      managed_by: stack ?? NOBODY,
      created_at: this.#time,
      updated_at: this.#time,
      revision,
    } as StoredRecord;
    this.#overlay.put(record);
    this.#entries.set(address, { record, index });
    return address;
  }

  #update({
    address,
    fields,
    index,
    secret,
  }: Omit<IndexedChange<'update'>, 'op' | 'fields'> & { fields: Fields }): void {
    const present = this.#present('update', address, index);
    if (!present) return;
    const suspends = this.#options.session === true && onlySuspends(present, fields);
    const owned = suspends ? {} : this.#owned(present, index);
    const made = addressOf(present.kind, fields);
    if (made !== address) {
      const detail = `These fields make "${made}", not "${address}": rename a record by a move.`;
      this.#conflicts.add(jsonPointer('changes', index, 'fields'), detail, address);
      return;
    }
    const record = { ...present, ...owned, fields } as StoredRecord;
    if (record.kind === 'subject' && present.kind === 'subject' && this.#isForeignDirectory(record.managed_by))
      record.fields = keptByDirectory(present.fields, record.fields);
    this.#rewrite(record, present, index, secret !== undefined);
  }

  /** Whether an owner is a directory that somebody else writes for. */
  #isForeignDirectory(owner: string): boolean {
    return owner.startsWith('directory/') && owner !== this.#options.stack;
  }

  #adopt({ address, index }: IndexedChange<'adopt'>): void {
    const present = this.#present('adopt', address, index);
    if (!present) return;
    const { stack } = this.#options;
    if (stack === undefined) {
      const detail = `Only a stack can take over "${address}": name the stack of the change-set.`;
      this.#conflicts.add(jsonPointer('changes', index), detail, address);
      return;
    }
    this.#rewrite({ ...present, ...this.#owned(present, index, true) }, present, index);
  }

  /** The record that a change is about, unless that is at fault. */
  #present(op: Change['op'], address: Address, index: number): StoredRecord | undefined {
    if (!this.#ask(op, address, index)) return undefined;
    const present = this.#overlay.get(address);
    if (!present) {
      const detail = `"${address}" does not exist${op === 'update' ? ': create it first' : ''}.`;
      this.#conflicts.add(jsonPointer('changes', index), detail, address);
    }
    return present;
  }

  /** An address takes one change; only a deletion and a creation, or an update and an adoption, go together. */
  #ask(op: Change['op'], address: Address, index: number): boolean {
    const asked = this.#asked.get(address) ?? [];
    this.#asked.set(address, [...asked, op]);
    const [before] = asked;
    const fits = (before === 'delete' && op === 'create') || (before === 'update' && op === 'adopt');
    if (before === undefined || (asked.length === 1 && fits)) return true;
    const detail = `The change-set asks for more than one thing at "${address}" (${before}, ${op}): join them in one.`;
    this.#conflicts.add(jsonPointer('changes', index), detail, address);
    return false;
  }

  /** The owner after a touch; one that is not allowed is a fault. */
  #owned(record: StoredRecord, index: number, adopts = false): { managed_by?: string } {
    const { stack, takeOwnership, session } = this.#options;
    if (stack === undefined || record.managed_by === stack) return {};
    if (session && !adopts && record.managed_by === NOBODY) return {};
    if (takeOwnership) return { managed_by: stack };
    this.#foreign.push({ pointer: jsonPointer('changes', index), address: record.address, owner: record.managed_by });
    return {};
  }

  /** Writes a record over the present one, unless it says the same and keeps its secret. */
  #rewrite(record: StoredRecord, present: StoredRecord, index: number, renewed = false): void {
    if (!renewed && equalJson(record.fields, present.fields) && record.managed_by === present.managed_by) return;
    this.#write(record, this.#entries.get(present.address)?.previous ?? present, index);
  }

  #write(record: StoredRecord, previous: StoredRecord, index: number, follows?: true): void {
    const id = record.kind === 'subject' ? splitAddress(record.address).path : record.id;
    const written = { ...record, id, updated_at: this.#time, revision: this.#options.revision };
    this.#overlay.put(written);
    this.#entries.set(record.address, { record: written, previous, index, ...(follows && { follows }) });
  }

  /**
   * Demands that what a limited writer touches lies within its limits before and after; what only follows a rename is not
   * touched.
   */
  *#judgeLimits(writer: Writer): Generator<undefined, void> {
    const outside = new Faults('outside_limits');
    const judge = (record: StoredRecord, view: BaseView | Overlay, at: string, by = judgeRecord) => {
      for (const { pointer, detail } of by(record, view, writer)) outside.add(at + pointer, detail, record.address);
    };
    yield* eachInSteps(this.#removed.values(), STEP, ({ record, index, foreignLink }) => {
      judge(record, this.#base, jsonPointer('changes', index), foreignLink ? judgeForeignLink : judgeRecord);
    });
    let judged = 0;
    for (const { record, previous, index, follows } of this.#entries.values()) {
      if (++judged % STEP === 0) yield;
      if (follows) continue;
      const before = outside.count;
      if (previous) {
        judge(previous, this.#base, jsonPointer('changes', index));
      }
      if (outside.count > before) continue;
      const at = jsonPointer('changes', index, 'fields');
      judge(record, this.#overlay, at);
      for (const { pointer, detail } of yield* judgeEveryone(record, this.#overlay, writer))
        outside.add(at + pointer, detail, record.address);
    }
    outside.raise();
  }

  *#validate(): Generator<undefined, void> {
    const touched = new Set(this.#entries.keys());
    const before = new Map<Address, StoredRecord>();
    for (const [address, { record }] of this.#removed) before.set(address, record);
    for (const [address, { previous }] of this.#entries) if (previous) before.set(address, previous);
    const affected = new Map([
      ...affectedByTypes(this.#overlay, before),
      ...(yield* affectedByParents(this.#overlay, touched, before)),
      ...(yield* affectedBySchemas(this.#overlay, touched, before)),
    ]);
    for (const finding of yield* validateInSteps(this.#overlay, [...touched, ...affected.keys()])) {
      if (finding.severity !== 'error') continue;
      const { address, detail } = finding;
      const own = this.#entries.get(address);
      const by = affected.get(address) ?? address;
      const cause = this.#entries.get(by) ?? this.#removed.get(by);
      const pointer = own
        ? jsonPointer('changes', own.index, 'fields') + finding.pointer
        : jsonPointer('changes', cause?.index ?? 0);
      this.#invalid.add(pointer, own ? detail : this.#ownedDetail(detail, address), address);
    }
    this.#invalid.raise();
  }

  /** With whose a record is that the change-set makes invalid without touching it, where that is another stack. */
  #ownedDetail(detail: string, address: Address): string {
    const owner = this.#overlay.get(address)?.managed_by;
    if (owner === undefined || owner === (this.#options.stack ?? NOBODY)) return detail;
    return `${/[.?]$/.test(detail) ? detail : `${detail}.`} "${address}" belongs to the stack "${owner}".`;
  }

  /** Refuses what breaks enforced access rules; what breaks others is returned. */
  *#judgeRules(): Generator<undefined, Violation[]> {
    if (!hasRules(this.#base) && !hasRules(this.#overlay)) return [];
    const ruling = this.#moved ?? this.#base;
    const before = yield* this.#renamed();
    const now = this.#options.now.getTime();
    const violations = yield* judgeChange(before, this.#overlay, this.#pairs(before), now, ruling);
    const broken = new Faults('access_rule_violated');
    for (const violation of violations) {
      if (violation.mode === 'warn' || this.#options.reportRules) continue;
      const { cause = '' } = violation;
      const index = this.#indexOf(cause);
      broken.add(jsonPointer('changes', index), violationText(violation), cause);
    }
    broken.raise();
    return [...violations, ...(yield* this.#brokenFromTheStart(violations))];
  }

  /** The change that changes a record, or renames it away. */
  #indexOf(address: Address): number {
    const own = this.#entries.get(address) ?? this.#removed.get(address);
    return own?.index ?? [...this.#entries.values()].find((one) => one.previous?.address === address)?.index ?? 0;
  }

  /** The state before with what is only called otherwise after: that keeps its access. */
  *#renamed(): Generator<undefined, BaseView> {
    if (this.#moved === undefined) return this.#base;
    const plain = yield* plainRenames(this.#base, this.#moves);
    if (plain.length === this.#moves.length) return this.#moved;
    const view = new Overlay(this.#base);
    const found = yield* renames(this.#base, plain, () => {});
    for (const { previous } of found) view.delete(previous.address);
    yield* eachInSteps(found, STEP, ({ previous, address, fields }) => {
      const moved = this.#moved?.get(address);
      // Equal records are the same objects.
      const same = moved !== undefined && equalJson(moved.fields, fields);
      view.put(same ? moved : ({ ...previous, address, fields } as StoredRecord));
    });
    return view;
  }

  /** Finds new or changed rules that are broken at once, and would stand unseen. */
  *#brokenFromTheStart(told: readonly Violation[]): Generator<undefined, Violation[]> {
    const rules = new Set<Address>();
    for (const [address, { record, follows }] of this.#entries)
      if (record.kind === 'access_rule' && !follows && !told.some(({ rule }) => rule === address)) rules.add(address);
    return rules.size === 0 ? [] : yield* existingViolations(this.#overlay, this.#options.now.getTime(), 1, rules);
  }

  /** Each record that may differ from the state before, once, made only as it is asked for. */
  *#pairs(before: BaseView): Generator<RecordPair> {
    const renamed = before instanceof Overlay ? before.changed() : [];
    for (const address of new Set([...this.#overlay.changed(), ...renamed]))
      yield { address, before: before.get(address), after: this.#overlay.get(address) };
  }

  *#refuseMentionedRemovals(): Generator<undefined, void> {
    yield* eachInSteps(this.#removed, STEP, ([address, { record, index }]) => {
      if (this.#overlay.get(address)) return;
      const mentions: StoredRecord[] = [];
      for (const source of this.#overlay.inbound(address)) {
        const mention = this.#overlay.get(source);
        if (mention) mentions.push(mention);
      }
      if (mentions.length === 0) return;
      const made = [...this.#entries.values()]
        .filter((entry) => entry.previous === undefined && entry.record.kind === record.kind)
        .map((entry) => entry.record.address);
      const detail = stillMentioned(record, mentions, { stack: this.#options.stack ?? NOBODY, made });
      this.#conflicts.add(jsonPointer('changes', index), detail, address);
    });
    this.#conflicts.raise();
  }
}

function hasRules(view: BaseView): boolean {
  for (const _ of view.addresses('access_rule')) return true;
  return false;
}
