import { Token } from 'cdktf';
import { Construct } from 'constructs';
import { type Entity, linkId, type Provided, type RoleLinkOptions } from './entity.js';
import { Role as RoleRecord } from './generated/role.js';
import { RoleAssignment } from './generated/role-assignment.js';
import { entityOf, fixed, free, listOf, pathOf, sharedPaths } from './given.js';
import { options, placeOf } from './options/options.js';
import { Policy, type PolicyRules, rulesOf } from './policy.js';
import { type ActionsOf, Resource, ResourceType } from './resource-type.js';

export interface RoleOptions extends Provided {
  /** Default: the construct's id. */
  readonly name?: string;
  readonly description?: string;
  /** Roles that everybody who holds this one holds, too, in the same place. */
  readonly includes?: readonly { readonly path: string }[];
  /** Whether requests may name it for their subject. Default: true. */
  readonly fromRequests?: boolean;
  /** Applications that it is shared with: credentials limited to them may use it in what they write. */
  readonly sharedWith?: readonly { readonly path: string }[];
}

export interface RoleProps extends RoleOptions {
  /** Without an application, the role belongs to the tenant and may span applications. */
  readonly application?: { readonly path: string };
}

const KNOWN = {
  application: true,
  name: true,
  description: true,
  includes: true,
  fromRequests: true,
  sharedWith: true,
  provider: true,
} as const;

/** Policies are assigned to roles, and roles to subjects and groups. */
export class Role extends Construct implements Entity<'role'> {
  readonly entityType = 'role';
  readonly record: RoleRecord;
  readonly name: string;
  private readonly application: { readonly path: string } | undefined;

  constructor(scope: Construct, id: string, props: RoleProps = {}) {
    const at = placeOf(scope, id);
    const { application, name = id, description, includes, ...rest } = options(at, props, KNOWN);
    const { fromRequests, sharedWith, provider } = rest;
    super(scope, fixed(id));
    this.name = name;
    this.application = application;
    this.record = new RoleRecord(this, 'Resource', {
      application: application && pathOf(at, application, 'application'),
      name,
      description,
      includes: includes && listOf(at, includes, 'includes').map((role) => pathOf(at, role, 'includes')),
      fromRequests,
      sharedWith: sharedPaths(at, sharedWith),
      provider,
    });
  }

  get path(): string {
    return this.record.path;
  }

  /**
   * Assigns the role to a subject or a group, or to `everyone()`; with a `resource`, for that one and what lies below it
   * alone.
   */
  assignTo(given: Entity<'subject' | 'group'>, link: RoleLinkOptions = {}): this {
    const at = this.node.path;
    const entity = entityOf(at, given);
    const known = { startsAt: true, expiresAt: true, resource: true } as const;
    const { startsAt, expiresAt, resource } = options(at, link, known);
    const place = resource && pathOf(at, resource, 'resource');
    const there = resource === undefined ? '' : ` on ${resource instanceof Resource ? resource.node.path : place}`;
    const said = `it is assigned to the ${entity.entityType} ${entity.node.path}${there} already`;
    new RoleAssignment(this, free(this, linkId('assigned to', entity) + there, said), {
      resource: place,
      role: this.path,
      entityType: entity.entityType,
      entity: entity.path,
      startsAt,
      expiresAt,
      provider: this.record.provider,
    });
    return this;
  }

  /**
   * Allows the holders of this role some actions on a resource, or on all resources of a type: it declares a policy
   * beside the role and assigns it to the role. The policy is named after role and target, like `accountant-invoice`,
   * so the name stays the same whatever the policy allows. A second grant on the same target needs another name in
   * `rules`.
   */
  grant<T extends ResourceType | Resource>(target: T, actions: ActionsOf<NoInfer<T>>, given: PolicyRules = {}): Policy {
    const at = this.node.path;
    const rules = rulesOf(at, given);
    if (!(target instanceof ResourceType || target instanceof Resource))
      throw new Error(
        `${at}: the target of the grant is not a ResourceType or Resource of this layer: for others, declare a Policy with "resourceType" or "resources" and assign it to the role.`,
      );
    const { name = `${this.name}-${target.name}` } = rules;
    if (Token.isUnresolved(name))
      throw new Error(
        `${at}: the name of a grant cannot be a value that is known only later: give it a fixed one, as { name: '…' } after the actions.`,
      );
    const covered =
      target instanceof ResourceType
        ? { resourceType: target, actions }
        : { resources: [{ resource: target, actions }] };
    const props = {
      provider: this.record.provider,
      ...rules,
      name,
      ...(this.application && { application: this.application }),
      ...covered,
    };
    const said = `it has a grant with the name "${name}" already: give this one another, as { name: '…' } after the actions`;
    return new Policy(this, free(this, `grants ${name}`, said), props).assignTo(this);
  }
}
