import type { Address } from '@authz-service/core/records/address';
import type { Fields, StoredRecord } from '@authz-service/core/records/registry';
import type { TenantState } from '@authz-service/core/state/tenant-state';
import { ScimError } from '../scim/scim-error.js';
import type { EntryIndex, EntryRecord } from '../tenants/entry-index.js';

export type UserRecord = Extract<StoredRecord, { kind: 'subject' }>;
export type GroupRecord = Extract<StoredRecord, { kind: 'group' }>;
export type MembershipRecord = Extract<StoredRecord, { kind: 'group_membership' }>;

/** The people and groups of a directory, at one revision of its tenant. */
export class DirectoryView {
  constructor(
    readonly owner: Address,
    readonly directory: Fields<'directory'>,
    readonly state: TenantState,
    readonly users: EntryIndex,
    readonly groups: EntryIndex,
    readonly memberships: EntryIndex,
    /** Milliseconds since the epoch. */
    readonly now: number,
  ) {}

  user(id: string): UserRecord | undefined {
    return this.#own(this.users.byId(this.owner, id)) as UserRecord | undefined;
  }

  group(id: string): GroupRecord | undefined {
    return this.#own(this.groups.byId(this.owner, id)) as GroupRecord | undefined;
  }

  #own(address: Address | undefined): EntryRecord | undefined {
    const record = address === undefined ? undefined : this.state.get(address);
    return record?.managed_by === this.owner ? (record as EntryRecord) : undefined;
  }

  /** The directory's memberships in a group. */
  *membersOf(group: Address): Generator<MembershipRecord, void> {
    const path = group.slice('group/'.length);
    for (const address of this.state.inbound(group, 'group_membership')) {
      const record = this.state.get(address);
      if (record?.kind !== 'group_membership' || record.managed_by !== this.owner) continue;
      if (record.fields.group === path) yield record;
    }
  }

  /** The directory's memberships of a subject or group. */
  *membershipsOf(entity: Address): Generator<MembershipRecord, void> {
    for (const address of this.state.inbound(entity, 'group_membership')) {
      const record = this.state.get(address);
      if (record?.kind !== 'group_membership' || record.managed_by !== this.owner) continue;
      if (`${record.fields.entity_type}/${record.fields.entity}` === entity) yield record;
    }
  }

  /** The entry id of a member; undefined for one that is not the directory's. */
  entryIdOf({ fields }: MembershipRecord): string | undefined {
    return this.#own(`${fields.entity_type}/${fields.entity}` as Address)?.fields.entry?.id;
  }

  /** The address of a member by the id of its entry. Throws `invalidValue`. */
  member(id: string): Address {
    const found = this.user(id) ?? this.group(id);
    if (found !== undefined) return found.address;
    throw new ScimError(
      'invalidValue',
      `There is no user and no group with the id "${id.slice(0, 200)}" to be a member.`,
    );
  }
}
