import type { ActionSet } from '../decision/grants/action-set.js';
import { rulesOf } from '../decision/grants/grants.js';
import type { Target } from '../decision/grants/target.js';
import type { Principal } from '../decision/graph/principal.js';
import type { SplitMap } from '../split-map.js';

/** Someone who was assigned a policy that allows actions on a target. */
interface Assignee {
  principal: Principal;
  actions: ActionSet;
}

const STEP = 512;

/**
 * The compiled tenant read backwards: from what policies allow to the principals that they are assigned to, and from
 * groups and roles to their members and holders. It finds candidates and leaves the decision to the engine: periods,
 * conditions and denials are not considered.
 */
export class ReverseIndex {
  readonly #assignees = new Map<Target, Assignee[]>();
  readonly #members = new Map<Principal, Principal[]>();

  /** Goes once through all subjects and whatever they are members and holders of. */
  static *of(subjects: ReadonlyMap<string, SplitMap<Principal>>): Generator<undefined, ReverseIndex> {
    const index = new ReverseIndex();
    const seen = new Set<Principal>();
    let worked = 0;
    for (const ofType of subjects.values()) {
      for (const subject of ofType.values()) {
        const open = [subject];
        for (let next = open.pop(); next !== undefined; next = open.pop()) {
          for (const link of [...(next.groups ?? []), ...(next.roles ?? [])]) {
            add(index.#members, link.to, next);
            if (seen.has(link.to)) continue;
            seen.add(link.to);
            open.push(link.to);
          }
          for (const rule of next.grants === null ? [] : rulesOf(next.grants)) {
            if (rule.policy.deny) continue;
            add(index.#assignees, rule.target, { principal: next, actions: rule.actions });
            if (++worked % STEP === 0) yield;
          }
          if (++worked % STEP === 0) yield;
        }
      }
    }
    return index;
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
  ): Generator<undefined, Set<Principal>> {
    const found = new Set<Principal>();
    const seen = new Set<Principal>();
    const open: Principal[] = [];
    let worked = 0;
    const enter = (principal: Principal) => {
      if (seen.has(principal)) return;
      seen.add(principal);
      if (principal.kind !== 'subject') open.push(principal);
      else if (principal.type === type) found.add(principal);
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

function add<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
