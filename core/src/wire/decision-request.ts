import type { DecisionRequest } from '../decision/api/request.js';
import type { ProblemItem } from '../problem.js';
import {
  type Members,
  malformed,
  nameOf,
  object,
  optional,
  properties,
  required,
  text,
  texts,
} from './request-body.js';

/** A checked body: what the engine is asked, and whether the caller wants every candidate explained. */
export interface ParsedDecisionRequest extends DecisionRequest {
  explain: boolean;
}

/**
 * Checks the body of `POST /v1/authorize` (spec 2.2) and of `POST /access/v1/evaluation` (AuthZEN 1.0 section 6.1), and
 * resolves its aliases. `decision-schema.ts` says the same for OpenAPI, and a test compares the two. Unknown members are
 * ignored. Throws `invalid_request` listing every fault with its pointer.
 */
export function parseDecisionRequest(body: unknown): ParsedDecisionRequest {
  const faults: ProblemItem[] = [];
  const root = object(body, '', faults);
  const parsed = {
    subject: root && subjectOf(root, faults),
    resource: root && resourceOf(root, faults),
    action: root && actionOf(root, faults),
    context: root && optional(root.context, '/context', faults),
    explain: root !== undefined && explains(root, faults),
  };
  if (faults.length > 0) throw malformed('The decision request', faults);
  return parsed as ParsedDecisionRequest;
}

export function subjectOf(root: Members, faults: ProblemItem[]): DecisionRequest['subject'] | undefined {
  const subject = required(root.subject, '/subject', faults);
  return (
    subject && {
      type: text(subject.type, '/subject/type', faults),
      id: text(subject.id, '/subject/id', faults),
      properties: properties(subject, '/subject', faults),
      roles: rolesOf(subject, faults),
    }
  );
}

/** The roles that a request's subject names. */
export function rolesOf(subject: Members, faults: ProblemItem[]): readonly string[] | undefined {
  return subject.roles === undefined ? undefined : texts(subject.roles, '/subject/roles', faults);
}

export function resourceOf(root: Members, faults: ProblemItem[]): DecisionRequest['resource'] | undefined {
  const resource = required(root.resource, '/resource', faults);
  if (resource === undefined) return undefined;
  const { id, name } = resource;
  if (id === undefined && name === undefined)
    faults.push({ pointer: '/resource', detail: 'needs "id" or "name": say which resource is meant' });
  return {
    type: text(resource.type, '/resource/type', faults),
    id: id === undefined ? undefined : text(id, '/resource/id', faults),
    name: name === undefined ? undefined : text(name, '/resource/name', faults),
    properties: properties(resource, '/resource', faults),
  };
}

export function actionOf(root: Members, faults: ProblemItem[]): DecisionRequest['action'] | undefined {
  const action = required(root.action, '/action', faults);
  return (
    action && {
      name: text(action.name, '/action/name', faults),
      properties: optional(action.properties, '/action/properties', faults),
    }
  );
}

/** Whether `options.explain` asks for every candidate. */
export function explains(root: Members, faults: ProblemItem[]): boolean {
  const options = root.options === undefined ? undefined : object(root.options, '/options', faults);
  if (options?.explain === undefined) return false;
  if (typeof options.explain === 'boolean') return options.explain;
  faults.push({ pointer: '/options/explain', detail: `must be true or false, not ${nameOf(options.explain)}` });
  return false;
}
