import { Group } from '@authz-service/provider/cdktf/group';
import { Subject } from '@authz-service/provider/cdktf/subject';
import type { Construct } from 'constructs';

export type People = ReturnType<typeof declarePeople>;

export function declarePeople(scope: Construct) {
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
