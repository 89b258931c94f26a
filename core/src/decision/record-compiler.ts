import { kindRank } from '../records/kinds.js';
import { addressOf, type Fields } from '../records/registry.js';
import type { Link, Until } from './entities.js';
import { Graph } from './graph.js';
import { Policies } from './policies.js';
import { ReachMemo } from './reach.js';
import type { EngineRecord, RecordChange } from './types.js';

/** So many grants are exchanged in the time that other changes take. */
const GRANTS_PER_STEP = 10;

/**
 * Puts records into the graph that decisions walk, and takes them out again. Each costs the same short time whatever
 * the size of the tenant, but for a policy, which touches all to whom it is assigned.
 */
export class RecordCompiler {
  readonly graph = new Graph();
  readonly reach = new ReachMemo();
  readonly #policies = new Policies(this.graph, this.reach);

  /** `kept` where a record of this address was there before, and what mentions it stays. */
  put({ kind, id, fields: given }: EngineRecord, kept: boolean): void {
    const { graph } = this;
    switch (kind) {
      case 'resource_type': {
        const fields = given as Fields<'resource_type'>;
        const path = pathOf(kind, fields);
        const type = graph.type(path, !kept);
        type.actions = fields.actions;
        if (!kept) graph.types.declare(fields.name, path, type);
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
      case 'subject': {
        const fields = given as Fields<'subject'>;
        graph.subject(fields.type, fields.id, !kept).properties = fields.properties;
        return;
      }
      case 'role': {
        const fields = given as Fields<'role'>;
        const path = pathOf(kind, fields);
        const role = graph.role(path, !kept);
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
        const to = graph.principal(fields.entity_type, fields.entity);
        this.#policies.assign(fields.policy, { to, until: moment(fields.expires_at) });
        return;
      }
      case 'role_assignment': {
        const fields = given as Fields<'role_assignment'>;
        const holder = graph.principal(fields.entity_type, fields.entity);
        holder.roles = graph.linked(holder.roles, { to: graph.role(fields.role), until: moment(fields.expires_at) });
        this.reach.outdate(holder);
        return;
      }
      case 'group_membership': {
        const fields = given as Fields<'group_membership'>;
        const member = graph.principal(fields.entity_type, fields.entity);
        member.groups = graph.linked(member.groups, {
          to: graph.group(fields.group),
          until: moment(fields.expires_at),
        });
        this.reach.outdate(member);
        return;
      }
      case 'application':
      case 'api_key':
      case 'oauth_client':
        return;
    }
  }

  /** `kept` where a record of the same address is put next, and what mentions it stays. */
  #take({ kind, id, fields: given }: EngineRecord, kept: boolean): void {
    const { graph } = this;
    switch (kind) {
      case 'resource_type':
        if (!kept) graph.removeType(pathOf(kind, given), (given as Fields<'resource_type'>).name);
        return;
      case 'resource': {
        const fields = given as Fields<'resource'>;
        const type = graph.type(fields.type);
        graph.freeId(id, graph.resource(type, fields.name));
        if (!kept) type.resources.delete(fields.name);
        return;
      }
      case 'subject': {
        const fields = given as Fields<'subject'>;
        if (!kept) graph.removeSubject(fields.type, fields.id);
        return;
      }
      case 'role':
        if (!kept) graph.removeRole(pathOf(kind, given), (given as Fields<'role'>).name);
        return;
      case 'group':
        if (!kept) graph.removeGroup(pathOf(kind, given));
        return;
      case 'policy':
        this.#policies.take(given as Fields<'policy'>, kept);
        return;
      case 'policy_assignment': {
        const fields = given as Fields<'policy_assignment'>;
        this.#policies.unassign(fields.policy, graph.principal(fields.entity_type, fields.entity));
        return;
      }
      case 'role_assignment': {
        const fields = given as Fields<'role_assignment'>;
        const holder = graph.principal(fields.entity_type, fields.entity);
        holder.roles = unlinked(holder.roles, graph.role(fields.role));
        this.reach.outdate(holder);
        return;
      }
      case 'group_membership': {
        const fields = given as Fields<'group_membership'>;
        const member = graph.principal(fields.entity_type, fields.entity);
        member.groups = unlinked(member.groups, graph.group(fields.group));
        this.reach.outdate(member);
        return;
      }
      case 'application':
      case 'api_key':
      case 'oauth_client':
        return;
    }
  }

  /**
   * All that goes is taken out before anything is put in, links before their ends and ends before links: so the order
   * of the changes means nothing, and addresses and ids may trade places.
   */
  apply(changes: readonly RecordChange[]): void {
    const ranked = changes.map((change) => ({ ...change, rank: rankOf(change) }));
    ranked.sort((left, right) => right.rank - left.rank);
    for (const { before, after } of ranked) if (before !== undefined) this.#take(before, after !== undefined);
    ranked.reverse();
    for (const { before, after } of ranked) if (after !== undefined) this.put(after, before !== undefined);
  }

  /** How many steps the changes take, of about a microsecond each. */
  weigh(changes: readonly RecordChange[]): number {
    let steps = changes.length;
    for (const { before, after } of changes)
      if (before?.kind === 'policy' && after !== undefined)
        steps += this.#policies.grants(before.fields as Fields<'policy'>) / GRANTS_PER_STEP;
    return steps;
  }
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

/** A moment that cannot be read is long past: the link does not count. */
function moment(expiresAt: string | undefined): Until {
  if (expiresAt === undefined) return null;
  const ms = Date.parse(expiresAt);
  return Number.isNaN(ms) ? 0 : ms;
}

function pathOf(kind: EngineRecord['kind'], fields: Record<string, unknown>): string {
  return addressOf(kind, fields).slice(kind.length + 1);
}
