import { Token } from 'cdktf';
import { Construct } from 'constructs';
import { type Entity, type LinkOptions, linkId, type Provided } from './entity.js';
import { type PolicyModifiers, Policy as PolicyRecord, type PolicyUnless } from './generated/policy.js';
import { PolicyAssignment } from './generated/policy-assignment.js';
import { entityOf, fixed, free, listOf, pathOf, sharedPaths } from './given.js';
import { options, placeOf } from './options/options.js';
import type { Resource, ResourceType } from './resource-type.js';

/**
 * Single resources, each with its actions, or a type or several, which also cover resources that no record names: on
 * each of several, the actions that it has. `['*']` stands for all types of the policy's application.
 */
export type Coverage =
  | {
      readonly resourceType: ResourceType | { readonly path: string };
      readonly actions: readonly string[];
      readonly resourceTypes?: undefined;
      readonly resources?: undefined;
    }
  | {
      readonly resourceTypes: readonly (ResourceType | { readonly path: string } | '*')[];
      readonly actions: readonly string[];
      readonly resourceType?: undefined;
      readonly resources?: undefined;
    }
  | {
      readonly resources: readonly ResourceActions[];
      readonly resourceType?: undefined;
      readonly resourceTypes?: undefined;
      readonly actions?: undefined;
    };

export interface ResourceActions {
  readonly resource: Resource | { readonly path: string };
  readonly actions: readonly string[];
  /** Whether all that lies below the resource is covered, too. */
  readonly below?: boolean;
}

export interface PolicyRules extends Provided {
  /** Default: the construct's id. */
  readonly name?: string;
  readonly description?: string;
  /** Default: `ALLOW`. */
  readonly effect?: 'ALLOW' | 'DENY';
  /** The highest priority among applicable policies decides; at equal priority DENY wins. Default: 0. */
  readonly priority?: number;
  /** A CEL expression over `subject`, `resource`, `action` and `context` that must be true. */
  readonly condition?: string;
  /** All of these must hold, too. */
  readonly modifiers?: PolicyModifiers;
  /** Conditions under which a `DENY` does not apply, if all of these hold. */
  readonly unless?: PolicyUnless;
  /** Applications that it is shared with: credentials limited to them may use it in what they write. */
  readonly sharedWith?: readonly { readonly path: string }[];
}

export type PolicyOptions = PolicyRules & Coverage;

/** Without an application, the policy belongs to the tenant and may span applications. */
export type PolicyProps = PolicyOptions & { readonly application?: { readonly path: string } };

/** Allows or denies actions on resources to the principals that it is assigned to. */
export class Policy extends Construct {
  readonly record: PolicyRecord;

  constructor(scope: Construct, id: string, props: PolicyProps) {
    const at = placeOf(scope, id);
    const { application, name = id, description, effect = 'ALLOW', provider, ...rest } = options(at, props, KNOWN);
    const { priority, condition, modifiers, unless, sharedWith } = rest;
    super(scope, fixed(id));
    this.record = new PolicyRecord(this, 'Resource', {
      application: application && pathOf(at, application, 'application'),
      name,
      description,
      effect,
      priority: priority === undefined ? undefined : wholeOf(at, priority),
      condition,
      modifiers: modifiers && modifiersOf(at, 'modifiers', modifiers),
      unless: unless && modifiersOf(at, 'unless', unless),
      sharedWith: sharedPaths(at, sharedWith),
      provider,
      ...coverage(at, props),
    });
  }

  get path(): string {
    return this.record.path;
  }

  /** Assigns the policy to a role, a group or a subject, or to `everyone()`. */
  assignTo(given: Entity, link: LinkOptions = {}): this {
    const entity = entityOf(this.node.path, given);
    const { startsAt, expiresAt } = options(this.node.path, link, { startsAt: true, expiresAt: true });
    const said = `it is assigned to the ${entity.entityType} ${entity.node.path} already`;
    new PolicyAssignment(this, free(this, linkId('assigned to', entity), said), {
      policy: this.path,
      entityType: entity.entityType,
      entity: entity.path,
      startsAt,
      expiresAt,
      provider: this.record.provider,
    });
    return this;
  }
}

/** The options of a policy that also apply to a grant. */
const RULES = {
  name: true,
  description: true,
  effect: true,
  priority: true,
  condition: true,
  modifiers: true,
  unless: true,
  sharedWith: true,
  provider: true,
} as const;
const KNOWN = {
  ...RULES,
  application: true,
  resourceType: true,
  resourceTypes: true,
  actions: true,
  resources: true,
} as const;
const COVERED = { resource: true, actions: true, below: true } as const;
const MODIFIERS = { ipRanges: true, timeWindows: true, mfaRequired: true } as const;
const WINDOW = { days: true, start: true, end: true, zone: true } as const;

export const rulesOf = (at: string, given: PolicyRules): PolicyRules => options(at, given, RULES);

function modifiersOf<M extends PolicyModifiers | PolicyUnless>(at: string, name: string, given: M): M {
  const modifiers = options<PolicyModifiers | PolicyUnless>(`${at}: ${name}`, given, MODIFIERS);
  const { timeWindows } = modifiers;
  if (Array.isArray(timeWindows)) for (const window of timeWindows) options(`${at}: timeWindows`, window, WINDOW);
  return given;
}

/** Refuses what is not a number, such as an unset variable, which would become 0. */
function wholeOf(at: string, priority: number): number {
  if (Token.isUnresolved(priority) || Number.isInteger(priority)) return priority;
  throw new Error(`${at}: "priority" is ${String(priority)}: give a whole number.`);
}

/** Refuses `resources` together with `resourceType` or `resourceTypes`: the policy would cover less than it seems to. */
function coverage(at: string, { resourceType, resourceTypes, actions, resources }: Coverage) {
  if (resourceTypes !== undefined && resourceType !== undefined)
    throw new Error(`${at}: a policy has either a "resourceType" or "resourceTypes": name all types in the second.`);
  if (resources === undefined && resourceTypes !== undefined)
    return {
      resourceTypes: listOf(at, resourceTypes, 'resourceTypes').map((type) =>
        type === '*' ? type : pathOf(at, type, 'resourceTypes'),
      ),
      actions: listOf(at, actions, 'actions'),
    };
  if (resources === undefined)
    return { resourceType: pathOf(at, resourceType, 'resourceType'), actions: listOf(at, actions, 'actions') };
  if (resourceType !== undefined || resourceTypes !== undefined || actions !== undefined)
    throw new Error(
      `${at}: a policy covers either "resources", each with its actions, or a "resourceType" with "actions": declare two policies for both.`,
    );
  return {
    resources: listOf(at, resources, 'resources').map((given) => {
      const { resource, actions: own, below } = options(`${at}: resources`, given, COVERED);
      return { resource: pathOf(at, resource, 'resource'), actions: listOf(at, own, 'actions'), below };
    }),
  };
}
