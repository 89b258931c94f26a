import type { EngineRecord } from '@authz-service/core/access/api/engine';
import type { Json, JsonObject } from '@authz-service/core/json/json';
import type { Kind } from '@authz-service/core/records/kinds';
import { addressOf, type Fields } from '@authz-service/core/records/registry';

/** The places of a resource by the rules: the paths of its ancestors, and the types of which it may have more. */
interface Whereabouts {
  above: ReadonlySet<string>;
  unknown: ReadonlySet<string>;
}

/** Semantics 8.1 to 8.3. `resource` is the path of its record, where it has one. */
export function whereaboutsOf(
  records: readonly EngineRecord[],
  type: string | undefined,
  resource: string | undefined,
  given: JsonObject,
): Whereabouts | 'invalid_request' {
  const find = <K extends Kind>(kind: K, path: string): Fields<K> | undefined =>
    records.find((record) => record.kind === kind && addressOf(kind, record.fields) === `${kind}/${path}`)
      ?.fields as Fields<K>;
  if (type === undefined) return { above: new Set(), unknown: new Set() };
  const properties = sendable(given, find('resource_type', type)?.from_requests);
  const parentsOf = (path: string) => find('resource', path)?.parents ?? [];
  const above = new Set<string>();
  const climb = (path: string): number => {
    above.add(path);
    return 1 + Math.max(0, ...parentsOf(path).map(climb));
  };
  if (resource !== undefined) {
    parentsOf(resource).forEach(climb);
    return { above, unknown: new Set() };
  }
  const named = new Set<string>();
  const unknown = new Set<string>();
  const mayHold = (one: string) => {
    if (unknown.has(one)) return;
    unknown.add(one);
    for (const parent of find('resource_type', one)?.parents ?? []) mayHold(parent.type);
  };
  for (const { type: parent, property } of find('resource_type', type)?.parents ?? []) {
    if (!Object.hasOwn(properties, property)) {
      mayHold(parent);
      continue;
    }
    const name = properties[property] as Json;
    if (name === null) continue;
    const parentRecord = records.find(
      ({ kind, fields }) =>
        kind === 'resource' &&
        (fields as Fields<'resource'>).type === parent &&
        (fields as Fields<'resource'>).name === name,
    );
    if (parentRecord === undefined) return 'invalid_request';
    named.add(addressOf('resource', parentRecord.fields).slice('resource/'.length));
  }
  const levels = 1 + Math.max(0, ...[...named].map(climb));
  return levels > 32 || above.size > 256 ? 'invalid_request' : { above, unknown };
}

/** Semantics 1.9: what a request sends, without what its type takes from records alone. */
export function sendable(sent: JsonObject, names: readonly string[] | undefined): JsonObject {
  return Object.fromEntries(Object.entries(sent).filter(([name]) => names === undefined || names.includes(name)));
}
