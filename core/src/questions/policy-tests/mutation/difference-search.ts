import type { RecordChange } from '../../../access/api/engine.js';
import { compileEngine } from '../../../access/engine/compile-engine.js';
import type { CompiledEngine } from '../../../access/engine/compiled-engine.js';
import { append } from '../../../collections/append.js';
import type { Json, JsonObject } from '../../../json/json.js';
import { type Address, address, path, splitAddress } from '../../../records/address.js';
import { namesInCondition } from '../../../records/condition-names.js';
import { assigneeOf, EVERY_TYPE, EVERYONE } from '../../../records/everyone.js';
import type { Fields } from '../../../records/registry.js';
import type { DecisionRequest } from '../../../request.js';
import { answerOf } from '../answer.js';
import { covers } from '../covers.js';
import { MayActAs } from '../may-act-as.js';
import { engineRecordOf, type Listed, type TestTenant } from '../test-tenant.js';
import { isLink, type LinkDeclaration } from '../tested-tenant.js';
import { attributeValues } from './attribute-values.js';
import type { Mutant, PolicyDeclaration } from './mutant.js';
import { variations } from './trial-requests.js';

type PolicyFields = Fields<'policy'>;

/** A request that tells a mutant from the original. */
export interface TellingRequest {
  request: DecisionRequest;
  now: number;
  outcome: 'allow' | 'deny' | 'failure';
}

/** How many requests are tried for one mutant, and of each place how many are looked at. */
const TRIALS_MAX = 2_000;
const SUBJECTS_MAX = 8;
const RESOURCES_MAX = 6;
const SCANNED_MAX = 2_000;
const STRANGER = 'somebody';
const UNRECORDED = 'anything';

/** Looks for requests that the original and a mutant of it answer differently, by asking both. */
export class DifferenceSearch {
  /** The tenant again, to be changed while the original stays as it is. */
  readonly #twin: CompiledEngine;
  readonly #policies = new Map<Address, PolicyFields>();
  /** The policies that each principal has by itself. */
  readonly #granted = new Map<Address, PolicyFields[]>();
  readonly #assignees = new Map<Address, Address[]>();
  readonly #properties = new Map<Address, JsonObject>();
  readonly #actsAs: MayActAs;
  readonly #byPrincipal = new Map<Address, Listed[]>();
  readonly #asking: { fields: PolicyFields; names: ReadonlySet<Address> }[] = [];

  constructor(
    private readonly tenant: TestTenant,
    private readonly now: number,
  ) {
    this.#twin = compileEngine(tenant.records.map(engineRecordOf));
    this.#actsAs = new MayActAs(tenant.records);
    for (const { kind, address: own, fields } of tenant.records) {
      if ((kind === 'subject' || kind === 'resource') && fields.properties !== undefined)
        this.#properties.set(own, fields.properties);
      if (kind !== 'policy') continue;
      this.#policies.set(own, fields);
      const names = namesInCondition(fields.condition ?? '').map(({ target }) => target);
      if (names.length > 0) this.#asking.push({ fields, names: new Set(names) });
    }
    for (const { kind, fields } of tenant.records) {
      if (kind !== 'policy_assignment') continue;
      const policy = address('policy', fields.policy);
      const assignee = assigneeOf(fields);
      this.#assignees.set(policy, [...(this.#assignees.get(policy) ?? []), assignee]);
      const granted = this.#policies.get(policy);
      if (granted !== undefined) this.#granted.set(assignee, [...(this.#granted.get(assignee) ?? []), granted]);
    }
    const suspended = new Set(
      tenant.records.flatMap((record) =>
        record.kind === 'subject' && record.fields.suspended ? [record.address] : [],
      ),
    );
    for (const subject of tenant.subjects) {
      // Nothing makes a difference to a suspended one.
      if (suspended.has(address('subject', path(subject.type, subject.name)))) continue;
      for (const principal of this.#actsAs.of({ type: subject.type, id: subject.name })) {
        append(this.#byPrincipal, principal, subject);
      }
    }
  }

  /** Whether nobody acts as whom a link is given to, so that it makes no difference. */
  isNobodys({ record }: Mutant): boolean {
    if (!isLink(record)) return false;
    const assignee = assigneeOf(record.fields);
    return assignee.startsWith('group/') && (this.#byPrincipal.get(assignee) ?? []).length === 0;
  }

  /** A request that is answered differently while these changes are made; undefined if none is found. */
  find(
    mutant: Mutant,
    changes: readonly RecordChange[],
    moments: readonly number[] = [this.now, ...changes.flatMap(momentsOf)],
  ): TellingRequest | undefined {
    return this.during(changes, () => {
      const seeds = this.#seeds(mutant);
      let failing: TellingRequest | undefined;
      for (const { request, now } of this.#trials(seeds, moments)) {
        const found = this.#compared(request, now);
        // A test of a failure says less than one of an answer.
        if (found?.outcome === 'failure' || found?.other === 'failure') failing ??= found;
        else if (found !== undefined) return found;
      }
      return failing;
    });
  }

  /** Requests without attributes, which are the plainest, and then with values at which conditions may turn. */
  *#trials(seeds: readonly DecisionRequest[], moments: readonly number[]) {
    for (const now of moments) for (const request of seeds) yield { request, now };
    const share = Math.max(8, Math.ceil(TRIALS_MAX / Math.max(1, seeds.length * moments.length)));
    let left = TRIALS_MAX;
    for (const now of moments) {
      for (const seed of seeds) {
        const values = attributeValues(this.#reading(seed, now), this.#factsOf(seed), now);
        for (const request of variations(seed, values, share)) {
          if (left-- <= 0) return;
          yield { request, now };
        }
      }
    }
  }

  /** Returns what conditions can read of the request and the records that it names, but for what is sent. */
  #factsOf({ subject, resource }: DecisionRequest): Map<string, Json> {
    const facts = new Map<string, Json>([
      ['subject.id', subject.id],
      ['subject.type', subject.type],
      ['resource.name', resource.name ?? ''],
    ]);
    const stored = [
      ['subject', this.#properties.get(address('subject', path(subject.type, subject.id)))],
      ['resource', this.#properties.get(`resource/${resource.type}/${path(resource.name ?? '')}`)],
    ] as const;
    for (const [root, properties] of stored)
      for (const [name, value] of Object.entries(properties ?? {})) facts.set(`${root}.properties.${name}`, value);
    return facts;
  }

  /** Whether the mutant answers differently there, while it is made. */
  differsAt({ request, now, outcome }: TellingRequest): boolean {
    return answerOf(this.#twin, request, now).outcome !== outcome;
  }

  during<T>(changes: readonly RecordChange[], run: () => T): T {
    this.#twin.apply(changes);
    try {
      return run();
    } finally {
      this.#twin.apply(changes.map(({ before, after }) => ({ before: after, after: before })));
    }
  }

  #compared(request: DecisionRequest, now: number): (TellingRequest & { other: string }) | undefined {
    const { outcome } = answerOf(this.tenant.engine, request, now);
    const { outcome: other } = answerOf(this.#twin, request, now);
    return outcome === other ? undefined : { request, now, outcome, other };
  }

  /** The policies that decide about a request, before or after the change. */
  #reading(request: DecisionRequest, now: number): PolicyFields[] {
    const found = new Set<Address>();
    for (const engine of [this.tenant.engine, this.#twin]) {
      try {
        for (const policy of engine.inspect(request, now).candidates) found.add(policy);
      } catch {
        // The request does not say where its resource lies: variations of it may.
      }
    }
    return [...found].flatMap((policy) => this.#policies.get(policy) ?? []);
  }

  /** Requests without any attribute that may meet the change. */
  #seeds({ record, changed }: Mutant): DecisionRequest[] {
    const aims = isLink(record) ? this.#aimsOfLink(record) : this.#aimsOfPolicy(record, changed);
    const seeds: DecisionRequest[] = [];
    for (const { subjects, policies } of aims) {
      for (const { type, name, actions } of this.#targets(policies)) {
        for (const action of actions) {
          for (const subject of subjects) seeds.push({ subject, action: { name: action }, resource: { type, name } });
        }
      }
    }
    return seeds.slice(0, TRIALS_MAX);
  }

  #aimsOfPolicy({ address: own, fields }: PolicyDeclaration, changed: PolicyFields | undefined): Aim[] {
    const policies = changed === undefined ? [fields] : [changed, fields];
    return (this.#assignees.get(own) ?? []).map((assignee) => ({ subjects: this.#subjectsAs(assignee), policies }));
  }

  #aimsOfLink(record: LinkDeclaration): Aim[] {
    const assignee = assigneeOf(record.fields);
    const subjects = this.#subjectsAs(assignee);
    if (record.kind === 'policy_assignment') {
      const policy = this.#policies.get(address('policy', record.fields.policy));
      return policy === undefined ? [] : [{ subjects, policies: [policy] }];
    }
    const given = record.kind === 'role_assignment' ? `role/${record.fields.role}` : `group/${record.fields.group}`;
    const reached = this.#actsAs.above(given);
    const policies = [...reached].flatMap((one) => this.#granted.get(one) ?? []);
    for (const { fields, names } of this.#asking) if ([...reached].some((one) => names.has(one))) policies.push(fields);
    return [{ subjects, policies: [...new Set(policies)] }];
  }

  /** Subjects that act as a principal: recorded ones of different kinds, and those whom requests may make. */
  #subjectsAs(principal: Address): DecisionRequest['subject'][] {
    const found = this.#unlike(this.#byPrincipal.get(principal) ?? []);
    const someType = this.tenant.subjects[0]?.type ?? 'user';
    if (principal.startsWith(`${EVERYONE}/`)) {
      const type = principal.slice(EVERYONE.length + 1);
      return [...found, { type: type === EVERY_TYPE ? someType : type, id: STRANGER }];
    }
    const { kind, path: role } = splitAddress(principal);
    return kind === 'role' ? [...found, { type: someType, id: STRANGER, roles: [role] }] : found;
  }

  /**
   * Some of the subjects, that together act as many principals: those who act as few come first, since what else one may
   * do hides differences.
   */
  #unlike(subjects: readonly Listed[]): DecisionRequest['subject'][] {
    const known = subjects.map(({ type, name }) => ({
      subject: { type, id: name },
      acts: this.#actsAs.of({ type, id: name }),
    }));
    known.sort((left, right) => left.acts.size - right.acts.size);
    const found: DecisionRequest['subject'][] = [];
    const seen = new Set<Address>();
    for (const { subject, acts } of known) {
      // Everybody acts as somebody new, which is oneself.
      const others = [...acts].filter((one) => !seen.has(one) && !one.startsWith('subject/'));
      if (found.length > 0 && others.length === 0) continue;
      for (const one of acts) seen.add(one);
      found.push(subject);
      if (found.length === SUBJECTS_MAX) break;
    }
    return found;
  }

  /** Resources that one of the policies covers, recorded ones and one of each type that is not, with the actions covered. */
  #targets(policies: readonly PolicyFields[]): Target[] {
    const declared = (type: string) => this.tenant.types.get(type)?.actions ?? [];
    const covered = (type: string, name: string, resource: Address | undefined, ancestors: readonly Address[]) => {
      const where = { type, resource, ancestors };
      const actions = declared(type).filter((action) => policies.some((one) => covers(one, where, action, declared)));
      return actions.length === 0 ? [] : [{ type, name, actions }];
    };
    const found: Target[] = [];
    const count = new Map<string, number>();
    for (const { type, name } of this.tenant.resources.slice(0, SCANNED_MAX)) {
      const seen = count.get(type) ?? 0;
      if (seen >= RESOURCES_MAX) continue;
      const { resource, ancestors } = this.tenant.engine.inspect(
        { subject: { type: '', id: '' }, action: { name: '' }, resource: { type, name } },
        this.now,
      );
      const one = covered(type, name, resource, ancestors);
      if (one.length > 0) count.set(type, seen + 1);
      found.push(...one);
    }
    for (const type of this.tenant.types.keys()) found.push(...covered(type, UNRECORDED, undefined, []));
    return found;
  }
}

interface Aim {
  subjects: readonly DecisionRequest['subject'][];
  policies: readonly PolicyFields[];
}

interface Target {
  type: string;
  name: string;
  actions: readonly string[];
}

/** Moments at which a link counts in one version and not in the other. */
function momentsOf({ before, after }: RecordChange): number[] {
  const ends = [before, after].flatMap((record) => {
    const { starts_at, expires_at } = (record?.fields ?? {}) as { starts_at?: string; expires_at?: string };
    return [
      ...(expires_at === undefined ? [] : [Date.parse(expires_at), Date.parse(expires_at) - 1000]),
      ...(starts_at === undefined ? [] : [Date.parse(starts_at) - 1000, Date.parse(starts_at)]),
    ];
  });
  return [...new Set(ends)];
}
