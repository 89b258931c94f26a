import { SplitMap } from '../../collections/split-map.js';
import { decodeSegment } from '../../records/address.js';
import { Resource, ResourceType } from '../grants/target.js';
import { Everyone } from './everyone.js';
import { withItem, withoutItem } from './few-or-many.js';
import type { GraphWatcher } from './graph-watcher.js';
import { changePlace, hierarchyNodeOf } from './hierarchy-node.js';
import { Names, TypeNames } from './names.js';
import { type Link, Principal } from './principal.js';
import { SensitiveAttributes } from './sensitive-attributes.js';

/** Up to this many links an array is copied, which costs less than growing it. */
const FEW = 8;

interface Table<T> {
  get(key: string): T | undefined;
  set(key: string, item: T): unknown;
}

/**
 * The compiled tenant: principals, resource types and resources, and the links between them. While it is open, an entry
 * is created when a record first mentions it, so that records may come in any order. Once it is closed, only what has
 * been declared can be mentioned, and nothing can be declared twice.
 */
export class Graph {
  readonly subjects = new Map<string, SplitMap<Principal>>();
  /** The properties that requests may send of subjects, by the types that do not take all. */
  readonly sendable = new Map<string, ReadonlySet<string>>();
  readonly sensitive = new SensitiveAttributes();
  readonly types: TypeNames;
  readonly resourcesById = new SplitMap<Resource>();
  readonly roles = new Names<Principal>();
  readonly groups = new Names<Principal>();
  readonly everyone = new Everyone();
  watcher: GraphWatcher | null = null;
  #open = true;

  /** `applications`: the paths of those that are decided about; absent means all. */
  constructor(applications?: ReadonlySet<string>) {
    this.types = new TypeNames(applications);
  }

  close(): void {
    this.#open = false;
  }

  principal(kind: 'subject' | 'group' | 'role', path: string): Principal {
    if (kind === 'role') return this.role(path);
    if (kind === 'group') return this.group(path);
    const slash = path.indexOf('/');
    return this.subject(decoded(path.slice(0, slash)), decoded(path.slice(slash + 1)));
  }

  subject(type: string, id: string, declaring = false): Principal {
    let ofType = this.subjects.get(type);
    if (ofType === undefined) {
      ofType = new SplitMap();
      this.subjects.set(type, ofType);
    }
    return this.mention(ofType, id, () => new Principal('subject', type, id), declaring);
  }

  role(path: string, declaring = false): Principal {
    return this.mention(this.roles, path, () => new Principal('role', '', path), declaring);
  }

  group(path: string, declaring = false): Principal {
    return this.mention(this.groups, path, () => new Principal('group', '', path), declaring);
  }

  type(path: string, declaring = false): ResourceType {
    const make = () => {
      const slash = path.indexOf('/');
      return new ResourceType(path, decoded(path.slice(0, slash)), decoded(path.slice(slash + 1)));
    };
    return this.mention(this.types, path, make, declaring);
  }

  resource(type: ResourceType, name: string, declaring = false): Resource {
    return this.mention(type.resources, name, () => new Resource(type, name), declaring);
  }

  resourceAt(path: string): Resource {
    const slash = path.lastIndexOf('/');
    return this.resource(this.type(path.slice(0, slash)), decoded(path.slice(slash + 1)));
  }

  mention<T>(table: Table<T>, key: string, make: () => T, declaring: boolean): T {
    const found = table.get(key);
    if (!this.#open && (found !== undefined) === declaring)
      throw new Error(`The compiled tenant ${declaring ? 'already has' : 'has no'} "${key}"`);
    if (found !== undefined) return found;
    const made = make();
    table.set(key, made);
    return made;
  }

  linked(links: Link[] | null, link: Link): Link[] {
    if (links === null) return [link];
    if (!this.#open && links.some(({ to }) => to === link.to))
      throw new Error(`There already is a link to ${link.to.address}`);
    // An array that grows in place takes room for sixteen more.
    if (links.length < FEW) return links.concat(link);
    links.push(link);
    return links;
  }

  removeSubject(type: string, id: string): void {
    assertUnlinked(this.subject(type, id));
    const ofType = this.subjects.get(type);
    ofType?.delete(id);
    if (ofType?.size === 0) this.subjects.delete(type);
  }

  removeRole(path: string, name: string): void {
    assertUnlinked(this.role(path));
    this.roles.remove(path, name);
  }

  removeGroup(path: string): void {
    assertUnlinked(this.group(path));
    this.groups.remove(path);
  }

  /** Puts a resource into these parents, and takes it out of those that it was in. */
  place(resource: Resource, parents: readonly Resource[]): void {
    for (const parent of hierarchyNodeOf(resource)?.parents ?? [])
      changePlace(parent, (place) => {
        place.children = withoutItem(place.children, resource);
      });
    changePlace(resource, (place) => {
      place.parents = parents;
    });
    for (const parent of parents)
      changePlace(parent, (place) => {
        place.children = withItem(place.children, resource);
      });
  }

  removeResource(type: ResourceType, name: string): void {
    if (this.resource(type, name).place !== null) throw new Error(`"${type.path}/${name}" still is a place`);
    type.resources.delete(name);
  }

  removeType(path: string, name: string): void {
    if (this.type(path).resources.size > 0) throw new Error(`"${path}" still has resources`);
    this.types.remove(path, name);
  }

  /** Frees the id, which another record may have next. */
  freeId(id: string, resource: Resource): void {
    if (this.resourcesById.get(id) !== resource) throw new Error(`"${id}" is not the id of "${resource.name}"`);
    this.resourcesById.delete(id);
  }
}

function assertUnlinked(principal: Principal): void {
  const { grants, groups, roles, held } = principal;
  if (grants !== null || groups !== null || roles !== null || held !== null)
    throw new Error(`${principal.address} is still linked`);
}

function decoded(segment: string): string {
  return segment.includes('%') ? decodeSegment(segment) : segment;
}
