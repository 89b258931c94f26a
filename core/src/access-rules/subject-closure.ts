import { ALWAYS, inBoth, isEmpty, type Period, periodOf } from '../decision/grants/period.js';
import { type Address, encodeSegment, type Path } from '../records/address.js';
import { EVERYONE } from '../records/everyone.js';
import { remembered } from '../remembered.js';
import { type AccessView, mentioning, recordAt } from './access-view.js';

/** When somebody acts as a principal; of a role, also where: on a resource and below it, or everywhere. */
export interface Holding {
  readonly period: Period;
  readonly place: Path | undefined;
}

/** Whom a subject acts as by what is recorded (docs/semantics.md 2.1 to 2.3, 8.4, 9.2, 9.3), by address. */
export type Closure = ReadonlyMap<Address, readonly Holding[]>;

interface RoleLink extends Holding {
  readonly role: Path;
}

const EVERYWHERE: Holding = { period: ALWAYS, place: undefined };

/** Reads from one state whom subjects act as; what groups and roles lead to is read once. */
export class SubjectClosures {
  readonly #groups = new Map<Address, readonly { group: Path; period: Period }[]>();
  readonly #roles = new Map<Address, readonly RoleLink[]>();
  readonly #included = new Map<Path, readonly Path[]>();
  readonly #naming = new Map<Path, readonly Path[]>();
  #everyone: Map<Address, RoleLink[]> | undefined;

  constructor(
    private readonly view: AccessView,
    private readonly now: number,
  ) {}

  /** `path` is that of a recorded subject; undefined for one without a record. */
  of(type: string, path: Path | undefined): Closure {
    const found = new Map<Address, Holding[]>();
    const add = (address: Address, { period, place }: Holding) => {
      if (isEmpty(period) || period.end <= this.now) return;
      const known = found.get(address);
      const holding = { period, place };
      if (known === undefined) found.set(address, [holding]);
      else if (!known.some((one) => one.place === place && covers(one.period, period))) known.push(holding);
    };
    const open: [Address, Period][] = [
      [`${EVERYONE}/*`, ALWAYS],
      [`${EVERYONE}/${encodeSegment(type)}`, ALWAYS],
      ...(path === undefined ? [] : [[`subject/${path}`, ALWAYS] as [Address, Period]]),
    ];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [principal, period] = next;
      const before = found.get(principal)?.length ?? 0;
      add(principal, { period, place: undefined });
      if ((found.get(principal)?.length ?? 0) === before) continue;
      for (const { group, period: own } of this.#groupsOf(principal))
        open.push([`group/${group}`, inBoth(period, own)]);
      for (const { role, period: own, place } of this.#rolesOf(principal))
        for (const one of this.including(role)) add(`role/${one}`, { period: inBoth(period, own), place });
    }
    return found;
  }

  /** A group, those that it is in, and the roles that these hold, whenever and wherever they count. */
  reachedFrom(group: Address): ReadonlySet<Address> {
    const found = new Set([group]);
    for (const principal of found) {
      for (const { group: above } of this.#groupsOf(principal)) found.add(`group/${above}`);
      for (const { role } of this.#rolesOf(principal)) for (const one of this.including(role)) found.add(`role/${one}`);
    }
    return found;
  }

  /** A role and all that it includes. */
  including(role: Path): readonly Path[] {
    return remembered(this.#included, role, () => {
      const all = new Set([role]);
      for (const one of all) for (const more of recordAt(this.view, 'role', one)?.fields.includes ?? []) all.add(more);
      return [...all];
    });
  }

  /** The roles by whose name in a request this one counts (docs/semantics.md 8.9, 9.3). */
  naming(role: Path): readonly Path[] {
    return remembered(this.#naming, role, () => {
      const all = new Set(this.#isNamed(role) ? [role] : []);
      for (const one of all)
        for (const { address } of mentioning(this.view, `role/${one}`, 'role'))
          if (this.#isNamed(address.slice('role/'.length))) all.add(address.slice('role/'.length));
      return [...all];
    });
  }

  #isNamed(role: Path): boolean {
    const record = recordAt(this.view, 'role', role);
    return record !== undefined && record.fields.from_requests !== false;
  }

  #groupsOf(member: Address): readonly { group: Path; period: Period }[] {
    if (member.startsWith(`${EVERYONE}/`) || member.startsWith('role/')) return [];
    let found = this.#groups.get(member);
    if (found === undefined) {
      found = [...mentioning(this.view, member, 'group_membership')].flatMap(({ fields }) =>
        `${fields.entity_type}/${fields.entity}` === member
          ? [{ group: fields.group, period: periodOf(fields) ?? ALWAYS }]
          : [],
      );
      if (member.startsWith('group/')) this.#groups.set(member, found);
    }
    return found;
  }

  #rolesOf(holder: Address): readonly RoleLink[] {
    if (holder.startsWith('role/')) return [];
    if (holder.startsWith(`${EVERYONE}/`)) return this.#everyones().get(holder) ?? [];
    let found = this.#roles.get(holder);
    if (found === undefined) {
      found = [...mentioning(this.view, holder, 'role_assignment')].map(({ fields }) => linkOf(fields));
      if (holder.startsWith('group/')) this.#roles.set(holder, found);
    }
    return found;
  }

  #everyones(): ReadonlyMap<Address, RoleLink[]> {
    if (this.#everyone === undefined) {
      this.#everyone = new Map();
      for (const address of this.view.addresses('role_assignment')) {
        if (!address.includes(`//${EVERYONE}/`)) continue;
        const record = this.view.get(address);
        if (record?.kind !== 'role_assignment' || record.fields.entity_type !== EVERYONE) continue;
        const holder = `${EVERYONE}/${record.fields.entity}`;
        this.#everyone.set(holder, [...(this.#everyone.get(holder) ?? []), linkOf(record.fields)]);
      }
    }
    return this.#everyone;
  }
}

function linkOf(fields: {
  role: Path;
  resource?: Path | undefined;
  starts_at?: string;
  expires_at?: string;
}): RoleLink {
  return { role: fields.role, place: fields.resource, period: periodOf(fields) ?? EVERYWHERE.period };
}

function covers(outer: Period, inner: Period): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}
