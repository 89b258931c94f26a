import { encodeSegment } from '@authz-service/core/records/address';
import type { Kind } from '@authz-service/core/records/kinds';
import { type DeclaredRecord, declare, definitionOf, type Fields } from '@authz-service/core/records/registry';
import { type Organization, PERMISSIONS } from '@authz-service/example-github-org/dist/organization.js';

/**
 * The records of an organization as the tree of examples/github-org declares them, made without its YAML: reading that
 * for each of ten thousand states would take hours. Records that are alike are one object. Samples compare both ways.
 */
export class OrgRecords {
  readonly #known = new Map<string, DeclaredRecord>();

  people(organizations: readonly Organization[]): DeclaredRecord[] {
    const people = new Set<string>();
    for (const { admins, members, teams } of organizations)
      for (const logins of [admins, members, ...[...teams.values()].map((team) => team.members)])
        for (const login of logins) people.add(login);
    return [...people].sort().map((id) => this.#record('subject', { type: 'user', id }));
  }

  of(organization: Organization): DeclaredRecord[] {
    const { name, defaultPermission } = organization;
    const application = encodeSegment(name);
    const type = `${application}/repository`;
    const described = (text: string) => (text === '' ? {} : { description: text });
    const found = [
      this.#record('application', { name, ...described(organization.description) }),
      this.#record('resource_type', { application, name: 'repository', actions: PERMISSIONS }),
    ];
    const add = (kind: Kind, fields: object) => void found.push(this.#record(kind, fields));
    const assign = (policy: string, entity_type: string, entity: string) =>
      add('policy_assignment', { policy: `${application}/${encodeSegment(policy)}`, entity_type, entity });
    const policy = (policyName: string, actions: readonly string[]) =>
      add('policy', { application, name: policyName, effect: 'ALLOW', resource_type: type, actions });
    for (const repository of organization.repositories) add('resource', { type, name: repository });
    for (const [strength, permission] of PERMISSIONS.entries()) {
      const weaker = PERMISSIONS[strength - 1];
      const includes = weaker === undefined ? {} : { includes: [`${application}/${weaker}`] };
      add('role', { application, name: permission, from_requests: false, ...includes });
      policy(permission, [permission]);
      assign(permission, 'role', `${application}/${permission}`);
    }
    policy('@admins', PERMISSIONS);
    assign('@admins', 'group', encodeSegment(`${name}@admins`));
    if (defaultPermission !== 'none') {
      policy('@members', PERMISSIONS.slice(0, PERMISSIONS.indexOf(defaultPermission) + 1));
      assign('@members', 'group', encodeSegment(`${name}@members`));
    }
    const group = (groupName: string, members: Iterable<string>, description = '') => {
      add('group', { name: groupName, ...described(description) });
      for (const login of members) this.#member(found, groupName, 'subject', `user/${encodeSegment(login)}`);
    };
    group(`${name}@members`, organization.members);
    group(`${name}@admins`, organization.admins);
    for (const team of organization.teams.values()) {
      const own = `${name}:${team.name}`;
      group(own, team.members, team.description);
      if (team.parent !== undefined) this.#member(found, `${name}:${team.parent}`, 'group', encodeSegment(own));
      for (const [repository, permission] of team.repositories)
        add('role_assignment', {
          ...{ role: `${application}/${permission}`, entity_type: 'group', entity: encodeSegment(own) },
          resource: `${type}/${encodeSegment(repository)}`,
        });
    }
    return found;
  }

  #member(into: DeclaredRecord[], group: string, entity_type: string, entity: string): void {
    into.push(this.#record('group_membership', { group: encodeSegment(group), entity_type, entity }));
  }

  #record(kind: Kind, fields: object): DeclaredRecord {
    const key = `${kind} ${JSON.stringify(fields)}`;
    let record = this.#known.get(key);
    if (record === undefined) {
      record = declare(kind, definitionOf(kind).schema.parse(fields) as Fields<Kind>) as DeclaredRecord;
      this.#known.set(key, record);
    }
    return record;
  }
}
