import type { PropertyType } from '@authz-service/core/records/fields';
import { Construct } from 'constructs';
import type { Provided } from './entity.js';
import { Resource as ResourceRecord } from './generated/resource.js';
import { ResourceType as ResourceTypeRecord } from './generated/resource-type.js';
import { fixed, json, listOf, pathOf, sharedPaths } from './given.js';
import { options, placeOf } from './options/options.js';

export interface ResourceTypeOptions<A extends string = string> extends Provided {
  /** Default: the construct's id. */
  readonly name?: string;
  readonly description?: string;
  readonly actions: readonly A[];
  /** The types of the properties that conditions read: `{ amount: 'number' }`. */
  readonly properties?: { [name: string]: PropertyType };
  /** The properties that requests may send: all unless it is said, and none for `[]`. The others count as recorded. */
  readonly fromRequests?: readonly string[];
  /** Whether applications ask for filters of its rows: `servicectl lint` then reports each clause for which one is refused. */
  readonly filterable?: boolean;
  /** Types whose resources hold those of this type, and the property in which a request names them. */
  readonly parents?: readonly { readonly type: { readonly path: string }; readonly property: string }[];
  /** The greatest age of the records that may decide about its resources: `30s`. Older ones are refused. */
  readonly maxAge?: string;
  /** Applications that it is shared with: credentials limited to them may use it in what they write. */
  readonly sharedWith?: readonly { readonly path: string }[];
}

export interface ResourceTypeProps<A extends string = string> extends ResourceTypeOptions<A> {
  readonly application: { readonly path: string };
}

/**
 * A category of protected things in an application, with the actions that they have. The compiler knows the actions by
 * name, so a grant takes no others. A variable that is declared as `ResourceType` takes any texts.
 */
export class ResourceType<A extends string = string> extends Construct {
  readonly record: ResourceTypeRecord;
  readonly name: string;
  readonly actions: readonly A[];

  constructor(scope: Construct, id: string, props: ResourceTypeProps<A>) {
    const known = {
      application: true,
      name: true,
      description: true,
      actions: true,
      properties: true,
      fromRequests: true,
      filterable: true,
      parents: true,
      maxAge: true,
      sharedWith: true,
      provider: true,
    } as const;
    const at = placeOf(scope, id);
    const {
      application,
      name = id,
      description,
      actions,
      properties,
      fromRequests,
      filterable,
      parents,
      maxAge,
      sharedWith,
      provider,
    } = options(at, props, known);
    super(scope, fixed(id));
    this.name = name;
    this.actions = actions;
    const config = {
      application: pathOf(at, application, 'application'),
      name,
      description,
      actions: listOf(at, actions, 'actions'),
      properties,
      fromRequests: fromRequests && listOf(at, fromRequests, 'fromRequests'),
      filterable,
      parents:
        parents &&
        listOf(at, parents, 'parents').map(({ type, property }) => ({ type: pathOf(at, type, 'parents'), property })),
      maxAge,
      sharedWith: sharedPaths(at, sharedWith),
      provider,
    };
    this.record = new ResourceTypeRecord(this, 'Resource', config);
  }

  get path(): string {
    return this.record.path;
  }

  /** Declares one resource of this type, named by the construct's id. */
  resource(id: string, given: ResourceOptions = {}): Resource<A> {
    return new Resource(this, id, { provider: this.record.provider, ...given, type: this });
  }
}

export interface ResourceOptions extends Provided {
  /** Default: the construct's id. */
  readonly name?: string;
  readonly description?: string;
  /** Stored attributes for conditions. */
  readonly properties?: Record<string, unknown>;
  /** The resources that it lies in. */
  readonly parents?: readonly { readonly path: string }[];
  /** Applications that it is shared with: credentials limited to them may use it in what they write. */
  readonly sharedWith?: readonly { readonly path: string }[];
}

export interface ResourceProps<A extends string = string> extends ResourceOptions {
  readonly type: ResourceType<A>;
}

/** One protected thing, such as a document or an account. */
export class Resource<A extends string = string> extends Construct {
  readonly record: ResourceRecord;
  readonly name: string;
  readonly type: ResourceType<A>;

  constructor(scope: Construct, id: string, props: ResourceProps<A>) {
    const known = {
      type: true,
      name: true,
      description: true,
      properties: true,
      parents: true,
      sharedWith: true,
      provider: true,
    } as const;
    const at = placeOf(scope, id);
    const { type, name = id, description, properties, parents, ...rest } = options(at, props, known);
    const { sharedWith, provider } = rest;
    super(scope, fixed(id));
    this.name = name;
    this.type = type;
    const stored = properties && json(properties);
    const shared = sharedPaths(at, sharedWith);
    const config = {
      type: pathOf(at, type, 'type'),
      name,
      description,
      properties: stored,
      parents: parents && listOf(at, parents, 'parents').map((parent) => pathOf(at, parent, 'parents')),
      sharedWith: shared,
      provider,
    };
    this.record = new ResourceRecord(this, 'Resource', config);
  }

  get path(): string {
    return this.record.path;
  }
}

/** The actions that a grant on this target takes, as far as the compiler knows them; `*` covers all. */
export type ActionsOf<T> = readonly (T extends ResourceType<infer A> | Resource<infer A> ? A | '*' : string)[];
