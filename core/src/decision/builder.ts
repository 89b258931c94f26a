import { canonicalJson } from '../json.js';
import { decodeSegment } from '../records/address.js';
import { addressOf, type Fields } from '../records/registry.js';
import { ActionSet } from './action-set.js';
import { CompiledEngine } from './compiled-engine.js';
import { type Link, Policy, Principal, Resource, ResourceType, Rule, type Until } from './entities.js';
import { withGrant } from './grants.js';
import { LazyGuard } from './lazy-guard.js';
import { Names } from './names.js';
import type { EngineRecord } from './types.js';

/** A policy while its tenant is being compiled: what it covers, and who was given it before it came. */
interface Draft {
  rules: Rule[];
  policy: Policy | undefined;
  waiting: { principal: Principal; until: Until }[] | undefined;
}

/**
 * Compiles records one by one, in any order, so that a caller can do it in slices beside other work. Each record takes
 * the same short time; `finish` takes none. Records must be valid together (`state/validate.ts`); credentials are
 * passed over.
 */
export class EngineBuilder {
  readonly #subjects = new Map<string, Map<string, Principal>>();
  readonly #types = new Names<ResourceType>();
  readonly #resourcesById = new Map<string, Resource>();
  readonly #roles = new Names<Principal>();
  readonly #groups = new Names<Principal>();
  #drafts = new Map<string, Draft>();
  #actionSets = new Map<string, ActionSet>();
  #guards = new Map<string, LazyGuard>();

  add(record: EngineRecord): void {
    const { kind, id, fields } = record;
    switch (kind) {
      case 'resource_type':
        this.#addType(fields as Fields<'resource_type'>);
        return;
      case 'resource':
        this.#addResource(id, fields as Fields<'resource'>);
        return;
      case 'subject': {
        const subject = fields as Fields<'subject'>;
        this.#subject(subject.type, subject.id).properties = subject.properties;
        return;
      }
      case 'role':
        this.#addRole(fields as Fields<'role'>);
        return;
      case 'policy':
        this.#addPolicy(id, fields as Fields<'policy'>);
        return;
      case 'policy_assignment':
        this.#assign(fields as Fields<'policy_assignment'>);
        return;
      case 'role_assignment': {
        const link = fields as Fields<'role_assignment'>;
        const holder = this.#principal(link.entity_type, link.entity);
        holder.roles = linked(holder.roles, this.#role(link.role), link.expires_at);
        return;
      }
      case 'group_membership': {
        const link = fields as Fields<'group_membership'>;
        const member = this.#principal(link.entity_type, link.entity);
        member.groups = linked(member.groups, this.#group(link.group), link.expires_at);
        return;
      }
      case 'application':
      case 'group':
      case 'api_key':
      case 'oauth_client':
        return;
    }
  }

  finish(): CompiledEngine {
    this.#drafts = new Map();
    this.#actionSets = new Map();
    this.#guards = new Map();
    return new CompiledEngine(this.#subjects, this.#types, this.#resourcesById, this.#roles);
  }

  #addType(fields: Fields<'resource_type'>): void {
    const path = pathOf('resource_type', fields);
    const type = this.#type(path);
    type.actions = fields.actions;
    this.#types.declare(fields.name, path, type);
  }

  #addResource(id: string, fields: Fields<'resource'>): void {
    const resource = this.#resource(this.#type(fields.type), fields.name);
    resource.id = id;
    resource.properties = fields.properties;
    this.#resourcesById.set(id, resource);
  }

  #addRole(fields: Fields<'role'>): void {
    const path = pathOf('role', fields);
    this.#roles.declare(fields.name, path, this.#role(path));
  }

  #addPolicy(id: string, fields: Fields<'policy'>): void {
    const path = pathOf('policy', fields);
    const guard = this.#guard(fields);
    const policy = new Policy(`policy/${path}`, id, fields.effect === 'DENY', fields.priority, guard);
    const draft = this.#draft(path);
    draft.policy = policy;
    if (fields.resource_type !== undefined)
      draft.rules.push(new Rule(policy, this.#type(fields.resource_type), this.#actions(fields.actions ?? []), null));
    for (const { resource, actions } of fields.resources ?? [])
      draft.rules.push(new Rule(policy, this.#resourceAt(resource), this.#actions(actions), null));
    for (const { principal, until } of draft.waiting ?? []) grant(principal, draft.rules, until);
    draft.waiting = undefined;
  }

  #assign(fields: Fields<'policy_assignment'>): void {
    const draft = this.#draft(fields.policy);
    const principal = this.#principal(fields.entity_type, fields.entity);
    const until = moment(fields.expires_at);
    if (draft.policy !== undefined) {
      grant(principal, draft.rules, until);
    } else {
      draft.waiting ??= [];
      draft.waiting.push({ principal, until });
    }
  }

  #draft(path: string): Draft {
    let draft = this.#drafts.get(path);
    if (draft === undefined) {
      draft = { rules: [], policy: undefined, waiting: undefined };
      this.#drafts.set(path, draft);
    }
    return draft;
  }

  #guard({ condition, modifiers }: Fields<'policy'>): LazyGuard | null {
    const guarded = modifiers !== undefined && Object.values(modifiers).some((value) => value !== undefined);
    if (condition === undefined && !guarded) return null;
    const key = guarded ? `${canonicalJson(modifiers)}${condition ?? ''}` : (condition ?? '');
    return intern(this.#guards, key, () => new LazyGuard(condition, modifiers));
  }

  #actions(names: readonly string[]): ActionSet {
    return intern(this.#actionSets, names.join(' '), () => new ActionSet(names));
  }

  #principal(kind: 'subject' | 'group' | 'role', path: string): Principal {
    if (kind === 'role') return this.#role(path);
    if (kind === 'group') return this.#group(path);
    const slash = path.indexOf('/');
    return this.#subject(decoded(path.slice(0, slash)), decoded(path.slice(slash + 1)));
  }

  #subject(type: string, id: string): Principal {
    const ofType = intern(this.#subjects, type, () => new Map<string, Principal>());
    return intern(ofType, id, () => new Principal('subject', type, id));
  }

  #role(path: string): Principal {
    return this.#roles.intern(path, () => new Principal('role', '', path));
  }

  #group(path: string): Principal {
    return this.#groups.intern(path, () => new Principal('group', '', path));
  }

  #type(path: string): ResourceType {
    const slash = path.indexOf('/');
    return this.#types.intern(
      path,
      () => new ResourceType(path, decoded(path.slice(0, slash)), decoded(path.slice(slash + 1))),
    );
  }

  #resourceAt(path: string): Resource {
    const slash = path.lastIndexOf('/');
    return this.#resource(this.#type(path.slice(0, slash)), decoded(path.slice(slash + 1)));
  }

  #resource(type: ResourceType, name: string): Resource {
    return intern(type.resources, name, () => new Resource(type, name));
  }
}

function intern<T>(map: Map<string, T>, key: string, make: () => T): T {
  let found = map.get(key);
  if (found === undefined) {
    found = make();
    map.set(key, found);
  }
  return found;
}

function linked(links: Link[] | null, to: Principal, expiresAt: string | undefined): Link[] {
  const link = { to, until: moment(expiresAt) };
  if (links === null) return [link];
  links.push(link);
  return links;
}

function grant(principal: Principal, rules: readonly Rule[], until: Until): void {
  for (const rule of rules) {
    const own = until === null ? rule : new Rule(rule.policy, rule.target, rule.actions, until);
    principal.grants = withGrant(principal.grants, own);
  }
}

/** A moment that cannot be read is long past: the link does not count. */
function moment(expiresAt: string | undefined): Until {
  if (expiresAt === undefined) return null;
  const ms = Date.parse(expiresAt);
  return Number.isNaN(ms) ? 0 : ms;
}

function decoded(segment: string): string {
  return segment.includes('%') ? decodeSegment(segment) : segment;
}

function pathOf(kind: 'resource_type' | 'role' | 'policy', fields: Record<string, unknown>): string {
  return addressOf(kind, fields).slice(kind.length + 1);
}
