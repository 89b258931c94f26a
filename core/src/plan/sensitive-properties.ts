import type { DeclaredRecord } from '../records/registry.js';
import type { PlannedChange } from './plan.js';

type TypedRecord = Pick<DeclaredRecord, 'kind' | 'address' | 'fields'>;

/** The properties that the types of some records declare as sensitive. */
export class SensitiveProperties {
  /** Names by the address of the type. */
  readonly #names = new Map<string, Set<string>>();

  /** Notes what a record says, if it is that of a type. */
  add({ kind, address, fields }: TypedRecord): void {
    if (kind !== 'resource_type' && kind !== 'subject_type') return;
    const { sensitive = [] } = fields as { sensitive?: readonly string[] };
    for (const name of sensitive) this.#names.set(address, (this.#names.get(address) ?? new Set()).add(name));
  }

  /** The change, with the names of those of its properties that are sensitive. */
  noted(change: PlannedChange): PlannedChange {
    if (this.#names.size === 0) return change;
    const names = this.#names.get(typeOf(change.address)) ?? [];
    const shown = [...names].filter((name) => isShown(change, name)).sort();
    return shown.length === 0 ? change : { ...change, sensitive: shown };
  }
}

/** The address of the type of a resource or subject; of anything else, one that no type has. */
function typeOf(address: string): string {
  const [kind, first, second] = address.split('/');
  if (kind === 'subject') return `subject_type/${first}`;
  return kind === 'resource' ? `resource_type/${first}/${second}` : '';
}

function isShown(change: PlannedChange, name: string): boolean {
  const properties = change.action === 'create' ? change.fields.properties : undefined;
  if (typeof properties === 'object' && properties !== null && Object.hasOwn(properties, name)) return true;
  return change.differences.some(({ pointer, before, after }) =>
    pointer === '/properties'
      ? [before, after].some((side) => typeof side === 'object' && side !== null && Object.hasOwn(side, name))
      : propertyAt(pointer) === name,
  );
}

/** The property that a pointer leads to, or into; undefined if it leads elsewhere. */
export function propertyAt(pointer: string): string | undefined {
  const [, root, name] = pointer.split('/');
  return root === 'properties' ? name?.replaceAll('~1', '/').replaceAll('~0', '~') : undefined;
}
