import { append } from '../../collections/append.js';
import { SplitMap } from '../../collections/split-map.js';
import { ProblemError } from '../../problem.js';
import { encodeSegment } from '../../records/address.js';
import type { DecisionRequest } from '../../request.js';
import type { Resource, ResourceType } from '../grants/target.js';
import type { Principal } from './principal.js';

interface Named<T> {
  readonly path: string;
  readonly entry: T;
}

/** Records of one kind, found by path, or by name alone where only one record has the name. */
export class Names<T> {
  readonly #byPath = new SplitMap<T>();
  readonly #byName = new SplitMap<Named<T>[]>();
  /** How many bare names have a "/" in them, and so look like a path. */
  #slashed = 0;

  get(path: string): T | undefined {
    return this.#byPath.get(path);
  }

  values(): Iterable<T> {
    return this.#byPath.values();
  }

  set(path: string, entry: T): void {
    this.#byPath.set(path, entry);
  }

  /** Makes the entry known by its bare name. */
  declare(name: string, path: string, entry: T): void {
    if (name.includes('/')) this.#slashed++;
    append(this.#byName, name, { path, entry });
  }

  /** Forgets a path, and its bare name where that was declared. */
  remove(path: string, name?: string): void {
    this.#byPath.delete(path);
    if (name === undefined) return;
    if (name.includes('/')) this.#slashed--;
    const rest = this.named(name).filter((one) => one.path !== path);
    if (rest.length === 0) this.#byName.delete(name);
    else this.#byName.set(name, rest);
  }

  named(name: string): readonly Named<T>[] {
    return this.#byName.get(name) ?? [];
  }

  /**
   * The record that a text means as a path, or as the bare names of one joined by "/", not percent-encoded: it goes
   * before those that have the text as their bare name.
   */
  qualified(text: string, named: readonly Named<T>[]): T | undefined {
    if ((named.length > 0 && this.#slashed === 0) || !text.includes('/')) return undefined;
    const found = this.#byPath.get(text);
    return found ?? this.#byPath.get(text.split('/').map(encodeSegment).join('/'));
  }
}

/** The resource types of a tenant; of a slice of it, those of other applications are there by name alone. */
export class TypeNames extends Names<ResourceType> {
  /** `applications`: the paths of those that are decided about; absent means all. */
  constructor(readonly applications?: ReadonlySet<string>) {
    super();
  }
}

/**
 * The resource type that a request means by `application/type`, or by the bare name while it is unique
 * (docs/semantics.md 1.2). Throws `ambiguous_name`; `unknown_application` if only others decide about it.
 */
export function findType(types: TypeNames, name: string): ResourceType | undefined {
  const named = types.named(name);
  const qualified = types.qualified(name, named);
  if (qualified === undefined && named.length > 1) throw ambiguous('Resource type', name, named);
  const found = qualified ?? named[0]?.entry;
  const { applications } = types;
  if (found !== undefined && applications !== undefined && !applications.has(applicationOf(found.path)))
    throw unknownApplication(found, applications);
  return found;
}

function applicationOf(type: string): string {
  return type.slice(0, type.indexOf('/'));
}

function unknownApplication({ path }: ResourceType, applications: ReadonlySet<string>): ProblemError {
  const held = [...applications].sort().map((one) => `"${one}"`);
  return new ProblemError(
    'unknown_application',
    `"${path}" is of the application "${applicationOf(path)}", and this decision point has the records of ${held.join(', ')} alone: ask one that has them, or name the application in the key that fetches the bundle.`,
  );
}

/**
 * The resource of a type that a request means: by name where it gives one, else by the record's id, else by the id as a
 * name (docs/semantics.md 1.3).
 */
export function findResource(
  type: ResourceType,
  byId: Pick<SplitMap<Resource>, 'get'>,
  { id, name }: DecisionRequest['resource'],
): Resource | undefined {
  if (name !== undefined) return type.resources.get(name);
  if (id === undefined) return undefined;
  const found = byId.get(id);
  return found !== undefined && found.type === type ? found : type.resources.get(id);
}

/**
 * The role that a request means: `application/role` by its path; a bare name is the tenant's role of that name, or else
 * the only one of an application. Throws `ambiguous_name`.
 */
export function findRole(roles: Names<Principal>, name: string): Principal | undefined {
  const named = roles.named(name);
  const qualified = roles.qualified(name, named);
  if (qualified !== undefined) return qualified;
  const tenant = named.find((one) => !one.path.includes('/'));
  if (tenant === undefined && named.length > 1) throw ambiguous('Role', name, named);
  return (tenant ?? named[0])?.entry;
}

function ambiguous(what: string, name: string, named: readonly { path: string }[]): ProblemError {
  const paths = named.map((one) => `"${one.path}"`).sort();
  return new ProblemError(
    'ambiguous_name',
    `${what} "${name}" may mean ${paths.join(' or ')}: write it with its application.`,
  );
}
