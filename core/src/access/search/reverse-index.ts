import { append } from '../../collections/append.js';
import { SplitTable } from '../../collections/split-table.js';
import type { CompiledEngine } from '../engine/compiled-engine.js';
import type { ActionSet } from '../grants/action-set.js';
import { rulesOf } from '../grants/grants.js';
import type { Rule } from '../grants/rule.js';
import type { Target } from '../grants/target.js';
import type { Principal } from '../graph/principal.js';

/** Someone who was assigned a policy that allows actions on a target. */
interface Assignee {
  principal: Principal;
  actions: ActionSet;
}

const STEP = 256;
/** The most entries that may be added after it was filled, whatever its size. */
const ADDED_MIN = 10_000;

/**
 * The compiled tenant read backwards: from what policies allow to the principals that they are assigned to, and from
 * groups and roles to their members and holders. It finds candidates and leaves the decision to the engine: periods,
 * conditions and denials are not considered. So entries may stay although a link or policy is gone; what comes is added at
 * once.
 */
export class ReverseIndex {
  readonly #assignees = new SplitTable<Target, Assignee[]>();
  readonly #members = new SplitTable<Principal, Principal[]>();
  #filled = 0;
  #added = 0;

  constructor(private readonly recorded: CompiledEngine['subjects']) {}

  /** Whether it holds so much that came later, and may have gone, that it is worth making anew. */
  get isOverfull(): boolean {
    return this.#added > Math.max(ADDED_MIN, this.#filled);
  }

  /** Goes once through all principals. What changes meanwhile may come twice. */
  *fill({ subjects, groups, roles, everyone }: CompiledEngine): Generator<undefined, void> {
    let worked = 0;
    for (const principals of [everyone.principals(), groups.values(), roles.values(), ...valuesOf(subjects)]) {
      for (const principal of principals) {
        if (++worked % STEP === 0) yield;
        for (const link of [...(principal.groups ?? []), ...(principal.roles ?? [])]) {
          append(this.#members, link.to, principal);
          if (++worked % STEP === 0) yield;
        }
        for (const rule of principal.grants === null ? [] : rulesOf(principal.grants)) {
          this.#grant(principal, rule);
          if (++worked % STEP === 0) yield;
        }
      }
    }
    this.#filled = worked;
    this.#added = 0;
  }

  link(from: Principal, to: Principal): void {
    this.#added++;
    append(this.#members, to, from);
  }

  grant(principal: Principal, rule: Rule): void {
    this.#added++;
    this.#grant(principal, rule);
  }

  #grant(principal: Principal, { policy, target, actions }: Rule): void {
    if (!policy.deny) append(this.#assignees, target, { principal, actions });
  }

  /**
   * The subjects of a type to whom some policy leads that allows the action on one of the targets, and those among and
   * behind `others`.
   */
  *subjects(
    targets: readonly Target[],
    others: readonly Principal[],
    action: string,
    type: string,
  ): Generator<undefined, SplitTable<Principal, true>> {
    const found = new SplitTable<Principal, true>();
    const seen = new SplitTable<Principal, true>();
    const open: Principal[] = [];
    const ofType = this.recorded.get(type);
    let worked = 0;
    const enter = (principal: Principal) => {
      if (principal.kind === 'subject') {
        // One that is gone may still be in a list, and another may have its name.
        if (principal.type === type && ofType?.get(principal.name) === principal) found.set(principal, true);
      } else if (!seen.has(principal)) {
        seen.set(principal, true);
        open.push(principal);
      }
    };
    for (const principal of others) {
      if (++worked % STEP === 0) yield;
      enter(principal);
    }
    for (const target of targets) {
      for (const { principal, actions } of this.#assignees.get(target) ?? []) {
        if (++worked % STEP === 0) yield;
        if (actions.covers(action)) enter(principal);
      }
    }
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const member of this.#members.get(next) ?? []) {
        if (++worked % STEP === 0) yield;
        enter(member);
      }
    }
    return found;
  }
}

function* valuesOf(subjects: CompiledEngine['subjects']): Generator<Iterable<Principal>, void> {
  for (const ofType of subjects.values()) yield ofType.values();
}
