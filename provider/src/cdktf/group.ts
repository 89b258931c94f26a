import { Construct } from 'constructs';
import { Group as GroupRecord } from '../constructs/group.js';
import { GroupMembership } from '../constructs/group-membership.js';
import { type Entity, type LinkOptions, linkId } from './entity.js';
import { fixed, free, pathOf } from './given.js';

export interface GroupProps {
  /** Default: the construct's id. */
  readonly name?: string;
  readonly description?: string;
  readonly members?: Entity<'subject' | 'group'>[];
}

/** Subjects and other groups under one name. */
export class Group extends Construct implements Entity<'group'> {
  readonly entityType = 'group';
  readonly record: GroupRecord;

  constructor(scope: Construct, id: string, { name = id, description, members = [] }: GroupProps = {}) {
    super(scope, fixed(id));
    this.record = new GroupRecord(this, 'Resource', { name, description });
    for (const member of members) this.add(member);
  }

  get path(): string {
    return this.record.path;
  }

  /** Puts a subject or a group into this one. */
  add(member: Entity<'subject' | 'group'>, { expiresAt }: LinkOptions = {}): this {
    const entity = pathOf(member, 'member');
    const id = free(this, linkId('holds', member), `the ${member.entityType} ${member.node.path} is in it already`);
    new GroupMembership(this, id, {
      group: this.path,
      entityType: member.entityType,
      entity,
      expiresAt,
    });
    return this;
  }
}
