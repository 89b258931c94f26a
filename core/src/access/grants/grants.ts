import { Rule } from './rule.js';
import type { Target } from './target.js';
import { notGranted, type RuleVisitor, TargetGrants } from './target-grants.js';

/** Up to this many targets are scanned faster than they are looked up. */
const TARGETS_SCAN_MAX = 16;

/** The rules granted to a principal on one target: mostly a single one. */
export type Granted = Rule | TargetGrants;

/** A few targets, and after them what is granted on each, in the same order: memory that is read in one go. */
type Few = readonly (Target | Granted)[];

/** The rules of the policies that are assigned to a principal. Most have one rule, which stands for itself. */
export type Grants = Rule | Few | Map<Target, Granted>;

/** The grants with one more rule. Use the result only: the argument may have been changed. */
export function withGrant(grants: Grants | null, rule: Rule): Grants {
  if (grants === null) return rule;
  const granted = grantedOn(grants, rule.target);
  if (granted === undefined) return addTarget(grants, rule);
  if (granted instanceof TargetGrants) {
    granted.add(rule);
    return grants;
  }
  const several = new TargetGrants(granted, rule);
  if (grants instanceof Map) return grants.set(rule.target, several);
  return isFew(grants) ? grants.with(grants.indexOf(granted), several) : [rule.target, several];
}

/**
 * Returns what is left without a policy's rule on a target: a principal has at most one such. `rule` need not be the very
 * rule, which may have a period of its own. Throws where there is none.
 */
export function withoutGrant(grants: Grants | null, rule: Rule): Grants | null {
  const granted = grants === null ? undefined : grantedOn(grants, rule.target);
  if (granted instanceof TargetGrants) {
    granted.remove(rule);
    if (!granted.empty) return grants;
  } else if (granted?.policy !== rule.policy) {
    throw notGranted(rule);
  }
  return removeTarget(grants, rule.target);
}

function grantedOn(grants: Grants, target: Target): Granted | undefined {
  if (grants instanceof Map) return grants.get(target);
  if (!isFew(grants)) return grants.target === target ? grants : undefined;
  const at = grants.indexOf(target);
  return at < 0 ? undefined : (grants[at + grants.length / 2] as Granted);
}

/** Adds a rule on a new target. Copies, since an array that grows in place takes room for sixteen more. */
function addTarget(grants: Grants, rule: Rule): Grants {
  if (grants instanceof Map) return grants.set(rule.target, rule);
  if (!isFew(grants)) return [grants.target, rule.target, grants, rule];
  const count = grants.length / 2;
  const [targets, granted] = [grants.slice(0, count), grants.slice(count)];
  if (count < TARGETS_SCAN_MAX) return targets.concat(rule.target, granted, rule);
  const many = new Map(targets.map((target, at) => [target as Target, granted[at] as Granted]));
  return many.set(rule.target, rule);
}

/** Removes a target that has no rules left. */
function removeTarget(grants: Grants | null, target: Target): Grants | null {
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
 * Visits the rules for an action on a resource (where a record names it) and on its type. Without `every`, rules that
 * others of the same principal precede in any case may be left out.
 */
export function visitRules<Path>(
  grants: Grants,
  path: Path,
  type: Target,
  resource: Target | undefined,
  action: string,
  visitor: RuleVisitor<Path>,
  every: boolean,
): void {
  if (isFew(grants)) {
    const count = grants.length >> 1;
    for (let at = 0; at < count; at++) {
      const target = grants[at];
      if (target === type || target === resource)
        visitGranted(grants[at + count] as Granted, path, action, visitor, every);
    }
  } else if (grants instanceof Rule) {
    if ((grants.target === type || grants.target === resource) && grants.actions.covers(action))
      visitor.visit(grants, path);
  } else {
    visitGranted(grants.get(type), path, action, visitor, every);
    if (resource !== undefined) visitGranted(grants.get(resource), path, action, visitor, every);
  }
}

/** The rules on those of the targets that are meant, for `visitAll`. */
export function grantedOnTargets(grants: Grants, isMeant: (target: Target) => boolean): readonly Granted[] {
  if (grants instanceof Rule) return isMeant(grants.target) ? [grants] : [];
  const found: Granted[] = [];
  if (isFew(grants)) {
    const count = grants.length >> 1;
    for (let at = 0; at < count; at++) if (isMeant(grants[at] as Target)) found.push(grants[at + count] as Granted);
  } else for (const [target, granted] of grants) if (isMeant(target)) found.push(granted);
  return found;
}

/** Visits the rules for an action, with those that others of the same principal precede. */
export function visitAll<Path>(
  granted: readonly Granted[],
  path: Path,
  action: string,
  visitor: RuleVisitor<Path>,
): void {
  for (const one of granted) visitGranted(one, path, action, visitor, true);
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

function visitGranted<Path>(
  granted: Granted | undefined,
  path: Path,
  action: string,
  visitor: RuleVisitor<Path>,
  every: boolean,
): void {
  if (granted instanceof Rule) {
    if (granted.actions.covers(action)) visitor.visit(granted, path);
  } else {
    granted?.visit(path, action, visitor, every);
  }
}
