import { Construct } from 'constructs';
import { type Entity, type LinkOptions, linkId, type Provided } from './entity.js';
import { Group as GroupRecord } from './generated/group.js';
import { GroupMembership } from './generated/group-membership.js';
import { entityOf, fixed, free, listOf, sharedPaths } from './given.js';
import { options, placeOf } from './options/options.js';

export interface GroupProps extends Provided {
  /** Default: the construct's id. */
  readonly name?: string;
  readonly description?: string;
  /** Applications that it is shared with: credentials limited to them may use it in what they write. */
  readonly sharedWith?: readonly { readonly path: string }[];
  readonly members?: readonly Entity<'subject' | 'group'>[];
}

/** Gathers subjects and other groups under one name. */
export class Group extends Construct implements Entity<'group'> {
  readonly entityType = 'group';
  readonly record: GroupRecord;

  constructor(scope: Construct, id: string, props: GroupProps = {}) {
    const known = { name: true, description: true, members: true, sharedWith: true, provider: true } as const;
    const at = placeOf(scope, id);
    const { name = id, description, members = [], sharedWith, provider } = options(at, props, known);
    super(scope, fixed(id));
    this.record = new GroupRecord(this, 'Resource', {
      name,
      description,
      sharedWith: sharedPaths(at, sharedWith),
      provider,
    });
    for (const member of listOf(at, members, 'members')) this.add(member);
  }

  get path(): string {
    return this.record.path;
  }

  /** Makes a subject or a group a member of this group. */
  add(given: Entity<'subject' | 'group'>, link: LinkOptions = {}): this {
    const member = entityOf(this.node.path, given);
    const { startsAt, expiresAt } = options(this.node.path, link, { startsAt: true, expiresAt: true });
    const id = free(this, linkId('holds', member), `the ${member.entityType} ${member.node.path} is in it already`);
    new GroupMembership(this, id, {
      group: this.path,
      entityType: member.entityType,
      entity: member.path,
      startsAt,
      expiresAt,
      provider: this.record.provider,
    });
    return this;
  }
}
