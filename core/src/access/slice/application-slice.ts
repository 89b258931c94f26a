import { append } from '../../collections/append.js';
import { closure } from '../../collections/closure.js';
import { subjectPropertiesRead } from '../../conditions/reads/subject-properties-read.js';
import { type Path, typeOfResource } from '../../records/address.js';
import { namesInCondition } from '../../records/condition-names.js';
import { isDistributed } from '../../records/kinds.js';
import { addressOf, type Fields } from '../../records/registry.js';
import type { EngineRecord } from '../api/engine.js';
import { coveredInScope, type ResourceScope } from './covered-in-scope.js';

/** Records between two steps: they take less than a millisecond. */
const RECORDS_PER_STEP = 256;

/**
 * The records by which some applications are decided: every question about their resources has the same answer by these as
 * by the whole tenant. Of subjects they hold the properties that conditions about these resources read, of everything else no
 * notes for people. Types and roles of others are there by name alone, so that a bare name fits as many as in the tenant
 * (docs/semantics.md 1.2, 1.5).
 */
export class ApplicationSlice implements ResourceScope {
  /** The types of the applications. */
  readonly types: ReadonlySet<Path>;
  /** Those, and the types of what their resources can lie below. */
  readonly #above: ReadonlySet<Path>;
  readonly #policies = new Set<Path>();
  /** Roles and groups by which somebody can have one of these policies, or that a condition of one asks for. */
  readonly #roles: ReadonlySet<Path>;
  readonly #groups: ReadonlySet<Path>;
  readonly #properties: ReadonlySet<string> | 'all';
  readonly #applications: ReadonlySet<Path>;

  private constructor(applications: readonly Path[], sources: SliceSources) {
    this.#applications = new Set(applications);
    this.types = new Set([...sources.parents.keys()].filter((type) => this.#isOwn(type)));
    this.#above = closure(this.types, sources.parents);
    const properties = new Set<string>();
    const [roles, groups] = [new Set<Path>(), new Set<Path>()];
    const wanted = { role: roles, group: groups };
    let readsAll = false;
    for (const fields of sources.policies) {
      if (coveredInScope(fields, this) === undefined) continue;
      this.#policies.add(pathOf('policy', fields));
      const { condition } = fields;
      if (condition === undefined) continue;
      const read = subjectPropertiesRead(condition);
      if (read === 'all') readsAll = true;
      else for (const name of read) properties.add(name);
      for (const { kind, target } of namesInCondition(condition))
        if (kind === 'role' || kind === 'group') wanted[kind].add(target.slice(kind.length + 1));
    }
    for (const { policy, entity_type, entity } of sources.policyAssignments)
      if (this.#policies.has(policy) && (entity_type === 'role' || entity_type === 'group'))
        wanted[entity_type].add(entity);
    this.#roles = closure(roles, sources.including);
    for (const { role, entity_type, entity } of sources.roleAssignments)
      if (this.#roles.has(role) && entity_type === 'group') groups.add(entity);
    this.#groups = closure(groups, sources.memberGroups);
    this.#properties = readsAll ? 'all' : properties;
  }

  /** Finds the slice of these applications in short steps. */
  static *of(applications: readonly Path[], records: Iterable<EngineRecord>): Generator<undefined, ApplicationSlice> {
    const sources = new SliceSources();
    let seen = 0;
    for (const record of records) {
      sources.add(record);
      if (++seen % RECORDS_PER_STEP === 0) yield;
    }
    return new ApplicationSlice(applications, sources);
  }

  /** The record as the slice has it; undefined if it is not in it. */
  recordOf(record: EngineRecord): EngineRecord | undefined {
    if (!isDistributed(record)) return undefined;
    const fields = this.#fieldsOf(record);
    return fields && ({ kind: record.kind, id: record.id, fields } as EngineRecord);
  }

  /** Whether another slice may follow from putting or removing the record, so that all records must be looked at again. */
  isShapedBy({ kind, fields: given }: EngineRecord): boolean {
    switch (kind) {
      case 'resource_type':
        return this.#isOwn(pathOf(kind, given)) || this.#above.has(pathOf(kind, given));
      case 'policy':
        return coveredInScope(given as Fields<'policy'>, this) !== undefined;
      case 'policy_assignment': {
        const { policy, entity_type } = given as Fields<'policy_assignment'>;
        return this.#policies.has(policy) && (entity_type === 'role' || entity_type === 'group');
      }
      case 'role': {
        const { includes = [] } = given as Fields<'role'>;
        return includes.some((role) => this.#roles.has(role));
      }
      case 'role_assignment': {
        const { role, entity_type } = given as Fields<'role_assignment'>;
        return this.#roles.has(role) && entity_type === 'group';
      }
      case 'group_membership': {
        const { group, entity_type } = given as Fields<'group_membership'>;
        return this.#groups.has(group) && entity_type === 'group';
      }
      default:
        return false;
    }
  }

  readonly isKept = (resource: Path): boolean => this.#above.has(typeOfResource(resource));

  #isOwn(type: Path): boolean {
    return this.#applications.has(type.slice(0, type.indexOf('/')));
  }

  #fieldsOf({ kind, fields: given }: EngineRecord): object | undefined {
    switch (kind) {
      case 'application':
        return this.#applications.has(pathOf(kind, given)) ? withoutNotes(given) : undefined;
      case 'resource_type': {
        if (this.#above.has(pathOf(kind, given))) return withoutNotes(given);
        const { application, name, sensitive } = given as Fields<'resource_type'>;
        return { application, name, actions: [], ...(sensitive && { sensitive }) };
      }
      case 'resource':
        return this.#above.has((given as Fields<'resource'>).type) ? withoutNotes(given) : undefined;
      case 'subject_type':
      case 'context_attribute':
      case 'role':
        return withoutNotes(given);
      case 'subject':
        return this.#subject(given as Fields<'subject'>);
      case 'group':
        return this.#groups.has(pathOf(kind, given)) ? withoutNotes(given) : undefined;
      case 'policy': {
        const covered = coveredInScope(given as Fields<'policy'>, this);
        return covered && withoutNotes(covered);
      }
      case 'policy_assignment':
        return this.#policies.has((given as Fields<'policy_assignment'>).policy) ? given : undefined;
      case 'role_assignment': {
        const { role, resource } = given as Fields<'role_assignment'>;
        return this.#roles.has(role) && (resource === undefined || this.isKept(resource)) ? given : undefined;
      }
      case 'group_membership':
        return this.#groups.has((given as Fields<'group_membership'>).group) ? given : undefined;
      default:
        return undefined;
    }
  }

  #subject({ type, id, properties = {}, suspended, suspended_until }: Fields<'subject'>): object {
    const read = this.#properties;
    const kept = Object.entries(properties).filter(([name]) => read === 'all' || read.has(name));
    return {
      type,
      id,
      ...(kept.length > 0 && { properties: Object.fromEntries(kept) }),
      ...(suspended !== undefined && { suspended }),
      ...(suspended_until !== undefined && { suspended_until }),
    };
  }
}

/** The records from which it follows what is in a slice. */
class SliceSources {
  /** By type: the types that can hold its resources. */
  readonly parents = new Map<Path, readonly Path[]>();
  readonly policies: Fields<'policy'>[] = [];
  readonly policyAssignments: Fields<'policy_assignment'>[] = [];
  readonly roleAssignments: Fields<'role_assignment'>[] = [];
  /** By role: the roles that include it. */
  readonly including = new Map<Path, Path[]>();
  /** By group: the groups that are its members. */
  readonly memberGroups = new Map<Path, Path[]>();

  add({ kind, fields: given }: EngineRecord): void {
    switch (kind) {
      case 'resource_type': {
        const { parents = [] } = given as Fields<'resource_type'>;
        this.parents.set(
          pathOf(kind, given),
          parents.map(({ type }) => type),
        );
        return;
      }
      case 'policy':
        this.policies.push(given as Fields<'policy'>);
        return;
      case 'policy_assignment':
        this.policyAssignments.push(given as Fields<'policy_assignment'>);
        return;
      case 'role_assignment':
        this.roleAssignments.push(given as Fields<'role_assignment'>);
        return;
      case 'role':
        for (const included of (given as Fields<'role'>).includes ?? [])
          append(this.including, included, pathOf(kind, given));
        return;
      case 'group_membership': {
        const { group, entity_type, entity } = given as Fields<'group_membership'>;
        if (entity_type === 'group') append(this.memberGroups, group, entity);
        return;
      }
      default:
        return;
    }
  }
}

const NOTES: ReadonlySet<string> = new Set(['description', 'shared_with', 'entry']);

/** Returns the fields by which decisions are made. */
function withoutNotes(fields: object): object {
  const entries = Object.entries(fields);
  return entries.some(([name]) => NOTES.has(name))
    ? Object.fromEntries(entries.filter(([name]) => !NOTES.has(name)))
    : fields;
}

function pathOf<K extends EngineRecord['kind']>(kind: K, fields: object): Path {
  return addressOf(kind, fields as never).slice(kind.length + 1);
}
