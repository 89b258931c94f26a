import { SplitMap } from '../../collections/split-map.js';
import type { JsonObject } from '../../json/json.js';
import type { PropertyType } from '../../records/fields.js';

export interface ParentType {
  readonly type: ResourceType;
  readonly property: string;
}

const NO_PARENTS: readonly ParentType[] = [];

export class ResourceType {
  /** The actions that its record declares. */
  actions: readonly string[] = [];
  /** The types of the properties that its record declares. */
  properties: Readonly<Record<string, PropertyType>> | undefined = undefined;
  /** The properties that requests may send; null for all. */
  sendable: ReadonlySet<string> | null = null;
  /** The types whose resources hold its own, by the property in which a request names them. */
  parents: readonly ParentType[] = NO_PARENTS;
  /** How many of its resources have a place: where none has, a decision need not read the resource at all. */
  places = 0;
  readonly resources = new SplitMap<Resource>();

  /** Whether requests may say what its resources lie in. */
  get takesParents(): boolean {
    return this.sendable === null || this.parents.every(({ property }) => this.sendable?.has(property));
  }

  constructor(
    readonly path: string,
    readonly application: string,
    readonly name: string,
  ) {}
}

export class Resource {
  id: string | undefined = undefined;
  properties: JsonObject | undefined = undefined;
  /** Its part in a hierarchy: a `graph/Place`. Null for a resource that has none, as most do. */
  place: object | null = null;

  constructor(
    readonly type: ResourceType,
    readonly name: string,
  ) {}
}

/** A resource and all that lies below it, as one target of policies. */
export class Below {
  /** How many rules cover it. */
  rules = 0;

  constructor(readonly resource: Resource) {}

  get name(): string {
    return this.resource.name;
  }
}

/** A target of a policy: one resource, one with all below it, or all of a type. */
export type Target = ResourceType | Resource | Below;
