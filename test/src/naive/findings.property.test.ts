import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONTEXT_MEMBERS } from './contexts.js';
import { isAllowed } from './enumerate-pairs.js';
import { evaluate } from './evaluate.js';
import { findingsCovering } from './finding-covers.js';
import { impactOf, starts, statesReading } from './random-states.js';
import { changedSample, sample } from './sample-requests.js';

const FACTOR = Number(process.env.SERVICE_PROPERTY_FACTOR ?? 1);
const HOURS = 3_600_000;

describe('the access delta of random states', { timeout: FACTOR > 1 ? 6 * HOURS : undefined }, () => {
  const states = fc.subarray([...CONTEXT_MEMBERS], { minLength: 2, maxLength: 2 }).chain(statesReading);

  it('has a finding for every request that is answered differently, recorded or not, with a witness that holds', () => {
    let covered = 0;
    const samples = fc.array(sample, { minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(states, starts, samples, ([before, after], now, asked) => {
        const impact = impactOf(before, after, { now });
        for (const { witness } of impact.delta.findings) {
          if (witness === undefined) continue;
          const at = Date.parse(witness.now);
          const answers = [before, after].map((records) => isAllowed(evaluate(records, witness.request, at)));
          expect(answers).toEqual([witness.before, witness.after]);
          expect(witness.before).not.toBe(witness.after);
        }
        for (const one of asked) {
          const changed = changedSample(before, after, now, one);
          if (changed === undefined) continue;
          expect(findingsCovering(impact, changed).length, JSON.stringify(changed)).toBeGreaterThan(0);
          covered++;
        }
      }),
      { numRuns: 120 * FACTOR, endOnFailure: true },
    );
    expect(covered).toBeGreaterThan(30 * FACTOR);
  });
});
