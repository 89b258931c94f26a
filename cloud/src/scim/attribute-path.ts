import { type Filter, parse } from 'scim2-parse-filter';
import { ScimError } from './scim-error.js';

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const ENTERPRISE_ATTRIBUTES = ['employeeNumber', 'costCenter', 'organization', 'division', 'department', 'manager'];

/** The attributes by their names in lower case, since names of attributes are compared without it. */
const SPELLED = new Map(
  [
    ...['schemas', 'id', 'externalId', 'meta', 'userName', 'name', 'displayName', 'nickName', 'profileUrl', 'title'],
    ...['userType', 'preferredLanguage', 'locale', 'timezone', 'active', 'emails', 'phoneNumbers', 'ims', 'photos'],
    ...['addresses', 'groups', 'entitlements', 'roles', 'x509Certificates', 'members', ...ENTERPRISE_ATTRIBUTES],
  ].map((name) => [name.toLowerCase(), name]),
);
const OF_ENTERPRISE = new Set(ENTERPRISE_ATTRIBUTES);

/** The attributes with many values, each of them an object with a `value`. */
const MULTI_VALUED = new Set([
  ...['emails', 'phoneNumbers', 'ims', 'photos', 'groups', 'entitlements', 'roles', 'x509Certificates'],
]);

/** Whether a path leads to all values of an attribute that has many. */
export function isMultiValued({ name = '', filter }: AttributePath): boolean {
  return filter === undefined && MULTI_VALUED.has(name);
}

const NAME = /^[A-Za-z$][\w$-]*$/;
const LENGTH_MAX = 2048;
/** Comparisons in one filter. */
const COMPARISONS_MAX = 50;

/** A place in a resource: `name.familyName`, `emails[type eq "work"].value`, `urn:…:User:department`. */
export interface AttributePath {
  /** The extension that the attribute is in; absent for those of the resource's own schema. */
  urn?: string;
  /** Absent where the path names a whole extension. */
  name?: string;
  filter?: Filter;
  sub?: string;
}

/** Throws `invalidPath`, or `invalidFilter` for the filter in it. */
export function parsePath(text: string): AttributePath {
  if (text.length > LENGTH_MAX) throw new ScimError('invalidPath', `The path has more than ${LENGTH_MAX} characters.`);
  const { urn, rest } = splitUrn(text);
  if (rest === '' && urn !== undefined) return { urn };
  const open = rest.indexOf('[');
  const close = rest.lastIndexOf(']');
  const [head, inner, tail] =
    open < 0 ? [rest, undefined, ''] : [rest.slice(0, open), rest.slice(open + 1, close), rest.slice(close + 1)];
  const [first = '', second, ...more] = open < 0 ? head.split('.') : [head, ...tail.split('.').slice(1)];
  const wrong = (open >= 0 && (close < open || (tail !== '' && !tail.startsWith('.')))) || more.length > 0;
  if (wrong || !NAME.test(first) || (second !== undefined && !NAME.test(second)))
    throw new ScimError('invalidPath', `The path "${text.slice(0, 200)}" is no path of an attribute.`);
  const name = spelled(first);
  const extension = urn ?? (OF_ENTERPRISE.has(name) ? ENTERPRISE : undefined);
  return {
    ...(extension !== undefined && { urn: extension }),
    name,
    ...(inner !== undefined && { filter: parseFilter(inner) }),
    ...(second !== undefined && { sub: second }),
  };
}

/** Throws `invalidFilter` also for a filter that would cost too much. */
export function parseFilter(text: string): Filter {
  if (text.length > LENGTH_MAX)
    throw new ScimError('invalidFilter', `The filter has more than ${LENGTH_MAX} characters.`);
  let filter: Filter;
  try {
    filter = parse(text);
  } catch {
    throw new ScimError('invalidFilter', `The filter "${text.slice(0, 200)}" cannot be read.`);
  }
  if (countOf(filter) > COMPARISONS_MAX)
    throw new ScimError('invalidFilter', `The filter has more than ${COMPARISONS_MAX} comparisons.`);
  return filter;
}

function countOf(filter: Filter): number {
  if ('filters' in filter) return filter.filters.reduce((sum, each) => sum + countOf(each), 0);
  if ('filter' in filter) return countOf(filter.filter);
  return 'valFilter' in filter ? countOf(filter.valFilter) : 1;
}

function splitUrn(text: string): { urn?: string; rest: string } {
  if (!/^urn:/i.test(text)) return { rest: text };
  const lower = text.toLowerCase();
  for (const known of [USER, GROUP, ENTERPRISE]) {
    if (lower !== known.toLowerCase() && !lower.startsWith(`${known.toLowerCase()}:`)) continue;
    const rest = text.slice(known.length + 1);
    return known === ENTERPRISE ? { urn: known, rest } : { rest };
  }
  const end = text.includes('[') ? text.indexOf('[') : text.length;
  const colon = text.slice(0, end).lastIndexOf(':');
  return { urn: text.slice(0, colon), rest: text.slice(colon + 1) };
}

function spelled(name: string): string {
  return SPELLED.get(name.toLowerCase()) ?? name;
}
