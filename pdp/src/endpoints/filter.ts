import { canonicalJson } from '@authz-service/core/json/json';
import { ProblemError } from '@authz-service/core/problem';
import { type FilterQuestion, filterRows } from '@authz-service/core/questions/filter/row-filter';
import { type AskedPart, FILTER_LIST_MAX } from '@authz-service/core/questions/filter/row-parts';
import { decodeCursor, encodeCursor } from '@authz-service/core/values/cursor';
import { type FilterPage, filterRequestSchema, filterResponseSchema } from '../contract/filter.js';
import { parserOf } from '../contract/parser-of.js';
import type { Endpoint, TenantView } from './endpoint.js';
import { propertiesOf, subjectOf } from './question.js';

/** The rows that are asked for, and whether the caller wants the policies that take part. */
export interface FilterRequest {
  readonly question: FilterQuestion;
  readonly explain: boolean;
  readonly mayBePartial: boolean;
  readonly page: FilterPage | undefined;
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
  problems: ['ambiguous_name', 'filter_too_large', 'invalid_cursor', 'not_filterable'],
  open: false,
  decides: false,
  parse: (body) => {
    const { subject, resource: any, action, context, options, page } = parse(body);
    const resource = { type: any.type, properties: propertiesOf(any) };
    const question = { subject: subjectOf(subject), resource, action, context };
    return { question, explain: options?.explain ?? false, mayBePartial: options?.partial === 'ask', page };
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

const REFUSAL =
  'The token of the part does not belong to this request, or the tenant has changed since: start again without a token.';

/** A token holds the place and the limit, and a hash of request, tenant and revision, so that all parts show one state. */
function answerOf(request: FilterRequest, { engine, id, revision }: TenantView, now: number) {
  const { question, explain, mayBePartial, page } = request;
  const list = [id, revision, canonicalJson(question), String(mayBePartial)];
  const part = page && partOf(list, page);
  const { filter, partial, policies, next } = filterRows(engine, question, now, mayBePartial, part);
  return {
    ...filter,
    ...(partial && { partial }),
    ...(explain && { explanation: { policies: policies() } }),
    ...(part && {
      page: { next_token: next === undefined ? '' : encodeCursor(list, JSON.stringify([part.limit, next])) },
    }),
  };
}

function partOf(list: readonly string[], { token = '', limit }: FilterPage): AskedPart {
  if (token === '') return { limit: limit ?? FILTER_LIST_MAX, intervals: [] };
  const [first, intervals] = JSON.parse(decodeCursor(list, token, REFUSAL)) as [number, AskedPart['intervals']];
  if (limit === undefined || limit === first) return { limit: first, intervals };
  const detail = `The token of the part was given for the limit ${first}, but the request has ${limit}: keep the first limit.`;
  throw new ProblemError('invalid_cursor', detail);
}
