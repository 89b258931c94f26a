import type { EngineRecord } from '../../access/api/engine.js';
import type { CompiledEngine } from '../../access/engine/compiled-engine.js';
import { findType } from '../../access/graph/names.js';
import type { ChangedRecord } from '../../access/universe/record-changes.js';
import { finished } from '../../concurrency/time-slicing.js';
import { type Address, address, path } from '../../records/address.js';
import type { DeclaredRecord, StoredRecord } from '../../records/registry.js';
import type { DecisionRequest } from '../../request.js';
import { Overlay } from '../../state/overlay.js';
import { TenantState } from '../../state/tenant-state.js';
import { validateRecords } from '../../state/validate.js';
import { judgeChange } from '../access-rules/judge-rules.js';
import { violationText } from '../access-rules/violation.js';
import type { Finding, FindingResources } from '../impact/api/finding.js';
import { impactOfChanges } from '../impact/compute-impact.js';
import type { Proposal, Records } from './proposal.js';

/** An access rule that a proposal breaks. One that enforces refuses the commit. */
export interface RuleBreach {
  rule: Address;
  mode: 'enforce' | 'warn';
  detail: string;
}

/** The side effects of a proposal. */
export interface Weight {
  /** The recorded triples of subject, action and resource that it allows, for some requests at least, besides the one asked. */
  grants: number;
  /** Whether that number is exact, and not an upper bound. */
  exact: boolean;
  /** The findings of its access delta, unrecorded subjects and resources included. */
  findings: number;
  /** Whether it allows something that has no record, or more than one thing at different times. */
  beyond_records: boolean;
  breaks: RuleBreach[];
}

/** A tenant, as it would be after one proposal or another. */
export class ProposedStates {
  #state: TenantState | undefined;
  readonly #ids = new Map<Address, string>();
  readonly #policies: EngineRecord[] = [];

  /** `engine` has these records, and has them again after each question. */
  constructor(
    private readonly engine: CompiledEngine,
    private readonly records: Records,
    private readonly request: DecisionRequest,
    private readonly now: number,
  ) {
    for (const record of records.values()) {
      const { kind, address, id } = record;
      if (kind === 'resource' && id !== undefined) this.#ids.set(address, id);
      if (kind === 'policy') this.#policies.push(engineRecord(record));
    }
  }

  /** Returns what a proposal would grant besides, and which rules it breaks; undefined if records would not be valid. */
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

  #delta({ changes: proposed }: Proposal): Omit<Weight, 'breaks'> {
    const changed = new Map<Address, ChangedRecord>();
    const before = (address: Address) => {
      const record = this.records.get(address);
      return record && engineRecord(record);
    };
    for (const { before: record } of proposed)
      if (record !== undefined)
        changed.set(record.address, { address: record.address, before: before(record.address) });
    for (const { after: record } of proposed) {
      if (record === undefined) continue;
      const { address } = record;
      const old = before(address);
      changed.set(address, { address, before: old, after: { ...engineRecord(record), id: old?.id ?? address } });
    }
    const changes = [...changed.values()].sort((left, right) => (left.address < right.address ? -1 : 1));
    const side = { records: this.records.values() };
    const sides = { before: side, after: side };
    const changedState = { engine: this.engine, policies: () => this.#policies, changes, ids: this.#ids, sides };
    const { delta } = impactOfChanges(changedState, { now: this.now, explained: false });
    const { gained, mixed, unknown } = delta.counts;
    const { exact, findings } = delta;
    return {
      grants: Math.max(0, gained + mixed + unknown - (this.#isRecorded(changed) ? 1 : 0)),
      exact,
      findings: findings.length,
      beyond_records: findings.length > 1 || findings.some(isBeyondRecords),
    };
  }

  /** Whether the question is one about a recorded subject and resource, and a declared action. */
  #isRecorded(changed: ReadonlyMap<Address, ChangedRecord>): boolean {
    const { subject, resource, action } = this.request;
    const at = address('subject', path(subject.type, subject.id));
    const isKnown = this.records.has(at) || changed.get(at)?.after !== undefined;
    const type = findType(this.engine.types, resource.type);
    const isDeclared = type?.actions.includes(action.name) ?? false;
    return isKnown && isDeclared && this.engine.resourceId(this.request) !== undefined;
  }
}

/** Whether a finding is about more than what is recorded, or declared. */
function isBeyondRecords({ subjects, actions, resources }: Finding): boolean {
  const isNamed = ({ which }: FindingResources) => which === 'named' || which === 'recorded';
  const { unrecorded, named_role } = subjects;
  return unrecorded.length > 0 || named_role !== undefined || actions.includes('*') || !resources.every(isNamed);
}

/** A record as the engine takes it. */
export function engineRecord(record: DeclaredRecord & { id?: string }): EngineRecord {
  return { kind: record.kind, fields: record.fields, id: record.id ?? record.address } as EngineRecord;
}

/** A record as a service stores it; a tree does not know its id, and proposals ask for nothing else. */
function stored(record: DeclaredRecord & { id?: string }): StoredRecord {
  if ('revision' in record && record.id !== undefined) return record as StoredRecord;
  const { kind, address, fields, id = address } = record;
  const server = { managed_by: '', created_at: '', updated_at: '', revision: 0 };
  return { ...server, kind, address, fields, id } as StoredRecord;
}
