import type { DecisionRequest } from '../../request.js';
import type { ResourceType } from '../grants/target.js';

/** Names that may stand in a path of dots. */
const SIMPLE = /^[^.\s*;:|"'[\]{}]+$/;

/** The attributes whose values no log may hold, as the schemas of a tenant say. */
export class SensitiveAttributes {
  /** The attributes of the context. */
  readonly context = new Set<string>();
  /** The properties of subjects, by their type. */
  readonly ofSubjects = new Map<string, readonly string[]>();
  /** The properties of resources, by their type. */
  readonly ofResources = new Map<ResourceType, readonly string[]>();

  /**
   * The paths of what is sensitive in a request. `type` is that of its resource: where there is none, nobody knows which of its
   * properties are sensitive, and all count as such.
   */
  pathsIn({ subject }: Pick<DecisionRequest, 'subject'>, type: ResourceType | undefined): string[] {
    const ofResource = type === undefined ? undefined : (this.ofResources.get(type) ?? []);
    const isUnknown = ofResource === undefined && this.ofResources.size > 0;
    return [
      ...pathsOf('context', [...this.context]),
      ...pathsOf('subject.properties', this.ofSubjects.get(subject.type) ?? []),
      ...(isUnknown ? ['resource.properties'] : pathsOf('resource.properties', ofResource ?? [])),
    ];
  }
}

/** The paths of attributes; that of all, if a name cannot stand in a path. */
function pathsOf(root: string, names: readonly string[]): string[] {
  return names.every((name) => SIMPLE.test(name)) ? names.map((name) => `${root}.${name}`) : [root];
}
