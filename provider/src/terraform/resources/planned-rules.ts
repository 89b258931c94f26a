import { judgeChange } from '@authz-service/core/access-rules/judge-rules';
import { type Violation, violationText } from '@authz-service/core/access-rules/violation';
import type { Address } from '@authz-service/core/records/address';
import type { StoredRecord } from '@authz-service/core/records/registry';
import { equalJson } from '@authz-service/core/state/equal-json';
import { Overlay } from '@authz-service/core/state/overlay';
import { TenantState } from '@authz-service/core/state/tenant-state';
import { finished } from '@authz-service/core/time-slicing';
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
  /** The tenant with what has been judged, and with all that is planned. */
  private readonly judged: Overlay;
  private readonly planned: Overlay;
  private readonly pending = new Set<Address>();
  private arrivedAt = 0;
  private round: Promise<readonly Violation[]> | undefined;

  constructor(base: TenantState) {
    this.judged = new Overlay(base);
    this.planned = new Overlay(base);
  }

  static of(records: Records): PlannedRules {
    return new PlannedRules(new TenantState(records.all()));
  }

  /** Adds what one resource changes; gives what breaks rules by it. */
  async judge(changes: readonly PlannedRecord[]): Promise<Diagnostic[]> {
    for (const { address, record } of changes) {
      const held = this.planned.get(address);
      // Equal records are the same objects.
      if (record === held || (record && held && equalJson(record.fields, held.fields))) continue;
      if (record === undefined) this.planned.delete(address);
      else this.planned.put({ ...record, id: held?.id ?? address } as StoredRecord);
      this.pending.add(address);
    }
    if (!changes.some(({ address }) => this.pending.has(address)) || !this.hasRules()) return [];
    this.arrivedAt = performance.now();
    this.round ??= this.run();
    const own = new Set(changes.map(({ address }) => address));
    const violations = await this.round;
    return violations.filter(({ cause }) => cause !== undefined && own.has(cause)).map(diagnosticOf);
  }

  private hasRules(): boolean {
    for (const view of [this.judged, this.planned]) for (const _ of view.addresses('access_rule')) return true;
    return false;
  }

  /** Judges what is pending, once what Terraform plans at the same time has arrived, and once nothing mends what it breaks. */
  private async run(): Promise<readonly Violation[]> {
    await new Promise(setImmediate);
    const startedAt = performance.now();
    let found = this.violations();
    while (found.length > 0) {
      const until = Math.min(this.arrivedAt + QUIET_MS, startedAt + WAIT_MAX_MS) - performance.now();
      if (until <= 0) break;
      await new Promise((resolve) => setTimeout(resolve, until));
      found = this.violations();
    }
    this.round = undefined;
    for (const address of this.pending) {
      const record = this.planned.get(address);
      if (record === undefined) this.judged.delete(address);
      else this.judged.put(record);
    }
    this.pending.clear();
    return found;
  }

  private violations(): Violation[] {
    const pairs = [...this.pending].map((address) => ({
      address,
      before: this.judged.get(address),
      after: this.planned.get(address),
    }));
    return finished(judgeChange(this.judged, this.planned, pairs, Date.now()));
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
