import type { JsonObject } from '@authz-service/core/json/json';
import { parseJson } from '@authz-service/core/json/parse-json';
import type { DecisionQuestion } from '@authz-service/sdk/question';
import { type Diagnostic, refuse } from '../framework/diagnostics.js';
import type { DataSource } from '../framework/provider.js';
import type { Attribute, Attributes } from '../framework/schema.js';
import { isObject, type Value, type Values } from '../framework/value.js';
import { explained } from './refusals.js';
import { type Configured, serviceOf } from './service.js';

const text = (description: string, more: Partial<Attribute> = {}): Attribute => ({
  type: 'string',
  description,
  ...more,
});
const json = (description: string) =>
  text(`${description} As JSON text: write it with \`jsonencode\`.`, { optional: true });

const attributes: Attributes = {
  subject: {
    nested: 'single',
    description: 'The subject of the request.',
    required: true,
    attributes: {
      type: text('The type of subject: user, service, …', { required: true }),
      id: text("The caller's own identifier of the subject.", { required: true }),
      properties: json('Attributes, which override stored ones.'),
      roles: { type: { set: 'string' }, description: 'Roles in addition to the assigned ones.', optional: true },
    },
  },
  resource: {
    nested: 'single',
    description: 'The requested resource, by `name` or by `id`.',
    required: true,
    attributes: {
      type: text('The type of resource: `invoice`, or `billing/invoice` where two applications have one.', {
        required: true,
      }),
      name: text('Its name, which is used instead of `id` if both are given.', { optional: true }),
      id: text('Its id.', { optional: true }),
      properties: json('Attributes, which override stored ones.'),
    },
  },
  action: text('The name of the action.', { required: true }),
  context: json('The context of the request: `ip`, `time`, `mfa` and everything else that conditions read.'),
  decision: { type: 'bool', description: 'Whether access is granted.', computed: true },
  reason: text('The reason in words.', { computed: true }),
  access_path: text('`direct`, `role`, `group` or `none`.', { computed: true }),
  policy_id: text('The id of the deciding policy; null if none applied.', { computed: true }),
};

const JSON_AT = [['subject', 'properties'], ['resource', 'properties'], ['context']] as const;

/** Asks the service for a decision, so that `check` and `postcondition` blocks can assert who may do what. */
export const decisionSource: DataSource<Configured> = {
  schema: {
    version: 0,
    description:
      'Asks the service whether a subject may do something. Name in `depends_on` what the decision depends on, so that it is asked after that is applied. Terraform reads a data source in a `check` block again in every apply and plans it as a read, so `plan -detailed-exitcode` returns 2 even if nothing changes; a `postcondition` has no such effect.',
    attributes,
  },

  validate(config): Diagnostic[] {
    const resource = isObject(config.resource) ? config.resource : {};
    const unidentified =
      isObject(config.resource) && (resource.name ?? null) === null && (resource.id ?? null) === null;
    const faults: Diagnostic[] = JSON_AT.flatMap((path) => {
      const value = at(config, path);
      if (typeof value !== 'string' || parsed(value) !== undefined) return [];
      const detail = `${path.join('.')} must be a JSON object as text: write it with jsonencode({ … }).`;
      return [{ severity: 'error', summary: `Invalid ${path.join('.')}`, detail, path }];
    });
    if (unidentified) {
      const detail = 'Give "name" or "id": a type alone does not identify a resource.';
      faults.push({ severity: 'error', summary: 'Resource not identified', detail, path: ['resource'] });
    }
    return faults;
  },

  async read(configured, config, { signal }) {
    const { client } = serviceOf(configured);
    const question = questionFrom(config);
    const answer = await explained(signal, () => client.decide(question, { signal }));
    const { allowed, reason, accessPath, policyId } = answer;
    return {
      ...config,
      decision: allowed,
      reason: reason ?? null,
      access_path: accessPath ?? null,
      policy_id: policyId ?? null,
    };
  },
};

function at(config: Values, path: readonly string[]): Value {
  return path.reduce<Value>((value, name) => (isObject(value) ? (value[name] ?? null) : null), config);
}

function parsed(value: string): JsonObject | undefined {
  try {
    const found = parseJson(value);
    return typeof found === 'object' && found !== null && !Array.isArray(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

function questionFrom(config: Values): DecisionQuestion {
  const word = (...path: string[]) => {
    const value = at(config, path);
    return typeof value === 'string' ? value : undefined;
  };
  const object = (...path: string[]) => {
    const value = word(...path);
    if (value === undefined) return undefined;
    const found = parsed(value);
    if (found === undefined) throw refuse(`Invalid ${path.join('.')}`, 'It must be a JSON object as text.', path);
    return found;
  };
  const roles = at(config, ['subject', 'roles']);
  const context = object('context');
  const question = {
    subject: {
      type: word('subject', 'type'),
      id: word('subject', 'id'),
      properties: object('subject', 'properties'),
      roles: Array.isArray(roles) ? roles : undefined,
    },
    resource: {
      type: word('resource', 'type'),
      name: word('resource', 'name'),
      id: word('resource', 'id'),
      properties: object('resource', 'properties'),
    },
    action: { name: word('action') },
    ...(context !== undefined && { context }),
  };
  // Absent members are undefined, which JSON omits.
  return question as unknown as DecisionQuestion;
}
