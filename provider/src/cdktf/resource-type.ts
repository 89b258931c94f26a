import { Construct } from 'constructs';
import { Resource as ResourceRecord } from '../constructs/resource.js';
import { ResourceType as ResourceTypeRecord } from '../constructs/resource-type.js';
import { fixed, json, pathOf } from './given.js';

export interface ResourceTypeOptions {
  /** Default: the construct's id. */
  readonly name?: string;
  readonly description?: string;
  readonly actions: readonly string[];
  /** The types of the properties that conditions read: `{ amount: 'number' }`. */
  readonly properties?: { [name: string]: string };
}

export interface ResourceTypeProps extends ResourceTypeOptions {
  readonly application: { readonly path: string };
}

/** A category of protected things in an application, and the actions there are on it. */
export class ResourceType extends Construct {
  readonly record: ResourceTypeRecord;
  readonly name: string;

  constructor(
    scope: Construct,
    id: string,
    { application, name = id, description, actions, properties }: ResourceTypeProps,
  ) {
    super(scope, fixed(id));
    this.name = name;
    const config = {
      application: pathOf(application, 'application'),
      name,
      description,
      actions: [...actions],
      properties,
    };
    this.record = new ResourceTypeRecord(this, 'Resource', config);
  }

  get path(): string {
    return this.record.path;
  }

  /** Declares one thing of this type, named by the construct's id. */
  resource(id: string, options: ResourceOptions = {}): Resource {
    return new Resource(this, id, { ...options, type: this });
  }
}

export interface ResourceOptions {
  /** Default: the construct's id. */
  readonly name?: string;
  readonly description?: string;
  /** Stored attributes for conditions. */
  readonly properties?: Record<string, unknown>;
}

export interface ResourceProps extends ResourceOptions {
  readonly type: ResourceType;
}

/** One protected thing. */
export class Resource extends Construct {
  readonly record: ResourceRecord;
  readonly name: string;

  constructor(scope: Construct, id: string, { type, name = id, description, properties }: ResourceProps) {
    super(scope, fixed(id));
    this.name = name;
    const stored = properties && json(properties);
    const config = { type: pathOf(type, 'type'), name, description, properties: stored };
    this.record = new ResourceRecord(this, 'Resource', config);
  }

  get path(): string {
    return this.record.path;
  }
}
