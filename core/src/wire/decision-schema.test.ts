import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Explanation } from '../decision/api/decision.js';
import { ProblemError } from '../problem.js';
import { parseDecisionRequest } from './decision-request.js';
import { decisionResponse } from './decision-response.js';
import { decisionRequestSchema, decisionResponseSchema } from './decision-schema.js';

const odd = fc.constantFrom<unknown>(null, '', 0, 1, true, 'x', [], ['x'], ['', 1], {}, { a: 1 });
const mostly = (good: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 40, arbitrary: good }, { weight: 1, arbitrary: odd });
const text = mostly(fc.constantFrom('a', 'b'));
const bag = mostly(fc.dictionary(fc.constantFrom('a', '__proto__', 'constructor'), fc.jsonValue()));
// That the two agree on the keys of both, a JSON Schema cannot say.
const alias = fc.oneof(
  { weight: 40, arbitrary: fc.dictionary(fc.constantFrom('b', '__defineGetter__'), fc.jsonValue()) },
  { weight: 1, arbitrary: fc.constantFrom(null, []) },
);
const some = (members: Record<string, fc.Arbitrary<unknown>>) => mostly(fc.record(members, { requiredKeys: [] }));
const all = (members: Record<string, fc.Arbitrary<unknown>>, optional: Record<string, fc.Arbitrary<unknown>>) =>
  mostly(fc.record({ ...members, ...optional }, { requiredKeys: Object.keys(members) }));

const body = all(
  {
    subject: all(
      { type: text, id: text },
      { properties: bag, attributes: alias, roles: mostly(fc.array(text)), more: odd },
    ),
    resource: all({ type: text }, { id: text, name: text, properties: bag, attributes: alias }),
    action: all({ name: text }, { properties: bag, attributes: odd }),
  },
  { context: bag, options: some({ explain: mostly(fc.boolean()), more: odd }), more: odd },
);
const bodies = fc.oneof(
  body,
  some({ subject: some({ id: text }), resource: some({ name: text }), action: odd }),
  fc.jsonValue(),
);

function pointersOfParser(value: unknown): string[] {
  try {
    parseDecisionRequest(value);
    return [];
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== 'invalid_request') throw error;
    return error.errors.map((item) => item.pointer);
  }
}

function pointersOfSchema(value: unknown): string[] {
  const issues = decisionRequestSchema.safeParse(value).error?.issues ?? [];
  return issues.map(({ path }) => path.map((key) => `/${String(key)}`).join(''));
}

describe('the request schema and the parser', () => {
  it('find the same faults in the same places', () => {
    let accepted = 0;
    fc.assert(
      fc.property(bodies, (value) => {
        const parser = new Set(pointersOfParser(value));
        const schema = new Set(pointersOfSchema(value));
        accepted += parser.size === 0 ? 1 : 0;
        expect(parser.size === 0).toBe(schema.size === 0);
        for (const pointer of schema) expect(parser).toContain(pointer);
        // The schema looks for "id" or "name" only where the resource has no other fault.
        for (const pointer of parser) if (pointer !== '/resource') expect(schema).toContain(pointer);
      }),
      { numRuns: 2000 },
    );
    expect(accepted).toBeGreaterThan(300);
  });
});

describe('a response', () => {
  const explanation: Explanation = {
    decision: true,
    reason: 'Policy "policy/p" allows "read" directly.',
    access_path: 'direct',
    policy_id: 'id',
    policy: 'policy/p',
    resource_id: 'other',
    candidates: [
      {
        policy: 'policy/p',
        policy_id: 'id',
        effect: 'ALLOW',
        priority: 0,
        access_path: 'direct',
        through: ['subject/user/alice'],
        outcome: 'applies',
        why: 'it has no condition',
      },
    ],
  };

  it('has what the specification shows, and the explanation only where there is one', () => {
    const { candidates, ...decision } = explanation;
    const context = { reason: decision.reason, policy_id: 'id', access_path: 'direct' };
    expect(decisionResponse(decision)).toStrictEqual({ decision: true, context });
    expect(decisionResponse(explanation)).toStrictEqual({
      decision: true,
      context: { ...context, explanation: { candidates } },
    });
  });

  it('has no policy_id where no policy applied', () => {
    const none = { decision: false, reason: 'No policy matched.', access_path: 'none', policy_id: undefined } as const;
    expect(decisionResponse(none)).toStrictEqual({
      decision: false,
      context: { reason: 'No policy matched.', access_path: 'none' },
    });
  });

  it('is what the schema says', () => {
    expect(decisionResponseSchema.parse(decisionResponse(explanation))).toEqual(decisionResponse(explanation));
  });
});
