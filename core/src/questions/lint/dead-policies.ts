import { ALWAYS, contains, periodOf } from '../../access/grants/period.js';
import { append } from '../../collections/append.js';
import { mayTurnOut } from '../../conditions/residual/formula.js';
import { type ResidualCandidate, Residuals } from '../../conditions/residual/residuals.js';
import { canonicalJson } from '../../json/json.js';
import { type Address, address, type Path, typeOfResource } from '../../records/address.js';
import { assigneeOf, EVERY_TYPE, EVERYONE } from '../../records/everyone.js';
import { ALL_TYPES } from '../../records/policy.js';
import type { DeclaredRecord, Fields } from '../../records/registry.js';
import { anyRequest, coveredTypes, isSettledByAny, subjectTypes } from './any-request.js';
import type { LintFinding, LintRule } from './lint-finding.js';

type Policy = DeclaredRecord<'policy'>;
type PolicyFields = Fields<'policy'>;
type Assignment = Fields<'policy_assignment'>;

/** Below the priority of every policy. */
const LOWEST = -1_000_001;

/**
 * Policies without which every request would be answered alike, because of one other policy. A DENY that can fail is
 * none of them, since its failure leaves the answer open whatever else applies (docs/semantics.md 5.3).
 */
export function deadPolicyFindings(
  records: readonly DeclaredRecord[],
  without: ReadonlySet<Address>,
  now: number,
): LintFinding[] {
  return new DeadPolicies(records, now).find(without);
}

class DeadPolicies {
  readonly #policies: Policy[] = [];
  readonly #assignments = new Map<Address, Assignment[]>();
  readonly #byAssignee = new Map<Address, Set<Policy>>();
  readonly #roles = new Map<Address, DeclaredRecord<'role'>>();
  readonly #types = new Map<Path, readonly string[]>();
  readonly #residuals = new Residuals();

  constructor(
    private readonly records: readonly DeclaredRecord[],
    private readonly now: number,
  ) {
    const byAddress = new Map<Address, Policy>();
    for (const record of records) {
      if (record.kind === 'policy') {
        this.#policies.push(record);
        byAddress.set(record.address, record);
      } else if (record.kind === 'role') this.#roles.set(record.address, record);
      else if (record.kind === 'resource_type')
        this.#types.set(record.address.slice('resource_type/'.length), record.fields.actions);
    }
    for (const { kind, fields } of records) {
      if (kind !== 'policy_assignment') continue;
      const policy = address('policy', fields.policy);
      append(this.#assignments, policy, fields);
      const found = byAddress.get(policy);
      const assignee = assigneeOf(fields);
      if (found !== undefined) this.#byAssignee.set(assignee, (this.#byAssignee.get(assignee) ?? new Set()).add(found));
    }
  }

  find(without: ReadonlySet<Address>): LintFinding[] {
    const dead = new Set<Address>(without);
    const findings: LintFinding[] = [];
    // The later of two that say the same is the one too many.
    for (const policy of [...this.#policies].reverse()) {
      if (dead.has(policy.address)) continue;
      const other = this.#others(policy).find((one) => !dead.has(one.address) && this.#makesDead(one, policy));
      if (other === undefined) continue;
      dead.add(policy.address);
      findings.push({ ...ruleOf(policy, other), certainty: 'proven', address: policy.address });
    }
    return findings.reverse();
  }

  /** The policies that somebody of the policy's assignees has, too, of at least its priority. */
  #others(policy: Policy): Policy[] {
    const [first] = this.#assignments.get(policy.address) ?? [];
    if (first === undefined) return [];
    const found = new Set<Policy>();
    for (const assignee of this.#implied(first)) for (const one of this.#byAssignee.get(assignee) ?? []) found.add(one);
    found.delete(policy);
    const { effect, priority } = policy.fields;
    return [...found].filter(
      ({ fields }) =>
        fields.priority > priority ||
        (fields.priority === priority && (fields.effect === effect || fields.effect === 'DENY')),
    );
  }

  /** Principals that whoever has an assignment acts as for certain, whenever it counts. */
  #implied({ entity_type, entity }: Assignment): Address[] {
    const own = assigneeOf({ entity_type, entity });
    const everyone = `${EVERYONE}/${EVERY_TYPE}`;
    if (entity_type === EVERYONE) return [own, everyone];
    if (entity_type === 'subject') {
      const type = decodeURIComponent(entity.slice(0, entity.indexOf('/')));
      return [own, `${EVERYONE}/${type}`, everyone];
    }
    const role = this.#roles.get(own);
    // A request that names a role names what it includes directly, where requests may name that.
    const included = (role?.fields.includes ?? []).filter((one) => {
      const known = this.#roles.get(address('role', one));
      return role?.fields.from_requests === false || (known !== undefined && known.fields.from_requests !== false);
    });
    return [own, ...included.map((one) => address('role', one)), everyone];
  }

  #makesDead(other: Policy, policy: Policy): boolean {
    const own = this.#assignments.get(policy.address) ?? [];
    const others = this.#assignments.get(other.address) ?? [];
    // Where a resource may lie for all that is known, a DENY applies and an ALLOW does not (docs/semantics.md 8.6).
    const excuses = policy.fields.effect === 'DENY' && other.fields.effect === 'ALLOW';
    if (excuses && policy.fields.resources?.some(({ below }) => below)) return false;
    const reached = own.every((mine) =>
      others.some(
        (one) =>
          !(excuses && one.entity_type === 'role') &&
          this.#implied(mine).includes(assigneeOf(one)) &&
          lastsAsLong(one, mine),
      ),
    );
    return (
      reached &&
      coversAll(other.fields, policy.fields, this.#types) &&
      this.#decidesInstead(other.fields, policy.fields)
    );
  }

  /** Whether the policy changes no answer beside the other one, whatever is below both of them. */
  #decidesInstead(other: PolicyFields, policy: PolicyFields): boolean {
    const [theirs, mine] = [guardOf(other), guardOf(policy)];
    const [isSame, isAllow] = [canonicalJson(theirs) === canonicalJson(mine), policy.effect === 'ALLOW'];
    if (isAllow && (Object.keys(theirs).length === 0 || (isSame && other.effect === 'ALLOW'))) return true;
    if (Object.keys(mine).length === 0 && isSame) return true;
    if (!isSettledByAny(theirs) || !isSettledByAny(mine)) return false;
    const types = coveredTypes(policy, [...this.#types.keys()]);
    if (types.length === 0) return false;
    return types.every((type) =>
      subjectTypes(this.records, [theirs, mine]).every((subject) => {
        const known = anyRequest(type, subject, this.now);
        const residual = this.#residuals.residualOf(mine, known);
        if (policy.effect === 'DENY' && mayTurnOut(residual, 'failed')) return false;
        const first = candidate(other, this.#residuals.residualOf(theirs, known));
        const second = candidate(policy, residual);
        const always = this.#residuals.residualOf({}, known);
        return [[], [{ effect: 'ALLOW', priority: LOWEST, residual: always }] satisfies ResidualCandidate[]].every(
          (below) => {
            const before = this.#residuals.listOf([first, second, ...below].sort(byPrecedence));
            const after = this.#residuals.listOf([first, ...below].sort(byPrecedence));
            return this.#residuals.compare(before, after).change === 'same';
          },
        );
      }),
    );
  }
}

function candidate({ effect, priority }: PolicyFields, residual: ResidualCandidate['residual']): ResidualCandidate {
  return { effect, priority, residual };
}

function byPrecedence(left: ResidualCandidate, right: ResidualCandidate): number {
  if (left.priority !== right.priority) return right.priority - left.priority;
  return Number(right.effect === 'DENY') - Number(left.effect === 'DENY');
}

function guardOf({ condition, modifiers, unless }: PolicyFields) {
  return {
    ...(condition !== undefined && { condition }),
    ...(modifiers !== undefined && { modifiers }),
    ...(unless !== undefined && { unless }),
  };
}

/** Whether one assignment counts whenever another does. */
function lastsAsLong(one: Assignment, other: Assignment): boolean {
  return contains(periodOf(one) ?? ALWAYS, periodOf(other) ?? ALWAYS);
}

/** Whether a policy covers every resource and action that another covers. */
function coversAll(wide: PolicyFields, narrow: PolicyFields, types: ReadonlyMap<Path, readonly string[]>): boolean {
  const paths = [...types.keys()];
  const has = (actions: readonly string[], wanted: readonly string[]) =>
    actions.includes('*') || (!wanted.includes('*') && wanted.every((one) => actions.includes(one)));
  const coversType = (type: Path, actions: readonly string[]) => {
    if (wide.resources !== undefined || !coveredTypes(wide, paths).includes(type)) return false;
    // Of a policy over many types, an action that it names is covered where the type declares it (9.1).
    const exact = wide.resource_types === undefined || wide.actions?.includes('*') === true;
    return has(wide.actions ?? [], actions) && (exact || actions.every((one) => types.get(type)?.includes(one)));
  };
  if (narrow.resources !== undefined) {
    return narrow.resources.every((entry) => {
      const { resource, actions, below = false } = entry;
      const type = typeOfResource(resource);
      if (!below && coversType(type, actions)) return true;
      return (wide.resources ?? []).some(
        (one) => one.resource === resource && (one.below === true || !below) && has(one.actions, actions),
      );
    });
  }
  // Of every type of an application more may be declared.
  if (narrow.resource_types?.includes(ALL_TYPES) === true) {
    const all = wide.resource_types?.includes(ALL_TYPES) === true && wide.application === narrow.application;
    return all && has(wide.actions ?? [], narrow.actions ?? []);
  }
  return coveredTypes(narrow, paths).every((type) => coversType(type, narrow.actions ?? []));
}

function ruleOf({ fields }: Policy, other: Policy): { rule: LintRule; detail: string } {
  const name = other.address;
  if (other.fields.effect !== fields.effect)
    return {
      rule: 'overridden-policy',
      detail: `never decides: ${name}, a ${other.fields.effect} of ${priorityText(other.fields, fields)}, applies wherever it does. Raise its priority, or remove it.`,
    };
  if (other.fields.priority > fields.priority)
    return {
      rule: 'shadowed-policy',
      detail: `never decides: ${name} of a higher priority applies wherever it does. Remove it, or narrow the other one.`,
    };
  return {
    rule: 'redundant-policy',
    detail: `changes no answer: ${name} applies wherever it does, with the same effect and priority. Remove one of them.`,
  };
}

function priorityText(other: PolicyFields, policy: PolicyFields): string {
  return other.priority > policy.priority ? 'a higher priority' : 'the same priority';
}
