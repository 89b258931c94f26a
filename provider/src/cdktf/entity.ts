import type { TerraformProvider } from 'cdktf';
import type { Node } from 'constructs';

/** Whom a role or a policy can be assigned to, or who can be in a group. */
export interface Entity<K extends 'role' | 'group' | 'subject' = 'role' | 'group' | 'subject'> {
  readonly entityType: K;
  /** The path of the record, as a reference that Terraform resolves. */
  readonly path: string;
  readonly node: Node;
}

/** What all constructs of this layer take. */
export interface Provided {
  /** Which provider applies it, where the stack has several. Default: that of the construct it is declared by, or the stack's only one. */
  readonly provider?: TerraformProvider | undefined;
}

export interface LinkOptions {
  /** The moment (RFC 3339) from which it no longer counts. */
  readonly expiresAt?: string;
}

/** A construct's id for a link to an entity: one and the same for the same two ends. */
export function linkId(word: string, { entityType, node }: Entity): string {
  return `${word} ${entityType} ${node.path}`;
}
