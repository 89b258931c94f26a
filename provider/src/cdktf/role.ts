import { Construct } from 'constructs';
import { Role as RoleRecord } from '../constructs/role.js';
import { RoleAssignment } from '../constructs/role-assignment.js';
import { type Entity, type LinkOptions, linkId } from './entity.js';
import { fixed, free, pathOf } from './given.js';
import { Policy, type PolicyRules } from './policy.js';
import { type Resource, ResourceType } from './resource-type.js';

export interface RoleOptions {
  /** Default: the construct's id. */
  readonly name?: string;
  readonly description?: string;
}

export interface RoleProps extends RoleOptions {
  /** Without one it belongs to the tenant and may span applications. */
  readonly application?: { readonly path: string };
}

/** What policies are assigned to and subjects and groups are given. */
export class Role extends Construct implements Entity<'role'> {
  readonly entityType = 'role';
  readonly record: RoleRecord;
  readonly name: string;
  private readonly application: { readonly path: string } | undefined;

  constructor(scope: Construct, id: string, { application, name = id, description }: RoleProps = {}) {
    super(scope, fixed(id));
    this.name = name;
    this.application = application;
    this.record = new RoleRecord(this, 'Resource', {
      application: application && pathOf(application, 'application'),
      name,
      description,
    });
  }

  get path(): string {
    return this.record.path;
  }

  /** Gives the role to a subject or a group. */
  assignTo(entity: Entity<'subject' | 'group'>, { expiresAt }: LinkOptions = {}): this {
    const to = pathOf(entity, 'entity');
    const said = `it is assigned to the ${entity.entityType} ${entity.node.path} already`;
    new RoleAssignment(this, free(this, linkId('assigned to', entity), said), {
      role: this.path,
      entityType: entity.entityType,
      entity: to,
      expiresAt,
    });
    return this;
  }

  /**
   * Allows the holders of this role actions on a resource, or on all of a type: a policy beside the role, assigned to it.
   * It is named after role, actions and target, like `accountant-approve-pay-invoice`, unless `rules` name it.
   */
  grant(target: ResourceType | Resource, actions: readonly string[], rules: PolicyRules = {}): Policy {
    const { name = [this.name, ...actions, target.name].join('-') } = rules;
    const covered =
      target instanceof ResourceType
        ? { resourceType: target, actions }
        : { resources: [{ resource: target, actions }] };
    const props = { ...rules, name, ...(this.application && { application: this.application }), ...covered };
    const said = `it has a grant of the name "${name}" already: give this one another, as { name: '…' } after the actions`;
    return new Policy(this, free(this, `grants ${fixed(name)}`, said), props).assignTo(this);
  }
}
