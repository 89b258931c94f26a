import { append } from '../../collections/append.js';
import type { Path } from '../../records/address.js';
import { addressOf, type Fields } from '../../records/registry.js';
import { equalJson } from '../../state/equal-json.js';
import type { RecordChange } from '../api/engine.js';
import type { CompiledEngine } from '../engine/compiled-engine.js';
import type { ActionSet } from '../grants/action-set.js';
import { rulesOf } from '../grants/grants.js';
import { sameActivity } from '../grants/period.js';
import type { Rule } from '../grants/rule.js';
import { Below, Resource, type ResourceType, type Target } from '../grants/target.js';
import { groupsOf } from '../graph/effective-principals.js';
import { itemsOf } from '../graph/few-or-many.js';
import { heldRoles } from '../graph/held-roles.js';
import { hierarchyNodeOf } from '../graph/hierarchy-node.js';
import { includedIn } from '../graph/included-roles.js';
import type { Link, Principal } from '../graph/principal.js';
import type { ChangedRecord } from '../universe/record-changes.js';
import type { ChangeScope } from './change-scope.js';
import type { ColumnTables } from './columns.js';
import type { GrantedRules } from './granted-rules.js';

/** Stands for all actions of a type, and for those that nothing names. */
export const EVERY_ACTION = '*';

type Given = NonNullable<RecordChange['before']>;

/**
 * Marks in a scope what changed records can touch in one state: the resources and actions whose candidates, or whose
 * guards, hang on them.
 */
export class Touching {
  readonly #principals = new Set<Principal>();
  readonly #asked = new Set<Principal>();
  /** Whether what is recorded of subjects changes, or what requests may send of them. */
  #ofSubjects = false;
  /** Whether what requests get by naming roles is marked. */
  #named = false;
  /** The resources that have been gone through with all below them, for these actions. */
  readonly #walked = new Map<Resource, Set<string>>();
  readonly #decisive = new Map<ResourceType, readonly Resource[]>();
  #children: Map<ResourceType, Path[]> | undefined;
  #readPlaces: boolean | undefined;

  constructor(
    private readonly engine: CompiledEngine,
    private readonly granted: GrantedRules,
    private readonly tables: ColumnTables,
    private readonly scope: ChangeScope,
  ) {}

  mark(changes: readonly ChangedRecord[], side: 'before' | 'after'): void {
    for (const change of changes) {
      const record = change[side];
      if (record !== undefined) this.#record(record, change);
      else this.#unrecorded(change[side === 'before' ? 'after' : 'before']);
    }
    for (const principal of this.#principals) {
      if (principal.grants !== null) for (const rule of rulesOf(principal.grants)) this.#rule(rule);
    }
    this.#guards();
  }

  #record({ kind, fields: given }: Given, { before, after }: ChangedRecord): void {
    const { engine } = this;
    switch (kind) {
      case 'policy':
        for (const rule of engine.rulesOf(addressOf(kind, given).slice('policy/'.length))) this.#rule(rule);
        return;
      case 'policy_assignment':
        for (const rule of engine.rulesOf((given as Fields<'policy_assignment'>).policy)) this.#rule(rule);
        return;
      case 'role_assignment': {
        const { role: path, resource } = given as Fields<'role_assignment'>;
        const role = engine.roles.get(path);
        if (role === undefined) return;
        if (resource === undefined) this.#reach([{ to: role, period: null }], []);
        else this.#held(role, this.#resourceAt(resource));
        return;
      }
      case 'group_membership': {
        const group = engine.groups.get((given as Fields<'group_membership'>).group);
        if (group !== undefined) this.#reach([], [{ to: group, period: null }]);
        return;
      }
      case 'role': {
        const role = engine.roles.get(addressOf(kind, given).slice('role/'.length));
        if (role !== undefined) this.#reach([{ to: role, period: null }], []);
        if (role !== undefined) for (const place of this.#placesOf(role)) this.#held(role, place);
        return;
      }
      case 'resource': {
        const { type, name } = given as Fields<'resource'>;
        const resource = engine.types.get(type)?.resources.get(name);
        if (resource === undefined) return;
        if (before !== undefined && after !== undefined && !matters(before.fields, after.fields)) return;
        this.#below(resource, [EVERY_ACTION]);
        return;
      }
      case 'resource_type': {
        const type = engine.types.get(addressOf(kind, given).slice('resource_type/'.length));
        if (type === undefined) return;
        this.#type(type, [EVERY_ACTION]);
        if (equalJson(parentsOf(before), parentsOf(after))) return;
        for (const one of engine.types.values()) if (liesBelow(one, type)) this.#type(one, [EVERY_ACTION]);
        return;
      }
      case 'subject': {
        const { type, id } = given as Fields<'subject'>;
        const subject = engine.subjects.get(type)?.get(id);
        if (subject === undefined) return;
        this.#ofSubjects = true;
        if (!sameActivity(before?.fields as Fields<'subject'>, after?.fields as Fields<'subject'>)) this.#all(subject);
        return;
      }
      case 'subject_type':
        this.#ofSubjects = true;
        return;
      default:
        return;
    }
  }

  /** A resource without a record here lies where requests say. */
  #unrecorded(other: Given | undefined): void {
    if (other?.kind !== 'resource') return;
    const { type: path, name } = other.fields as Fields<'resource'>;
    const type = this.engine.types.get(path);
    if (type !== undefined && type.parents.length > 0) this.scope.addPlaced(path, name, this.#parents(type));
  }

  /** `#decisiveParents`, looked for once. */
  #parents(type: ResourceType): readonly Resource[] {
    let parents = this.#decisive.get(type);
    if (parents === undefined) {
      parents = this.#decisiveParents(type);
      this.#decisive.set(type, parents);
    }
    return parents;
  }

  #resourceAt(path: string): Resource | undefined {
    const slash = path.lastIndexOf('/');
    return this.engine.types.get(path.slice(0, slash))?.resources.get(decodeURIComponent(path.slice(slash + 1)));
  }

  /** All that a subject has, as one of everyone and by roles that requests name, too: a suspension takes it away. */
  #all(subject: Principal): void {
    const { everyone, roles, unnamed } = this.engine;
    const member = everyone.memberOf(subject.type);
    this.#reach(subject.roles ?? [], [...(subject.groups ?? []), ...(member?.groups ?? [])]);
    if (!this.#named) {
      const named = [...roles.values()].filter((role) => !unnamed.has(role));
      this.#reach(
        named.map((to) => ({ to, period: null })),
        [],
      );
      this.#named = true;
    }
    this.#principals.add(subject);
    for (const [role, places] of heldRoles(subject.held)) for (const place of itemsOf(places)) this.#held(role, place);
  }

  /** All that whoever holds these roles and is in these groups has by that. */
  #reach(roles: readonly Link[], groups: readonly Link[]): void {
    const reached = new Set<Principal>(groupsOf(groups).keys());
    const links = [...roles];
    for (const group of reached) {
      links.push(...(group.roles ?? []));
      for (const [role, places] of heldRoles(group.held)) for (const place of itemsOf(places)) this.#held(role, place);
    }
    for (const { to } of links) for (const role of [to, ...includedIn(to)]) reached.add(role);
    for (const principal of reached) {
      this.#principals.add(principal);
      this.#asked.add(principal);
    }
  }

  /** Marks what a role that is held on a resource gives there and below. */
  #held(role: Principal, place: Resource | undefined): void {
    for (const one of [role, ...includedIn(role)]) {
      this.#asked.add(one);
      if (one.grants === null || place === undefined) continue;
      for (const { actions, policy } of rulesOf(one.grants)) {
        this.#below(place, actions.names);
        if (policy.deny) this.#unsaid(place.type, actions.names);
      }
    }
  }

  *#placesOf(role: Principal): Generator<Resource, void> {
    for (const { held } of this.granted.holders)
      for (const [one, places] of heldRoles(held))
        if (one === role || includedIn(one).includes(role)) yield* itemsOf(places);
  }

  #rule({ target, actions, policy }: Rule): void {
    this.#target(target, actions);
    if (target instanceof Below && policy.deny) this.#unsaid(target.resource.type, actions.names);
  }

  #target(target: Target, { names }: Pick<ActionSet, 'names'>): void {
    if (target instanceof Below) this.#below(target.resource, names);
    else if (target instanceof Resource) this.scope.addResource(target.type.path, target.name, names);
    else this.#type(target, names);
  }

  /** A whole type: what has a record, what has none, and of that also what lies where it makes a difference. */
  #type(type: ResourceType, actions: readonly string[]): void {
    this.scope.addType(type.path, actions);
    for (const parent of this.#parents(type)) this.scope.addBelow(type.path, parent, actions);
  }

  /** The recorded resources of which it makes a difference whether one without a record lies directly below them. */
  #decisiveParents(type: ResourceType): readonly Resource[] {
    const parents = type.parents.flatMap((parent) => [...parent.type.resources.values()]);
    if (parents.length === 0 || this.#placesAreRead()) return parents;
    const decisive = new Map<Resource, boolean>();
    const isDecisive = (resource: Resource): boolean => {
      let known = decisive.get(resource);
      if (known === undefined) {
        const place = hierarchyNodeOf(resource);
        known = place !== null && (place.holders !== null || place.below !== null || place.parents.some(isDecisive));
        decisive.set(resource, known);
      }
      return known;
    };
    return parents.filter(isDecisive);
  }

  /** Whether any guard asks what a resource lies below. */
  #placesAreRead(): boolean {
    this.#readPlaces ??= [...this.granted.all()].some(
      ({ rule }) => rule.policy.guard !== null && this.tables.guard(rule.policy.guard).reads.ancestors.length > 0,
    );
    return this.#readPlaces;
  }

  /** Resources that nobody says the place of may lie below those of this type. */
  #unsaid(type: ResourceType, actions: readonly string[]): void {
    for (const one of this.engine.types.values()) if (liesBelow(one, type)) this.scope.addUnsaid(one.path, actions);
  }

  /** A resource and all below it, and what has no record there. */
  #below(resource: Resource, actions: readonly string[]): void {
    const open = [resource];
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      const walked = this.#walked.get(one) ?? new Set<string>();
      const more = actions.filter((action) => !walked.has(action));
      if (more.length === 0) continue;
      for (const action of more) walked.add(action);
      this.#walked.set(one, walked);
      this.scope.addResource(one.type.path, one.name, more);
      for (const type of this.#typesIn(one.type)) this.scope.addBelow(type, one, more);
      for (const child of itemsOf(hierarchyNodeOf(one)?.children ?? null)) open.push(child);
    }
  }

  /** The types whose resources may lie directly in those of this one. */
  #typesIn(type: ResourceType): readonly Path[] {
    if (this.#children === undefined) {
      this.#children = new Map();
      for (const one of this.engine.types.values())
        for (const parent of one.parents) append(this.#children, parent.type, one.path);
    }
    return this.#children.get(type) ?? [];
  }

  /** Marks what guards are about that ask for touched groups and roles, or read touched subjects. */
  #guards(): void {
    const groups = new Set([...this.#asked].filter(({ kind }) => kind === 'group').map(({ name }) => name));
    const roles = new Set([...this.#asked].filter(({ kind }) => kind === 'role').map(({ name }) => name));
    const reading = this.#ofSubjects;
    if (groups.size === 0 && roles.size === 0 && !reading) return;
    for (const { rule } of this.granted.all()) {
      const { guard } = rule.policy;
      if (guard === null) continue;
      const { reads } = this.tables.guard(guard);
      const asks = reads.groups.some((path) => groups.has(path)) || reads.roles.some((path) => roles.has(path));
      if (asks || (reading && reads.subjectProperties?.length !== 0)) this.#rule(rule);
    }
    // Roles on resources lead to what no rule alone names.
    for (const holder of reading || groups.size > 0 || roles.size > 0 ? this.granted.holders : [])
      for (const [role, places] of heldRoles(holder.held))
        if ([role, ...includedIn(role)].some((one) => this.#asks(one, groups, roles, reading)))
          for (const place of itemsOf(places)) this.#held(role, place);
  }

  #asks({ grants }: Principal, groups: ReadonlySet<string>, roles: ReadonlySet<string>, reading: boolean): boolean {
    if (grants === null) return false;
    for (const { policy } of rulesOf(grants)) {
      if (policy.guard === null) continue;
      const { reads } = this.tables.guard(policy.guard);
      if (reading && reads.subjectProperties?.length !== 0) return true;
      if (reads.groups.some((path) => groups.has(path)) || reads.roles.some((path) => roles.has(path))) return true;
    }
    return false;
  }
}

function liesBelow(type: ResourceType, above: ResourceType): boolean {
  const seen = new Set([type]);
  for (const one of seen) for (const parent of one.parents) seen.add(parent.type);
  return seen.has(above) && type !== above ? true : type.parents.some((parent) => parent.type === above);
}

function parentsOf(type: Given | undefined): unknown {
  return (type?.fields as Fields<'resource_type'> | undefined)?.parents;
}

function matters(before: object, after: object): boolean {
  const [old, now] = [before as Fields<'resource'>, after as Fields<'resource'>];
  return !equalJson(old.parents, now.parents) || !equalJson(old.properties, now.properties);
}
