import type { JsonObject } from '../../json.js';
import { SplitMap } from '../../split-map.js';

export class ResourceType {
  /** The actions that its record declares. */
  actions: readonly string[] = [];
  readonly resources = new SplitMap<Resource>();

  constructor(
    readonly path: string,
    readonly application: string,
    readonly name: string,
  ) {}
}

export class Resource {
  id: string | undefined = undefined;
  properties: JsonObject | undefined = undefined;

  constructor(
    readonly type: ResourceType,
    readonly name: string,
  ) {}
}

/** What a policy may cover: one resource, or all of a type. */
export type Target = ResourceType | Resource;
