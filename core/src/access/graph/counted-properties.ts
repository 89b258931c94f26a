import type { JsonObject } from '../../json/json.js';
import type { ResourceType } from '../grants/target.js';

interface Sending {
  readonly subject: { readonly type: string; readonly properties?: JsonObject | undefined };
  readonly resource: { readonly properties?: JsonObject | undefined };
}

/** The properties that requests may send of subjects, by the types of subjects that do not take all. */
export type SendableOfSubjects = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * A request without the properties that count as they are recorded, whatever it sends (docs/semantics.md 1.9); itself where
 * it sends none of these. `type` is that of its resource.
 */
export function withCountedProperties<T extends Sending>(
  request: T,
  ofSubjects: SendableOfSubjects,
  type: Pick<ResourceType, 'sendable'> | undefined,
): T {
  if (ofSubjects.size === 0 && (type === undefined || type.sendable === null)) return request;
  const { subject, resource } = request;
  const ofSubject = only(subject.properties, ofSubjects.size === 0 ? null : ofSubjects.get(subject.type));
  const ofResource = only(resource.properties, type?.sendable);
  if (ofSubject === subject.properties && ofResource === resource.properties) return request;
  return {
    ...request,
    subject: { ...subject, properties: ofSubject },
    resource: { ...resource, properties: ofResource },
  };
}

/** The attributes that a request sends and that do not count, sorted. */
export function uncountedProperties(request: Sending, counted: Sending): string[] {
  return (['resource', 'subject'] as const).flatMap((root) => {
    const left = counted[root].properties ?? {};
    const names = Object.keys(request[root].properties ?? {}).filter((name) => !Object.hasOwn(left, name));
    return names.sort().map((name) => `${root}.${propertyPath(name)}`);
  });
}

/** The path of a property below its root, as conditions write it: `properties.amount`. */
export function propertyPath(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `properties.${name}` : `properties[${JSON.stringify(name)}]`;
}

function only(sent: JsonObject | undefined, sendable: ReadonlySet<string> | null | undefined): JsonObject | undefined {
  if (sent === undefined || sendable == null) return sent;
  const names = Object.keys(sent);
  const counted = names.filter((name) => sendable.has(name));
  if (counted.length === names.length) return sent;
  return Object.fromEntries(counted.map((name) => [name, sent[name] as never]));
}
