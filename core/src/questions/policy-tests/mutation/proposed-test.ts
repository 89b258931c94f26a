import type { JsonObject } from '../../../json/json.js';
import { memberLines } from '../../../manifest/yaml-text.js';
import { entityText } from '../../../records/entity-text.js';
import type { TestTenant } from '../test-tenant.js';
import type { TellingRequest } from './difference-search.js';

/** A test, ready for the list of a file, that the original passes and the mutant fails. */
export function proposedTest(
  name: string,
  { request, now, outcome }: TellingRequest,
  tenant: TestTenant,
  dated: boolean,
): string {
  const { subject, action, resource, context } = request;
  const typeName = resource.type.slice(resource.type.lastIndexOf('/') + 1);
  const type = tenant.typePath(typeName) === resource.type ? typeName : resource.type;
  const bare = subject.properties === undefined && subject.roles === undefined;
  const recorded = tenant.resources.some((one) => one.type === resource.type && one.name === resource.name);
  const fields: [string, JsonObject[string]][] = [
    ['name', name],
    [
      'subject',
      bare && tenant.subjects.some((one) => one.type === subject.type && one.name === subject.id)
        ? entityText('subject', { type: subject.type, name: subject.id })
        : { type: subject.type, id: subject.id, ...detailsOf(subject) },
    ],
    ['action', action.properties === undefined ? action.name : { name: action.name, properties: action.properties }],
    [
      'resource',
      recorded && resource.properties === undefined
        ? entityText('resource', { type, name: resource.name ?? '' })
        : { type, name: resource.name ?? '', ...detailsOf(resource) },
    ],
    ...(context === undefined ? [] : [['context', context] as [string, JsonObject]]),
    ...(dated ? [['clock', new Date(now).toISOString().replace('.000', '')] as [string, string]] : []),
    ['expect', outcome],
  ];
  const lines = fields.flatMap(([key, value]) => memberLines(key, value, '    '));
  return lines.join('\n').replace(/^ {4}/, '  - ');
}

function detailsOf({ properties, roles }: { properties?: JsonObject; roles?: readonly string[] }): JsonObject {
  return { ...(properties !== undefined && { properties }), ...(roles !== undefined && { roles: [...roles] }) };
}
