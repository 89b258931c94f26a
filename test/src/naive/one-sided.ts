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
  const places = placed ? eachAlone(after, before, type, record.parents ?? []) : [undefined];
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
    return eachAlone(before, after, type, record.parents ?? []).flatMap((place) =>
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
    return together(before, after, type, said).flatMap((place) =>
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

/** The place if it is recorded; else those that it lies in. */
function instead(here: Records, there: Records, place: string): string[] {
  const open = new Set([place]);
  for (const one of open)
    if (resourceAt(here, one) === undefined)
      for (const parent of resourceAt(there, one)?.parents ?? []) open.add(parent);
  return [...open].filter((one) => resourceAt(here, one) !== undefined);
}

/** Each place that requests can name, by itself; nothing, if there is none. */
function eachAlone(here: Records, there: Records, type: string, places: readonly string[]): string[][] {
  const all = new Set(places.flatMap((place) => instead(here, there, place)));
  const alone = [...all].map((one) => [one]).filter((one) => waysOfSaying(here, type, one).length > 0);
  return alone.length === 0 ? [[]] : alone;
}

/** The places that stand for these together, in each way that requests can name at once. */
function together(here: Records, there: Records, type: string, places: readonly string[]): string[][] {
  let sets: string[][] = [[]];
  for (const place of places) {
    const choices = instead(here, there, place);
    if (choices.length > 0) sets = sets.flatMap((set) => choices.map((one) => [...new Set([...set, one])]));
  }
  const said = sets.filter((set) => waysOfSaying(here, type, set).length > 0);
  return said.length === 0 ? eachAlone(here, there, type, places) : said;
}

/** The properties that together name these places, one or none in each, in each way. */
function waysOfSaying(records: Records, type: string, places: readonly string[]): JsonObject[] {
  let ways: [JsonObject, ReadonlySet<string>][] = [[{}, new Set()]];
  for (const { type: above, property } of parentsOf(records, type))
    ways = ways.flatMap(([said, named]): [JsonObject, ReadonlySet<string>][] => [
      [{ ...said, [property]: null }, named],
      ...places
        .filter((place) => typeOfResource(place) === above)
        .map((place): [JsonObject, ReadonlySet<string>] => [
          { ...said, [property]: names(place)[2] ?? '' },
          new Set([...named, place]),
        ]),
    ]);
  return ways.filter(([, named]) => named.size === new Set(places).size).map(([said]) => said);
}

function saidBy(records: Records, { resource: { type, properties = {} } }: DecisionRequest): string[] {
  return parentsOf(records, type).flatMap(({ type: above, property }) => {
    const name = properties[property];
    return typeof name === 'string' ? [`${above}/${path(name)}`] : [];
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
