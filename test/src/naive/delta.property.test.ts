import type { PairLine } from '@authz-service/core/questions/impact/api/access-delta';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONTEXT_MEMBERS } from './contexts.js';
import { enumeratePairs } from './enumerate-pairs.js';
import { impactOf, starts, statesReading } from './random-states.js';

/** `SERVICE_PROPERTY_FACTOR=50` compares more than 100,000 pairs of states, in about two hours. */
const FACTOR = Number(process.env.SERVICE_PROPERTY_FACTOR ?? 1);
const HOURS = 3_600_000;

const keyOf = ({ subject, action, resource }: PairLine) => `${subject} ${action} ${resource}`;
const byKey = (lines: Iterable<PairLine>) =>
  Object.fromEntries([...lines].map((line) => [keyOf(line), `${line.before} to ${line.after}: ${line.change}`]));

describe.each(CONTEXT_MEMBERS)(
  'the access delta of random states whose conditions read context.%s and one more member',
  { timeout: FACTOR > 1 ? 6 * HOURS : undefined },
  (member) => {
    const states = fc
      .constantFrom(...CONTEXT_MEMBERS.filter((one) => one !== member))
      .chain((other) => statesReading([member, other]));

    it('lists the triples that a plain enumeration finds, each with its answers', () => {
      const seen = new Map<string, number>();
      fc.assert(
        fc.property(states, starts, ([before, after], now) => {
          const impact = impactOf(before, after, { now, explained: false });
          const lines = [...impact.pairs()];
          const counts = { gained: 0, lost: 0, mixed: 0, unknown: 0 };
          for (const { change } of lines) counts[change]++;
          expect(impact.delta.counts).toEqual(counts);
          const wanted = byKey(enumeratePairs(before, after, now));
          expect(byKey(lines)).toEqual(wanted);
          for (const said of Object.values(wanted)) seen.set(said, (seen.get(said) ?? 0) + 1);
        }),
        { numRuns: 340 * FACTOR },
      );
      for (const said of ['deny to allow: gained', 'allow to deny: lost', 'depends to depends: mixed'])
        expect(seen.get(said) ?? 0, said).toBeGreaterThan(20 * FACTOR);
    });
  },
);
