import type { JsonObject } from '../../json/json.js';
import { type Address, path } from '../../records/address.js';
import type { Fields } from '../../records/registry.js';
import type { EngineRecord } from '../api/engine.js';
import type { CompiledEngine } from '../engine/compiled-engine.js';
import { sameActivity } from '../grants/period.js';
import { includedIn } from '../graph/included-roles.js';
import type { Link, Principal } from '../graph/principal.js';
import { type Closure, closureOf } from './closure.js';
import type { PrincipalIds } from './principal-ids.js';
import type { ChangedRecord } from './record-changes.js';

export type Side = 'before' | 'after';

/** A subject of the universe; one without an id stands for those of its type that have no record. */
export class Member {
  #path: string | undefined;

  /** `before` and `after` are what each state records of it; undefined where it has no record. */
  constructor(
    readonly type: string,
    readonly id: string,
    readonly before: JsonObject | undefined,
    readonly after: JsonObject | undefined,
  ) {}

  get path(): string {
    this.#path ??= this.id === '' ? this.type : path(this.type, this.id);
    return this.#path;
  }
}

/**
 * Subjects that act as the same principals at the same times, before and after. They differ in nothing else but what
 * conditions read of them.
 */
export interface SubjectClass {
  readonly index: number;
  readonly type: string;
  /** `recorded` in either state; `unrecorded` of a type; `named`: anybody whom requests name as a role. */
  readonly kind: 'recorded' | 'unrecorded' | 'named';
  /** The address of that role. */
  readonly role?: Address;
  /** The types of all classes of that role. */
  readonly types?: readonly string[];
  /** The class of the same members without that role, where they have records: their suspensions change. */
  readonly without?: SubjectClass;
  readonly members: readonly Member[];
  readonly before: Closure;
  readonly after: Closure;
  readonly changed: boolean;
  /** The properties that requests may send of such subjects, if not all. */
  readonly sendable: { readonly [S in Side]: ReadonlySet<string> | undefined };
}

interface Draft {
  readonly key: string;
  readonly principal: Principal | undefined;
}

const NOTHING: JsonObject = {};
/** Stands for a type of subjects that no record mentions: a name that no record can have. */
export const OTHER_TYPE = '*';

/** All subjects of both states in classes. Call `look` in each state, then `classes`. */
export class SubjectClasses {
  /** Subjects by path that changed records name themselves: each has a class by what it is in both states. */
  readonly #named = new Map<string, { type: string; id: string; suspends: boolean; before?: Draft; after?: Draft }>();
  readonly #namedIds = new Set<string>();
  /** Members of each class of the others, by what they are before. */
  readonly #others = new Map<string, Member[]>();
  readonly #representatives = new Map<string, { type: string; id: string }>();
  readonly #closures = { before: new Map<string, Closure>(), after: new Map<string, Closure>() };
  readonly #types = new Set<string>();
  readonly #sendable = {
    before: new Map<string, ReadonlySet<string>>(),
    after: new Map<string, ReadonlySet<string>>(),
  };
  /** The types of which everyone has something, or all types if conditions read the type. */
  readonly #mentioned = new Set<string>();
  /** Roles that requests may name, for a subject of each type of which everyone has something else. */
  readonly #roles = new Map<string, { role: Address; type: string; before?: Closure; after?: Closure }>();
  readonly #records = new Map<string, { before?: JsonObject | undefined; after?: JsonObject | undefined }>();

  constructor(
    changes: readonly ChangedRecord[],
    private readonly now: number,
    private readonly principals: PrincipalIds,
    private readonly asked: ReadonlySet<string> | undefined,
  ) {
    for (const type of asked ?? []) this.#types.add(type);
    for (const { before, after } of changes) {
      for (const [side, record] of [
        ['before', before],
        ['after', after],
      ] as const) {
        if (record === undefined) continue;
        // One that says what requests may send is a type for itself in both states, even if only one has it.
        if (record.kind === 'subject_type') {
          const { name, from_requests } = record.fields as Fields<'subject_type'>;
          if (from_requests !== undefined) this.#types.add(name);
        }
        if (record.kind === 'subject') {
          const { type, id, properties } = record.fields as Fields<'subject'>;
          const named = this.#name(type, id);
          named.suspends ||= !sameActivity(subjectOf(before), subjectOf(after));
          const known = this.#records.get(path(type, id)) ?? {};
          known[side] = properties ?? {};
          this.#records.set(path(type, id), known);
        }
        const { entity_type, entity } = record.fields as { entity_type?: string; entity?: string };
        if (entity === undefined) continue;
        if (entity_type === 'subject') {
          const [type = '', id = ''] = entity.split('/').map(decodeURIComponent);
          this.#name(type, id);
        } else if (entity_type === 'everyone' && entity !== OTHER_TYPE) this.#mention(decodeURIComponent(entity));
      }
    }
  }

  #mention(type: string): void {
    this.#types.add(type);
    this.#mentioned.add(type);
  }

  #name(type: string, id: string): { suspends: boolean } {
    const key = path(type, id);
    this.#types.add(type);
    this.#namedIds.add(id);
    const named = this.#named.get(key) ?? { type, id, suspends: false };
    this.#named.set(key, named);
    return named;
  }

  /** All but those that nothing mentions. */
  get types(): ReadonlySet<string> {
    return this.#types;
  }

  /** Looks at all subjects of a state, the state before first. */
  look(engine: CompiledEngine, side: Side): void {
    for (const principal of engine.everyone.principals()) {
      const [, type] = principal.name.split('/');
      if (type !== undefined) this.#mention(decodeURIComponent(type));
    }
    for (const type of engine.subjects.keys()) this.#types.add(type);
    for (const [type, names] of engine.sendable) {
      this.#types.add(type);
      this.#sendable[side].set(type, names);
    }
    if (this.asked !== undefined) for (const type of this.#types) this.#mentioned.add(type);
    const roles = nameable(engine);
    if (side === 'before') {
      for (const [type, subjects] of engine.subjects) {
        for (const principal of subjects.values()) {
          const { name: id, properties = NOTHING } = principal;
          if (this.#namedIds.has(id) && this.#named.has(path(type, id))) continue;
          const signature = signatureOf(principal, this.principals);
          const member = new Member(type, id, properties, properties);
          const members = this.#others.get(signature);
          if (members !== undefined) members.push(member);
          else {
            this.#others.set(signature, [member]);
            this.#representatives.set(signature, member);
          }
        }
      }
    }
    for (const [signature, { type, id }] of this.#representatives) {
      this.#closures[side].set(signature, this.#closure(engine, engine.subjects.get(type)?.get(id), type));
    }
    for (const named of this.#named.values()) {
      const principal = engine.subjects.get(named.type)?.get(named.id);
      const signature = principal === undefined ? `${named.type}\n-` : signatureOf(principal, this.principals);
      named[side] = { key: signature, principal };
      const key = path(named.type, named.id);
      const recorded = this.#records.get(key) ?? {};
      if (principal !== undefined) recorded[side] ??= principal.properties ?? {};
      this.#records.set(key, recorded);
      if (!this.#closures[side].has(signature))
        this.#closures[side].set(signature, this.#closure(engine, principal, named.type));
      if (!named.suspends) continue;
      for (const { role, counts } of roles) {
        const key = `${signature}\n${role}`;
        if (this.#closures[side].has(key)) continue;
        const member = engine.everyone.memberOf(named.type);
        this.#closures[side].set(key, closureOf(principal, member, counts, this.now, this.principals));
      }
    }
    for (const type of [...this.#types, OTHER_TYPE])
      this.#closures[side].set(`?${type}`, this.#closure(engine, undefined, type));
    for (const { role, counts } of roles) {
      for (const type of [OTHER_TYPE, ...this.#mentioned]) {
        const key = `${role}\n${type}`;
        const known = this.#roles.get(key) ?? { role, type };
        known[side] = closureOf(undefined, engine.everyone.memberOf(type), counts, this.now, this.principals);
        this.#roles.set(key, known);
      }
    }
  }

  #closure(engine: CompiledEngine, principal: Principal | undefined, type: string): Closure {
    return closureOf(principal, engine.everyone.memberOf(type), [], this.now, this.principals);
  }

  /** The classes. `look` must have been called for both states. */
  classes(): SubjectClass[] {
    const found: SubjectClass[] = [];
    const { before, after } = this.#sendable;
    const add = (one: Omit<SubjectClass, 'index' | 'changed' | 'sendable'>, changed = false): SubjectClass => {
      const sendable = { before: before.get(one.type), after: after.get(one.type) };
      const made = { ...one, sendable, index: found.length, changed: changed || one.before.key !== one.after.key };
      found.push(made);
      return made;
    };
    const closures = (before: string, after: string) => ({
      before: this.#closures.before.get(before) as Closure,
      after: this.#closures.after.get(after) as Closure,
    });
    for (const [signature, members] of this.#others) {
      const type = members[0]?.type ?? '';
      add({ type, kind: 'recorded', members, ...closures(signature, signature) });
    }
    const named = new Map<string, { members: Member[]; suspends: boolean }>();
    for (const [key, { type, id, before, after, suspends }] of this.#named) {
      const recorded = this.#records.get(key) ?? {};
      if (recorded.before === undefined && recorded.after === undefined) continue;
      const both = `${before?.key}\n\n${after?.key}`;
      const member = new Member(type, id, recorded.before, recorded.after);
      const known = named.get(both);
      if (known === undefined) named.set(both, { members: [member], suspends });
      else {
        known.members.push(member);
        known.suspends ||= suspends;
      }
    }
    const roles = new Set([...this.#roles.values()].map(({ role }) => role));
    for (const [both, { members, suspends }] of named) {
      const [before = '', after = ''] = both.split('\n\n');
      const changed = members.some((one) => one.before !== one.after);
      const type = members[0]?.type ?? '';
      const without = add({ type, kind: 'recorded', members, ...closures(before, after) }, changed);
      if (!suspends) continue;
      for (const role of roles) {
        const { before: one = without.before, after: two = without.after } = {
          before: this.#closures.before.get(`${before}\n${role}`),
          after: this.#closures.after.get(`${after}\n${role}`),
        };
        add({ type, kind: 'named', role, without, members, before: one, after: two });
      }
    }
    for (const type of [...this.#types, OTHER_TYPE]) {
      const members = [new Member(type, '', undefined, undefined)];
      add({ type, kind: 'unrecorded', members, ...closures(`?${type}`, `?${type}`) });
    }
    const typesOf = new Map<Address, string[]>();
    for (const { role, type, before, after } of this.#roles.values()) {
      const nobody = closures(`?${type}`, `?${type}`);
      const members = [new Member(type, '', undefined, undefined)];
      const types = typesOf.get(role) ?? [];
      types.push(type);
      typesOf.set(role, types);
      const sides = { before: before ?? nobody.before, after: after ?? nobody.after };
      add({ type, kind: 'named', role, types, members, ...sides });
    }
    return found;
  }
}

function subjectOf(record: EngineRecord | undefined): Fields<'subject'> | undefined {
  return record?.kind === 'subject' ? (record.fields as Fields<'subject'>) : undefined;
}

/** The roles that requests may name, each with all that counts by its name. */
function nameable({ roles, unnamed }: CompiledEngine): { role: Address; counts: Principal[] }[] {
  const named = [...roles.values()].filter((role) => !unnamed.has(role));
  return named.map((role) => ({ role: role.address, counts: [role, ...includedIn(role, unnamed)] }));
}

/** Subjects of equal signatures act as the same principals. */
function signatureOf(principal: Principal, principals: PrincipalIds): string {
  const { type, groups, roles, grants, held, activity } = principal;
  const own = grants !== null || held !== null ? ` =${principals.of(principal)}` : '';
  const active = activity === null ? '' : ` ${activity.start}~${activity.end}`;
  return `${type}\n${linked(groups, principals)}/${linked(roles, principals)}${own}${active}`;
}

function linked(links: readonly Link[] | null, principals: PrincipalIds): string {
  if (links === null) return '';
  const texts = links.map(({ to, period }) =>
    period === null ? `${principals.of(to)}` : `${principals.of(to)}@${period.start}~${period.end}`,
  );
  return texts.length > 1 ? texts.sort().join(',') : (texts[0] as string);
}
