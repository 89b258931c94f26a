import { Token } from 'cdktf';
import { Construct } from 'constructs';
import { type Entity, type LinkOptions, linkId, type Provided } from './entity.js';
import { Role as RoleRecord } from './generated/role.js';
import { RoleAssignment } from './generated/role-assignment.js';
import { entityOf, fixed, free, listOf, pathOf, sharedPaths } from './given.js';
import { options, placeOf } from './options/options.js';
import { Policy, type PolicyRules, rulesOf } from './policy.js';
import { Resource, ResourceType } from './resource-type.js';

export interface RoleOptions extends Provided {
  /** Default: the construct's id. */
  readonly name?: string;
  readonly description?: string;
  /** Roles that everybody who holds this one holds, too, in the same place. */
  readonly includes?: readonly { readonly path: string }[];
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
    const { application, name = id, description, includes, sharedWith, provider } = options(at, props, KNOWN);
    super(scope, fixed(id));
    this.name = name;
    this.application = application;
    this.record = new RoleRecord(this, 'Resource', {
      application: application && pathOf(at, application, 'application'),
      name,
      description,
      includes: includes && listOf(at, includes, 'includes').map((role) => pathOf(at, role, 'includes')),
      sharedWith: sharedPaths(at, sharedWith),
      provider,
    });
  }

  get path(): string {
    return this.record.path;
  }

  /** Assigns the role to a subject or a group, or to `everyone()`. */
  assignTo(given: Entity<'subject' | 'group'>, link: LinkOptions = {}): this {
    const entity = entityOf(this.node.path, given);
    const { startsAt, expiresAt } = options(this.node.path, link, { startsAt: true, expiresAt: true });
    const said = `it is assigned to the ${entity.entityType} ${entity.node.path} already`;
    new RoleAssignment(this, free(this, linkId('assigned to', entity), said), {
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
  grant(target: ResourceType | Resource, actions: readonly string[], given: PolicyRules = {}): Policy {
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
