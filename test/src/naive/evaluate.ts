import type { AccessPathKind } from '@authz-service/core/access/api/decision';
import type { EngineRecord } from '@authz-service/core/access/api/engine';
import { Guard } from '@authz-service/core/conditions/evaluate/guard';
import { Absent, both, Failure, type Outcome } from '@authz-service/core/conditions/values/outcome';
import type { Scope } from '@authz-service/core/conditions/values/scope';
import type { JsonObject } from '@authz-service/core/json/json';
import type { Fields } from '@authz-service/core/records/registry';
import type { DecisionRequest } from '@authz-service/core/request';
import { type Candidate, candidatesOf } from './candidates.js';

/** An answer, as far as it can be compared. */
export type NaiveAnswer =
  | { decision: boolean; access_path: AccessPathKind; policy?: string; policy_id?: string }
  | { error: 'ambiguous_name' | 'evaluation_failed' | 'invalid_request' };

const PATHS = ['direct', 'role', 'group'] as const;

/** Decides by docs/semantics.md as it is written, going through all records each time. `now` is milliseconds. */
export function evaluate(records: readonly EngineRecord[], request: DecisionRequest, now: number): NaiveAnswer {
  const asked = askWithout(records, request, now);
  return 'error' in asked ? asked : asked.answer(request.context ?? {});
}

/** A question that contexts are asked for one after the other. */
export interface OpenQuestion {
  /** The policies that are candidates. */
  policies: readonly Fields<'policy'>[];
  answer(context: JsonObject): NaiveAnswer;
  /** Returns the scope of conditions with this context. */
  scope(context: JsonObject): Scope;
}

/** The question without the context of the request. */
export function askWithout(
  records: readonly EngineRecord[],
  request: DecisionRequest,
  now: number,
): OpenQuestion | { error: 'ambiguous_name' | 'invalid_request' } {
  const found = candidatesOf(records, request, now);
  if ('error' in found) return found;
  return {
    policies: found.candidates.map(({ policy }) => policy.fields),
    answer: (context) => {
      const scope = found.scope(context);
      return combined(found.candidates.map((one) => ({ ...one, outcome: outcomeOf(one, scope) })));
    },
    scope: found.scope,
  };
}

/** Semantics 4: whether a candidate applies. */
function outcomeOf({ policy, known }: Candidate, scope: Scope): Outcome {
  const { requires, exempts } = guardsOf(policy.fields);
  const required: Outcome = requires.evaluate(scope);
  // Semantics 4.10: exempted where every part holds; a part that is absent does not.
  const parts = exempts.map((part) => part.evaluate(scope));
  const exempting = parts.some((part) => part === false || part instanceof Absent)
    ? false
    : (parts.find((part) => part instanceof Failure) ?? parts.length > 0);
  const met: Outcome =
    exempting === true || required === false
      ? false
      : required instanceof Absent || exempting === false
        ? required
        : exempting;
  return known ? met : both(new Absent('the place'), met);
}

/** A candidate and its outcome. */
interface Evaluated extends Candidate {
  outcome: Outcome;
}

/** Semantics 5 and 6.2: which of them decides. */
function combined(evaluated: readonly Evaluated[]): NaiveAnswer {
  const isDeny = (one: Evaluated) => one.policy.fields.effect === 'DENY';
  const priority = (one: Evaluated) => one.policy.fields.priority;
  const applies = evaluated.filter((one) => one.outcome === true || (isDeny(one) && one.outcome instanceof Absent));
  const failed = evaluated.filter(({ outcome }) => outcome instanceof Failure);
  const open = failed.some(
    (one) => isDeny(one) && !applies.some((other) => isDeny(other) && priority(other) >= priority(one)),
  );
  if (open || (applies.length === 0 && failed.length > 0)) return { error: 'evaluation_failed' };
  const [deciding] = applies.sort(
    (left, right) =>
      priority(right) - priority(left) ||
      Number(isDeny(right)) - Number(isDeny(left)) ||
      left.rank - right.rank ||
      (left.policy.path < right.policy.path ? -1 : 1),
  );
  if (deciding === undefined) return { decision: false, access_path: 'none' };
  const { policy, rank } = deciding;
  return {
    decision: !isDeny(deciding),
    access_path: PATHS[rank],
    policy: `policy/${policy.path}`,
    policy_id: policy.id,
  };
}

interface Guards {
  requires: Guard;
  exempts: Guard[];
}

/** Policies are not changed. */
const compiled = new WeakMap<Fields<'policy'>, Guards>();

function guardsOf(policy: Fields<'policy'>): Guards {
  const { condition, modifiers, unless = {} } = policy;
  const guards = compiled.get(policy) ?? {
    requires: new Guard(condition, modifiers),
    exempts: Object.entries(unless).map(([name, value]) => new Guard(undefined, { [name]: value })),
  };
  compiled.set(policy, guards);
  return guards;
}
