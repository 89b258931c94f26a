import { rulesOf } from '../grants/grants.js';
import { Below, Resource, type ResourceType } from '../grants/target.js';
import { itemsOf } from '../graph/few-or-many.js';
import { heldRoles } from '../graph/held-roles.js';
import { includedIn } from '../graph/included-roles.js';
import type { Principal } from '../graph/principal.js';
import { covers } from './covers.js';
import { CandidateSet } from './resource-set.js';

const STEP = 256;

/**
 * The resources that principals come to by policies on single resources and by places, as far as can be told without a
 * request.
 */
export class ReachedResources {
  /** Resources that some policy may allow the action on; those that a policy covers by their type alone are not among them. */
  readonly allowed = new CandidateSet();
  /** Resources that some policy covers by themselves, whatever its effect. */
  readonly covered = new CandidateSet();
  /** Resources for which it makes a difference where they lie. */
  readonly placed = new CandidateSet();

  constructor(
    private readonly type: ResourceType,
    private readonly action: string,
  ) {}

  /** Adds what policies of the principals cover. */
  *addCovered(principals: Iterable<Principal>): Generator<undefined, void> {
    let worked = 0;
    for (const { grants } of principals) {
      for (const { policy, target, actions } of grants === null ? [] : rulesOf(grants)) {
        if (++worked % STEP === 0) yield;
        const allows = !policy.deny && actions.covers(this.action);
        if (target instanceof Below) {
          this.placed.addBelow(target.resource);
          if (allows) this.allowed.addBelow(target.resource);
        } else if (target instanceof Resource && actions.covers(this.action)) {
          this.covered.add(target);
          if (allows) this.allowed.add(target);
        }
      }
    }
  }

  /** Adds what roles cover that these hold on resources. */
  *addHeld(holders: Iterable<Principal>): Generator<undefined, void> {
    let worked = 0;
    for (const { held } of holders) {
      for (const [role, places] of heldRoles(held)) {
        const roles = [role, ...includedIn(role)];
        const allows = roles.some((one) => covers(one, [this.type], this.action));
        for (const place of itemsOf(places)) {
          if (++worked % STEP === 0) yield;
          this.placed.addBelow(place);
          if (allows) this.allowed.addBelow(place);
        }
        if (!allows) yield* this.addCovered(roles);
      }
    }
  }

  /**
   * Whether a policy or a role counts for this resource that does not for others of the type. If not, only conditions can
   * tell it from those.
   */
  tellsApart(resource: Resource): boolean {
    return this.covered.has(resource) || this.placed.has(resource);
  }

  get weight(): number {
    return this.allowed.weight + this.covered.weight + this.placed.weight;
  }
}
