import type { Json, JsonObject } from '../json/json.js';
import { EVERY_RESOURCE_TYPE, RULE_FORMS } from '../records/access-rule.js';
import type { Kind } from '../records/kinds.js';

/** Whether this is a field of an access rule whose subjects and resources may be written short. */
export function isClaim(kind: Kind, field: string): boolean {
  return kind === 'access_rule' && (RULE_FORMS as readonly string[]).includes(field);
}

/**
 * A claim with subjects and resources in their long form. Short ones are a text or a list of texts: `group/finance`,
 * `role/PATH`, `TYPE/ID` or a type of subjects; `APPLICATION/TYPE`, `APPLICATION/TYPE/NAME` or `*`.
 */
export function longClaim(claim: Json): Json {
  if (!isObject(claim)) return claim;
  const long: JsonObject = { ...claim };
  if (claim.subjects !== undefined) long.subjects = longSelector(claim.subjects, subjectsOf);
  if (claim.resources !== undefined) long.resources = longSelector(claim.resources, resourcesOf);
  return long;
}

/** The JSON Schema of a claim as YAML writes it, from that of its long form. */
export function claimSchema(long: JsonObject): JsonObject {
  const properties = { ...(long.properties as JsonObject) };
  for (const [name, example] of [
    ['subjects', '`group/finance`, `role/billing/accountant`, `user/alice`, or `user` for all of that type.'],
    ['resources', '`billing/invoice` for all of that type, `billing/invoice/INV-1`, or `*` for all.'],
  ] as const) {
    const text = { type: 'string', minLength: 1 };
    const list = { type: 'array', minItems: 1, items: text };
    const { description, ...selector } = properties[name] as JsonObject;
    properties[name] = { description: `${description} Short: ${example}`, anyOf: [text, list, selector] };
  }
  return { ...long, properties };
}

function longSelector(short: Json, keyOf: (text: string) => [key: string, text: string]): Json {
  const texts = typeof short === 'string' ? [short] : short;
  if (!Array.isArray(texts) || !texts.every((text) => typeof text === 'string')) return short;
  const found: Record<string, string[]> = {};
  for (const one of texts) {
    const [key, text] = keyOf(one);
    found[key] = [...(found[key] ?? []), text];
  }
  const { type, ...lists } = found;
  return { ...lists, ...(type && { type: type.length === 1 ? (type[0] as string) : type }) };
}

function subjectsOf(text: string): [string, string] {
  const slash = text.indexOf('/');
  if (slash < 0) return ['type', text];
  const kind = text.slice(0, slash);
  if (kind === 'group' || kind === 'role') return [`${kind}s`, text.slice(slash + 1)];
  return ['named', kind === 'subject' ? text.slice(slash + 1) : text];
}

function resourcesOf(text: string): [string, string] {
  return text !== EVERY_RESOURCE_TYPE && text.split('/').length === 3 ? ['named', text] : ['types', text];
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
