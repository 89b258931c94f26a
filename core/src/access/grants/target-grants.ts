import type { Absent } from '../../conditions/values/outcome.js';
import { comparePrecedence } from './precedence.js';
import { Rule } from './rule.js';

/** Receives the rules that a principal has for a target and an action, and the access path to that principal. */
export interface RuleVisitor<Path> {
  visit(rule: Rule, path: Path): void;
  /** The same where it is not known whether the way leads to the rule: this attribute would say so. */
  visitUnknown(rule: Rule, path: Path, absent: Absent): void;
}

/** Up to this many rules are scanned faster than they are looked up by action. */
const RULES_SCAN_MAX = 4;

/** Several rules of a principal for one target. */
export class TargetGrants {
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
    if (rest.length === this.#few?.length) throw notGranted(rule);
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
      if (bucket === undefined) throw notGranted(rule);
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

  visit<Path>(path: Path, action: string, visitor: RuleVisitor<Path>, every: boolean): void {
    if (this.#few !== null) {
      for (const rule of this.#few) if (rule.actions.covers(action)) visitor.visit(rule, path);
    } else {
      this.#all?.visit(path, visitor, every);
      this.#byAction?.get(action)?.visit(path, visitor, every);
    }
  }
}

/**
 * The rules of a principal for one target and action. Of those without a condition and without a period, only the first
 * in precedence of each effect can decide.
 */
class Bucket {
  readonly rules: Rule[] = [];
  /** The rules that can decide, computed when first asked for. */
  #deciding: Rule | Rule[] | null = null;

  add(rule: Rule): void {
    this.rules.push(rule);
    this.#deciding = null;
  }

  remove(rule: Rule): void {
    const gone = takeOut(this.rules, rule);
    const matters = this.#deciding instanceof Rule ? this.#deciding === gone : this.#deciding?.includes(gone);
    if (matters) this.#deciding = null;
  }

  visit<Path>(path: Path, visitor: RuleVisitor<Path>, every: boolean): void {
    this.#deciding ??= relevantOf(this.rules);
    if (every) for (const rule of this.rules) visitor.visit(rule, path);
    else if (this.#deciding instanceof Rule) visitor.visit(this.#deciding, path);
    else for (const rule of this.#deciding) visitor.visit(rule, path);
  }
}

/** Takes the rule of that policy and target out of a list whose order means nothing. */
function takeOut(rules: Rule[], { policy, target }: Rule): Rule {
  const at = rules.findIndex((rule) => rule.policy === policy && rule.target === target);
  const [gone, last] = [rules[at], rules.pop()];
  if (gone === undefined || last === undefined) throw notGranted({ policy, target });
  if (at < rules.length) rules[at] = last;
  return gone;
}

export function notGranted({ policy, target }: Pick<Rule, 'policy' | 'target'>): Error {
  return new Error(`${policy.address} has not been granted on "${target.name}"`);
}

function relevantOf(rules: readonly Rule[]): Rule | Rule[] {
  const kept: Rule[] = [];
  let allow: Rule | undefined;
  let deny: Rule | undefined;
  for (const rule of rules) {
    if (rule.policy.guard !== null || rule.period !== null) kept.push(rule);
    else if (rule.policy.deny) deny = deny === undefined || precedes(rule, deny) ? rule : deny;
    else allow = allow === undefined || precedes(rule, allow) ? rule : allow;
  }
  if (deny !== undefined) kept.push(deny);
  if (allow !== undefined) kept.push(allow);
  return kept.length === 1 ? (kept[0] ?? kept) : kept;
}

/** The same principal has both rules, so their access path is the same. */
function precedes(first: Rule, second: Rule): boolean {
  return comparePrecedence(first.policy, 0, second.policy, 0) < 0;
}
