import type { DecisionRequest } from '../decision/types.js';
import type { JsonObject } from '../json.js';
import { ProblemError, type ProblemItem } from '../problem.js';

/** A checked body: what the engine is asked, and whether the caller wants every candidate explained. */
export interface ParsedDecisionRequest extends DecisionRequest {
  explain: boolean;
}

type Members = { [name: string]: unknown };

/**
 * Checks the body of `POST /v1/authorize` (spec 2.2, AuthZEN 1.0) and resolves its aliases. Written by hand because
 * every decision passes through it; `decision-schema.ts` says the same for OpenAPI, and a test compares the two.
 * Where `properties` and `attributes` are both there, they are merged and `properties` wins key by key.
 * Unknown members are ignored. Throws `invalid_request` listing every fault with its pointer.
 */
export function parseDecisionRequest(body: unknown): ParsedDecisionRequest {
  const faults: ProblemItem[] = [];
  const root = object(body, '', faults);
  const subject = root && required(root, 'subject', '/subject', faults);
  const resource = root && required(root, 'resource', '/resource', faults);
  const action = root && required(root, 'action', '/action', faults);
  const parsed = {
    subject: subject && {
      type: text(subject.type, '/subject/type', faults),
      id: text(subject.id, '/subject/id', faults),
      properties: properties(subject, '/subject', faults),
      roles: subject.roles === undefined ? undefined : texts(subject.roles, '/subject/roles', faults),
    },
    resource: resource && {
      type: text(resource.type, '/resource/type', faults),
      id: resource.id === undefined ? undefined : text(resource.id, '/resource/id', faults),
      name: resource.name === undefined ? undefined : text(resource.name, '/resource/name', faults),
      properties: properties(resource, '/resource', faults),
    },
    action: action && {
      name: text(action.name, '/action/name', faults),
      properties: optional(action, 'properties', '/action/properties', faults),
    },
    context: root && optional(root, 'context', '/context', faults),
    explain: root !== undefined && explains(root, faults),
  };
  if (resource !== undefined && resource.id === undefined && resource.name === undefined)
    faults.push({ pointer: '/resource', detail: 'needs "id" or "name": say which resource is meant' });
  if (faults.length > 0) throw new ProblemError('invalid_request', summary(faults), faults);
  return parsed as ParsedDecisionRequest;
}

function summary(faults: readonly ProblemItem[]): string {
  const said = faults.map((fault) => `${fault.pointer || 'the body'} ${fault.detail}`).join('; ');
  return `The decision request is malformed: ${said}.`;
}

function object(value: unknown, pointer: string, faults: ProblemItem[]): Members | undefined {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  faults.push({ pointer, detail: `must be an object, not ${named(value)}` });
  return undefined;
}

function required(parent: Members, name: string, pointer: string, faults: ProblemItem[]): Members | undefined {
  if (parent[name] !== undefined) return object(parent[name], pointer, faults);
  faults.push({ pointer, detail: 'is missing: it must be an object' });
  return undefined;
}

function optional(parent: Members, name: string, pointer: string, faults: ProblemItem[]): JsonObject | undefined {
  return parent[name] === undefined ? undefined : (object(parent[name], pointer, faults) as JsonObject | undefined);
}

/** Spreading, unlike assignment, keeps a member named `__proto__` an ordinary one. */
function properties(parent: Members, pointer: string, faults: ProblemItem[]): JsonObject | undefined {
  const own = optional(parent, 'properties', `${pointer}/properties`, faults);
  if (parent.attributes === undefined) return own;
  const alias = optional(parent, 'attributes', `${pointer}/attributes`, faults);
  return own === undefined ? alias : { ...alias, ...own };
}

function text(value: unknown, pointer: string, faults: ProblemItem[]): string {
  if (typeof value === 'string' && value.length > 0) return value;
  if (value === undefined) faults.push({ pointer, detail: 'is missing: it must be a string' });
  else if (value === '') faults.push({ pointer, detail: 'must not be empty' });
  else faults.push({ pointer, detail: `must be a string, not ${named(value)}` });
  return '';
}

function texts(value: unknown, pointer: string, faults: ProblemItem[]): readonly string[] {
  if (!Array.isArray(value)) {
    faults.push({ pointer, detail: `must be an array of strings, not ${named(value)}` });
    return [];
  }
  for (let index = 0; index < value.length; index++) text(value[index], `${pointer}/${index}`, faults);
  return value;
}

function explains(root: Members, faults: ProblemItem[]): boolean {
  const options = root.options === undefined ? undefined : object(root.options, '/options', faults);
  if (options?.explain === undefined) return false;
  if (typeof options.explain === 'boolean') return options.explain;
  faults.push({ pointer: '/options/explain', detail: `must be true or false, not ${named(options.explain)}` });
  return false;
}

function named(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
