import type { JsonObject } from '../../json/json.js';
import { Absent } from '../values/outcome.js';
import type { ResourceFacts } from '../values/scope.js';
import { Scope } from '../values/scope.js';
import type { ValueMap } from '../values/value.js';
import type { Assignment, Attribute, AttributePool } from './attribute.js';
import { setMember } from './domain/set-member.js';
import type { PartialProperties, PartialRequest, PartialResource } from './partial-request.js';
import type { Field, Read } from './syntax.js';

/** A value that a condition reads, or its absence, or the attribute by which requests choose it. */
export type ReadValue =
  | { readonly value: unknown; readonly attribute?: undefined }
  | { readonly attribute: Attribute; readonly value?: undefined };

const ABSENT: ReadValue = { value: undefined };

/** Returns the value that a condition reads, if it is known; the value of an absent attribute is undefined. */
export function readValue(read: Read, known: PartialRequest, pool: AttributePool): ReadValue {
  switch (read.kind) {
    case 'property':
      return propertyAnswer(read.root, read.name, known, pool);
    case 'field':
      return fieldAnswer(read.field, known, pool);
    case 'group':
      return { value: known.principals?.inGroup(read.path) ?? false };
    case 'role': {
      const held = known.principals?.hasRole(read.path) ?? false;
      if (typeof held === 'object') return { attribute: pool.role(held) };
      return held === 'absent' ? ABSENT : { value: held };
    }
    case 'ancestors': {
      const found = known.ancestry?.of(read.path) ?? [];
      if (found instanceof Absent) return ABSENT;
      const open = known.among || (read.ids && found.some((one) => !Object.hasOwn(one, 'id')));
      return open ? { attribute: pool.ancestors(read.path, found) } : { value: found };
    }
    case 'now':
      return known.context === undefined ? { attribute: pool.now(known.span) } : { value: known.span.from };
  }
}

function propertyAnswer(
  root: 'context' | 'subject' | 'resource' | 'action',
  name: string | undefined,
  known: PartialRequest,
  pool: AttributePool,
): ReadValue {
  if (root === 'context') {
    const { context } = known;
    if (context === undefined) return { attribute: pool.property(root, name) };
    if (name === undefined) return { value: context };
    return Object.hasOwn(context, name) ? { value: context[name] } : ABSENT;
  }
  const { recorded = {}, sent, withheld }: Partial<PartialProperties> = known[root];
  const maySend = typeof sent === 'object' ? (one: string) => sent.has(one) : () => sent === true;
  if (name === undefined) {
    const any = typeof sent === 'object' ? sent.size > 0 : sent;
    return any ? { attribute: pool.property(root, name) } : { value: recorded };
  }
  if (Object.hasOwn(recorded, name)) return { value: recorded[name] };
  return maySend(name) && !withheld?.has(name) ? { attribute: pool.property(root, name) } : ABSENT;
}

function fieldAnswer(field: Field, known: PartialRequest, pool: AttributePool): ReadValue {
  const { subject, resource, action } = known;
  switch (field) {
    case 'subject.type':
      return typeof subject.type === 'string' ? { value: subject.type } : { attribute: pool.subjectType(subject.type) };
    case 'subject.id':
      return typeof subject.id === 'string' ? { value: subject.id } : { attribute: pool.subjectId(subject.id) };
    case 'resource.type':
      return { value: resource.type };
    case 'resource.application':
      return { value: resource.application };
    case 'action.name':
      return typeof action.name === 'string' ? { value: action.name } : { attribute: pool.actionName(action.name) };
    case 'resource.id': {
      if ('admitsName' in resource.names) return { attribute: pool.resourceId(resource.names) };
      const { id } = resource.names;
      return typeof id === 'object' ? { attribute: pool.resourceId(id) } : { value: id };
    }
    case 'resource.name': {
      if ('admitsName' in resource.names) return { attribute: pool.resourceName(resource.names) };
      const { name } = resource.names;
      return typeof name === 'object' ? { attribute: pool.resourceName(name) } : { value: name };
    }
  }
}

/** The scope of a request of which all is known, or chosen by `chosen`: conditions are evaluated in it as in decisions. */
export function scopeOf(known: PartialRequest, chosen: Assignment): Scope {
  const sent = { context: {}, subject: {}, resource: {}, action: {} } as { [root: string]: JsonObject };
  const texts = {
    subjectId: undefined,
    subjectType: undefined,
    actionName: undefined,
    resourceId: undefined,
    resourceName: undefined,
  } as {
    [kind: string]: string | undefined;
  };
  const roles = new Map<string, boolean>();
  const ancestors = new Map<string, readonly ValueMap[]>();
  let now = Number.isFinite(known.span.from) ? known.span.from : 0;
  for (const [attribute, value] of chosen) {
    switch (attribute.kind) {
      case 'property':
        if (value === undefined) break;
        if (attribute.name === undefined) Object.assign(sent[attribute.root] as JsonObject, value);
        else setMember(sent[attribute.root] as JsonObject, attribute.name, value);
        break;
      case 'role':
        for (const name of attribute.role.anyOf) roles.set(name, value === true);
        break;
      case 'now':
        now = value as number;
        break;
      case 'ancestors':
        ancestors.set(attribute.path, value as readonly ValueMap[]);
        break;
      default:
        texts[attribute.kind] = value as string | undefined;
    }
  }
  const { subject, resource, action } = known;
  const { resourceId, resourceName } = texts;
  const request = {
    subject: {
      type: typeof subject.type === 'string' ? subject.type : (texts.subjectType ?? ''),
      id: typeof subject.id === 'string' ? subject.id : (texts.subjectId ?? ''),
      properties: sent.subject as JsonObject,
    },
    resource: { type: resource.type, properties: sent.resource as JsonObject },
    action: {
      name: typeof action.name === 'string' ? action.name : (texts.actionName ?? ''),
      properties: { ...action.recorded, ...(sent.action as JsonObject) },
    },
    context: known.context ?? (sent.context as JsonObject),
  };
  return new Scope(
    request,
    factsOf(resource, resourceId, resourceName),
    now,
    subject.recorded,
    resource.recorded,
    { of: (type) => ancestors.get(type) ?? known.ancestry?.of(type) ?? [] },
    {
      inGroup: (path) => known.principals?.inGroup(path) ?? false,
      hasRole: (path) => {
        const held = known.principals?.hasRole(path) ?? false;
        if (typeof held === 'object' && held.anyOf.some((name) => roles.get(name))) return true;
        if (typeof held === 'object') return held.otherwise === 'absent' ? new Absent('resource.properties') : false;
        return held === 'absent' ? new Absent('resource.properties') : held;
      },
    },
  );
}

function factsOf(
  { type, application, names }: PartialResource,
  chosenId: string | undefined,
  chosenName: string | undefined,
): ResourceFacts {
  if ('admitsName' in names) return { type, application, id: chosenId, name: chosenName };
  const { id, name } = names;
  return {
    ...{ type, application },
    id: typeof id === 'object' ? chosenId : id,
    name: typeof name === 'object' ? chosenName : name,
  };
}
