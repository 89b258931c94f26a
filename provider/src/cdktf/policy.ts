import { Construct } from 'constructs';
import { type PolicyModifiers, Policy as PolicyRecord } from '../constructs/policy.js';
import { PolicyAssignment } from '../constructs/policy-assignment.js';
import { type Entity, type LinkOptions, linkId } from './entity.js';
import { fixed, free, pathOf } from './given.js';
import type { Resource, ResourceType } from './resource-type.js';

/** Single resources, each with its actions; or a type, which also covers resources that no record names. */
export type Coverage =
  | {
      readonly resourceType: ResourceType | { readonly path: string };
      readonly actions: readonly string[];
      readonly resources?: undefined;
    }
  | {
      readonly resources: readonly ResourceActions[];
      readonly resourceType?: undefined;
      readonly actions?: undefined;
    };

export interface ResourceActions {
  readonly resource: Resource | { readonly path: string };
  readonly actions: readonly string[];
}

export interface PolicyRules {
  /** Default: the construct's id. */
  readonly name?: string;
  readonly description?: string;
  /** Default: `ALLOW`. */
  readonly effect?: 'ALLOW' | 'DENY';
  /** The highest priority among applicable policies decides; at equal priority DENY wins. Default: 0. */
  readonly priority?: number;
  /** A CEL expression over `subject`, `resource`, `action` and `context` that must be true. */
  readonly condition?: string;
  readonly modifiers?: PolicyModifiers;
}

export type PolicyOptions = PolicyRules & Coverage;

/** Without an application it belongs to the tenant and may span applications. */
export type PolicyProps = PolicyOptions & { readonly application?: { readonly path: string } };

/** Allows or denies actions on resources to whom it is assigned. */
export class Policy extends Construct {
  readonly record: PolicyRecord;

  constructor(scope: Construct, id: string, props: PolicyProps) {
    super(scope, fixed(id));
    const { application, name = id, description, effect = 'ALLOW', priority, condition, modifiers } = props;
    this.record = new PolicyRecord(this, 'Resource', {
      application: application && pathOf(application, 'application'),
      name,
      description,
      effect,
      priority,
      condition,
      modifiers,
      ...coverage(props),
    });
  }

  get path(): string {
    return this.record.path;
  }

  /** Gives the policy to a role, a group or a subject. */
  assignTo(entity: Entity, { expiresAt }: LinkOptions = {}): this {
    const to = pathOf(entity, 'entity');
    const said = `it is assigned to the ${entity.entityType} ${entity.node.path} already`;
    new PolicyAssignment(this, free(this, linkId('assigned to', entity), said), {
      policy: this.path,
      entityType: entity.entityType,
      entity: to,
      expiresAt,
    });
    return this;
  }
}

/** Both would say less than they seem to. */
function coverage({ resourceType, actions, resources }: Coverage) {
  if (resources === undefined) return { resourceType: pathOf(resourceType, 'resourceType'), actions: [...actions] };
  if (resourceType !== undefined || actions !== undefined)
    throw new Error(
      'A policy covers either "resources", each with its actions, or a "resourceType" with "actions": declare two policies for both.',
    );
  return {
    resources: resources.map(({ resource, actions: own }) => ({
      resource: pathOf(resource, 'resource'),
      actions: [...own],
    })),
  };
}
