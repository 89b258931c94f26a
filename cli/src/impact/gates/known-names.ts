import type { TenantSide } from '@authz-service/core/access/universe/side';
import { address, splitAddress } from '@authz-service/core/records/address';

/** The names of the records of both states, so that a misspelt pattern is told from one that matches nothing. */
export class KnownNames {
  /** The actions of each resource type, by its path. */
  readonly types = new Map<string, Set<string>>();
  readonly subjectTypes = new Set<string>();
  readonly #recorded = new Set<string>();

  constructor(...sides: TenantSide[]) {
    for (const side of sides) {
      for (const { kind, address: of, fields } of side.records) {
        if (kind === 'subject') {
          this.subjectTypes.add(fields.type);
          this.#recorded.add(of);
        } else if (kind === 'resource') this.#recorded.add(of);
        else if (kind === 'resource_type') {
          const { path } = splitAddress(of);
          this.types.set(path, new Set([...(this.types.get(path) ?? []), ...fields.actions]));
        }
      }
    }
  }

  has(kind: 'subject' | 'resource', path: string): boolean {
    return this.#recorded.has(address(kind, path));
  }

  /** The paths of the resource types that a name may mean: `invoice` or `billing/invoice`. */
  typePaths(name: string): string[] {
    if (this.types.has(name)) return [name];
    return [...this.types.keys()].filter((path) => path.endsWith(`/${name}`));
  }

  /** The names that types can be written with. */
  get typeNames(): string[] {
    return [...this.types.keys()].flatMap((path) => [path.slice(path.indexOf('/') + 1), path]);
  }

  get actions(): Set<string> {
    return new Set([...this.types.values()].flatMap((actions) => [...actions]));
  }
}
