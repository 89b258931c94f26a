import { type Policy, Rule, type Target } from './entities.js';

/** Receives the rules that a principal has for a target and an action. */
export interface RuleVisitor {
  meet(rule: Rule): void;
}

/** So few are scanned faster than looked up: targets are told by themselves, rules must be read. */
const TARGETS_SCAN_MAX = 16;
const RULES_SCAN_MAX = 4;

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

/** What a principal has been granted on one target: mostly a single rule. */
type Granted = Rule | TargetGrants;

/** Several rules of a principal, found by target and action: a scan of a few targets, a look-up among many. */
export class Grants {
  #targets: readonly Target[] | null;
  /** What is granted on the few targets, in their order. */
  #granted: readonly Granted[];
  #byTarget: Map<Target, Granted> | null = null;

  constructor(first: Rule) {
    this.#targets = [first.target];
    this.#granted = [first];
  }

  add(rule: Rule): this {
    const { target } = rule;
    const granted = this.#on(target);
    if (granted === undefined) this.#open(target, rule);
    else if (granted instanceof TargetGrants) granted.add(rule);
    else this.#replace(target, new TargetGrants(granted, rule));
    return this;
  }

  /** Returns what is left; see `withoutGrant`. */
  remove(rule: Rule): Rule | Grants | null {
    const { target } = rule;
    const granted = this.#on(target);
    if (granted instanceof TargetGrants) {
      granted.remove(rule);
      if (granted.empty) this.#close(target);
    } else {
      if (granted?.policy !== rule.policy) throw missing(rule);
      this.#close(target);
    }
    if (this.#byTarget !== null) return this.#byTarget.size > 0 ? this : null;
    const [first, ...others] = this.#granted;
    return others.length === 0 && !(first instanceof TargetGrants) ? (first ?? null) : this;
  }

  #on(target: Target): Granted | undefined {
    return this.#targets === null ? this.#byTarget?.get(target) : this.#granted[this.#targets.indexOf(target)];
  }

  /** Copies, since an array that grows in place takes room for sixteen more. */
  #open(target: Target, rule: Rule): void {
    if (this.#targets === null) {
      this.#byTarget?.set(target, rule);
    } else if (this.#targets.length < TARGETS_SCAN_MAX) {
      this.#targets = this.#targets.concat(target);
      this.#granted = this.#granted.concat(rule);
    } else {
      this.#byTarget = new Map([[target, rule]]);
      for (const [at, granted] of this.#granted.entries()) this.#byTarget.set(this.#targets[at] as Target, granted);
      this.#targets = null;
      this.#granted = [];
    }
  }

  #replace(target: Target, granted: Granted): void {
    if (this.#targets === null) this.#byTarget?.set(target, granted);
    else this.#granted = this.#granted.with(this.#targets.indexOf(target), granted);
  }

  #close(target: Target): void {
    if (this.#targets === null) {
      this.#byTarget?.delete(target);
    } else {
      const at = this.#targets.indexOf(target);
      this.#targets = this.#targets.toSpliced(at, 1);
      this.#granted = this.#granted.toSpliced(at, 1);
    }
  }

  targets(max: number): readonly Target[] | null {
    if (this.#targets !== null) return this.#targets;
    return this.#byTarget !== null && this.#byTarget.size <= max ? [...this.#byTarget.keys()] : null;
  }

  *rules(): Generator<Rule, void> {
    for (const granted of this.#byTarget?.values() ?? this.#granted) {
      if (granted instanceof TargetGrants) yield* granted.rules();
      else yield granted;
    }
  }

  search(type: Target, resource: Target | undefined, action: string, visitor: RuleVisitor, every: boolean): void {
    const targets = this.#targets;
    if (targets !== null) {
      for (let at = 0; at < targets.length; at++) {
        const target = targets[at];
        if (target === type || target === resource) show(this.#granted[at], action, visitor, every);
      }
    } else {
      show(this.#byTarget?.get(type), action, visitor, every);
      if (resource !== undefined) show(this.#byTarget?.get(resource), action, visitor, every);
    }
  }
}

function show(granted: Granted | undefined, action: string, visitor: RuleVisitor, every: boolean): void {
  if (granted instanceof Rule) {
    if (granted.actions.covers(action)) visitor.meet(granted);
  } else {
    granted?.search(action, visitor, every);
  }
}

/** Several rules of a principal for one target, or what is left of them. */
class TargetGrants {
  #few: readonly Rule[] | null;
  #byAction: Map<string, Bucket> | null = null;
  /** The rules for every action, where there are many rules. */
  #all: Bucket | null = null;

  constructor(first: Rule, second: Rule) {
    this.#few = [first, second];
  }

  add(rule: Rule): void {
    if (this.#few !== null && this.#few.length < RULES_SCAN_MAX) {
      this.#few = this.#few.concat(rule);
      return;
    }
    this.#byAction ??= new Map();
    for (const one of this.#few ?? []) this.#index(this.#byAction, one);
    this.#index(this.#byAction, rule);
    this.#few = null;
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
      return;
    }
    const rest = this.#few?.filter(({ policy }) => policy !== rule.policy) ?? [];
    if (rest.length === this.#few?.length) throw missing(rule);
    this.#few = rest;
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
    return this.#byAction === null ? this.#few?.length === 0 : this.#all === null && this.#byAction.size === 0;
  }

  *rules(): Generator<Rule, void> {
    if (this.#few !== null) yield* this.#few;
    if (this.#all !== null) yield* this.#all.rules;
    for (const bucket of this.#byAction?.values() ?? []) yield* bucket.rules;
  }

  search(action: string, visitor: RuleVisitor, every: boolean): void {
    if (this.#few !== null) {
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
