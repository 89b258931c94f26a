import { canonicalJson } from '../json.js';
import { addressOf, type Fields } from '../records/registry.js';
import { ActionSet } from './action-set.js';
import { type Link, Policy, type Principal, Rule, type Until } from './entities.js';
import { withGrant, withoutGrant } from './grants.js';
import type { Graph } from './graph.js';
import { type Holders, holdersOf, numberOf, withHolder, withoutHolder } from './holders.js';
import { LazyGuard } from './lazy-guard.js';
import type { ReachMemo } from './reach.js';
import { Shared } from './shared.js';
import { SplitMap } from './split-map.js';

type PolicyFields = Fields<'policy'>;

/** A policy and those to whom it is assigned; they may be known before it is. */
interface AssignedPolicy {
  rules: readonly Rule[];
  policy: Policy | null;
  holders: Holders;
}

/** The policies of a tenant by path, and who holds them: whom a policy is assigned to is granted its rules. */
export class Policies {
  readonly #byPath = new SplitMap<AssignedPolicy>();
  readonly #guards = new Shared<LazyGuard>();
  readonly #actionSets = new Shared<ActionSet>();

  constructor(
    private readonly graph: Graph,
    private readonly reach: ReachMemo,
  ) {}

  /** `kept` where the policy was there before: its holders are granted what it now says. */
  put(id: string, fields: PolicyFields, kept: boolean): void {
    const address = addressOf('policy', fields);
    const assigned = this.#at(pathOf(address), !kept);
    const policy = new Policy(address, id, fields.effect === 'DENY', fields.priority, this.#guard(fields));
    assigned.policy = policy;
    assigned.rules = this.#rules(policy, fields);
    for (const { to, until } of holdersOf(assigned.holders)) this.#grant(to, assigned.rules, until);
  }

  /** `kept` where it is put anew: its holders stay. */
  take(fields: PolicyFields, kept: boolean): void {
    const path = pathOf(addressOf('policy', fields));
    const assigned = this.#at(path);
    const { policy, rules, holders } = assigned;
    if (policy === null || (!kept && holders !== null)) throw new Error(`The policy "${path}" cannot be removed`);
    for (const { to } of holdersOf(holders)) this.#withdraw(to, rules);
    if (policy.guard !== null) this.#guards.release(keyOf(policy.guard))?.forget();
    for (const { actions } of rules) this.#actionSets.release(actions.names.join(' '));
    assigned.policy = null;
    assigned.rules = [];
    if (!kept) this.#byPath.delete(path);
  }

  assign(path: string, link: Link): void {
    const assigned = this.#at(path);
    assigned.holders = withHolder(assigned.holders, link);
    this.#grant(link.to, assigned.rules, link.until);
  }

  unassign(path: string, principal: Principal): void {
    const assigned = this.#at(path);
    assigned.holders = withoutHolder(assigned.holders, principal);
    this.#withdraw(principal, assigned.rules);
  }

  /** How many grants a change of the policy touches. */
  grants(fields: PolicyFields): number {
    const { rules, holders } = this.#at(pathOf(addressOf('policy', fields)));
    return rules.length * numberOf(holders);
  }

  #at(path: string, declaring = false): AssignedPolicy {
    return this.graph.mention(this.#byPath, path, () => ({ rules: [], policy: null, holders: null }), declaring);
  }

  #rules(policy: Policy, { resource_type, actions, resources }: PolicyFields): Rule[] {
    if (resource_type !== undefined)
      return [new Rule(policy, this.graph.type(resource_type), this.#actions(actions ?? []), null)];
    return (resources ?? []).map(
      (covered) => new Rule(policy, this.graph.resourceAt(covered.resource), this.#actions(covered.actions), null),
    );
  }

  #grant(principal: Principal, rules: readonly Rule[], until: Until): void {
    for (const rule of rules) {
      const own = until === null ? rule : new Rule(rule.policy, rule.target, rule.actions, until);
      principal.grants = withGrant(principal.grants, own);
    }
    this.reach.outdate(principal);
  }

  #withdraw(principal: Principal, rules: readonly Rule[]): void {
    for (const rule of rules) principal.grants = withoutGrant(principal.grants, rule);
    this.reach.outdate(principal);
  }

  #guard({ condition, modifiers }: PolicyFields): LazyGuard | null {
    const guarded = modifiers !== undefined && Object.values(modifiers).some((value) => value !== undefined);
    if (condition === undefined && !guarded) return null;
    const required = guarded ? modifiers : undefined;
    return this.#guards.take(keyOf({ condition, modifiers: required }), () => new LazyGuard(condition, required));
  }

  #actions(names: readonly string[]): ActionSet {
    return this.#actionSets.take(names.join(' '), () => new ActionSet(names));
  }
}

/** A condition alone is its own key, so that it is held once; none that parses starts with a NUL. */
function keyOf({ condition = '', modifiers }: Pick<LazyGuard, 'condition' | 'modifiers'>): string {
  return modifiers === undefined ? condition : `\0${canonicalJson(modifiers)}${condition}`;
}

function pathOf(address: string): string {
  return address.slice('policy/'.length);
}
