import { encodeSegment, type Path } from '../../records/address.js';
import { EVERY_TYPE, EVERYONE } from '../../records/everyone.js';
import { Principal } from './principal.js';

/** A principal of all subjects, or of all of a type, and how many assignments mention it. */
interface Mentioned {
  readonly principal: Principal;
  assignments: number;
}

interface Members {
  /** By the type of subjects, of those types that something is assigned to by themselves. */
  readonly byType: ReadonlyMap<Path, Principal>;
  /** The principal of all other types. */
  readonly other: Principal | null;
}

/**
 * The principals for what is assigned to everyone, and to everyone of a type (docs/semantics.md 9.2). Each request is
 * answered for its subject and then for a nameless member of these, which has nothing but what everyone has.
 */
export class Everyone {
  readonly #mentioned = new Map<Path, Mentioned>();
  /** Made when first asked for. */
  #members: Members | null = null;

  /** `*`, or the path of a type of subjects, which an assignment mentions from now on. */
  mention(entity: Path): Principal {
    const known = this.#mentioned.get(entity);
    if (known !== undefined) {
      known.assignments++;
      return known.principal;
    }
    const principal = new Principal('everyone', '', entity === EVERY_TYPE ? EVERYONE : `${EVERYONE}/${entity}`);
    this.#mentioned.set(entity, { principal, assignments: 1 });
    this.#members = null;
    return principal;
  }

  /** The principals that something is assigned to. */
  *principals(): Generator<Principal, void> {
    for (const { principal } of this.#mentioned.values()) yield principal;
  }

  /** For an assignment that is removed next. */
  release(entity: Path): Principal {
    const known = this.#mentioned.get(entity);
    if (known === undefined) throw new Error(`Nothing is assigned to everyone of "${entity}"`);
    known.assignments--;
    if (known.assignments === 0) {
      this.#mentioned.delete(entity);
      this.#members = null;
    }
    return known.principal;
  }

  /** A member of everyone that a subject of the type belongs to; null where nothing is assigned to them. */
  memberOf(type: string): Principal | null {
    if (this.#mentioned.size === 0) return null;
    this.#members ??= this.#makeMembers();
    const { byType, other } = this.#members;
    return byType.size === 0 ? other : (byType.get(encodeSegment(type)) ?? other);
  }

  #makeMembers(): Members {
    const every = this.#mentioned.get(EVERY_TYPE)?.principal;
    const byType = new Map<string, Principal>();
    for (const [entity, { principal }] of this.#mentioned)
      if (entity !== EVERY_TYPE) byType.set(entity, memberOf(every === undefined ? [principal] : [every, principal]));
    return { byType, other: every === undefined ? null : memberOf([every]) };
  }
}

function memberOf(groups: readonly Principal[]): Principal {
  const member = new Principal('everyone', '', '');
  member.groups = groups.map((to) => ({ to, period: null }));
  return member;
}
