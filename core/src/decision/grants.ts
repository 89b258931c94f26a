import type { Policy, Rule, Target } from './entities.js';

/** Receives the rules that a principal has for a target and an action. */
export interface RuleVisitor {
  meet(rule: Rule): void;
}

/** So few rules are scanned faster than looked up. */
const SCAN_MAX = 8;

/**
 * The rules that a principal has been assigned, found by target and action: a scan of a few, an index of many. Rules
 * are only added, and only before the first search.
 */
export class Grants {
  #few: Rule[] | null = [];
  #byTarget: Map<Target, Rule | TargetGrants> | null = null;

  add(rule: Rule): void {
    if (this.#few !== null) {
      this.#few.push(rule);
      if (this.#few.length <= SCAN_MAX) return;
      this.#byTarget = new Map();
      for (const old of this.#few) this.#index(this.#byTarget, old);
      this.#few = null;
    } else if (this.#byTarget !== null) {
      this.#index(this.#byTarget, rule);
    }
  }

  #index(map: Map<Target, Rule | TargetGrants>, rule: Rule): void {
    const found = map.get(rule.target);
    if (found === undefined) map.set(rule.target, rule);
    else if (found instanceof TargetGrants) found.add(rule);
    else map.set(rule.target, new TargetGrants(found, rule));
  }

  /** The targets of these rules where there are at most `max`; repeated where several rules share one. */
  targets(max: number): readonly Target[] | null {
    if (this.#few !== null) return this.#few.map((rule) => rule.target);
    return this.#byTarget !== null && this.#byTarget.size <= max ? [...this.#byTarget.keys()] : null;
  }

  /** Shows the rules for an action on a resource (where a record names it) and on its type. `every` shows also those that others of the principal outdo. */
  search(type: Target, resource: Target | undefined, action: string, visitor: RuleVisitor, every: boolean): void {
    const few = this.#few;
    if (few !== null) {
      for (let at = 0; at < few.length; at++) {
        const rule = few[at] as Rule;
        if ((rule.target === type || rule.target === resource) && rule.actions.covers(action)) visitor.meet(rule);
      }
      return;
    }
    this.#searchTarget(type, action, visitor, every);
    if (resource !== undefined) this.#searchTarget(resource, action, visitor, every);
  }

  #searchTarget(target: Target, action: string, visitor: RuleVisitor, every: boolean): void {
    const found = this.#byTarget?.get(target);
    if (found === undefined) return;
    if (found instanceof TargetGrants) found.search(action, visitor, every);
    else if (found.actions.covers(action)) visitor.meet(found);
  }
}

/** The rules of a principal for one target. */
class TargetGrants {
  #few: Rule[] | null;
  readonly #byAction = new Map<string, Bucket>();

  constructor(first: Rule, second: Rule) {
    this.#few = [first, second];
  }

  add(rule: Rule): void {
    if (this.#few === null) {
      this.#index(rule);
      return;
    }
    this.#few.push(rule);
    if (this.#few.length <= SCAN_MAX) return;
    for (const old of this.#few) this.#index(old);
    this.#few = null;
  }

  #index(rule: Rule): void {
    for (const action of rule.actions.all ? ['*'] : rule.actions.names) {
      const bucket = this.#byAction.get(action);
      if (bucket === undefined) this.#byAction.set(action, new Bucket(rule));
      else bucket.add(rule);
    }
  }

  search(action: string, visitor: RuleVisitor, every: boolean): void {
    if (this.#few !== null) {
      for (const rule of this.#few) if (rule.actions.covers(action)) visitor.meet(rule);
      return;
    }
    this.#byAction.get('*')?.show(visitor, every);
    if (action !== '*') this.#byAction.get(action)?.show(visitor, every);
  }
}

/**
 * The rules of a principal for one target and action. Of those that hold without condition and for ever, only the
 * foremost of each effect can matter to a decision.
 */
class Bucket {
  readonly #rules: Rule[];
  #sifted: Rule[] | null = null;

  constructor(first: Rule) {
    this.#rules = [first];
  }

  add(rule: Rule): void {
    this.#rules.push(rule);
  }

  show(visitor: RuleVisitor, every: boolean): void {
    this.#sifted ??= sift(this.#rules);
    for (const rule of every ? this.#rules : this.#sifted) visitor.meet(rule);
  }
}

function sift(rules: readonly Rule[]): Rule[] {
  const kept: Rule[] = [];
  let allow: Rule | undefined;
  let deny: Rule | undefined;
  for (const rule of rules) {
    if (rule.policy.guard !== null || rule.until !== null) kept.push(rule);
    else if (rule.policy.deny) deny = deny === undefined || isForemost(rule.policy, deny.policy) ? rule : deny;
    else allow = allow === undefined || isForemost(rule.policy, allow.policy) ? rule : allow;
  }
  if (deny !== undefined) kept.push(deny);
  if (allow !== undefined) kept.push(allow);
  return kept;
}

/** Whether the first of two policies of one effect is named before the second: by priority, else by address. */
function isForemost(first: Policy, second: Policy): boolean {
  return first.priority === second.priority ? first.path < second.path : first.priority > second.priority;
}
