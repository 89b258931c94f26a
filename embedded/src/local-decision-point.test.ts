import { describe, expect, it } from 'vitest';
import { sourceOf } from './embedded-pdp.js';
import { LocalDecisionPoint } from './local-decision-point.js';

const QUESTION = { subject: { type: 'user', id: 'alice' }, action: { name: 'read' } };
const ROWS = { ...QUESTION, resource: { type: 'document' } };
const DOCUMENT = { ...QUESTION, resource: { type: 'document', name: 'D-1' } };

/** A decision point that is given a newer revision just before each answer is there. */
function overtaken(): LocalDecisionPoint {
  const source = sourceOf([], Date.now);
  let revision = 1;
  return new LocalDecisionPoint({
    ...source,
    get revision() {
      return `${revision}.a`;
    },
    run: async (work) => {
      const answer = await source.run(work);
      revision++;
      return answer;
    },
  });
}

describe('an answer that a newer revision overtakes names the revision that it was found at', () => {
  it.each<[string, (point: LocalDecisionPoint) => Promise<string | undefined>]>([
    ['a filter', async (point) => (await point.filterRows(ROWS)).revision],
    ['a part of a filter', async (point) => (await point.filterParts(ROWS).next()).value?.revision],
    [
      'a batch',
      async (point) => {
        const [outcome] = await point.decideAll({ evaluations: [DOCUMENT] });
        return outcome?.ok ? outcome.decision.revision : undefined;
      },
    ],
  ])('%s', async (_, revision) => {
    expect(await revision(overtaken())).toBe('1.a');
  });
});
