import { SplitMap } from '../../collections/split-map.js';
import { canonicalJson } from '../../json/json.js';
import type { Path } from '../../records/address.js';
import type { Modifiers } from '../../records/policy.js';
import { addressOf, type Fields } from '../../records/registry.js';
import { ActionSet } from '../grants/action-set.js';
import { withGrant, withoutGrant } from '../grants/grants.js';
import { LazyGuard } from '../grants/lazy-guard.js';
import type { LinkPeriod } from '../grants/period.js';
import { Policy, Rule } from '../grants/rule.js';
import { Below } from '../grants/target.js';
import type { EffectivePrincipalsMemo } from '../graph/effective-principals.js';
import type { Graph } from '../graph/graph.js';
import { releaseBelow, takeBelow } from '../graph/hierarchy-node.js';
import type { Link, Principal } from '../graph/principal.js';
import { type Assignees, assigneesOf, numberOf, withAssignee, withoutAssignee } from './assignees.js';
import { InternPool } from './intern-pool.js';
import { DeclaredTypes, WidePolicies } from './wide-policies.js';

type PolicyFields = Fields<'policy'>;

/** A policy and its assignees, which may be known before it is. */
interface AssignedPolicy {
  rules: readonly Rule[];
  policy: Policy | null;
  assignees: Assignees;
  /** Its fields where its rules hang on what types declare. */
  wide: PolicyFields | null;
}

/** The policies of a tenant by path, with their assignees. Each assignee is granted the policy's rules. */
export class AssignedPolicies {
  readonly #byPath = new SplitMap<AssignedPolicy>();
  readonly #guards = new InternPool<LazyGuard>();
  readonly #actionSets = new InternPool<ActionSet>();
  readonly #types = new DeclaredTypes();
  readonly #wide = new WidePolicies<AssignedPolicy>();

  constructor(
    private readonly graph: Graph,
    private readonly effectivePrincipals: EffectivePrincipalsMemo,
  ) {}

  /** `kept` where the policy was there before: its assignees are granted what it now says. */
  put(id: string, fields: PolicyFields, kept: boolean): void {
    const address = addressOf('policy', fields);
    const assigned = this.#at(pathOf(address), !kept);
    const policy = new Policy(address, id, fields.effect === 'DENY', fields.priority, this.#guard(fields));
    assigned.policy = policy;
    assigned.rules = this.#rules(policy, fields);
    if (fields.resource_types !== undefined) {
      assigned.wide = fields;
      this.#wide.add(fields, assigned);
    }
    this.#grantAll(assigned);
  }

  /** A type with its actions, or without any where it goes: policies over many types cover what it now declares. */
  declareType(path: Path, actions: readonly string[] | undefined): void {
    this.#types.set(path, actions);
    for (const assigned of this.#wide.over(path)) {
      const { policy, wide } = assigned;
      if (policy === null || wide === null) continue;
      this.#withdrawAll(assigned);
      assigned.rules = this.#rules(policy, wide);
      this.#grantAll(assigned);
    }
  }

  /** `kept` where a new version is put next: its assignees stay. */
  remove(fields: PolicyFields, kept: boolean): void {
    const path = pathOf(addressOf('policy', fields));
    const assigned = this.#at(path);
    const { policy, assignees } = assigned;
    if (policy === null || (!kept && assignees !== null)) throw new Error(`The policy "${path}" cannot be removed`);
    this.#withdrawAll(assigned);
    if (policy.guard !== null) this.#guards.release(keyOf(policy.guard))?.forget();
    if (assigned.wide !== null) this.#wide.delete(assigned.wide, assigned);
    assigned.policy = null;
    assigned.wide = null;
    if (!kept) this.#byPath.delete(path);
  }

  assign(path: string, link: Link): void {
    const assigned = this.#at(path);
    assigned.assignees = withAssignee(assigned.assignees, link);
    this.#grant(link.to, assigned.rules, link.period);
  }

  unassign(path: string, principal: Principal): void {
    const assigned = this.#at(path);
    assigned.assignees = withoutAssignee(assigned.assignees, principal);
    this.#withdraw(principal, assigned.rules);
  }

  rulesOf(path: Path): readonly Rule[] {
    return this.#byPath.get(path)?.rules ?? [];
  }

  /** How many grants a change of the policy touches. */
  grants(fields: PolicyFields): number {
    const { rules, assignees } = this.#at(pathOf(addressOf('policy', fields)));
    return rules.length * numberOf(assignees);
  }

  #at(path: string, declaring = false): AssignedPolicy {
    return this.graph.mention(
      this.#byPath,
      path,
      () => ({ rules: [], policy: null, assignees: null, wide: null }),
      declaring,
    );
  }

  /** How many grants a change of the type touches. */
  grantsOver(type: Path): number {
    let grants = 0;
    for (const { rules, assignees } of this.#wide.over(type)) grants += rules.length * numberOf(assignees);
    return grants;
  }

  #rules(policy: Policy, fields: PolicyFields): Rule[] {
    const { resource_type, actions, resources } = fields;
    if (fields.resource_types !== undefined)
      return this.#types
        .covered(fields)
        .map(([type, names]) => new Rule(policy, this.graph.type(type), this.#actions(names), null));
    if (resource_type !== undefined)
      return [new Rule(policy, this.graph.type(resource_type), this.#actions(actions ?? []), null)];
    return (resources ?? []).map(({ resource: path, actions: names, below }) => {
      const resource = this.graph.resourceAt(path);
      return new Rule(policy, below ? takeBelow(resource) : resource, this.#actions(names), null);
    });
  }

  #grantAll({ rules, assignees }: AssignedPolicy): void {
    for (const { to, period } of assigneesOf(assignees)) this.#grant(to, rules, period);
  }

  #withdrawAll(assigned: AssignedPolicy): void {
    for (const { to } of assigneesOf(assigned.assignees)) this.#withdraw(to, assigned.rules);
    for (const { actions, target } of assigned.rules) {
      this.#actionSets.release(actions.names.join(' '));
      if (target instanceof Below) releaseBelow(target);
    }
    assigned.rules = [];
  }

  #grant(principal: Principal, rules: readonly Rule[], period: LinkPeriod): void {
    for (const rule of rules) {
      const own = period === null ? rule : new Rule(rule.policy, rule.target, rule.actions, period);
      principal.grants = withGrant(principal.grants, own);
      this.graph.watcher?.granted(principal, own);
    }
    this.effectivePrincipals.invalidate(principal);
  }

  #withdraw(principal: Principal, rules: readonly Rule[]): void {
    for (const rule of rules) principal.grants = withoutGrant(principal.grants, rule);
    this.effectivePrincipals.invalidate(principal);
  }

  #guard(fields: PolicyFields): LazyGuard | null {
    const { condition } = fields;
    const [modifiers, unless] = [withParts(fields.modifiers), withParts(fields.unless)];
    if (condition === undefined && modifiers === undefined && unless === undefined) return null;
    const key = keyOf({ condition, modifiers, unless });
    return this.#guards.take(key, () => new LazyGuard(condition, modifiers, unless));
  }

  #actions(names: readonly string[]): ActionSet {
    return this.#actionSets.take(names.join(' '), () => new ActionSet(names));
  }
}

/** A condition alone is its own key, so that it is held once; none that parses starts with a NUL. */
function keyOf({ condition = '', modifiers, unless }: Pick<LazyGuard, 'condition' | 'modifiers' | 'unless'>): string {
  if (modifiers === undefined && unless === undefined) return condition;
  return `\0${canonicalJson({ modifiers, unless })}${condition}`;
}

/** Modifiers that say something. */
function withParts(modifiers: Modifiers | undefined): Modifiers | undefined {
  return modifiers !== undefined && Object.values(modifiers).some((value) => value !== undefined)
    ? modifiers
    : undefined;
}

function pathOf(address: string): string {
  return address.slice('policy/'.length);
}
