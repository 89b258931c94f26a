import { inexactText } from '@authz-service/core/json/exact-number';
import { canonicalJson, type Json, type JsonObject } from '@authz-service/core/json/json';
import { encodeSegment } from '@authz-service/core/records/address';
import { directoryReason, withBesides, withoutBesides } from '@authz-service/core/records/directory-suspension';
import type { PropertyType } from '@authz-service/core/records/fields';
import type { Fields } from '@authz-service/core/records/registry';
import { isSuspendedAt, type Suspension, suspensionOf } from '@authz-service/core/records/suspension';
import { type AttributePath, ENTERPRISE, isMultiValued, parsePath, USER } from '../scim/attribute-path.js';
import { isObject, itemsOf, own } from '../scim/attribute-values.js';
import { setAt, valuesAt } from '../scim/resource.js';
import { ScimError } from '../scim/scim-error.js';
import { entryName } from '../tenants/entry-index.js';
import type { DirectoryView, UserRecord } from './directory-view.js';

/** A user as the directory sees it, without what only the cloud sets. It holds all that is kept of one. */
export function userResource({ directory, now }: DirectoryView, record: UserRecord): JsonObject {
  const { fields } = record;
  const { entry } = fields;
  const resource: JsonObject = {
    schemas: [USER],
    ...(entry !== undefined && { id: entry.id }),
    ...(entry?.external_id !== undefined && { externalId: entry.external_id }),
    userName: entryName(record),
    ...(fields.name !== undefined && { displayName: fields.name }),
    active: !isSuspendedAt(fields, now),
  };
  for (const [property, attribute] of Object.entries(directory.properties ?? {})) {
    const value = fields.properties === undefined ? undefined : own(fields.properties, property);
    if (value === undefined) continue;
    const path = parsePath(attribute);
    const shown = isMultiValued(path) ? itemsOf(value).map((item) => ({ [path.sub ?? 'value']: item })) : value;
    setAt(resource, isMultiValued(path) ? withoutSub(path) : path, shown, 'replace');
  }
  if (Object.hasOwn(resource, ENTERPRISE)) resource.schemas = [USER, ENTERPRISE];
  return resource;
}

/** The fields of the subject that a user is. Throws `invalidValue`. */
export function userFields(
  view: DirectoryView,
  resource: JsonObject,
  id: string,
  present: Suspension = {},
): Fields<'subject'> {
  const { directory } = view;
  const userName = required(resource, 'userName');
  const externalId = textAt(resource, 'externalId');
  const subjectId =
    directory.id_from === 'userName' ? userName : directory.id_from === 'id' ? id : required(resource, 'externalId');
  const name = textAt(resource, 'displayName') ?? textAt(resource, 'name.formatted') ?? joinedName(resource);
  const properties = propertiesOf(view, resource);
  return {
    type: directory.subject_type,
    id: subjectId,
    ...(name !== undefined && { name }),
    ...(Object.keys(properties).length > 0 && { properties }),
    entry: {
      id,
      ...(userName !== subjectId && { name: userName }),
      ...(externalId !== undefined && { external_id: externalId }),
    },
    ...suspensionAfter(view, isActive(resource), present),
  };
}

/** Whether somebody else than the directory has suspended a subject: then the directory does not reinstate it. */
export function isSuspendedElsewhere({ owner, now }: DirectoryView, fields: Suspension): boolean {
  const own = [directoryReason(owner, 'not active'), directoryReason(owner, 'removed')];
  return isSuspendedAt(fields, now) && !own.includes(fields.suspension_reason ?? '');
}

/**
 * The suspension of a subject after the directory has said whether it is active, if it did. One by somebody else stays;
 * that the directory suspends, too, stands in its reason.
 */
export function suspensionAfter(view: DirectoryView, active: boolean | undefined, present: Suspension): Suspension {
  if (active === false) return alsoSuspended(view, 'not active', present);
  if (active === undefined) return suspensionOf(present);
  return isSuspendedElsewhere(view, present) ? withoutBesides(suspensionOf(present)) : {};
}

/** The suspension of a subject that the directory suspends, too. */
export function alsoSuspended(view: DirectoryView, why: 'not active' | 'removed', present: Suspension): Suspension {
  const said = directoryReason(view.owner, why);
  if (!isSuspendedElsewhere(view, present)) return { suspended: true, suspension_reason: said };
  return withBesides(suspensionOf(present), said);
}

/** Whether the user is active; undefined where it does not say. */
export function isActive(resource: JsonObject): boolean | undefined {
  const value = onlyValueAt(resource, 'active');
  if (value === undefined) return undefined;
  const text = String(value).toLowerCase();
  if (text === 'true' || text === 'false') return text === 'true';
  throw new ScimError('invalidValue', `"active" is ${canonicalJson(value)}: send true or false.`);
}

export function textAt(resource: JsonObject, attribute: string): string | undefined {
  const value = onlyValueAt(resource, attribute);
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  throw new ScimError('invalidValue', `"${attribute}" is no text.`);
}

/** The value of an attribute that has one at most. Throws `invalidValue`. */
function onlyValueAt(resource: JsonObject, attribute: string): Json | undefined {
  const [value, ...others] = valuesAt(resource, parsePath(attribute));
  if (others.length === 0) return value;
  throw new ScimError('invalidValue', `"${attribute}" has ${others.length + 1} values: send one.`);
}

export function required(resource: JsonObject, attribute: string): string {
  const text = textAt(resource, attribute);
  if (text === undefined) throw new ScimError('invalidValue', `"${attribute}" is missing: send it.`);
  return text;
}

function joinedName(resource: JsonObject): string | undefined {
  const parts = ['name.givenName', 'name.familyName'].flatMap((part) => textAt(resource, part) ?? []);
  return parts.length === 0 ? undefined : parts.join(' ');
}

function withoutSub({ sub: _, ...path }: AttributePath): AttributePath {
  return path;
}

function propertiesOf({ directory, state }: DirectoryView, resource: JsonObject): JsonObject {
  const type = state.get(`subject_type/${encodeSegment(directory.subject_type)}`);
  const declared = type?.kind === 'subject_type' ? type.fields.properties : undefined;
  const properties: JsonObject = {};
  for (const [property, attribute] of Object.entries(directory.properties ?? {})) {
    const path = parsePath(attribute);
    const values = valuesAt(resource, path);
    const [first] = values;
    if (first === undefined || first === '') continue;
    const type = declared !== undefined && Object.hasOwn(declared, property) ? declared[property] : undefined;
    const isList = isMultiValued(path) && (type === undefined || type === 'any');
    const value = typed(values, isList ? 'list' : type, attribute);
    Object.defineProperty(properties, property, { value, enumerable: true, configurable: true, writable: true });
  }
  return properties;
}

/** A number as JSON writes it, with zeros before it, too. */
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/;

/** The value of a property of a declared type; clients send numbers and booleans as texts, too. Throws `invalidValue`. */
function typed(values: readonly Json[], type: PropertyType | undefined, attribute: string): Json {
  const [first = null] = values;
  const single = values.length === 1;
  const text = String(first).toLowerCase();
  if (type === 'list') return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
  if (type === 'string' && single && !isObject(first)) return String(first);
  if (type === 'boolean' && single && (text === 'true' || text === 'false')) return text === 'true';
  if (type === 'number' && single && NUMBER.test(text) && inexactText(text) === undefined) return Number(text);
  if (type === 'map' && single && isObject(first)) return first;
  if (type === undefined || type === 'any') return single ? first : [...values];
  const said = single ? canonicalJson(first) : `a list of ${values.length}`;
  throw new ScimError('invalidValue', `"${attribute}" is ${said.slice(0, 200)}, and the property takes a ${type}.`);
}
