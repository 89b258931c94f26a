import type { SearchQuestion } from '@authz-service/core/access/search/question';
import { AUTHZEN_PATHS } from '../contract/authzen-paths.js';
import { parserOf } from '../contract/parser-of.js';
import { type PageRequest, type SearchKind, searchRequestSchemas, searchResponseSchemas } from '../contract/search.js';
import type { Endpoint } from './endpoint.js';
import { propertiesOf, resourceOf, subjectOf } from './question.js';
import { searchPage } from './search-page.js';

/** A search, and which part of its results is wanted. */
export interface SearchRequest {
  question: SearchQuestion;
  page: PageRequest;
}

/** `POST /access/v1/search/…` (AuthZEN 1.0 section 8). A search is not counted as a decision. */
export const searchEndpoints = [
  searchAt('subject', 'searchSubjects', 'Find the subjects of a type that may do an action on a resource.'),
  searchAt('resource', 'searchResources', 'Find the resources of a type on which a subject may do an action.'),
  searchAt('action', 'searchActions', 'Find the actions that a subject may do on a resource.'),
];

function searchAt(kind: SearchKind, operation: string, summary: string): Endpoint<SearchRequest> {
  return {
    method: 'POST',
    path: AUTHZEN_PATHS[kind],
    operation,
    summary,
    request: searchRequestSchemas[kind],
    response: { description: 'A page of results, in the order of their names.', schema: searchResponseSchemas[kind] },
    problems: ['ambiguous_name', 'invalid_cursor'],
    open: false,
    decides: false,
    parse: (body) => parseSearch(kind, body),
    about: ({ question }) => [question.resource.type],
    answer: (asked, call) =>
      call.run((view) => {
        const budget = view.engine.budgetOf(asked.question.resource.type);
        if (budget !== undefined) call.ageWithin(budget);
        return searchPage(view, asked, { now: call.now, clock: () => performance.now() });
      }),
  };
}

/** Throws `invalid_request` with a pointer for each fault. */
export function parseSearch(kind: SearchKind, body: unknown): SearchRequest {
  return PARSERS[kind](body);
}

const WHAT = 'The search request';
const parseSubjectSearch = parserOf(searchRequestSchemas.subject, WHAT);
const parseResourceSearch = parserOf(searchRequestSchemas.resource, WHAT);
const parseActionSearch = parserOf(searchRequestSchemas.action, WHAT);

const PARSERS: { [K in SearchKind]: (body: unknown) => SearchRequest } = {
  subject: (body) => {
    const { subject: any, resource, action, context, page = {} } = parseSubjectSearch(body);
    const subject = { type: any.type, properties: propertiesOf(any), roles: any.roles };
    return { question: { kind: 'subject', subject, resource: resourceOf(resource), action, context }, page };
  },
  resource: (body) => {
    const { subject, resource: any, action, context, page = {} } = parseResourceSearch(body);
    const resource = { type: any.type, properties: propertiesOf(any) };
    return { question: { kind: 'resource', subject: subjectOf(subject), resource, action, context }, page };
  },
  action: (body) => {
    const { subject, resource, context, page = {} } = parseActionSearch(body);
    const question = { kind: 'action', subject: subjectOf(subject), resource: resourceOf(resource), context } as const;
    return { question, page };
  },
};
