import { Group } from '@authz-service/provider/cdktf/group';
import { Subject } from '@authz-service/provider/cdktf/subject';
import { ContextAttribute } from '@authz-service/provider/constructs/context-attribute';
import { SubjectType } from '@authz-service/provider/constructs/subject-type';
import type { Construct } from 'constructs';

export type People = ReturnType<typeof declarePeople>;

export function declarePeople(scope: Construct) {
  // Conditions, stored properties and tests are checked against what is declared of subjects and contexts.
  new SubjectType(scope, 'user', { name: 'user', properties: { approval_limit: 'number' }, fromRequests: [] });
  new SubjectType(scope, 'service-type', {
    name: 'service',
    description: 'Programs, which have no properties.',
    properties: {},
    fromRequests: [],
  });
  new ContextAttribute(scope, 'mfa', {
    name: 'mfa',
    type: 'boolean',
    description: 'Whether the subject has shown a second factor.',
  });

  const alice = new Subject(scope, 'alice', { name: 'Alice' });
  const bob = new Subject(scope, 'bob', { name: 'Bob', properties: { approval_limit: 10000 } });
  const carol = new Subject(scope, 'carol', { name: 'Carol' });
  const dave = new Subject(scope, 'dave', { name: 'Dave' });
  const reporting = new Subject(scope, 'reporting', { type: 'service', name: 'Nightly reports' });

  const accounting = new Group(scope, 'accounting', { members: [bob] });
  const engineering = new Group(scope, 'engineering', { members: [carol, dave] });
  const finance = new Group(scope, 'finance', {
    description: 'Everybody who works with invoices.',
    members: [accounting, alice],
  });
  return { carol, dave, reporting, accounting, engineering, finance };
}
