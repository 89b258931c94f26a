import { type EntityKind, EntityTextError, readEntityText, readingsOf } from '@authz-service/core/records/entity-text';
import type { DecisionQuestion, SentObject } from '@authz-service/sdk/question';

export const MODES = ['decide', 'who', 'what'] as const;
type Mode = (typeof MODES)[number];

/** The values that the form holds and the address of the page names. */
export interface QuestionFields {
  mode: Mode;
  /** `user/alice`; of `who`, a type of subjects, or empty for every type. */
  subject: string;
  action: string;
  /** `billing/invoice/INV-1`; of `what`, a type of resources. */
  resource: string;
  /** JSON objects, or empty. */
  subjectProperties: string;
  resourceProperties: string;
  context: string;
  /** Roles named in the request, separated by commas. */
  roles: string;
  /** A past revision or time, or empty. */
  at: string;
}

export const JSON_FIELDS = ['subjectProperties', 'resourceProperties', 'context'] as const;

export function askedOf(search: Readonly<Record<string, string>>): QuestionFields {
  const { subject = '', action = '', resource = '', roles = '', at = '' } = search;
  const { subjectProperties = '', resourceProperties = '', context = '' } = search;
  const mode = MODES.find((one) => one === search.mode) ?? 'decide';
  return { mode, subject, action, resource, subjectProperties, resourceProperties, context, roles, at };
}

/** The same question in another mode: of `who`, the subject's type remains, and of `what` the resource's. */
export function inMode(asked: QuestionFields, mode: Mode): QuestionFields {
  const { subject, resource } = asked;
  return {
    ...asked,
    mode,
    ...(mode === 'who' && { subject: subject.replace(/\/.*/, '') }),
    ...(mode === 'what' && { resource: resource.replace(/^([^/]+\/[^/]+)\/.*/, '$1') }),
  };
}

/** A fault of a field, or why its text names nothing, as the end of a sentence that begins with the text. */
type FieldFault = 'missing' | 'subject' | 'resource' | 'json' | { because: string };

/** Returns the faults of the form, by field. */
export function faultsOf(asked: QuestionFields): Partial<Record<keyof QuestionFields, FieldFault>> {
  const { mode, subject, action, resource } = asked;
  const faults: ReturnType<typeof faultsOf> = {};
  const [ofSubject, ofResource] = [unread('subject', subject), unread('resource', resource)];
  if (mode !== 'who' && ofSubject !== undefined) faults.subject = ofSubject;
  if (action === '' && mode !== 'what') faults.action = 'missing';
  if (mode !== 'what' && ofResource !== undefined) faults.resource = ofResource;
  if (mode === 'what' && resource === '') faults.resource = 'missing';
  for (const field of JSON_FIELDS)
    if (asked[field] !== '' && objectOf(asked[field]) === undefined) faults[field] = 'json';
  return faults;
}

function unread(kind: EntityKind, text: string): FieldFault | undefined {
  if (readingsOf(kind, text).length === 0) return kind;
  try {
    readEntityText(kind, text);
    return undefined;
  } catch (error) {
    if (!(error instanceof EntityTextError)) throw error;
    return { because: error.message };
  }
}

/** The question in the words of the decision point. Of a search, the id of what is sought is left out. */
export function questionOf(asked: QuestionFields): DecisionQuestion {
  const { mode, roles, action } = asked;
  const subject = mode === 'who' ? { type: asked.subject } : subjectOf(asked.subject);
  const resource = mode === 'what' ? { type: asked.resource } : readEntityText('resource', asked.resource);
  const named = roles
    .split(',')
    .map((role) => role.trim())
    .filter(Boolean);
  const [ofSubject, ofResource, context] = JSON_FIELDS.map((field) => objectOf(asked[field]));
  return {
    subject: { ...subject, ...(named.length > 0 && { roles: named }), ...(ofSubject && { properties: ofSubject }) },
    action: { name: action },
    resource: { ...resource, ...(ofResource && { properties: ofResource }) },
    ...(context && { context }),
  } as DecisionQuestion;
}

function subjectOf(text: string): { type: string; id: string } {
  const { type, name } = readEntityText('subject', text);
  return { type, id: name };
}

function objectOf(json: string): SentObject | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as SentObject) : undefined;
  } catch {
    return undefined;
  }
}
