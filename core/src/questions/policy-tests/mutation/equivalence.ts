import type { RecordChange } from '../../../access/api/engine.js';
import type { Address } from '../../../records/address.js';
import { addressOf, type DeclaredRecord, declare } from '../../../records/registry.js';
import type { Finding } from '../../impact/api/finding.js';
import { computeImpact } from '../../impact/compute-impact.js';

/** The work of all access deltas together, in records looked at: each looks at all, and besides at as much as these many. */
const WORK_MAX = 300_000;
const WORK_EACH = 2_500;
/** A test may set its clock to any time, so mutants are compared over all of it. */
const EVER = 0;

/** Whether no request tells a mutant from the original; or moments at which some may, as far as they are known. */
export type Compared =
  | { readonly equivalent: true }
  | { readonly equivalent: false; readonly moments: readonly number[] };

const UNSAID: Compared = { equivalent: false, moments: [] };

/** Proves of mutants that no request tells them from the original: their access delta is empty (docs/semantics.md 10.1). */
export class Equivalence {
  readonly #records: ReadonlyMap<Address, DeclaredRecord>;
  #left = WORK_MAX;

  constructor(records: readonly DeclaredRecord[]) {
    this.#records = new Map(records.map((record) => [record.address, record]));
  }

  compare(changes: readonly RecordChange[]): Compared {
    this.#left -= this.#records.size + WORK_EACH;
    if (this.#left < 0) return UNSAID;
    const after = new Map(this.#records);
    for (const { before } of changes) if (before !== undefined) after.delete(addressOf(before.kind, before.fields));
    for (const { after: made } of changes) {
      if (made === undefined) continue;
      const record = declare(made.kind, made.fields);
      after.set(record.address, record);
    }
    const sides = [{ records: this.#records.values() }, { records: after.values() }] as const;
    const { delta } = computeImpact(...sides, { now: EVER, explained: false });
    if (delta.findings.length === 0) return delta.complete === false ? UNSAID : { equivalent: true };
    return { equivalent: false, moments: [...new Set(delta.findings.flatMap(momentIn))] };
  }
}

/** A moment of a finding that hangs on time. */
function momentIn({ from, until }: Finding): number[] {
  if (from !== null) return [Date.parse(from)];
  return until === null ? [] : [Date.parse(until) - 1000];
}
