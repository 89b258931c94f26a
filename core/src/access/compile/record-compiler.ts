import type { Path } from '../../records/address.js';
import { EVERYONE } from '../../records/everyone.js';
import { kindRank } from '../../records/kinds.js';
import { addressOf, type Fields } from '../../records/registry.js';
import { durationMs } from '../../values/duration.js';
import type { EngineRecord, RecordChange } from '../api/engine.js';
import { activityOf, periodOf } from '../grants/period.js';
import type { Rule } from '../grants/rule.js';
import type { Resource, ResourceType } from '../grants/target.js';
import { EffectivePrincipalsMemo } from '../graph/effective-principals.js';
import { Graph } from '../graph/graph.js';
import { withHeld, withoutHeld } from '../graph/held-roles.js';
import { changePlace } from '../graph/hierarchy-node.js';
import { withHolder, withoutHolder } from '../graph/holders.js';
import type { Link, Principal } from '../graph/principal.js';
import { AssignedPolicies } from './assigned-policies.js';

/** This many grants are replaced in the time that one other change takes. */
const GRANTS_PER_STEP = 10;

/**
 * Puts records into the graph and removes them again. Each costs the same short time whatever the size of the tenant,
 * except a policy, which touches all its assignees.
 */
export class RecordCompiler {
  readonly graph: Graph;
  readonly effectivePrincipals = new EffectivePrincipalsMemo();
  /** The roles that requests may not name. */
  readonly unnamed = new Set<Principal>();
  /** How old the records may be that decide about the resources of a type, in milliseconds. */
  readonly budgets = new Map<ResourceType, number>();
  readonly #policies: AssignedPolicies;

  /** `applications`: the paths of those that are decided about; absent means all. */
  constructor(applications?: ReadonlySet<Path>) {
    this.graph = new Graph(applications);
    this.#policies = new AssignedPolicies(this.graph, this.effectivePrincipals);
  }

  /** Adds a record to a tenant that nothing has been removed from. */
  add(record: EngineRecord): void {
    this.#put(record, false);
    this.#join(record);
  }

  /** `kept` where a record of this address was there before, and what mentions it stays. */
  #put({ kind, id, fields: given }: EngineRecord, kept: boolean): void {
    const { graph } = this;
    switch (kind) {
      case 'resource_type': {
        const fields = given as Fields<'resource_type'>;
        const path = pathOf(kind, fields);
        const type = graph.type(path, !kept);
        type.actions = fields.actions;
        type.properties = fields.properties;
        type.sendable = fields.from_requests === undefined ? null : new Set(fields.from_requests);
        setOrDelete(graph.sensitive.ofResources, type, fields.sensitive);
        const maxAgeMs = fields.max_age === undefined ? undefined : durationMs(fields.max_age);
        if (maxAgeMs === undefined) this.budgets.delete(type);
        else this.budgets.set(type, maxAgeMs);
        if (!kept) graph.types.declare(fields.name, path, type);
        this.#policies.declareType(path, fields.actions);
        return;
      }
      case 'resource': {
        const fields = given as Fields<'resource'>;
        const resource = graph.resource(graph.type(fields.type), fields.name, !kept);
        resource.id = id;
        resource.properties = fields.properties;
        graph.resourcesById.set(id, resource);
        return;
      }
      case 'subject_type': {
        const { name, from_requests: sent, sensitive } = given as Fields<'subject_type'>;
        setOrDelete(graph.sensitive.ofSubjects, name, sensitive);
        if (sent === undefined) graph.sendable.delete(name);
        else graph.sendable.set(name, new Set(sent));
        return;
      }
      case 'subject': {
        const fields = given as Fields<'subject'>;
        const subject = graph.subject(fields.type, fields.id, !kept);
        subject.properties = fields.properties;
        subject.activity = activityOf(fields);
        return;
      }
      case 'role': {
        const fields = given as Fields<'role'>;
        const path = pathOf(kind, fields);
        const role = graph.role(path, !kept);
        if (fields.from_requests === false) this.unnamed.add(role);
        if (!kept) graph.roles.declare(fields.name, path, role);
        return;
      }
      case 'group':
        graph.group(pathOf(kind, given), !kept);
        return;
      case 'policy':
        this.#policies.put(id, given as Fields<'policy'>, kept);
        return;
      case 'policy_assignment': {
        const fields = given as Fields<'policy_assignment'>;
        const to = mentioned(graph, fields);
        this.#policies.assign(fields.policy, { to, period: periodOf(fields) });
        return;
      }
      case 'role_assignment': {
        const fields = given as Fields<'role_assignment'>;
        const holder = mentioned(graph, fields);
        const link = { to: graph.role(fields.role), period: periodOf(fields) };
        if (fields.resource !== undefined) {
          this.#hold(holder, link, graph.resourceAt(fields.resource));
          return;
        }
        holder.roles = graph.linked(holder.roles, link);
        graph.watcher?.linked(holder, link.to);
        this.effectivePrincipals.invalidate(holder);
        return;
      }
      case 'group_membership': {
        const fields = given as Fields<'group_membership'>;
        const member = graph.principal(fields.entity_type, fields.entity);
        const group = graph.group(fields.group);
        member.groups = graph.linked(member.groups, { to: group, period: periodOf(fields) });
        graph.watcher?.linked(member, group);
        this.effectivePrincipals.invalidate(member);
        return;
      }
      case 'context_attribute': {
        const { name, sensitive } = given as Fields<'context_attribute'>;
        if (sensitive) graph.sensitive.context.add(name);
        else graph.sensitive.context.delete(name);
        return;
      }
      case 'application':
      case 'directory':
      case 'access_rule':
      case 'api_key':
      case 'oauth_client':
        return;
    }
  }

  /** `kept` where a record of the same address is put next, and what mentions it stays. */
  #remove({ kind, id, fields: given }: EngineRecord, kept: boolean): void {
    const { graph } = this;
    switch (kind) {
      case 'resource_type':
        if (kept) return;
        this.budgets.delete(graph.type(pathOf(kind, given)));
        graph.sensitive.ofResources.delete(graph.type(pathOf(kind, given)));
        this.#policies.declareType(pathOf(kind, given), undefined);
        graph.removeType(pathOf(kind, given), (given as Fields<'resource_type'>).name);
        return;
      case 'resource': {
        const fields = given as Fields<'resource'>;
        const type = graph.type(fields.type);
        graph.freeId(id, graph.resource(type, fields.name));
        if (!kept) graph.removeResource(type, fields.name);
        return;
      }
      case 'subject': {
        const fields = given as Fields<'subject'>;
        if (!kept) graph.removeSubject(fields.type, fields.id);
        return;
      }
      case 'role': {
        const path = pathOf(kind, given);
        const role = graph.role(path);
        this.unnamed.delete(role);
        if (role.roles !== null) this.#include(role, null);
        if (!kept) graph.removeRole(path, (given as Fields<'role'>).name);
        return;
      }
      case 'group':
        if (!kept) graph.removeGroup(pathOf(kind, given));
        return;
      case 'policy':
        this.#policies.remove(given as Fields<'policy'>, kept);
        return;
      case 'policy_assignment': {
        const fields = given as Fields<'policy_assignment'>;
        this.#policies.unassign(fields.policy, released(graph, fields));
        return;
      }
      case 'role_assignment': {
        const fields = given as Fields<'role_assignment'>;
        const holder = released(graph, fields);
        const role = graph.role(fields.role);
        if (fields.resource !== undefined) {
          const place = graph.resourceAt(fields.resource);
          holder.held = withoutHeld(holder.held, role, place);
          changePlace(place, (at) => {
            at.holders = withoutHolder(at.holders, holder, role);
          });
          return;
        }
        holder.roles = unlinked(holder.roles, role);
        this.effectivePrincipals.invalidate(holder);
        return;
      }
      case 'group_membership': {
        const fields = given as Fields<'group_membership'>;
        const member = graph.principal(fields.entity_type, fields.entity);
        member.groups = unlinked(member.groups, graph.group(fields.group));
        this.effectivePrincipals.invalidate(member);
        return;
      }
      case 'subject_type':
        graph.sendable.delete((given as Fields<'subject_type'>).name);
        graph.sensitive.ofSubjects.delete((given as Fields<'subject_type'>).name);
        return;
      case 'context_attribute':
        graph.sensitive.context.delete((given as Fields<'context_attribute'>).name);
        return;
      case 'application':
      case 'directory':
      case 'access_rule':
      case 'api_key':
      case 'oauth_client':
        return;
    }
  }

  #hold(holder: Principal, link: Link, place: Resource): void {
    this.effectivePrincipals.rememberHolders();
    changePlace(place, (at) => {
      at.holders = withHolder(at.holders, holder, link);
    });
    holder.held = withHeld(holder.held, link.to, place);
  }

  #include(role: Principal, roles: Link[] | null): void {
    role.roles = roles;
    for (const { to } of roles ?? []) this.graph.watcher?.linked(role, to);
    this.effectivePrincipals.invalidate(role);
  }

  /**
   * Joins a record to those of its own kind, which all have been put: resources and their types to their parents, roles to
   * those that they include.
   */
  #join({ kind, fields: given }: EngineRecord): void {
    const { graph } = this;
    if (kind === 'resource_type') {
      const { parents = [] } = given as Fields<'resource_type'>;
      const joined = parents.map(({ type, property }) => ({ type: graph.type(type), property }));
      graph.type(pathOf(kind, given)).parents = joined;
    } else if (kind === 'role') {
      const { includes = [] } = given as Fields<'role'>;
      const links = includes.map((included) => ({ to: graph.role(included), period: null }));
      if (links.length > 0) this.#include(graph.role(pathOf(kind, given)), links);
    } else if (kind === 'resource') {
      const { type, name, parents } = given as Fields<'resource'>;
      if (parents === undefined) return;
      const joined = parents.map((parent) => graph.resourceAt(parent));
      graph.place(graph.resource(graph.type(type), name), joined);
    }
  }

  /**
   * Everything that goes is removed before anything is put: links before what they link, then what is linked before its
   * links. So the order of the changes does not matter, and addresses and ids may change places.
   */
  apply(changes: readonly RecordChange[]): void {
    const ranked = changes.map((change) => ({ ...change, rank: rankOf(change) }));
    ranked.sort((left, right) => right.rank - left.rank);
    for (const { before } of ranked) if (before?.kind === 'resource') this.#part(before.fields as Fields<'resource'>);
    for (const { before, after } of ranked) if (before !== undefined) this.#remove(before, after !== undefined);
    ranked.reverse();
    for (const { before, after } of ranked) if (after !== undefined) this.#put(after, before !== undefined);
    for (const { after } of ranked) if (after !== undefined) this.#join(after);
  }

  /** Takes a resource from its parents. */
  #part({ type, name, parents }: Fields<'resource'>): void {
    if (parents !== undefined) this.graph.place(this.graph.resource(this.graph.type(type), name), []);
  }

  /** The rules of the policy of this path; none where there is no such policy. */
  rulesOf(policy: Path): readonly Rule[] {
    return this.#policies.rulesOf(policy);
  }

  /** How many steps the changes take, of about a microsecond each. */
  weigh(changes: readonly RecordChange[]): number {
    let steps = changes.length;
    for (const { before, after } of changes) {
      const type = before?.kind === 'resource_type' ? before : after;
      if (type?.kind === 'resource_type')
        steps += this.#policies.grantsOver(pathOf(type.kind, type.fields)) / GRANTS_PER_STEP;
      if (before?.kind === 'policy' && after !== undefined)
        steps += this.#policies.grants(before.fields as Fields<'policy'>) / GRANTS_PER_STEP;
    }
    return steps;
  }
}

function setOrDelete<K, V>(map: Map<K, V>, key: K, value: V | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}

type Assignment = Pick<Fields<'policy_assignment' | 'role_assignment'>, 'entity_type' | 'entity'>;

/** Whom an assignment that is put gives something. */
function mentioned(graph: Graph, { entity_type: kind, entity }: Assignment): Principal {
  return kind === EVERYONE ? graph.everyone.mention(entity) : graph.principal(kind, entity);
}

/** The same of an assignment that is removed. */
function released(graph: Graph, { entity_type: kind, entity }: Assignment): Principal {
  return kind === EVERYONE ? graph.everyone.release(entity) : graph.principal(kind, entity);
}

function rankOf({ before, after }: RecordChange): number {
  const record = before ?? after;
  if (record === undefined) throw new Error('A change has neither a record before nor after it');
  if (after !== undefined && after.kind !== record.kind)
    throw new Error(`A ${record.kind} cannot become ${after.kind}`);
  return kindRank(record.kind);
}

function unlinked(links: Link[] | null, to: Link['to']): Link[] | null {
  const at = links?.findIndex((link) => link.to === to) ?? -1;
  if (links === null || at < 0) throw new Error(`There is no link to ${to.address}`);
  links.splice(at, 1);
  return links.length === 0 ? null : links;
}

function pathOf(kind: EngineRecord['kind'], fields: Record<string, unknown>): string {
  return addressOf(kind, fields).slice(kind.length + 1);
}
