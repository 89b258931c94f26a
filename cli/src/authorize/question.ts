import type { Json, JsonObject } from '@authz-service/core/json';
import { parseJson } from '@authz-service/core/json-text/parse-json';
import { ProblemError } from '@authz-service/core/problem';
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
export function questionOf(flags: QuestionFlags): DecisionQuestion {
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
      ...typed('--subject', subject, 'user:alice', 'id'),
      ...properties('subject-property', flags['subject-property']),
      ...(roles.length > 0 && { roles }),
    },
    action: { name: action, ...properties('action-property', flags['action-property']) },
    resource: {
      ...resourceOf(resource, flags['resource-id']),
      ...properties('resource-property', flags['resource-property']),
    },
    ...(context && { context }),
  };
}

const EXAMPLE = '"--subject user:alice --action read --resource invoice:INV-1"';

/** The resource that `where` names, by its name, or by the id from --resource-id. */
export function resourceOf(
  text: string,
  id: string | undefined,
  where = '--resource',
): { type: string } & ({ id: string } | { name: string }) {
  if (id === undefined) return typed(where, text, 'invoice:INV-1', 'name');
  if (text.includes(':')) {
    throw new UsageError(
      `${where} "${text}" names a resource, but --resource-id names one, too: give only the type, like "invoice".`,
    );
  }
  return { type: text, id };
}

/** "user:alice": the type ends at the first colon, because names may contain more of them. */
export function typed<K extends string>(
  where: string,
  text: string,
  example: string,
  key: K,
): { type: string } & { [P in K]: string } {
  const colon = text.indexOf(':');
  if (colon < 1 || colon === text.length - 1) {
    throw new UsageError(`${where} "${text}" is not TYPE:${key === 'id' ? 'ID' : 'NAME'}: write it like "${example}".`);
  }
  return { type: text.slice(0, colon), [key]: text.slice(colon + 1) } as { type: string } & { [P in K]: string };
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
