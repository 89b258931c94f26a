import { type Policy, Rule, type Target } from './entities.js';
import type { Way } from './way.js';

/** Receives the rules that a principal has for a target and an action, and how the subject comes to them. */
export interface RuleVisitor {
  meet(rule: Rule, way: Way): void;
}

/** So few are scanned faster than looked up: targets are told by themselves, rules must be read. */
const TARGETS_SCAN_MAX = 16;
const RULES_SCAN_MAX = 4;

/** What a principal has been granted on one target: mostly a single rule. */
type Granted = Rule | TargetGrants;

/** A few targets, and after them what is granted on each, in the same order: memory that is read in one go. */
type Few = readonly (Target | Granted)[];

/** The rules that a principal has been assigned. Most have one, which stands for itself. */
export type Grants = Rule | Few | Map<Target, Granted>;

/** The grants with one more rule; those given must not be used any more. */
export function withGrant(grants: Grants | null, rule: Rule): Grants {
  if (grants === null) return rule;
  const granted = grantedOn(grants, rule.target);
  if (granted === undefined) return opened(grants, rule);
  if (granted instanceof TargetGrants) {
    granted.add(rule);
    return grants;
  }
  const several = new TargetGrants(granted, rule);
  if (grants instanceof Map) return grants.set(rule.target, several);
  return isFew(grants) ? grants.with(grants.indexOf(granted), several) : [rule.target, several];
}

/**
 * What is left without a policy's rule on a target: a principal has at most one such. `rule` need not be the very rule,
 * which may have an end of its own. Throws where there is none.
 */
export function withoutGrant(grants: Grants | null, rule: Rule): Grants | null {
  const granted = grants === null ? undefined : grantedOn(grants, rule.target);
  if (granted instanceof TargetGrants) {
    granted.remove(rule);
    if (!granted.empty) return grants;
  } else if (granted?.policy !== rule.policy) {
    throw missing(rule);
  }
  return closed(grants, rule.target);
}

function grantedOn(grants: Grants, target: Target): Granted | undefined {
  if (grants instanceof Map) return grants.get(target);
  if (!isFew(grants)) return grants.target === target ? grants : undefined;
  const at = grants.indexOf(target);
  return at < 0 ? undefined : (grants[at + grants.length / 2] as Granted);
}

/** With a rule on a target that nothing was granted on. Copies, since an array that grows takes room for sixteen more. */
function opened(grants: Grants, rule: Rule): Grants {
  if (grants instanceof Map) return grants.set(rule.target, rule);
  if (!isFew(grants)) return [grants.target, rule.target, grants, rule];
  const count = grants.length / 2;
  const [targets, granted] = [grants.slice(0, count), grants.slice(count)];
  if (count < TARGETS_SCAN_MAX) return targets.concat(rule.target, granted, rule);
  const many = new Map(targets.map((target, at) => [target as Target, granted[at] as Granted]));
  return many.set(rule.target, rule);
}

/** Without a target. */
function closed(grants: Grants | null, target: Target): Grants | null {
  if (grants instanceof Map) {
    grants.delete(target);
    return grants.size > 0 ? grants : null;
  }
  if (grants === null || !isFew(grants)) return null;
  const at = grants.indexOf(target);
  const left = grants.toSpliced(at + grants.length / 2, 1).toSpliced(at, 1);
  const [, only] = left;
  return left.length === 2 && only instanceof Rule ? only : left.length > 0 ? left : null;
}

function isFew(grants: Grants): grants is Few {
  return Array.isArray(grants);
}

/**
 * Shows the rules for an action on a resource (where a record names it) and on its type. `every` shows also those that
 * others of the same principal outdo.
 */
export function search(
  grants: Grants,
  way: Way,
  type: Target,
  resource: Target | undefined,
  action: string,
  visitor: RuleVisitor,
  every: boolean,
): void {
  if (isFew(grants)) {
    const count = grants.length >> 1;
    for (let at = 0; at < count; at++) {
      const target = grants[at];
      if (target === type || target === resource) show(grants[at + count] as Granted, way, action, visitor, every);
    }
  } else if (grants instanceof Rule) {
    if ((grants.target === type || grants.target === resource) && grants.actions.covers(action))
      visitor.meet(grants, way);
  } else {
    show(grants.get(type), way, action, visitor, every);
    if (resource !== undefined) show(grants.get(resource), way, action, visitor, every);
  }
}

/** The targets of these rules where there are at most `max`. */
export function targetsOf(grants: Grants, max: number): readonly Target[] | null {
  if (grants instanceof Rule) return [grants.target];
  if (isFew(grants)) return grants.slice(0, grants.length / 2) as Target[];
  return grants.size <= max ? [...grants.keys()] : null;
}

/** All of the rules; one that is found by several actions comes as often. */
export function* rulesOf(grants: Grants): Generator<Rule, void> {
  if (grants instanceof Rule) yield grants;
  else
    for (const granted of isFew(grants) ? grants.slice(grants.length / 2) : grants.values()) {
      if (granted instanceof TargetGrants) yield* granted.rules();
      else yield granted as Rule;
    }
}

function show(granted: Granted | undefined, way: Way, action: string, visitor: RuleVisitor, every: boolean): void {
  if (granted instanceof Rule) {
    if (granted.actions.covers(action)) visitor.meet(granted, way);
  } else {
    granted?.search(way, action, visitor, every);
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

  search(way: Way, action: string, visitor: RuleVisitor, every: boolean): void {
    if (this.#few !== null) {
      for (const rule of this.#few) if (rule.actions.covers(action)) visitor.meet(rule, way);
    } else {
      this.#all?.show(way, visitor, every);
      this.#byAction?.get(action)?.show(way, visitor, every);
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

  show(way: Way, visitor: RuleVisitor, every: boolean): void {
    this.#sifted ??= sift(this.rules);
    if (every) for (const rule of this.rules) visitor.meet(rule, way);
    else if (this.#sifted instanceof Rule) visitor.meet(this.#sifted, way);
    else for (const rule of this.#sifted) visitor.meet(rule, way);
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
