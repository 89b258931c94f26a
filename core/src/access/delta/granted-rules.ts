import type { CompiledEngine } from '../engine/compiled-engine.js';
import { type Grants, rulesOf } from '../grants/grants.js';
import type { Rule } from '../grants/rule.js';
import { Below, type Target } from '../grants/target.js';
import type { HeldRoles } from '../graph/held-roles.js';
import type { Principal } from '../graph/principal.js';

export interface GrantedRule {
  readonly principal: Principal;
  readonly rule: Rule;
}

const NONE: readonly GrantedRule[] = [];

/** The grants of one state read backwards: what is granted on a target, and to whom. */
export class GrantedRules {
  readonly #byTarget = new Map<Target, GrantedRule[]>();
  /** Targets that stand for a resource and all below it. */
  readonly belows: Below[] = [];
  /** Those who hold roles on resources. */
  readonly holders: Principal[] = [];

  static of(engine: CompiledEngine): GrantedRules {
    const rules = new GrantedRules();
    for (const principals of [...everybody(engine)]) {
      for (const principal of principals) {
        rules.#add(principal, principal.grants, principal.held);
      }
    }
    return rules;
  }

  /** Only what these have. */
  static ofPrincipals(principals: Iterable<Principal>): GrantedRules {
    const rules = new GrantedRules();
    for (const principal of principals) rules.#add(principal, principal.grants, principal.held);
    return rules;
  }

  #add(principal: Principal, grants: Grants | null, held: HeldRoles): void {
    if (held !== null) this.holders.push(principal);
    if (grants === null) return;
    const seen = new Set<Rule>();
    for (const rule of rulesOf(grants)) {
      // A rule is found by each of its actions.
      if (seen.has(rule)) continue;
      seen.add(rule);
      const known = this.#byTarget.get(rule.target);
      if (known !== undefined) known.push({ principal, rule });
      else {
        this.#byTarget.set(rule.target, [{ principal, rule }]);
        if (rule.target instanceof Below) this.belows.push(rule.target);
      }
    }
  }

  on(target: Target): readonly GrantedRule[] {
    return this.#byTarget.get(target) ?? NONE;
  }

  *all(): Generator<GrantedRule, void> {
    for (const granted of this.#byTarget.values()) yield* granted;
  }
}

function* everybody(engine: CompiledEngine): Generator<Iterable<Principal>, void> {
  yield engine.everyone.principals();
  yield engine.groups.values();
  yield engine.roles.values();
  for (const subjects of engine.subjects.values()) yield subjects.values();
}
