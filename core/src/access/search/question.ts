import type { JsonObject } from '../../json/json.js';
import type { DecisionRequest } from '../../request.js';

/** Which subjects of a type may do this? */
export interface SubjectSearch {
  kind: 'subject';
  /** Properties and roles, as if each subject had them. */
  subject: { type: string; properties?: JsonObject; roles?: readonly string[] };
  resource: DecisionRequest['resource'];
  action: DecisionRequest['action'];
  context?: JsonObject;
}

/** On which resources of a type may the subject do this? */
export interface ResourceSearch {
  kind: 'resource';
  subject: DecisionRequest['subject'];
  /** Properties, as if each resource had them. */
  resource: { type: string; properties?: JsonObject };
  action: DecisionRequest['action'];
  context?: JsonObject;
}

/** A search for what the subject may do to the resource. */
export interface ActionSearch {
  kind: 'action';
  subject: DecisionRequest['subject'];
  resource: DecisionRequest['resource'];
  context?: JsonObject;
}

/** A search request, validated and with the aliases resolved. */
export type SearchQuestion = SubjectSearch | ResourceSearch | ActionSearch;

/** A search result: a subject, a resource, or an action. */
export type FoundEntity = { type: string; id: string };
export type FoundAction = { name: string };
