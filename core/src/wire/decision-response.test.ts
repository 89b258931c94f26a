import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Decision } from '../decision/api/decision.js';
import { decisionResponse, decisionText } from './decision-response.js';

const decisions: fc.Arbitrary<Decision> = fc.record({
  decision: fc.boolean(),
  reason: fc.string({ unit: 'binary' }),
  access_path: fc.constantFrom('direct', 'role', 'group', 'none'),
  policy_id: fc.option(fc.string({ unit: 'binary' }), { nil: undefined }),
  policy: fc.constant(undefined),
  resource_id: fc.constant(undefined),
});

describe('the text of a decision', () => {
  it('is the JSON of its body, whatever the names in it', () => {
    fc.assert(
      fc.property(decisions, (decision) => {
        expect(decisionText(decision)).toBe(JSON.stringify(decisionResponse(decision)));
      }),
    );
  });

  it('has the candidates of one that is explained', () => {
    const explained = {
      decision: false,
      reason: 'No policy matched.',
      access_path: 'none' as const,
      policy_id: undefined,
      policy: undefined,
      resource_id: undefined,
      candidates: [],
    };
    expect(JSON.parse(decisionText(explained))).toEqual(decisionResponse(explained));
  });
});
