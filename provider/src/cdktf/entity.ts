import type { TerraformProvider } from 'cdktf';
import type { Node } from 'constructs';

type EntityType = 'role' | 'group' | 'subject' | 'everyone';

/** A holder of roles and policies, and a member of groups. */
export interface Entity<K extends EntityType = EntityType> {
  readonly entityType: K;
  /** The path of the record, as a reference that Terraform resolves. */
  readonly path: string;
  readonly node: Pick<Node, 'path'>;
}

/** Options that all constructs of this layer take. */
export interface Provided {
  /**
   * The provider that applies it, where the stack has several. Default: that of the construct that declares it, or the
   * stack's only one.
   */
  readonly provider?: TerraformProvider | undefined;
}

export interface LinkOptions {
  /** The moment (RFC 3339) from which the link counts. Default: from the beginning. */
  readonly startsAt?: string;
  /** The moment (RFC 3339) from which the link no longer counts. */
  readonly expiresAt?: string;
}

/** Options of a role: also where it is held. */
export interface RoleLinkOptions extends LinkOptions {
  /** The resource on which the role counts, and on all that lies below it. Default: everywhere. */
  readonly resource?: { readonly path: string };
}

/** The id of the construct for a link to an entity: always the same for the same two ends. */
export function linkId(word: string, { entityType, node }: Entity): string {
  return `${word} ${entityType} ${node.path}`;
}
