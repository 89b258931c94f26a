import type { PartialRequest } from '@authz-service/core/conditions/residual/partial-request';
import { Residuals } from '@authz-service/core/conditions/residual/residuals';
import type { Modifiers } from '@authz-service/core/records/policy';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Choose, type Expression, expression, MFA, PRELUDE, RECORDED_IDS } from './expressions.js';
import { Solver } from './solver.js';

const subjectId = { admits: (id: string) => !RECORDED_IDS.includes(id) };
const KNOWN: PartialRequest = {
  subject: { type: 'user', id: subjectId, recorded: {}, sent: true },
  action: { name: 'read', sent: true },
  resource: {
    type: 'invoice',
    application: 'billing',
    names: { id: 'INV-1', name: 'INV-1' },
    recorded: {},
    sent: true,
  },
  span: { from: 0, until: Number.POSITIVE_INFINITY },
};

interface Candidate {
  readonly effect: 'ALLOW' | 'DENY';
  readonly priority: number;
  readonly expression: Expression;
  readonly modifiers?: Modifiers;
  readonly unless?: Modifiers;
}

/** Pseudo-random numbers (a linear congruential generator). */
function chooser(seed: number): Choose {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function candidate(choose: Choose): Candidate {
  const effect = choose(5) < 3 ? 'ALLOW' : 'DENY';
  const mfa = { mfa_required: true as const };
  return {
    effect,
    priority: choose(3),
    expression: expression(choose, 2),
    ...(effect === 'ALLOW' && choose(5) === 0 && { modifiers: mfa }),
    ...(effect === 'DENY' && choose(3) === 0 && { unless: mfa }),
  };
}

function changed(choose: Choose, list: readonly Candidate[]): Candidate[] {
  const next = [...list];
  const at = choose(next.length);
  const one = next[at] as Candidate;
  const more = expression(choose, 1);
  const joined: Expression[] = [
    { cel: `(${one.expression.cel}) && (${more.cel})`, smt: `(conj ${one.expression.smt} ${more.smt})` },
    { cel: `(${one.expression.cel}) || (${more.cel})`, smt: `(disj ${one.expression.smt} ${more.smt})` },
    { cel: `!(!(${one.expression.cel}))`, smt: `(inv (inv ${one.expression.smt}))` },
  ];
  const shape = choose(6);
  if (shape < 3) next[at] = { ...one, expression: joined[shape] as Expression };
  else if (shape === 3) next[at] = candidate(choose);
  else if (shape === 4) next.push(candidate(choose));
  else next.splice(at, 1);
  return next;
}

/** Whether a list allows, by docs/semantics.md 5.1 to 5.5. */
function allowed(list: readonly Candidate[]): string {
  const outcomes = list.map(({ expression: { smt }, modifiers, unless }) => {
    const modified = modifiers === undefined ? smt : `(conj ${smt} (truth ${MFA.smt}))`;
    return unless === undefined ? modified : `(conj ${modified} (inv (held (truth ${MFA.smt}))))`;
  });
  const denies = list.flatMap(({ effect, priority }, at) =>
    effect === 'DENY' ? [{ priority, smt: outcomes[at] as string }] : [],
  );
  const applies = (smt: string) => `(or (= ${smt} T) (= ${smt} A))`;
  const deniedFrom = (priority: number) =>
    some(denies.filter((deny) => deny.priority >= priority).map(({ smt }) => applies(smt)));
  const ways = list.flatMap(({ effect, priority }, at) =>
    effect === 'ALLOW' ? [`(and (= ${outcomes[at]} T) (not ${deniedFrom(priority)}))`] : [],
  );
  const settled = denies.map(({ smt, priority }) => `(=> (= ${smt} X) ${deniedFrom(priority)})`);
  return `(and true ${some(ways)} ${settled.join(' ')})`;
}

function some(terms: readonly string[]): string {
  return `(or false ${terms.join(' ')})`;
}

/** How many pairs of lists are compared; `SOLVER_RUNS` asks for more. */
const RUNS = Number(process.env.SOLVER_RUNS ?? 25);
const SEED = Number(process.env.SOLVER_SEED ?? 1);

let solver: Solver;
beforeAll(async () => {
  solver = await Solver.start();
});
afterAll(() => solver.stop());

test(`a solver contradicts no comparison of ${RUNS} pairs of lists`, async () => {
  let decided = 0;
  for (let seed = SEED; seed < SEED + RUNS; seed++) {
    const choose = chooser(seed * 7919);
    const before = Array.from({ length: 1 + choose(3) }, () => candidate(choose));
    const after = changed(choose, before);
    const residuals = new Residuals();
    const listOf = (list: readonly Candidate[]) =>
      residuals.listOf(
        list.map(({ effect, priority, expression: { cel }, modifiers, unless }) => ({
          effect,
          priority,
          residual: residuals.residualOf({ condition: cel, modifiers, unless }, KNOWN),
        })),
      );
    const { change } = residuals.compare(listOf(before), listOf(after));
    const [was, is] = [allowed(before), allowed(after)];
    const [gained, lost] = await solver.satisfiable(PRELUDE, [`(and (not ${was}) ${is})`, `(and ${was} (not ${is}))`]);
    const about = `seed ${seed}: ${change}\n${JSON.stringify(before)}\n${JSON.stringify(after)}`;
    if (change === 'unknown') continue;
    if (gained !== 'unknown') expect(gained === 'sat', about).toBe(change === 'gained' || change === 'mixed');
    if (lost !== 'unknown') expect(lost === 'sat', about).toBe(change === 'lost' || change === 'mixed');
    if (gained !== 'unknown' && lost !== 'unknown') decided++;
  }
  // Without it, a solver that always gives up would contradict nothing.
  expect(decided).toBeGreaterThan(RUNS * 0.7);
});
