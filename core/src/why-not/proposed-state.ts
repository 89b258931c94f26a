import { judgeChange } from '../access-rules/judge-rules.js';
import { violationText } from '../access-rules/violation.js';
import { computeImpact } from '../impact/compute-impact.js';
import type { Address } from '../records/address.js';
import type { DeclaredRecord, StoredRecord } from '../records/registry.js';
import { Overlay } from '../state/overlay.js';
import { TenantState } from '../state/tenant-state.js';
import { validateRecords } from '../state/validate.js';
import { finished } from '../time-slicing.js';
import type { Proposal, Records } from './proposal.js';

/** An access rule that a proposal breaks. One that enforces refuses the commit. */
export interface BrokenRule {
  rule: Address;
  mode: 'enforce' | 'warn';
  detail: string;
}

/** What else a proposal would do. */
export interface Weight {
  /** The recorded triples of subject, action and resource that it allows, for some requests at least, besides the one asked. */
  grants: number;
  /** Whether that number is exact, and not an upper bound. */
  exact: boolean;
  /** The findings of its access delta, unrecorded subjects and resources included. */
  findings: number;
  breaks: BrokenRule[];
}

/** A tenant, as it would be after one proposal or another. */
export class ProposedStates {
  #state: TenantState | undefined;

  constructor(
    private readonly records: Records,
    private readonly now: number,
  ) {}

  /** What a proposal would grant besides, and which rules it breaks; undefined if records would not be valid. */
  weigh(proposal: Proposal): Weight | undefined {
    this.#state ??= new TenantState([...this.records.values()].map(stored));
    const state = this.#state;
    const overlay = new Overlay(state);
    for (const { before } of proposal.changes) if (before !== undefined) overlay.delete(before.address);
    for (const { after } of proposal.changes) if (after !== undefined) overlay.put(stored(after));
    const touched = proposal.changes.flatMap(({ before, after }) => (after ?? before)?.address ?? []);
    const present = touched.filter((address) => overlay.get(address) !== undefined);
    // What valid records mention already without its being here is of another stack.
    const external = (address: Address) => [...state.inbound(address)].length > 0 && state.get(address) === undefined;
    if (validateRecords(overlay, present, { external }).some(({ severity }) => severity === 'error')) return undefined;
    const pairs = touched.map((address) => ({ address, before: state.get(address), after: overlay.get(address) }));
    const violations = finished(judgeChange(state, overlay, pairs, this.now));
    const breaks = violations.map((one) => ({ rule: one.rule, mode: one.mode, detail: violationText(one) }));
    return { ...this.#delta(proposal), breaks };
  }

  #delta({ changes }: Proposal): Omit<Weight, 'breaks'> {
    const after = new Map(this.records);
    for (const { before } of changes) if (before !== undefined) after.delete(before.address);
    for (const { after: made } of changes) if (made !== undefined) after.set(made.address, made);
    const sides = [{ records: this.records.values() }, { records: after.values() }] as const;
    const { delta } = finished(computeImpact(...sides, { now: this.now, explained: false }));
    const { gained, mixed, unknown } = delta.counts;
    return { grants: Math.max(0, gained + mixed + unknown - 1), exact: delta.exact, findings: delta.findings.length };
  }
}

/** A record as a service stores it; a tree does not know its id, and proposals ask for nothing else. */
function stored(record: DeclaredRecord & { id?: string }): StoredRecord {
  const server = { managed_by: '', created_at: '', updated_at: '', revision: 0 };
  return { ...server, ...record, id: record.id ?? record.address } as StoredRecord;
}
