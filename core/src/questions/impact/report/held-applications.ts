import type { SideRecord } from '../../../access/universe/side.js';
import { append } from '../../../collections/append.js';
import { type Address, type Path, splitAddress } from '../../../records/address.js';
import { EVERYONE } from '../../../records/everyone.js';

/** Stands for the roles and policies of no application, which count in all of them. */
const EVERY_APPLICATION = '';

/** Looks up of which applications somebody holds a role or a policy: by links of their own, or through groups and roles. */
export class HeldApplications {
  readonly #given = new Map<Address, Address[]>();
  readonly #known = new Map<Address, ReadonlySet<string>>();

  constructor(records: Iterable<SideRecord>) {
    for (const { kind, address, fields } of records) {
      if (kind === 'role') for (const one of fields.includes ?? []) append(this.#given, address, `role/${one}`);
      else if (kind === 'group_membership')
        append(this.#given, `${fields.entity_type}/${fields.entity}`, `group/${fields.group}`);
      else if (kind === 'role_assignment' && fields.entity_type !== EVERYONE)
        append(this.#given, `${fields.entity_type}/${fields.entity}`, `role/${fields.role}`);
      else if (kind === 'policy_assignment' && fields.entity_type !== EVERYONE)
        append(this.#given, `${fields.entity_type}/${fields.entity}`, `policy/${fields.policy}`);
    }
  }

  /** Whether the subject holds a role or a policy of the application. */
  has(subject: Path, application: string): boolean {
    const held = this.#of(`subject/${subject}`);
    return held.has(application) || held.has(EVERY_APPLICATION);
  }

  #of(principal: Address): ReadonlySet<string> {
    const known = this.#known.get(principal);
    if (known !== undefined) return known;
    const held = new Set<string>();
    const seen = new Set([principal]);
    for (const one of seen) {
      for (const given of this.#given.get(one) ?? []) {
        seen.add(given);
        const { kind, path } = splitAddress(given);
        if (kind === 'group') continue;
        const at = path.indexOf('/');
        held.add(at < 0 ? EVERY_APPLICATION : path.slice(0, at));
      }
    }
    this.#known.set(principal, held);
    return held;
  }
}
