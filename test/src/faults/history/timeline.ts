import type { EngineRecord } from '@authz-service/core/access/api/engine';
import type { Kind } from '@authz-service/core/records/kinds';
import { isDistributed } from '@authz-service/core/records/kinds';
import { declare } from '@authz-service/core/records/registry';
import type { DecisionRequest } from '@authz-service/core/request';
import { DigestSet } from '@authz-service/core/state/digest-set';
import { revisionNumber, revisionText } from '@authz-service/core/state/revision';
import { evaluate } from '../../naive/evaluate.js';
import type { Commit, Snapshot } from './events.js';

type Records = Map<string, EngineRecord>;

/** An acknowledged commit, and the number of the revision that it made. */
export interface Acknowledged extends Commit {
  number: number;
  outcome: { revision: string };
}

/** The tenant at every revision, rebuilt from what was sent: nothing of what the service says is believed. */
export class Timeline {
  readonly first: number;
  /** The acknowledged commits, in the order of their revisions. */
  readonly commits: Acknowledged[];
  /** Records that no commit touches. */
  readonly #fixed: EngineRecord[] = [];
  readonly #touched = new Map<number, Records>();
  readonly #texts = new Map<number, string>();
  readonly #decided = new Map<string, boolean>();

  constructor(start: Snapshot, commits: readonly Commit[]) {
    this.first = revisionNumber(start.revision);
    this.commits = commits
      .filter(isAcknowledged)
      .map(numbered)
      .sort((left, right) => left.number - right.number);
    const changed = new Set(this.commits.flatMap(({ changes }) => changes.map((change) => addressOfChange(change))));
    const digest = new DigestSet();
    let records: Records = new Map();
    for (const { kind, address, fields } of start.records) {
      if (!isDistributed({ kind: kind as Kind, fields })) continue;
      const record = { kind, id: address, fields } as EngineRecord;
      digest.add(address, fields);
      if (changed.has(address)) records.set(address, record);
      else this.#fixed.push(record);
    }
    this.#keep(this.first, records, digest);
    for (const { number, changes } of this.commits) {
      records = new Map(records);
      for (const change of changes) apply(records, change, digest);
      this.#keep(number, records, digest);
    }
  }

  get last(): number {
    return this.commits.at(-1)?.number ?? this.first;
  }

  /** `NUMBER.DIGEST`; undefined where no such revision is known. */
  text(number: number): string | undefined {
    return this.#texts.get(number);
  }

  /** Every record at a revision, by address. */
  records(number: number): Records {
    const fixed = this.#fixed.map((record) => [record.id, record] as const);
    return new Map([...fixed, ...(this.#touched.get(number) ?? [])]);
  }

  /** Returns what the rules say at a revision. */
  allows(number: number, question: DecisionRequest): boolean {
    const key = `${number} ${JSON.stringify(question)}`;
    const known = this.#decided.get(key);
    if (known !== undefined) return known;
    const records = [...this.#fixed, ...(this.#touched.get(number)?.values() ?? [])];
    const answer = evaluate(records, question, 0);
    const allowed = 'decision' in answer && answer.decision;
    this.#decided.set(key, allowed);
    return allowed;
  }

  #keep(number: number, records: Records, digest: DigestSet): void {
    this.#touched.set(number, records);
    this.#texts.set(number, revisionText(number, digest.hex()));
  }
}

function isAcknowledged(commit: Commit): commit is Commit & { outcome: { revision: string } } {
  return typeof commit.outcome === 'object';
}

function numbered(commit: Commit & { outcome: { revision: string } }): Acknowledged {
  return { ...commit, number: revisionNumber(commit.outcome.revision) };
}

/** Histories hold creations, updates and deletions. */
function addressOfChange(change: Commit['changes'][number]): string {
  if (change.op === 'create') return declared(change.kind, change.fields).id;
  if (change.op === 'update' || change.op === 'delete') return change.address;
  throw new Error(`a history holds no ${change.op}`);
}

function apply(records: Records, change: Commit['changes'][number], digest: DigestSet): void {
  const address = addressOfChange(change);
  const before = records.get(address);
  // What contradicts the state was acknowledged wrongly; the digest then tells.
  if (before !== undefined) digest.remove(address, before.fields);
  records.delete(address);
  if (change.op === 'delete') return;
  const kind = change.op === 'create' ? change.kind : (address.slice(0, address.indexOf('/')) as Kind);
  const record = declared(kind, (change as { fields: Record<string, unknown> }).fields);
  records.set(address, record);
  digest.add(address, record.fields);
}

function declared(kind: Kind, given: Record<string, unknown>): EngineRecord {
  const { address, fields } = declare(kind, given as never);
  return { kind, id: address, fields } as EngineRecord;
}
