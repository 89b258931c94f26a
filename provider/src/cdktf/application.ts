import { Construct } from 'constructs';
import { Application as ApplicationRecord } from '../constructs/application.js';
import { fixed } from './given.js';
import { Policy, type PolicyOptions } from './policy.js';
import { ResourceType, type ResourceTypeOptions } from './resource-type.js';
import { Role, type RoleOptions } from './role.js';

export interface ApplicationProps {
  /** Default: the construct's id. */
  readonly name?: string;
  readonly description?: string;
}

/** A container for resources, with the types, roles and policies that belong to them; each is named by its id. */
export class Application extends Construct {
  readonly record: ApplicationRecord;

  constructor(scope: Construct, id: string, { name = id, description }: ApplicationProps = {}) {
    super(scope, fixed(id));
    this.record = new ApplicationRecord(this, 'Resource', { name, description });
  }

  get path(): string {
    return this.record.path;
  }

  resourceType(id: string, options: ResourceTypeOptions): ResourceType {
    return new ResourceType(this.under('types'), id, { ...options, application: this });
  }

  role(id: string, options: RoleOptions = {}): Role {
    return new Role(this.under('roles'), id, { ...options, application: this });
  }

  policy(id: string, options: PolicyOptions): Policy {
    return new Policy(this.under('policies'), id, { ...options, application: this });
  }

  /** A role and a policy may bear the same name. */
  private under(id: string): Construct {
    return (this.node.tryFindChild(id) as Construct | undefined) ?? new Construct(this, id);
  }
}
