import type { CompiledEngine } from '../../../access/engine/compiled-engine.js';
import { includedIn } from '../../../access/graph/included-roles.js';
import type { ChangedRecord } from '../../../access/universe/record-changes.js';
import { append } from '../../../collections/append.js';
import type { Address, Path } from '../../../records/address.js';
import type { Fields } from '../../../records/registry.js';

/** The subject, resource and action of a finding. */
export interface CausedAt {
  /** The addresses of the principals that the subject acts as in either state, the subject first. */
  readonly principals: ReadonlySet<Address>;
  /** The paths of the resource and of what it lies below in either state. */
  readonly places: ReadonlySet<Path>;
  readonly type: Path;
  readonly action: string;
}

/** Finds the changes that can have to do with one subject, resource and action. */
export class RelevantChanges {
  readonly #byEntity = new Map<Address, ChangedRecord[]>();
  readonly #byAddress = new Map<Address, ChangedRecord>();
  readonly #types: ChangedRecord[] = [];
  readonly #policies: ChangedRecord[] = [];

  /** `engine` is in the state before. */
  constructor(
    private readonly engine: CompiledEngine,
    changes: readonly ChangedRecord[],
  ) {
    for (const change of changes) {
      const record = (change.after ?? change.before) as NonNullable<ChangedRecord['after']>;
      this.#byAddress.set(change.address, change);
      if (record.kind === 'resource_type') this.#types.push(change);
      else if (record.kind === 'policy') this.#policies.push(change);
      else if ('entity' in record.fields) {
        const { entity_type, entity } = record.fields;
        const holder =
          entity_type !== 'everyone' ? `${entity_type}/${entity}` : entity === '*' ? 'everyone' : `everyone/${entity}`;
        append(this.#byEntity, holder, change);
      }
    }
  }

  of(at: CausedAt): Set<ChangedRecord> {
    const found = new Set<ChangedRecord>(this.#types);
    const take = (address: Address) => {
      const change = this.#byAddress.get(address);
      if (change !== undefined) found.add(change);
    };
    const acting = new Set(at.principals);
    for (const place of at.places) take(`resource/${place}`);
    for (const change of this.#policies) if (covers(change, at)) found.add(change);
    for (const principal of acting) {
      if (principal.startsWith('subject/') || principal.startsWith('role/')) take(principal);
      if (principal.startsWith('role/')) for (const role of this.#included(principal)) acting.add(role);
      for (const change of this.#byEntity.get(principal) ?? []) {
        const { kind, fields } = (change.after ?? change.before) as NonNullable<ChangedRecord['after']>;
        if (kind === 'policy_assignment') {
          if (this.#assigns((fields as Fields<'policy_assignment'>).policy, at)) found.add(change);
        } else if (kind === 'role_assignment') {
          found.add(change);
          acting.add(`role/${(fields as Fields<'role_assignment'>).role}`);
        } else if (acting.has(`group/${(fields as Fields<'group_membership'>).group}`)) found.add(change);
      }
    }
    return found;
  }

  #included(address: Address): Address[] {
    const role = this.engine.roles.get(address.slice('role/'.length));
    const after = this.#byAddress.get(address)?.after?.fields as Fields<'role'> | undefined;
    const added = (after?.includes ?? []).map((path) => `role/${path}`);
    return [...(role === undefined ? [] : includedIn(role).map((one) => one.address)), ...added];
  }

  #assigns(policy: Path, at: CausedAt): boolean {
    const changed = this.#byAddress.get(`policy/${policy}`);
    if (changed !== undefined) return covers(changed, at);
    return this.engine.rulesOf(policy).some(({ actions, target }) => {
      if (!actions.covers(at.action)) return false;
      return 'resource' in target || 'type' in target || target.path === at.type;
    });
  }
}

function covers({ before, after }: ChangedRecord, at: CausedAt): boolean {
  return [before, after].some((record) => {
    if (record === undefined) return false;
    const { application, resource_type, resource_types, actions = [], resources } = record.fields as Fields<'policy'>;
    const names = (list: readonly string[]) => list.includes('*') || list.includes(at.action);
    if (resources !== undefined)
      return resources.some((one) => names(one.actions) && (at.places.has(one.resource) || one.below === true));
    const wide = resource_types?.includes('*') === true && at.type.startsWith(`${application}/`);
    return names(actions) && (resource_type === at.type || wide || resource_types?.includes(at.type) === true);
  });
}
