import type { EngineRecord } from '@authz-service/core/access/api/engine';
import type { JsonObject } from '@authz-service/core/json/json';
import { names, path, typeOfResource } from '@authz-service/core/records/address';
import { addressOf, type Fields } from '@authz-service/core/records/registry';
import type { DecisionRequest } from '@authz-service/core/request';
import { fieldsOf } from './enumerate-pairs.js';

type Records = readonly EngineRecord[];

/** A request, and the state that is asked. */
export interface Asked {
  records: Records;
  request: DecisionRequest;
}

/** Two states that are asked the same. */
export interface States {
  before: Records;
  after: Records;
}

/**
 * How a request is asked after a change, by semantics 11.8: a subject or resource that has lost its record has the
 * properties of that; with `placed`, it also lies in what it lay in, in each alone.
 */
export function askedAfter({ before, after }: States, request: DecisionRequest, placed = true): Asked[] {
  const own = withSubject(after, before, request);
  const record = lost(after, before, own);
  if (record === undefined) return [{ records: after, request: own }];
  const { type } = own.resource;
  const places = placed ? alone(sayable(after, before, type, record.parents ?? [])) : [undefined];
  return places.flatMap((place) =>
    (place === undefined ? [{}] : waysOfSaying(after, type, place)).map((said) => ({
      records: after,
      request: sending(own, { ...record.properties, ...said }),
    })),
  );
}

/** How what is asked after was asked before, if a request can say it. It broke a rule before if one of these did. */
export function askedBefore({ before, after }: States, { request }: Asked): Asked[] | undefined {
  const own = withSubject(before, after, request);
  const { type, properties = {} } = own.resource;
  const at = resourcePath(own);
  const record = lost(before, after, own);
  if (record !== undefined)
    return alone(sayable(before, after, type, record.parents ?? [])).flatMap((place) =>
      waysOfSaying(before, type, place).map((said) => ({
        records: before,
        request: sending(own, { ...record.properties, ...said }),
      })),
    );
  if (resourceAt(before, at) === undefined) {
    const said = saidBy(after, own);
    if (said.every((one) => resourceAt(before, one) !== undefined)) return [{ records: before, request: own }];
    const unsaid = parentsOf(after, type).some(({ property }) => !Object.hasOwn(properties, property));
    // No request says what it lies in instead, and leaves out where else it lies.
    if (unsaid) return undefined;
    const instead = sayable(before, after, type, said);
    return (said.length === 1 ? alone(instead) : [instead]).flatMap((place) =>
      waysOfSaying(before, type, place).map((one) => ({ records: before, request: sending(own, one) })),
    );
  }
  const recorded = { records: before, request: own };
  if (resourceAt(after, at) !== undefined) return [recorded];
  // It joins those without a record.
  return [recorded, { records: withoutRecord(before, at), request: own }];
}

const lacking = new WeakMap<Records, Map<string, Records>>();

function withoutRecord(records: Records, at: string): Records {
  const known = lacking.get(records) ?? new Map<string, Records>();
  lacking.set(records, known);
  const found =
    known.get(at) ??
    records.filter(
      ({ kind, fields }) => kind !== 'resource' || addressOf(kind, fields as Fields<'resource'>) !== `resource/${at}`,
    );
  known.set(at, found);
  return found;
}

/** The record of a request's resource that only the other state has. */
function lost(here: Records, there: Records, request: DecisionRequest): Fields<'resource'> | undefined {
  const at = resourcePath(request);
  return resourceAt(here, at) === undefined ? resourceAt(there, at) : undefined;
}

function withSubject(here: Records, there: Records, request: DecisionRequest): DecisionRequest {
  const { subject } = request;
  const at = path(subject.type, subject.id);
  const record = fieldsOf('subject', here).has(at) ? undefined : fieldsOf('subject', there).get(at);
  if (record === undefined) return request;
  return { ...request, subject: { ...subject, properties: { ...subject.properties, ...record.properties } } };
}

/** Returns the places that requests can name in the other state; instead of one without a record, those that it lies in. */
function sayable(here: Records, there: Records, type: string, places: readonly string[]): string[] {
  const open = new Set(places);
  for (const one of open)
    if (resourceAt(here, one) === undefined)
      for (const parent of resourceAt(there, one)?.parents ?? []) open.add(parent);
  const declared = parentsOf(here, type).map((parent) => parent.type);
  return [...open].filter((one) => resourceAt(here, one) !== undefined && declared.includes(typeOfResource(one)));
}

/** Each by itself; nothing, if there is none. */
function alone(places: readonly string[]): string[][] {
  return places.length === 0 ? [[]] : places.map((one) => [one]);
}

/** The properties that say it, in each way: a name alone or in a list, several in the order of their names, or none. */
function waysOfSaying(records: Records, type: string, places: readonly string[]): JsonObject[] {
  let ways: JsonObject[] = [{}];
  for (const { type: above, property } of parentsOf(records, type)) {
    const found = places.filter((one) => typeOfResource(one) === above).map((one) => names(one)[2] ?? '');
    const [first] = found;
    const values = first === undefined ? [null, []] : found.length === 1 ? [first, found] : [found, found.toReversed()];
    ways = ways.flatMap((way) => values.map((value) => ({ ...way, [property]: value })));
  }
  return ways;
}

function saidBy(records: Records, { resource: { type, properties = {} } }: DecisionRequest): string[] {
  return parentsOf(records, type).flatMap(({ type: above, property }) => {
    const value = properties[property] ?? [];
    return (Array.isArray(value) ? value : [value]).map((name) => `${above}/${path(String(name))}`);
  });
}

function sending(request: DecisionRequest, properties: JsonObject): DecisionRequest {
  const { resource } = request;
  return { ...request, resource: { ...resource, properties: { ...resource.properties, ...properties } } };
}

function parentsOf(records: Records, type: string) {
  return fieldsOf('resource_type', records).get(type)?.parents ?? [];
}

function resourceAt(records: Records, at: string): Fields<'resource'> | undefined {
  return fieldsOf('resource', records).get(at);
}

function resourcePath({ resource }: DecisionRequest): string {
  return `${resource.type}/${path(resource.name ?? '')}`;
}
