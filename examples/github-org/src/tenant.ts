import { encodeSegment } from '@authz-service/core/records/address';
import { type Organization, PERMISSIONS, type Permission, type Team } from './organization.js';

/** A file of the tenant tree: its path and its content, to be written as YAML. */
export interface TreeFile {
  path: string;
  content: Record<string, unknown>;
}

/**
 * The tenant tree for these organizations:
 *
 * | on GitHub | in the tenant |
 * |---|---|
 * | organization | application, with the resource type `repository` |
 * | repository | resource of that type |
 * | person | subject `user/<login in lower case>` |
 * | team | group `<org>:<team>`; a nested team is a member of the outer one's group, so that it inherits its repositories |
 * | a permission | role of that name, which includes the next weaker one, and a policy that allows its action |
 * | a team's repositories | its group holds the permission's role on each of them |
 * | an organization's members and their default permission | group `<org>@members` with a policy on the type |
 * | an organization's admins | group `<org>@admins` with a policy on the type for every action |
 * | a team's former names | `moved`, so that a rename keeps the records |
 */
export function tenantTree(organizations: Organization[]): TreeFile[] {
  const people = new Set<string>();
  const files = organizations.map((organization) => {
    for (const login of [...organization.admins, ...organization.members]) people.add(login);
    for (const team of organization.teams.values()) for (const login of team.members) people.add(login);
    return { path: `${organization.name}.yaml`, content: organizationFile(organization) };
  });
  const subjects = Object.fromEntries([...people].sort().map((login) => [userPath(login), {}]));
  return [{ path: 'tenant.yaml', content: { version: 1, stack: 'github-org', subjects } }, ...files];
}

function organizationFile(organization: Organization): Record<string, unknown> {
  const teams = [...organization.teams.values()];
  return {
    version: 1,
    applications: {
      [organization.name]: {
        ...described(organization.description),
        resource_types: { repository: { actions: PERMISSIONS } },
        resources: Object.fromEntries(
          [...organization.repositories].sort().map((name) => [name, { type: 'repository' }]),
        ),
        roles: Object.fromEntries(PERMISSIONS.map((permission, strength) => [permission, role(strength)])),
        policies: { ...wholeOrganization(organization), ...permissionPolicies(encodeSegment(organization.name)) },
      },
    },
    groups: {
      [`${organization.name}@members`]: { members: [...organization.members].sort().map(userPath) },
      [`${organization.name}@admins`]: { members: [...organization.admins].sort().map(userPath) },
      ...Object.fromEntries(
        teams.map((team) => [teamGroupName(organization, team.name), teamGroup(organization, team)]),
      ),
    },
    moved: teams.flatMap((team) => formerNames(organization, team)),
  };
}

/** The policies on every repository of the organization. Their names are no team's: a team's slug holds no "@". */
function wholeOrganization(organization: Organization): Record<string, unknown> {
  const policies: Record<string, unknown> = {
    '@admins': {
      effect: 'ALLOW',
      resource_type: 'repository',
      actions: PERMISSIONS,
      assigned_to: [groupPath(`${organization.name}@admins`)],
    },
  };
  if (organization.defaultPermission !== 'none') {
    policies['@members'] = {
      effect: 'ALLOW',
      resource_type: 'repository',
      actions: implied(organization.defaultPermission),
      assigned_to: [groupPath(`${organization.name}@members`)],
    };
  }
  return policies;
}

/** A permission implies the weaker ones. Requests cannot name it: it is held on repositories only. */
function role(strength: number): Record<string, unknown> {
  const weaker = PERMISSIONS[strength - 1];
  return { from_requests: false, ...(weaker !== undefined && { includes: [weaker] }) };
}

function permissionPolicies(application: string): Record<string, unknown> {
  return Object.fromEntries(
    PERMISSIONS.map((permission) => [
      permission,
      {
        effect: 'ALLOW',
        resource_type: 'repository',
        actions: [permission],
        assigned_to: [`role/${application}/${permission}`],
      },
    ]),
  );
}

function teamGroup(organization: Organization, team: Team): Record<string, unknown> {
  const application = encodeSegment(organization.name);
  const nested = [...organization.teams.values()].filter((other) => other.parent === team.name);
  return {
    ...described(team.description),
    members: [
      ...nested.map((other) => groupPath(teamGroupName(organization, other.name))),
      ...[...team.members].sort().map((login) => userPath(login)),
    ],
    roles: [...team.repositories].map(([name, permission]) => ({
      role: `${application}/${permission}`,
      resource: `${application}/repository/${encodeSegment(name)}`,
    })),
  };
}

/**
 * The move from a team's last former name: the one record that can have that name still. A name that another team
 * bears or claims tells nothing.
 */
function formerNames(organization: Organization, team: Team): { from: string; to: string }[] {
  const former = team.previously.at(-1);
  if (former === undefined || organization.teams.has(former)) return [];
  const claims = [...organization.teams.values()].filter((other) => other.previously.includes(former));
  if (claims.length > 1) return [];
  const group = (name: string) => groupPath(teamGroupName(organization, name));
  return [{ from: group(former), to: group(team.name) }];
}

function implied(permission: Permission): Permission[] {
  return PERMISSIONS.slice(0, PERMISSIONS.indexOf(permission) + 1);
}

function described(description: string): { description?: string } {
  return description === '' ? {} : { description };
}

function teamGroupName(organization: Organization, team: string): string {
  return `${organization.name}:${team}`;
}

function groupPath(name: string): string {
  return `group/${encodeSegment(name)}`;
}

function userPath(login: string): string {
  return `user/${encodeSegment(login)}`;
}
