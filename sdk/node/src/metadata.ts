import { isObject } from './decision.js';
import { ServiceError } from './service-error.js';

/** The addresses that a decision point gives for its endpoints (AuthZEN 1.0 section 9.1). */
export interface AuthzenConfiguration {
  policy_decision_point: string;
  access_evaluation_endpoint: string;
  access_evaluations_endpoint?: string;
  search_subject_endpoint?: string;
  search_resource_endpoint?: string;
  search_action_endpoint?: string;
  [member: string]: unknown;
}

/** Checks a metadata document against the base address: throws `network` for one of another decision point. */
export function metadataOf(body: unknown, base: string, at: string): AuthzenConfiguration {
  const refused = (why: string) => new ServiceError('network', `${at} answered with metadata that ${why}`);
  if (!isObject(body)) throw refused('is no object.');
  const point = body.policy_decision_point;
  if (typeof point !== 'string' || point.replace(/\/+$/, '') !== base) {
    throw refused(`is of the decision point ${JSON.stringify(point)}, and not of "${base}".`);
  }
  if (typeof body.access_evaluation_endpoint !== 'string') throw refused('names no access_evaluation_endpoint.');
  for (const [name, value] of Object.entries(body)) {
    if (!name.endsWith('_endpoint')) continue;
    if (typeof value !== 'string' || originOf(value) !== originOf(base)) {
      throw refused(`has ${name} at ${JSON.stringify(value)}, which is not at ${originOf(base)}: it is not asked.`);
    }
  }
  return body as AuthzenConfiguration;
}

function originOf(text: string): string | undefined {
  try {
    return new URL(text).origin;
  } catch {
    return undefined;
  }
}
