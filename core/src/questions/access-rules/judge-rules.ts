import type { Address } from '../../records/address.js';
import type { Kind } from '../../records/kinds.js';
import type { AccessView } from './access-view.js';
import { RuleClaim, type RuleRecord } from './rule-claim.js';
import { RuleJudge } from './rule-judge.js';
import { type RecordPair, type TouchedAccess, touchOfAll } from './touched.js';
import type { Violation } from './violation.js';

const STEP = 10;
/** The kinds that say who there is, and whom subjects act as. */
const PEOPLE: ReadonlySet<Kind | undefined> = new Set<Kind>([
  ...(['subject_type', 'subject', 'role', 'group', 'role_assignment', 'group_membership'] as const),
]);

/**
 * Judges what a change-set makes possible or impossible against the rules before it and after it (docs/semantics.md 11.6 to
 * 11.8): at most one violation of each rule. Only rules that a changed record can touch are looked at. `ruling` has the
 * rules before it as they refer to what has other names after.
 */
export function* judgeChange(
  before: AccessView,
  after: AccessView,
  pairs: Iterable<RecordPair>,
  now: number,
  ruling: AccessView = before,
): Generator<undefined, Violation[]> {
  const claims = [...claimsOf(ruling, now)].map(({ rule }) =>
    RuleClaim.of(rule, before.get(rule.address) as RuleRecord),
  );
  for (const claim of claimsOf(after, now))
    if (!claims.some((known) => known.rule.fields === claim.rule.fields)) claims.push(claim);
  if (claims.length === 0) return [];
  const changed: RecordPair[] = [];
  let looked = 0;
  for (const pair of pairs) {
    if (++looked % STEP === 0) yield;
    if (pair.before?.fields !== pair.after?.fields) changed.push(pair);
  }
  const samePeople = !changed.some((pair) => PEOPLE.has((pair.after ?? pair.before)?.kind));
  const judge = new RuleJudge(before, after, now, samePeople);
  const touches: TouchedAccess[] = [];
  for (const pair of changed) {
    if (++looked % STEP === 0) yield;
    touches.push(...judge.touches(pair));
  }
  const found = new Map<string, Violation>();
  for (const claim of claims) {
    yield;
    for (const each of claim.former === undefined ? touches : [...touches, touchOfAll(claim.rule.address)]) {
      const touch = claim.touchedBy(each);
      const key = `${claim.rule.address} ${claim.rule.fields.mode}`;
      if (found.has(key) || !(claim.form === 'always' ? touch.loses : touch.gains)) continue;
      const [violation] = yield* judge.violations(claim, touch, 1);
      if (violation !== undefined) found.set(key, violation);
    }
  }
  return [...found.values()];
}

/** The violations that stand in a state: at most `most` of each rule, or of each of these rules. */
export function* existingViolations(
  view: AccessView,
  now: number,
  most: number,
  rules?: ReadonlySet<Address>,
): Generator<undefined, Violation[]> {
  const judge = new RuleJudge(view, view, now, true);
  const found: Violation[] = [];
  for (const claim of claimsOf(view, now))
    if (rules === undefined || rules.has(claim.rule.address))
      found.push(...(yield* judge.violations(claim, undefined, most)));
  return found;
}

/** The rules of a state that are not suspended. */
function* claimsOf(view: AccessView, now: number): Generator<RuleClaim> {
  for (const address of [...view.addresses('access_rule')].sort()) {
    const rule = view.get(address) as RuleRecord;
    const { suspended_until } = rule.fields;
    if (suspended_until === undefined || Date.parse(suspended_until) <= now) yield RuleClaim.of(rule);
  }
}
