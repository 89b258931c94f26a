import { type Policy, Rule, type Target } from './entities.js';

/** Receives the rules that a principal has for a target and an action. */
export interface RuleVisitor {
  meet(rule: Rule): void;
}

/** So few rules are scanned faster than looked up. */
const SCAN_MAX = 4;

/** The rules that a principal has been assigned, for one that has any: most have one, which stands for itself. */
export function withGrant(grants: Rule | Grants | null, rule: Rule): Rule | Grants {
  if (grants === null) return rule;
  if (grants instanceof Grants) return grants.add(rule);
  return new Grants(grants).add(rule);
}

/**
 * What is left without a policy's rule on a target: a principal has at most one such. `rule` need not be the very rule,
 * which may have an end of its own. Throws where there is none.
 */
export function withoutGrant(grants: Rule | Grants | null, rule: Rule): Rule | Grants | null {
  if (grants instanceof Grants) return grants.remove(rule);
  if (grants?.policy !== rule.policy || grants.target !== rule.target) throw missing(rule);
  return null;
}

/**
 * Shows the rules for an action on a resource (where a record names it) and on its type. `every` shows also those that
 * others of the same principal outdo.
 */
export function search(
  grants: Rule | Grants,
  type: Target,
  resource: Target | undefined,
  action: string,
  visitor: RuleVisitor,
  every: boolean,
): void {
  if (grants instanceof Grants) grants.search(type, resource, action, visitor, every);
  else if ((grants.target === type || grants.target === resource) && grants.actions.covers(action))
    visitor.meet(grants);
}

/** The targets of these rules where there are at most `max`; repeated where several rules share one. */
export function targetsOf(grants: Rule | Grants, max: number): readonly Target[] | null {
  return grants instanceof Grants ? grants.targets(max) : [grants.target];
}

/** All of the rules; one that is found by several actions comes as often. */
export function* rulesOf(grants: Rule | Grants): Generator<Rule, void> {
  if (grants instanceof Grants) yield* grants.rules();
  else yield grants;
}

/** Several rules of a principal, found by target and action: a scan of a few, an index of many. */
export class Grants {
  #few: Rule[] | null;
  /** Many rules for one target, and no other. */
  #only: TargetGrants | null = null;
  #byTarget: Map<Target, TargetGrants> | null = null;

  constructor(first: Rule) {
    this.#few = [first];
  }

  add(rule: Rule): this {
    if (this.#few === null) {
      this.#index(rule);
    } else {
      this.#few.push(rule);
      if (this.#few.length > SCAN_MAX) {
        for (const old of this.#few) this.#index(old);
        this.#few = null;
      }
    }
    return this;
  }

  #index(rule: Rule): void {
    if (this.#byTarget === null) {
      this.#only ??= new TargetGrants(rule.target);
      if (this.#only.target === rule.target) {
        this.#only.add(rule);
        return;
      }
      this.#byTarget = new Map([[this.#only.target, this.#only]]);
      this.#only = null;
    }
    let found = this.#byTarget.get(rule.target);
    if (found === undefined) {
      found = new TargetGrants(rule.target);
      this.#byTarget.set(rule.target, found);
    }
    found.add(rule);
  }

  /** Returns what is left; see `withoutGrant`. */
  remove(rule: Rule): Rule | Grants | null {
    if (this.#few !== null) {
      takeOut(this.#few, rule);
      return this.#few.length > 1 ? this : (this.#few[0] ?? null);
    }
    const found = this.#only ?? this.#byTarget?.get(rule.target);
    if (found?.target !== rule.target) throw missing(rule);
    found.remove(rule);
    if (!found.empty) return this;
    this.#byTarget?.delete(rule.target);
    return this.#byTarget === null || this.#byTarget.size === 0 ? null : this;
  }

  targets(max: number): readonly Target[] | null {
    if (this.#few !== null) return this.#few.map((rule) => rule.target);
    if (this.#only !== null) return [this.#only.target];
    return this.#byTarget !== null && this.#byTarget.size <= max ? [...this.#byTarget.keys()] : null;
  }

  *rules(): Generator<Rule, void> {
    if (this.#few !== null) yield* this.#few;
    if (this.#only !== null) yield* this.#only.rules();
    for (const ofTarget of this.#byTarget?.values() ?? []) yield* ofTarget.rules();
  }

  search(type: Target, resource: Target | undefined, action: string, visitor: RuleVisitor, every: boolean): void {
    const few = this.#few;
    if (few !== null) {
      for (let at = 0; at < few.length; at++) {
        const rule = few[at] as Rule;
        if ((rule.target === type || rule.target === resource) && rule.actions.covers(action)) visitor.meet(rule);
      }
    } else if (this.#only !== null) {
      const { target } = this.#only;
      if (target === type || target === resource) this.#only.search(action, visitor, every);
    } else {
      this.#byTarget?.get(type)?.search(action, visitor, every);
      if (resource !== undefined) this.#byTarget?.get(resource)?.search(action, visitor, every);
    }
  }
}

/** The rules of a principal for one target. */
class TargetGrants {
  #one: Rule | null = null;
  #few: Rule[] | null = null;
  #byAction: Map<string, Bucket> | null = null;
  /** The rules for every action, where there are many rules. */
  #all: Bucket | null = null;

  constructor(readonly target: Target) {}

  add(rule: Rule): void {
    if (this.#byAction !== null) {
      this.#index(this.#byAction, rule);
    } else if (this.#few !== null) {
      this.#few.push(rule);
      if (this.#few.length <= SCAN_MAX) return;
      this.#byAction = new Map();
      for (const old of this.#few) this.#index(this.#byAction, old);
      this.#few = null;
    } else if (this.#one === null) {
      this.#one = rule;
    } else {
      this.#few = [this.#one, rule];
      this.#one = null;
    }
  }

  #index(byAction: Map<string, Bucket>, rule: Rule): void {
    if (rule.actions.all) {
      this.#all ??= new Bucket();
      this.#all.add(rule);
      return;
    }
    for (const action of rule.actions.names) {
      let bucket = byAction.get(action);
      if (bucket === undefined) {
        bucket = new Bucket();
        byAction.set(action, bucket);
      }
      bucket.add(rule);
    }
  }

  remove(rule: Rule): void {
    if (this.#byAction !== null) {
      this.#unindex(this.#byAction, rule);
    } else if (this.#few !== null) {
      takeOut(this.#few, rule);
      if (this.#few.length === 0) this.#few = null;
    } else {
      if (this.#one?.policy !== rule.policy) throw missing(rule);
      this.#one = null;
    }
  }

  #unindex(byAction: Map<string, Bucket>, rule: Rule): void {
    if (rule.actions.all) {
      this.#all?.remove(rule);
      if (this.#all?.rules.length === 0) this.#all = null;
      return;
    }
    for (const action of rule.actions.names) {
      const bucket = byAction.get(action);
      if (bucket === undefined) throw missing(rule);
      bucket.remove(rule);
      if (bucket.rules.length === 0) byAction.delete(action);
    }
  }

  get empty(): boolean {
    return this.#one === null && this.#few === null && this.#all === null && !this.#byAction?.size;
  }

  *rules(): Generator<Rule, void> {
    if (this.#one !== null) yield this.#one;
    if (this.#few !== null) yield* this.#few;
    if (this.#all !== null) yield* this.#all.rules;
    for (const bucket of this.#byAction?.values() ?? []) yield* bucket.rules;
  }

  search(action: string, visitor: RuleVisitor, every: boolean): void {
    if (this.#one !== null) {
      if (this.#one.actions.covers(action)) visitor.meet(this.#one);
    } else if (this.#few !== null) {
      for (const rule of this.#few) if (rule.actions.covers(action)) visitor.meet(rule);
    } else {
      this.#all?.show(visitor, every);
      this.#byAction?.get(action)?.show(visitor, every);
    }
  }
}

/**
 * The rules of a principal for one target and action. Of those that hold without condition and for ever, only the
 * foremost of each effect can matter to a decision.
 */
class Bucket {
  readonly rules: Rule[] = [];
  /** What can matter, once it has been asked for. */
  #sifted: Rule | Rule[] | null = null;

  add(rule: Rule): void {
    this.rules.push(rule);
    this.#sifted = null;
  }

  remove(rule: Rule): void {
    const gone = takeOut(this.rules, rule);
    const matters = this.#sifted instanceof Rule ? this.#sifted === gone : this.#sifted?.includes(gone);
    if (matters) this.#sifted = null;
  }

  show(visitor: RuleVisitor, every: boolean): void {
    this.#sifted ??= sift(this.rules);
    if (every) for (const rule of this.rules) visitor.meet(rule);
    else if (this.#sifted instanceof Rule) visitor.meet(this.#sifted);
    else for (const rule of this.#sifted) visitor.meet(rule);
  }
}

/** Takes the rule of that policy and target out of a list whose order means nothing. */
function takeOut(rules: Rule[], { policy, target }: Rule): Rule {
  const at = rules.findIndex((rule) => rule.policy === policy && rule.target === target);
  const [gone, last] = [rules[at], rules.pop()];
  if (gone === undefined || last === undefined) throw missing({ policy, target });
  if (at < rules.length) rules[at] = last;
  return gone;
}

function missing({ policy, target }: Pick<Rule, 'policy' | 'target'>): Error {
  return new Error(`${policy.address} has not been granted on "${target.name}"`);
}

function sift(rules: readonly Rule[]): Rule | Rule[] {
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
  return kept.length === 1 ? (kept[0] ?? kept) : kept;
}

/** Whether the first of two policies of one effect is named before the second: by priority, else by address. */
function isForemost(first: Policy, second: Policy): boolean {
  return first.priority === second.priority ? first.address < second.address : first.priority > second.priority;
}
