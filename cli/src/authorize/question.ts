import type { Json, JsonObject } from '@authz-service/core/json/json';
import { parseJson } from '@authz-service/core/json/parse-json';
import { ProblemError } from '@authz-service/core/problem';
import {
  type EntityKind,
  type EntityName,
  EntityTextError,
  readEntityText,
} from '@authz-service/core/records/entity-text';
import type { DecisionQuestion } from '@authz-service/sdk/question';
import { UsageError } from '../errors/usage-error.js';

/** The flags that describe one request. */
export interface QuestionFlags {
  subject?: string | undefined;
  action?: string | undefined;
  resource?: string | undefined;
  'resource-id'?: string | undefined;
  role?: string[] | undefined;
  'subject-property'?: string[] | undefined;
  'resource-property'?: string[] | undefined;
  'action-property'?: string[] | undefined;
  context?: string[] | undefined;
}

/** The request that the flags describe. Throws `UsageError` naming the flag, its value and how to write it. */
export function questionOf(flags: QuestionFlags, types?: ReadonlySet<string>): DecisionQuestion {
  const { subject, action, resource } = flags;
  const missing = Object.entries({ subject, action, resource }).flatMap(([name, value]) =>
    value ? [] : [`--${name}`],
  );
  if (subject === undefined || action === undefined || resource === undefined || missing.length > 0) {
    throw new UsageError(`A request needs ${missing.join(' and ')}, as in ${EXAMPLE}.`);
  }
  const roles = flags.role ?? [];
  const context = members('context', flags.context);
  return {
    subject: {
      ...subjectOf(subject),
      ...properties('subject-property', flags['subject-property']),
      ...(roles.length > 0 && { roles }),
    },
    action: { name: action, ...properties('action-property', flags['action-property']) },
    resource: {
      ...resourceOf(resource, flags['resource-id'], '--resource', types),
      ...properties('resource-property', flags['resource-property']),
    },
    ...(context && { context }),
  };
}

const EXAMPLE = '"--subject user:alice --action read --resource invoice:INV-1"';

/**
 * The resource that `where` names, by its name, or by the id from --resource-id. `types` are the names that types have, if
 * they are known: where a text may mean several resources, they tell which.
 */
export function resourceOf(
  text: string,
  id: string | undefined,
  where = '--resource',
  types?: ReadonlySet<string>,
): { type: string } & ({ id: string } | { name: string }) {
  if (id === undefined) return readEntity('resource', where, text, types && (({ type }) => types.has(type)));
  if (/(?<!:):(?!:)/.test(text)) {
    throw new UsageError(
      `${where} "${text}" names a resource, but --resource-id names one, too: give only the type, like "invoice".`,
    );
  }
  return { type: text, id };
}

/** The subject that `where` names. */
export function subjectOf(text: string, where = '--subject'): { type: string; id: string } {
  const { type, name } = readEntity('subject', where, text);
  return { type, id: name };
}

function readEntity(
  kind: EntityKind,
  where: string,
  text: string,
  isKnown?: (reading: EntityName) => boolean,
): EntityName {
  try {
    return readEntityText(kind, text, isKnown);
  } catch (error) {
    if (!(error instanceof EntityTextError)) throw error;
    throw new UsageError(`${where} "${text}" ${error.message}.`);
  }
}

/** Attributes from a repeatable flag with values NAME=VALUE. */
export function properties(flag: string, pairs: string[] | undefined): { properties?: JsonObject } {
  const found = members(flag, pairs);
  return found ? { properties: found } : {};
}

/**
 * "amount=120", 'tags=["a"]', "ip=10.0.0.1": the value is parsed as JSON if possible, and is otherwise taken as text.
 */
export function members(flag: string, pairs: string[] | undefined): JsonObject | undefined {
  if (pairs === undefined || pairs.length === 0) return undefined;
  const found = new Map<string, Json>();
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    if (equals < 1) throw new UsageError(`--${flag} "${pair}" is not NAME=VALUE: write it like "amount=120".`);
    const name = pair.slice(0, equals);
    if (found.has(name)) throw new UsageError(`--${flag} gives "${name}" twice: keep one of them.`);
    found.set(name, jsonOrText(pair.slice(equals + 1), `--${flag} ${JSON.stringify(pair)}`));
  }
  return Object.fromEntries(found);
}

function jsonOrText(text: string, flag: string): Json {
  try {
    return parseJson(text, flag);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    // What is JSON, and would be changed, is not taken as text: it may have been meant as a number.
    if (error.errors.length > 0) throw new UsageError(error.detail);
    return text;
  }
}
