import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ActionSet } from './action-set.js';
import { type Grants, rulesOf, targetsOf, visitRules, withGrant, withoutGrant } from './grants.js';
import { Policy, Rule } from './rule.js';
import { ResourceType } from './target.js';

const ACTIONS = ['read', 'write', 'share'];
const TARGETS = Array.from({ length: 40 }, (_, at) => new ResourceType(`app/t${at}`, 'app', `t${at}`));
const POLICIES = Array.from({ length: 12 }, (_, at) => new Policy(`policy/p${at}`, `${at}`, at % 3 === 0, 0, null));
const SETS = [['read'], ['read', 'write'], ['*'], ['share']].map((names) => new ActionSet(names));

/** A rule for each target and policy: a principal has at most one such. */
const RULES = TARGETS.flatMap((target, row) =>
  POLICIES.map((policy, column) => new Rule(policy, target, SETS[(row + column) % SETS.length] as ActionSet, null)),
);

/** Few targets with many rules, many with few, and all between. */
const steps = fc
  .tuple(fc.integer({ min: 1, max: TARGETS.length }), fc.integer({ min: 1, max: POLICIES.length }))
  .chain(([targets, policies]) =>
    fc.array(fc.tuple(fc.nat({ max: targets - 1 }), fc.nat({ max: policies - 1 })), { maxLength: 300, size: 'max' }),
  );

it('holds what was granted and was not taken back, however much that is', () => {
  fc.assert(
    fc.property(steps, (changes) => {
      let grants: Grants | null = null;
      const held = new Set<Rule>();
      for (const [row, column] of changes) {
        const rule = RULES[row * POLICIES.length + column] as Rule;
        grants = held.has(rule) ? withoutGrant(grants, rule) : withGrant(grants, rule);
        if (!held.delete(rule)) held.add(rule);
      }
      expect(grants === null).toBe(held.size === 0);
      if (grants === null) return;
      expect(new Set(rulesOf(grants))).toEqual(held);
      expect(new Set(targetsOf(grants, TARGETS.length))).toEqual(new Set([...held].map(({ target }) => target)));
      for (const [at, target] of TARGETS.entries()) {
        const other = TARGETS[(at + 1) % TARGETS.length];
        for (const action of ACTIONS) {
          const visited = new Set<Rule>();
          const visitor = { visit: (rule: Rule) => void visited.add(rule), visitUnknown: () => {} };
          visitRules(grants, undefined, target, other, action, visitor, true);
          const due = [...held].filter((rule) => rule.target === target || rule.target === other);
          expect(visited).toEqual(new Set(due.filter(({ actions }) => actions.covers(action))));
        }
      }
    }),
    { numRuns: 150 },
  );
});

it('is nothing once all has been taken back, however much that was', () => {
  for (const count of [1, 2, 16, 17, 40]) {
    const granted = RULES.slice(0, count * POLICIES.length);
    let grants: Grants | null = null;
    for (const rule of granted) grants = withGrant(grants, rule);
    for (const rule of granted.toReversed()) grants = withoutGrant(grants, rule);
    expect(grants).toBeNull();
  }
});

it('gives nothing back that it has not granted', () => {
  for (const count of [1, 2, 5, 17, 40]) {
    let grants: Grants | null = null;
    for (let row = 0; row < count; row++) grants = withGrant(grants, RULES[row * POLICIES.length] as Rule);
    for (const stranger of [RULES[1], RULES[40 * POLICIES.length - 1]]) {
      expect(() => withoutGrant(grants, stranger as Rule)).toThrow('has not been granted');
    }
  }
});
