import { eachInSteps } from '@authz-service/core/concurrency/time-slicing';
import { wordsForCondition } from '@authz-service/core/questions/impact/report/condition-words';
import { plain } from '@authz-service/core/questions/impact/report/render-access-text';
import { CONDITION_LENGTH_MAX } from '@authz-service/core/records/condition-length';
import { parserOf } from '@authz-service/pdp/contract/parser-of';
import { MIB } from '@authz-service/pdp/transport/body-bytes';
import * as z from 'zod';
import type { Cloud } from '../cloud.js';
import { json } from '../http/reply.js';
import { type Route, signedIn } from '../http/route.js';

const CONDITIONS_MAX = 100;

const askedSchema = z.strictObject({
  conditions: z.array(z.string().max(CONDITION_LENGTH_MAX)).min(1).max(CONDITIONS_MAX),
});
const parse = parserOf(askedSchema);

const answerSchema = z.strictObject({
  words: z.array(z.string().nullable()).meta({
    description: 'In the same order: "with a second factor"; null for a condition that has no words.',
  }),
});

export function conditionWordRoutes({ slicing }: Pick<Cloud, 'slicing'>): Route[] {
  return [
    signedIn({
      method: 'POST',
      path: '/console/api/condition-words',
      anyOf: ['records:read', 'decisions'],
      body: {
        limitBytes: MIB,
        schema: askedSchema,
        parse,
        wrongType: 'unsupported_media_type',
      },
      operation: {
        id: 'putConditionsInWords',
        summary: 'Conditions as people read them. Nothing is changed.',
        tag: 'console',
        responses: { 200: { description: 'The words.', schema: answerSchema } },
        problems: [],
      },
      handle: async ({ body: { conditions }, credential }) =>
        json(200, { words: await slicing.run(wordsOf(conditions), credential.tenant) }),
    }),
  ];
}

/** A long condition takes some milliseconds: one at a time, so that decisions do not wait for all of them. */
function* wordsOf(conditions: readonly string[]): Generator<undefined, (string | null)[]> {
  const found: (string | null)[] = [];
  yield* eachInSteps(conditions, 1, (condition) => {
    const words = wordsForCondition(condition);
    found.push(words === undefined ? null : plain(words));
  });
  return found;
}
