import { type FilterQuestion, filterRows } from '@authz-service/core/questions/filter/row-filter';
import { filterRequestSchema, filterResponseSchema } from '../contract/filter.js';
import { parserOf } from '../contract/parser-of.js';
import type { Endpoint, TenantView } from './endpoint.js';
import { propertiesOf, subjectOf } from './question.js';

/** The rows that are asked for, and whether the caller wants the policies that take part. */
export interface FilterRequest {
  readonly question: FilterQuestion;
  readonly explain: boolean;
  readonly mayBePartial: boolean;
}

const parse = parserOf(filterRequestSchema, 'The filter request');

/** `POST /v1/filter` (docs/semantics.md 12). A filter is not counted as a decision. */
export const filterEndpoint: Endpoint<FilterRequest> = {
  method: 'POST',
  path: '/v1/filter',
  operation: 'filterRows',
  summary: 'Find which rows of a type a subject may do an action on, as a condition on their columns.',
  request: filterRequestSchema,
  response: { description: 'The condition on rows.', schema: filterResponseSchema },
  problems: ['ambiguous_name', 'filter_too_large', 'not_filterable'],
  open: false,
  decides: false,
  parse: (body) => {
    const { subject, resource: any, action, context, options } = parse(body);
    const resource = { type: any.type, properties: propertiesOf(any) };
    const question = { subject: subjectOf(subject), resource, action, context };
    return { question, explain: options?.explain ?? false, mayBePartial: options?.partial === 'ask' };
  },
  about: ({ question }) => [question.resource.type],
  answer: (asked, call) =>
    call.run(function* (view) {
      // Decisions that wait go first, since the filter is one step.
      yield;
      const budget = view.engine.budgetOf(asked.question.resource.type);
      if (budget !== undefined) call.ageWithin(budget);
      return answerOf(asked, view, call.now);
    }),
};

function answerOf({ question, explain, mayBePartial }: FilterRequest, { engine }: TenantView, now: number) {
  const { filter, partial, policies } = filterRows(engine, question, now, mayBePartial);
  return { ...filter, ...(partial && { partial }), ...(explain && { explanation: { policies } }) };
}
