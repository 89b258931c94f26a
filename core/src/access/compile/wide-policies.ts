import type { Path } from '../../records/address.js';
import { ALL_TYPES } from '../../records/policy.js';
import type { Fields } from '../../records/registry.js';

type WideFields = Pick<Fields<'policy'>, 'application' | 'resource_types' | 'actions'>;

/** The types of a tenant with their actions, by application: what a policy over many types covers hangs on them. */
export class DeclaredTypes {
  readonly #byApplication = new Map<Path, Map<Path, readonly string[]>>();

  /** Without actions where the type goes. */
  set(type: Path, actions: readonly string[] | undefined): void {
    const application = applicationOf(type);
    const types = this.#byApplication.get(application) ?? new Map<Path, readonly string[]>();
    if (actions === undefined) types.delete(type);
    else types.set(type, actions);
    if (types.size === 0) this.#byApplication.delete(application);
    else this.#byApplication.set(application, types);
  }

  /** The types that a policy covers, each with those of its actions that the type declares (docs/semantics.md 9.1). */
  covered({ application = '', resource_types: named = [], actions = [] }: WideFields): [Path, readonly string[]][] {
    const paths = named.includes(ALL_TYPES) ? [...(this.#byApplication.get(application)?.keys() ?? [])] : named;
    return paths.flatMap((path): [Path, readonly string[]][] => {
      const declared = this.#byApplication.get(applicationOf(path))?.get(path);
      if (declared === undefined) return [];
      const covered = actions.filter((action) => action === '*' || declared.includes(action));
      return covered.length === 0 ? [] : [[path, covered]];
    });
  }
}

/** The policies over many types, by the types that they name, or by the application of which they cover all. */
export class WidePolicies<P> {
  readonly #byType = new Map<Path, Set<P>>();
  readonly #byApplication = new Map<Path, Set<P>>();

  add(fields: WideFields, policy: P): void {
    for (const [table, key] of this.#places(fields)) {
      const found = table.get(key);
      if (found === undefined) table.set(key, new Set([policy]));
      else found.add(policy);
    }
  }

  delete(fields: WideFields, policy: P): void {
    for (const [table, key] of this.#places(fields)) {
      const found = table.get(key);
      found?.delete(policy);
      if (found?.size === 0) table.delete(key);
    }
  }

  /** Those whose rules hang on this type. */
  *over(type: Path): Generator<P, void> {
    yield* this.#byType.get(type) ?? [];
    yield* this.#byApplication.get(applicationOf(type)) ?? [];
  }

  #places({ application = '', resource_types: named = [] }: WideFields): [Map<Path, Set<P>>, Path][] {
    return named.map((type) => (type === ALL_TYPES ? [this.#byApplication, application] : [this.#byType, type]));
  }
}

function applicationOf(type: Path): Path {
  return type.slice(0, type.indexOf('/'));
}
