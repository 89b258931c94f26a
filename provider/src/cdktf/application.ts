import { Construct } from 'constructs';
import type { Provided } from './entity.js';
import { Application as ApplicationRecord } from './generated/application.js';
import { fixed } from './given.js';
import { options, placeOf } from './options/options.js';
import { Policy, type PolicyOptions } from './policy.js';
import { ResourceType, type ResourceTypeOptions } from './resource-type.js';
import { Role, type RoleOptions } from './role.js';

export interface ApplicationProps extends Provided {
  /** Default: the construct's id. */
  readonly name?: string;
  readonly description?: string;
}

/** A container for resources, with the types, roles and policies that belong to them. Each is named by its id. */
export class Application extends Construct {
  readonly record: ApplicationRecord;

  constructor(scope: Construct, id: string, props: ApplicationProps = {}) {
    const known = { name: true, description: true, provider: true } as const;
    const { name = id, description, provider } = options(placeOf(scope, id), props, known);
    super(scope, fixed(id));
    this.record = new ApplicationRecord(this, 'Resource', { name, description, provider });
  }

  get path(): string {
    return this.record.path;
  }

  resourceType<A extends string>(id: string, given: ResourceTypeOptions<A>): ResourceType<A> {
    return new ResourceType(this.under('types'), id, this.owned(given));
  }

  role(id: string, given: RoleOptions = {}): Role {
    return new Role(this.under('roles'), id, this.owned(given));
  }

  policy(id: string, given: PolicyOptions): Policy {
    return new Policy(this.under('policies'), id, this.owned(given));
  }

  private owned<T extends Provided>(given: T): T & { application: Application } {
    return { provider: this.record.provider, ...given, application: this };
  }

  /** A role and a policy may have the same name. */
  private under(id: string): Construct {
    return (this.node.tryFindChild(id) as Construct | undefined) ?? new Construct(this, id);
  }
}
