import type { PolicyGuard } from '../../conditions/residual/residuals.js';
import { textsInCondition } from '../../conditions/residual/texts-in-condition.js';
import type { Address } from '../../records/address.js';
import { namesInCondition } from '../../records/condition-names.js';
import type { AccessSide } from './access-side.js';
import { type PolicyRecord, policyPath } from './covering-policies.js';
import type { UnitActions } from './judged-places.js';
import { asksForPlaces, readsSubjectId, subjectPropertiesRead } from './reads-change.js';
import type { RuleClaim } from './rule-claim.js';

/**
 * The facts on which the verdict of a rule may hang: who is given something on its resources, and what conditions there
 * read.
 */
export interface RuleInputs {
  /** Those that policies are assigned to, and those that conditions and the rule ask for. */
  readonly principals: ReadonlySet<Address>;
  /** Whether conditions read the id of a subject, so that one without a record does not stand for those with one. */
  readonly readsIds: boolean;
  /** The properties of subjects that conditions read; undefined if they may read all of them. */
  readonly reads: ReadonlySet<string> | undefined;
  /** The types of subjects that conditions name. */
  readonly types: ReadonlySet<string>;
  /** Whether conditions ask for groups or roles. */
  readonly asks: boolean;
  readonly asksRoles: boolean;
  /** Whether they ask for ancestors, or for what requests say of parents. */
  readonly ancestors: boolean;
  /** Whether there is a DENY. */
  readonly denies: boolean;
}

const STEP = 10;

export function* inputsOf(
  claim: RuleClaim,
  units: readonly UnitActions[],
  sides: readonly AccessSide[],
): Generator<undefined, RuleInputs> {
  const principals = new Set<Address>(claim.asked);
  const guards = new Set<PolicyGuard>(claim.guards);
  let denies = false;
  for (const side of sides)
    for (const policy of yield* policiesOn(side, units)) {
      if (policy.fields.condition !== undefined) guards.add(policy.fields);
      if (policy.fields.effect === 'DENY') denies = true;
      for (const { principal } of side.policies.assigneesOf(policyPath(policy))) principals.add(principal);
    }
  const conditions = [...guards].map(({ condition = '' }) => condition);
  // Whoever is in a group that a condition asks for is told apart by it, though nothing is assigned to the group.
  for (const condition of conditions) for (const { target } of namesInCondition(condition)) principals.add(target);
  const parents = parentProperties(units, sides);
  return {
    principals,
    readsIds: [...guards].some(readsSubjectId),
    reads: subjectPropertiesRead([...guards]),
    types: new Set(conditions.flatMap((condition) => [...textsInCondition(condition, 'subject.type')])),
    asks: conditions.some((condition) => /\b(?:in_group|has_role)\b/.test(condition)),
    asksRoles: conditions.some((condition) => /\bhas_role\b/.test(condition)),
    ancestors: [...guards].some((guard) => asksForPlaces(guard, parents)),
    denies,
  };
}

/** The policies that cover one of these resources for one of its actions, each once. */
function* policiesOn(side: AccessSide, units: readonly UnitActions[]): Generator<undefined, Set<PolicyRecord>> {
  const found = new Set<PolicyRecord>();
  let looked = 0;
  for (const [unit, actions] of units)
    for (const action of actions) {
      if (++looked % STEP === 0) yield;
      for (const { policy } of side.coveringsAnywhere(unit, action)) found.add(policy);
    }
  return found;
}

/** The properties by which requests say what resources of these types lie in. */
function parentProperties(units: readonly UnitActions[], sides: readonly AccessSide[]): Set<string> {
  const types = new Set(units.map(([{ type }]) => type));
  const declared = sides.flatMap((side) => [...types].flatMap((type) => side.parentsOf(type)));
  return new Set(declared.map(({ property }) => property));
}
