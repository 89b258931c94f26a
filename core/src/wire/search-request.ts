import type { DecisionRequest } from '../decision/api/request.js';
import type { JsonObject } from '../json.js';
import type { ProblemItem } from '../problem.js';
import { actionOf, resourceOf, rolesOf, subjectOf } from './decision-request.js';
import { type Members, malformed, nameOf, object, optional, properties, required, text } from './request-body.js';

/** What can be searched for. */
export type SearchKind = 'subject' | 'resource' | 'action';

/** The most results on a page, and as many as there are where a request gives no limit. */
export const SEARCH_LIMIT_MAX = 1000;

/** Which part of the results is wanted. */
export interface PageRequest {
  /** Of the page before. */
  token?: string;
  /** The most results, 0 included. */
  limit?: number;
}

interface Common {
  context?: JsonObject;
  page: PageRequest;
}

/** Which subjects of a type may do this? */
export interface SubjectSearch extends Common {
  kind: 'subject';
  /** Properties and roles, as if each subject had them. */
  subject: { type: string; properties?: JsonObject; roles?: readonly string[] };
  resource: DecisionRequest['resource'];
  action: DecisionRequest['action'];
}

/** On which resources of a type may the subject do this? */
export interface ResourceSearch extends Common {
  kind: 'resource';
  subject: DecisionRequest['subject'];
  /** Properties, as if each resource had them. */
  resource: { type: string; properties?: JsonObject };
  action: DecisionRequest['action'];
}

/** What may the subject do to the resource? */
export interface ActionSearch extends Common {
  kind: 'action';
  subject: DecisionRequest['subject'];
  resource: DecisionRequest['resource'];
}

export type SearchRequest = SubjectSearch | ResourceSearch | ActionSearch;

/**
 * Checks the body of a search (AuthZEN 1.0 section 8). The identifier of what is searched for is ignored, whatever it
 * is; so are unknown members. Throws `invalid_request` listing every fault with its pointer.
 */
export function parseSearch<K extends SearchKind>(kind: K, body: unknown): SearchRequest & { kind: K } {
  const faults: ProblemItem[] = [];
  const root = object(body, '', faults);
  const parsed = root && {
    kind,
    subject: kind === 'subject' ? anySubjectOf(root, faults) : subjectOf(root, faults),
    resource: kind === 'resource' ? anyResourceOf(root, faults) : resourceOf(root, faults),
    ...(kind !== 'action' && { action: actionOf(root, faults) }),
    context: optional(root.context, '/context', faults),
    page: pageOf(root, faults),
  };
  if (faults.length > 0) throw malformed('The search request', faults);
  return parsed as SearchRequest & { kind: K };
}

function anySubjectOf(root: Members, faults: ProblemItem[]): SubjectSearch['subject'] | undefined {
  const subject = required(root.subject, '/subject', faults);
  return (
    subject && {
      type: text(subject.type, '/subject/type', faults),
      properties: properties(subject, '/subject', faults),
      roles: rolesOf(subject, faults),
    }
  );
}

function anyResourceOf(root: Members, faults: ProblemItem[]): ResourceSearch['resource'] | undefined {
  const resource = required(root.resource, '/resource', faults);
  return (
    resource && {
      type: text(resource.type, '/resource/type', faults),
      properties: properties(resource, '/resource', faults),
    }
  );
}

/** An empty token asks for the first page, as none does. */
function pageOf(root: Members, faults: ProblemItem[]): PageRequest {
  const page = optional(root.page, '/page', faults);
  if (page === undefined) return {};
  const { token, limit } = page;
  if (token !== undefined && typeof token !== 'string') {
    faults.push({ pointer: '/page/token', detail: `must be a string, not ${nameOf(token)}` });
  }
  const counts = typeof limit === 'number' && Number.isInteger(limit) && limit >= 0;
  if (limit !== undefined && !counts) {
    const said = typeof limit === 'number' ? `${limit}` : nameOf(limit);
    faults.push({ pointer: '/page/limit', detail: `must be a whole number from 0, not ${said}` });
  }
  optional(page.properties, '/page/properties', faults);
  return {
    ...(typeof token === 'string' && token !== '' && { token }),
    ...(counts && { limit }),
  };
}
