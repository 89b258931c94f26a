import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  changedList,
  Draw,
  FROM,
  type RandomCandidate,
  randomCandidate,
  randomKnown,
  randomRequest,
  type SentRequest,
} from '../../../testing/random-decision-lists.js';
import { Guard } from '../evaluate/guard.js';
import { Absent, type Outcome } from '../values/outcome.js';
import { Scope } from '../values/scope.js';
import type { PartialRequest } from './partial-request.js';
import { type PolicyGuard, Residuals } from './residuals.js';
import type { ChosenValues } from './witness.js';

function sentBy(witness: ChosenValues): SentRequest & { readonly id: string | undefined; readonly unnamed: boolean } {
  return {
    context: witness.context,
    subject: witness.subjectProperties,
    resource: witness.resourceProperties,
    subjectId: witness.subjectId ?? 'somebody',
    name: witness.resourceName ?? 'something',
    id: witness.resourceId,
    unnamed: witness.resourceName === undefined && witness.resourceId !== undefined,
    roles: witness.roles,
    now: witness.now ?? FROM,
  };
}

function scopeOf(
  { subject, action, resource, principals }: PartialRequest,
  sent: SentRequest & { id?: string | undefined; unnamed?: boolean },
): Scope {
  const free = 'admitsName' in resource.names;
  const id = typeof subject.id === 'string' ? subject.id : sent.subjectId;
  const request = {
    subject: { type: String(subject.type), id, properties: sent.subject },
    resource: { type: resource.type, name: sent.name, properties: sent.resource },
    action: { name: String(action.name) },
    context: sent.context,
  };
  const facts = {
    type: resource.type,
    application: resource.application,
    id: free ? sent.id : 'ab',
    name: free ? (sent.unnamed ? undefined : sent.name) : 'ab',
  };
  return new Scope(request, facts, sent.now, subject.recorded, resource.recorded, undefined, {
    inGroup: (path) => principals?.inGroup(path) ?? false,
    hasRole: (path) => {
      const held = principals?.hasRole(path) ?? false;
      if (typeof held === 'boolean') return held;
      if (held !== 'absent' && held.anyOf.some((name) => sent.roles.includes(name))) return true;
      return (held === 'absent' || held.otherwise === 'absent') && new Absent('resource.properties.x');
    },
  });
}

const guards = new WeakMap<PolicyGuard, Guard>();

function guardOf(guard: PolicyGuard): Guard {
  const made = guards.get(guard) ?? new Guard(guard.condition, guard.modifiers, guard.unless);
  guards.set(guard, made);
  return made;
}

type Answer = 'allowed' | 'denied' | 'open';

/** The rules of section 5, one by one. */
function decide(
  list: readonly RandomCandidate[],
  known: PartialRequest,
  sent: SentRequest,
): { answer: Answer; failed: boolean } {
  const outcomes = list.map(({ effect, priority, guard, placeUnknown }) => {
    let outcome: Outcome = guardOf(guard).evaluate(scopeOf(known, sent));
    if (placeUnknown && outcome !== false) outcome = new Absent('place');
    const kind =
      outcome === true ? 'true' : outcome === false ? 'false' : outcome instanceof Absent ? 'absent' : 'failed';
    return { effect, priority, kind };
  });
  const denied = Math.max(
    -1,
    ...outcomes
      .filter(({ effect, kind }) => effect === 'DENY' && (kind === 'true' || kind === 'absent'))
      .map(({ priority }) => priority),
  );
  const allowed = Math.max(
    -1,
    ...outcomes.filter(({ effect, kind }) => effect === 'ALLOW' && kind === 'true').map(({ priority }) => priority),
  );
  const failed = outcomes.some(
    ({ effect, priority, kind }) => effect === 'DENY' && kind === 'failed' && priority > denied,
  );
  if (failed) return { answer: 'open', failed };
  return { answer: allowed > denied ? 'allowed' : 'denied', failed };
}

const RUNS = Number(process.env.RESIDUAL_RUNS ?? 250);
const SAMPLES = 60;

test(`no comparison of ${RUNS} pairs of lists is contradicted by requests at the boundaries of their literals`, () => {
  const counts: { [change: string]: number } = {};
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const draw = new Draw(seed);
      const before = Array.from({ length: 1 + draw.whole(4) }, () => randomCandidate(draw));
      const after = changedList(draw, before);
      const what = randomKnown(draw);
      const residuals = new Residuals();
      const listOf = (list: readonly RandomCandidate[]) =>
        residuals.listOf(
          list.map(({ effect, priority, guard, placeUnknown }) => ({
            effect,
            priority,
            residual: residuals.residualOf(guard, what, placeUnknown),
          })),
        );
      const [left, right] = [listOf(before), listOf(after)];
      const allowed = (list: readonly RandomCandidate[], sent: SentRequest) =>
        decide(list, what, sent).answer === 'allowed';
      const comparison = residuals.compare(left, right);
      const { change } = comparison;
      counts[change] = (counts[change] ?? 0) + 1;
      if (comparison.gained !== undefined) {
        const sent = sentBy(comparison.gained);
        expect([allowed(before, sent), allowed(after, sent)], 'the witness of what is gained').toEqual([false, true]);
      }
      if (comparison.lost !== undefined) {
        const sent = sentBy(comparison.lost);
        expect([allowed(before, sent), allowed(after, sent)], 'the witness of what is lost').toEqual([true, false]);
      }
      if (change !== 'unknown') {
        expect(comparison.gained !== undefined, change).toBe(change === 'gained' || change === 'mixed');
        expect(comparison.lost !== undefined, change).toBe(change === 'lost' || change === 'mixed');
      }
      const verdicts = [residuals.verdictOf(left), residuals.verdictOf(right)];
      const possible = residuals.satisfiable(right);
      if (possible.possible === 'yes')
        expect(allowed(after, sentBy(possible.witness)), 'the witness that it is possible').toBe(true);
      const text = residuals.textOf(right);
      const timed = text.includes('time_windows(');
      const said = timed ? undefined : new Guard(text, undefined);
      for (let at = 0; at < SAMPLES; at++) {
        const sent = randomRequest(draw, what);
        const [was, is] = [allowed(before, sent), allowed(after, sent)];
        if (!was && is) expect(change, JSON.stringify(sent)).toMatch(/gained|mixed|unknown/);
        if (was && !is) expect(change, JSON.stringify(sent)).toMatch(/lost|mixed|unknown/);
        expect(verdicts[0], JSON.stringify(sent)).not.toBe(was ? 'deny' : 'allow');
        expect(verdicts[1], JSON.stringify(sent)).not.toBe(is ? 'deny' : 'allow');
        if (is) expect(possible.possible).not.toBe('no');
        const { failed } = decide(after, what, sent);
        if (said !== undefined && !failed)
          expect(said.evaluate(scopeOf(what, sent)) === true, `${text} for ${JSON.stringify(sent)}`).toBe(is);
      }
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
  expect(counts.unknown ?? 0, 'what cannot be said').toBeLessThan(RUNS / 10);
});
