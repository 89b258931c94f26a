import type { RecordChange } from '../../access/api/engine.js';
import type { CompiledEngine } from '../../access/engine/compiled-engine.js';
import { append } from '../../collections/append.js';
import type { Address, Path } from '../../records/address.js';
import { assigneeOf } from '../../records/everyone.js';
import type { DeclaredRecord, Fields } from '../../records/registry.js';
import type { Case } from './cases.js';
import { covers } from './covers.js';
import { askedIn, type TestRequest } from './test-request.js';
import type { TestTenant } from './test-tenant.js';

export type LinkDeclaration = DeclaredRecord<'policy_assignment' | 'role_assignment' | 'group_membership'>;

export function isLink(record: DeclaredRecord): record is LinkDeclaration {
  const { kind } = record;
  return kind === 'policy_assignment' || kind === 'role_assignment' || kind === 'group_membership';
}

/** A tenant with all that tests ask of it, so that changes of it are put to those questions that they can touch. */
export class TestedTenant {
  readonly asked: readonly TestRequest[];
  readonly engine: CompiledEngine;
  readonly #records: ReadonlyMap<Address, DeclaredRecord>;
  readonly #byPrincipal = new Map<Address, TestRequest[]>();
  readonly #assignees = new Map<Path, Address[]>();
  readonly #declared: (type: Path) => readonly string[];

  constructor(tenant: TestTenant, cases: readonly Case[], now: number) {
    this.engine = tenant.engine;
    this.asked = askedIn(tenant, cases, now);
    this.#records = new Map(tenant.records.map((record) => [record.address, record]));
    this.#declared = (type) => tenant.types.get(type)?.actions ?? [];
    for (const one of this.asked) {
      // Where the tests already fail, nothing can be said of a change.
      if (!one.holds(this.engine)) continue;
      for (const principal of one.principals) {
        append(this.#byPrincipal, principal, one);
      }
    }
    for (const { kind, fields } of tenant.records) {
      if (kind !== 'policy_assignment') continue;
      this.#assignees.set(fields.policy, [...(this.#assignees.get(fields.policy) ?? []), assigneeOf(fields)]);
    }
  }

  /** Whether it has just this record, rather than another of the address or none. */
  has({ address }: DeclaredRecord): boolean {
    return this.#records.has(address);
  }

  covers(policy: Fields<'policy'>, { looked, request }: TestRequest): boolean {
    return looked !== undefined && covers(policy, looked, request.action.name, this.#declared);
  }

  /** The questions whose answer may change with a link. */
  touchedBy(link: LinkDeclaration): readonly TestRequest[] {
    const touched = this.#byPrincipal.get(assigneeOf(link.fields)) ?? [];
    if (link.kind !== 'policy_assignment') return touched;
    const policy = this.#records.get(`policy/${link.fields.policy}`);
    return policy?.kind === 'policy' ? touched.filter((one) => this.covers(policy.fields, one)) : touched;
  }

  /** The questions whose answer may change where a policy becomes another. */
  touchedByPolicy(path: Path, versions: readonly Fields<'policy'>[]): readonly TestRequest[] {
    const touched = new Set<TestRequest>();
    for (const assignee of this.#assignees.get(path) ?? [])
      for (const one of this.#byPrincipal.get(assignee) ?? [])
        if (versions.some((fields) => this.covers(fields, one))) touched.add(one);
    return [...touched];
  }

  /** Whether one of these questions fails its test with the changes. */
  notices(changes: readonly RecordChange[], touched: readonly TestRequest[]): boolean {
    if (touched.length === 0) return false;
    return this.changed(changes, () => touched.some((one) => !one.holds(this.engine)));
  }

  /** Runs something while the changes are made. */
  changed<T>(changes: readonly RecordChange[], run: () => T): T {
    this.engine.apply(changes);
    try {
      return run();
    } finally {
      this.engine.apply(changes.map(({ before, after }) => ({ before: after, after: before })));
    }
  }
}
