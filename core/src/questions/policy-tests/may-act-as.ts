import { append } from '../../collections/append.js';
import { type Address, address, path } from '../../records/address.js';
import { assigneeOf, EVERY_TYPE, EVERYONE } from '../../records/everyone.js';
import type { DeclaredRecord } from '../../records/registry.js';
import type { DecisionRequest } from '../../request.js';

/** Whom a subject acts as at some time and in some place: what a link can make a difference to is among it. */
export class MayActAs {
  readonly #above = new Map<Address, Address[]>();
  readonly #roles = new Map<string, Address[]>();
  readonly #known = new Map<string, ReadonlySet<Address>>();

  constructor(records: Iterable<DeclaredRecord>) {
    for (const { kind, address: own, fields } of records) {
      if (kind === 'group_membership') this.#add(assigneeOf(fields), address('group', fields.group));
      else if (kind === 'role_assignment') this.#add(assigneeOf(fields), address('role', fields.role));
      else if (kind === 'role') {
        for (const included of fields.includes ?? []) this.#add(own, address('role', included));
        for (const name of [own.slice('role/'.length), fields.name]) {
          this.#roles.set(name, [...(this.#roles.get(name) ?? []), own]);
        }
      }
    }
  }

  #add(from: Address, to: Address): void {
    append(this.#above, from, to);
  }

  of({ type, id, roles = [] }: DecisionRequest['subject']): ReadonlySet<Address> {
    const key = JSON.stringify([type, id, roles]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const found = new Set<Address>([
      address('subject', path(type, id)),
      `${EVERYONE}/${EVERY_TYPE}`,
      `${EVERYONE}/${type}`,
      ...roles.flatMap((role) => this.#roles.get(role) ?? []),
    ]);
    this.#climb(found);
    this.#known.set(key, found);
    return found;
  }

  /** A principal and all that whoever acts as it acts as, too. */
  above(principal: Address): ReadonlySet<Address> {
    return this.#climb(new Set([principal]));
  }

  #climb(found: Set<Address>): Set<Address> {
    for (const one of found) for (const above of this.#above.get(one) ?? []) found.add(above);
    return found;
  }
}
