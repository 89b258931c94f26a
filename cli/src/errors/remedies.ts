import type { ProblemCode } from '@authz-service/core/problem';
import type { Caller } from './failure.js';

/**
 * Remedies for a person at a terminal for each problem, beyond its detail. Every code is listed, so that a new one does not
 * compile without a decision. All of them exit with 1.
 */
export const REMEDIES: { [C in ProblemCode]: string | ((caller: Caller) => string | undefined) | undefined } = {
  access_rule_violated: undefined,
  ambiguous_name: 'Write the name with its application, like "billing/invoice".',
  behind_revision: undefined,
  conflict: undefined,
  evaluation_failed:
    'Access was not granted. Correct the condition of the named policy, or send the values that it reads.',
  filter_too_large: undefined,
  forbidden: 'Run "servicectl whoami" to see the scopes of this credential.',
  idempotency_mismatch: undefined,
  internal: undefined,
  invalid_address: '"servicectl get KIND" shows addresses.',
  invalid_bundle: undefined,
  invalid_client: 'Check SERVICE_CLIENT_ID and SERVICE_CLIENT_SECRET, or the profile in ~/.service/config.yaml.',
  invalid_config: undefined,
  invalid_cursor: 'Start again from the first page.',
  invalid_request: undefined,
  invalid_records: undefined,
  method_not_allowed: 'The URL answers, but not as this service: check --url or SERVICE_CLOUD_URL.',
  network: ({ id, flags }) =>
    id === 'agent status'
      ? 'Check --url and that the agent runs ("servicectl agent start").'
      : `Check --url or SERVICE_CLOUD_URL, and that the service runs ("servicectl cloud start"${flags.includes('local') ? ', or "servicectl agent start" for --local' : ''}).`,
  not_filterable: undefined,
  not_found: undefined,
  not_owner: undefined,
  not_ready: ({ flags }) =>
    flags.includes('local')
      ? 'The agent is waiting for its first bundle: look at its log, and at /healthz.'
      : undefined,
  outside_history: '"servicectl audit" shows the revisions and their times.',
  outside_limits: 'Run "servicectl whoami" to see the limits of this credential.',
  payload_too_large: 'Split the tree into several stacks.',
  precondition_failed: 'Read the record again and repeat the change.',
  stale_base: undefined,
  storage_failed: undefined,
  timeout: ({ id, flags }) =>
    id === 'agent status' || flags.includes('local')
      ? undefined
      : 'Whether a change was made is not known: run "servicectl plan" to see.',
  too_old: 'See that the agent reaches its cloud: "servicectl agent status" shows the last error.',
  too_many_requests: undefined,
  unauthorized:
    'Set SERVICE_CLIENT_ID and SERVICE_CLIENT_SECRET, or SERVICE_API_KEY, or a profile in ~/.service/config.yaml.',
  unknown_application: '"servicectl agent status" shows the applications that the agent holds.',
  unknown_revision: '"servicectl audit" shows the revisions that there are.',
  unsupported_media_type: undefined,
};
