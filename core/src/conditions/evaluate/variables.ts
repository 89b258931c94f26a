import { Absent } from '../values/outcome.js';
import type { Scope } from '../values/scope.js';
import { MAP, STRING, type StaticType } from '../values/static-type.js';
import type { Node, Run } from './node.js';
import { NO_SCHEMAS } from './schema-types.js';

/** The subject, where its properties are of this type. */
export function subjectVariable(properties: StaticType): Node {
  return fixed('subject', (scope) => scope.subject, [
    attribute('subject.type', STRING, (scope) => scope.request.subject.type),
    attribute('subject.id', STRING, (scope) => scope.request.subject.id),
    open(
      'subject.properties',
      properties,
      (scope) => scope.subjectProperties,
      (scope, name) => scope.subjectProperty(name),
    ),
  ]);
}

/** The names that a condition may read, and what is known about them beforehand. */
export function variables(resourceProperties: StaticType, schemas = NO_SCHEMAS): ReadonlyMap<string, Node> {
  return new Map([
    ['subject', subjectVariable(schemas.subjectProperties())],
    [
      'resource',
      fixed('resource', (scope) => scope.resource, [
        attribute('resource.type', STRING, (scope) => scope.resourceType),
        attribute('resource.application', STRING, (scope) => scope.application),
        optional('resource.id', (scope) => scope.resourceId),
        optional('resource.name', (scope) => scope.resourceName),
        open(
          'resource.properties',
          resourceProperties,
          (scope) => scope.resourceProperties,
          (scope, name) => scope.resourceProperty(name),
        ),
      ]),
    ],
    [
      'action',
      fixed('action', (scope) => scope.action, [
        attribute('action.name', STRING, (scope) => scope.request.action.name),
        attribute('action.properties', MAP, (scope) => scope.actionProperties),
      ]),
    ],
    ['context', attribute('context', schemas.context, (scope) => scope.context)],
  ]);
}

/** Attributes that every request has, so that reading them needs no `has()`. */
export const ALWAYS_PRESENT: ReadonlySet<string> = new Set([
  ...['subject', 'subject.type', 'subject.id', 'subject.properties'],
  ...['resource', 'resource.type', 'resource.application', 'resource.properties'],
  ...['action', 'action.name', 'action.properties', 'context'],
]);

function attribute(label: string, type: StaticType, run: Run): Node {
  return { type, run, label, offset: 0, size: 1 };
}

function optional(label: string, read: (scope: Scope) => string | undefined): Node {
  const absent = new Absent(label);
  return attribute(label, STRING, (scope) => read(scope) ?? absent);
}

function open(label: string, type: StaticType, run: Run, lookup: Node['lookup']): Node {
  return { ...attribute(label, type, run), lookup };
}

function fixed(label: string, run: Run, members: readonly Node[]): Node {
  const byName = members.map((member) => [member.label.slice(label.length + 1), member] as const);
  return { ...attribute(label, MAP, run), members: new Map(byName) };
}
