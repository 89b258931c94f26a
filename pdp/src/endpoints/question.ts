import type { JsonObject } from '@authz-service/core/json/json';
import type { DecisionRequest } from '@authz-service/core/request';
import type * as z from 'zod';
import { decisionRequestSchema } from '../contract/decision-request.js';
import type { resourceSchema, subjectSchema } from '../contract/entities.js';
import { parserOf } from '../contract/parser-of.js';

/** The request for the engine, and whether the caller wants every candidate explained. */
export interface ParsedQuestion extends DecisionRequest {
  explain: boolean;
}

const parseBody = parserOf(decisionRequestSchema, 'The decision request');

/** Checks a body and resolves its aliases. Throws `invalid_request` with a pointer for each fault. */
export function parseQuestion(body: unknown): ParsedQuestion {
  const { subject, resource, action, context, options } = parseBody(body);
  return {
    subject: subjectOf(subject),
    resource: resourceOf(resource),
    action,
    context,
    explain: options?.explain ?? false,
  };
}

export function subjectOf(subject: z.output<typeof subjectSchema>): DecisionRequest['subject'] {
  return { type: subject.type, id: subject.id, properties: propertiesOf(subject), roles: subject.roles };
}

export function resourceOf(resource: z.output<typeof resourceSchema>): DecisionRequest['resource'] {
  return { type: resource.type, id: resource.id, name: resource.name, properties: propertiesOf(resource) };
}

/**
 * `properties` and their alias `attributes` (docs/semantics.md 1.6), which agree where both are given. Spreading,
 * unlike assignment, keeps a member named `__proto__` an ordinary one.
 */
export function propertiesOf(entity: { properties?: JsonObject; attributes?: JsonObject }): JsonObject | undefined {
  const { properties, attributes } = entity;
  if (properties === undefined || attributes === undefined) return properties ?? attributes;
  return { ...attributes, ...properties };
}
