import { ALWAYS, activityOf, inBoth, isEmpty, type Period, periodOf } from '../../access/grants/period.js';
import { remembered } from '../../collections/remembered.js';
import { type Address, encodeSegment, type Path, path as pathOf } from '../../records/address.js';
import { EVERYONE } from '../../records/everyone.js';
import { type AccessView, mentioning, recordAt } from './access-view.js';

/** When somebody acts as a principal; of a role, also where: on a resource and below it, or everywhere. */
export interface Holding {
  readonly period: Period;
  readonly place: Path | undefined;
}

/** The principals of a subject besides itself, the same object for all subjects of a type with the same links. */
export type SharedClosure = ReadonlyMap<Address, readonly Holding[]>;

/** Whom a subject acts as by what is recorded (docs/semantics.md 2.1 to 2.3, 8.4, 9.2, 9.3). */
export class SubjectHoldings {
  constructor(
    readonly shared: SharedClosure,
    /** The address of a recorded subject. */
    readonly self: Address | undefined,
    /** When it is not suspended. */
    readonly activity: Period,
  ) {}

  get(principal: Address): readonly Holding[] {
    return principal === this.self ? ITSELF : (this.shared.get(principal) ?? NONE);
  }
}

interface RoleLink extends Holding {
  readonly role: Path;
}

/** The groups and roles that one member has of itself. */
interface Links {
  readonly groups: readonly { readonly group: Path; readonly period: Period }[];
  readonly roles: readonly RoleLink[];
}

const NO_LINKS: Links = { groups: [], roles: [] };
const EVERYWHERE: Holding = { period: ALWAYS, place: undefined };
const ITSELF: readonly Holding[] = [EVERYWHERE];
const NONE: readonly Holding[] = [];

/** Reads from one state whom subjects act as; what groups and roles lead to is read once. */
export class SubjectClosures {
  readonly #closures = new Map<string, SubjectHoldings>();
  readonly #shared = new Map<string, SharedClosure>();
  readonly #groups = new Map<Address, Links['groups']>();
  readonly #roles = new Map<Address, readonly RoleLink[]>();
  readonly #included = new Map<Path, readonly Path[]>();
  readonly #naming = new Map<Path, readonly Path[]>();

  constructor(
    private readonly view: AccessView,
    private readonly other: AccessView,
    private readonly now: number,
  ) {}

  /** `path` is that of a recorded subject; undefined for one without a record. */
  of(type: string, path: Path | undefined): SubjectHoldings {
    return remembered(this.#closures, path ?? `${type}/`, () => {
      const self: Address | undefined = path === undefined ? undefined : `subject/${path}`;
      const links = self === undefined ? NO_LINKS : { groups: this.#groupsOf(self), roles: this.#rolesOf(self) };
      const shared = remembered(this.#shared, JSON.stringify([type, links]), () => this.#closureOf(type, links));
      const record = path === undefined ? undefined : recordAt(this.view, 'subject', path);
      return new SubjectHoldings(shared, self, activityOf(record?.fields ?? {}) ?? ALWAYS);
    });
  }

  #closureOf(type: string, { groups, roles }: Links): SharedClosure {
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
    ];
    const follow = (links: Links, period: Period) => {
      for (const { group, period: own } of links.groups) open.push([`group/${group}`, inBoth(period, own)]);
      for (const { role, period: own, place } of links.roles)
        for (const one of this.including(role)) add(`role/${one}`, { period: inBoth(period, own), place });
    };
    follow({ groups, roles }, ALWAYS);
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [principal, period] = next;
      const before = found.get(principal)?.length ?? 0;
      add(principal, { period, place: undefined });
      if ((found.get(principal)?.length ?? 0) === before) continue;
      follow({ groups: this.#groupsOf(principal), roles: this.#rolesOf(principal) }, period);
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

  /** The roles by whose names in a request this one counts (docs/semantics.md 8.9, 9.3). */
  naming(role: Path): readonly Path[] {
    return remembered(this.#naming, role, () => {
      const all = new Set(this.#isNamed(role) ? [role] : []);
      for (const one of all)
        for (const { address } of mentioning(this.view, `role/${one}`, 'role'))
          if (this.#isNamed(address.slice('role/'.length))) all.add(address.slice('role/'.length));
      return [...all].flatMap((one) => [one, ...this.#bareNameOf(one)]);
    });
  }

  /** The bare name of an application's role, as the path of the tenant's role whose name it is in the other state alone. */
  #bareNameOf(role: Path): Path[] {
    const fields = recordAt(this.view, 'role', role)?.fields;
    const bare = fields?.application === undefined ? undefined : pathOf(fields.name);
    return bare !== undefined && this.#meantBy(bare) === role ? [bare] : [];
  }

  /** The application's role that a bare name means, where only the other state has a role of the tenant of that name (1.5). */
  #meantBy(bare: Path): Path | undefined {
    if (bare.includes('/') || recordAt(this.view, 'role', bare) !== undefined) return undefined;
    const name = recordAt(this.other, 'role', bare)?.fields.name;
    if (name === undefined) return undefined;
    const fitting = [...this.view.addresses('role')].filter((address) => {
      const fields = recordAt(this.view, 'role', address.slice('role/'.length))?.fields;
      return fields?.name === name;
    });
    return fitting.length === 1 ? fitting[0]?.slice('role/'.length) : undefined;
  }

  #isNamed(role: Path): boolean {
    const record = recordAt(this.view, 'role', role);
    return record !== undefined && record.fields.from_requests !== false;
  }

  #groupsOf(member: Address): Links['groups'] {
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
    let found = this.#roles.get(holder);
    if (found === undefined) {
      found = [...mentioning(this.view, holder, 'role_assignment')].map(({ fields }) => linkOf(fields));
      if (!holder.startsWith('subject/')) this.#roles.set(holder, found);
    }
    return found;
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
