import { finished } from '@authz-service/core/concurrency/time-slicing';
import { judgeChange } from '@authz-service/core/questions/access-rules/judge-rules';
import { type Violation, violationText } from '@authz-service/core/questions/access-rules/violation';
import type { Address } from '@authz-service/core/records/address';
import type { StoredRecord } from '@authz-service/core/records/registry';
import { equalJson } from '@authz-service/core/state/equal-json';
import { Overlay } from '@authz-service/core/state/overlay';
import { TenantState } from '@authz-service/core/state/tenant-state';
import type { Diagnostic } from '../framework/diagnostics.js';
import type { Records } from './snapshot.js';

/** How long what breaks a rule waits for another change that mends it, from the last arrival on, and altogether. */
const QUIET_MS = 250;
const WAIT_MAX_MS = 2_000;

/** A record as it is planned; without one, the record at the address is removed. */
export interface PlannedRecord {
  readonly address: Address;
  readonly record: StoredRecord | undefined;
}

/** A planned removal. */
export function removalOf(address: Address): PlannedRecord {
  return { address, record: undefined };
}

/**
 * Judges planned changes by the access rules of the tenant, in the order in which Terraform plans them, which is the one in
 * which it applies them: what depends on a change is planned and applied after it. What Terraform plans at the same time is
 * judged together.
 */
export class PlannedRules {
  /** The tenant with what has been judged, and with all that is planned; made with the first rule, since most have none. */
  private states: { readonly judged: Overlay; readonly planned: Overlay } | undefined;
  /** Changes that were planned before there was a rule. */
  private readonly unruled: PlannedRecord[] = [];
  private readonly pending = new Set<Address>();
  private arrivedAt = 0;
  private round: Promise<readonly Violation[]> | undefined;

  private ruled = false;

  constructor(private readonly records: Records) {
    for (const { kind } of records.all()) this.ruled ||= kind === 'access_rule';
  }

  /** Adds what one resource changes; gives what breaks rules by it. */
  async judge(changes: readonly PlannedRecord[]): Promise<Diagnostic[]> {
    this.ruled ||= changes.some(({ address }) => address.startsWith('access_rule/'));
    if (!this.ruled) {
      this.unruled.push(...changes);
      return [];
    }
    this.states ??= this.begin();
    this.plan(this.states.planned, [...this.unruled.splice(0), ...changes]);
    if (!changes.some(({ address }) => this.pending.has(address))) return [];
    this.arrivedAt = performance.now();
    this.round ??= this.run(this.states);
    const own = new Set(changes.map(({ address }) => address));
    const violations = await this.round;
    return violations.filter(({ cause }) => cause !== undefined && own.has(cause)).map(diagnosticOf);
  }

  private begin(): { judged: Overlay; planned: Overlay } {
    const base = new TenantState(this.records.all());
    return { judged: new Overlay(base), planned: new Overlay(base) };
  }

  private plan(planned: Overlay, changes: readonly PlannedRecord[]): void {
    for (const { address, record } of changes) {
      const held = planned.get(address);
      // Equal records are the same objects.
      if (record === held || (record && held && equalJson(record.fields, held.fields))) continue;
      if (record === undefined) planned.delete(address);
      else planned.put({ ...record, id: held?.id ?? address } as StoredRecord);
      this.pending.add(address);
    }
  }

  /** Judges what is pending, once what Terraform plans at the same time has arrived, and once nothing mends what it breaks. */
  private async run({ judged, planned }: { judged: Overlay; planned: Overlay }): Promise<readonly Violation[]> {
    await new Promise(setImmediate);
    const startedAt = performance.now();
    let found = this.violations(judged, planned);
    while (found.length > 0) {
      const until = Math.min(this.arrivedAt + QUIET_MS, startedAt + WAIT_MAX_MS) - performance.now();
      if (until <= 0) break;
      await new Promise((resolve) => setTimeout(resolve, until));
      found = this.violations(judged, planned);
    }
    this.round = undefined;
    for (const address of this.pending) {
      const record = planned.get(address);
      if (record === undefined) judged.delete(address);
      else judged.put(record);
    }
    this.pending.clear();
    return found;
  }

  private violations(judged: Overlay, planned: Overlay): Violation[] {
    const pairs = [...this.pending].map((address) => ({
      address,
      before: judged.get(address),
      after: planned.get(address),
    }));
    return finished(judgeChange(judged, planned, pairs, Date.now()));
  }
}

function diagnosticOf(violation: Violation): Diagnostic {
  const detail = violationText(violation);
  if (violation.mode === 'warn')
    return { severity: 'warning', summary: `The access rule "${violation.rule}" would be broken`, detail };
  return {
    severity: 'error',
    summary: 'Access rule violated',
    detail: `${detail} An apply would be refused here, after it had made other changes.`,
  };
}
