import type { JsonObject } from '../../json/json.js';
import { path } from '../../records/address.js';
import type { Grants } from '../grants/grants.js';
import type { LinkPeriod } from '../grants/period.js';
import type { AccessPath } from './access-path.js';
import type { EffectivePrincipals } from './effective-principals.js';
import type { HeldRoles } from './held-roles.js';

/** A membership in a group, the holding of a role, or its inclusion. */
export interface Link {
  readonly to: Principal;
  readonly period: LinkPeriod;
}

export type PrincipalKind = 'subject' | 'group' | 'role' | 'everyone';

/**
 * Whom policies are assigned to. Every principal has the same members, set in the same order, and what each decision
 * reads comes first: the engine's speed rests on that.
 */
export class Principal {
  grants: Grants | null = null;
  groups: Link[] | null = null;
  /** The roles that a role includes. */
  roles: Link[] | null = null;
  /** Remembered by `EffectivePrincipalsMemo`. */
  effective: EffectivePrincipals | null = null;
  /** Stored attributes of a subject. */
  properties: JsonObject | undefined = undefined;
  /** When a subject may act: null if it is not suspended. */
  activity: LinkPeriod = null;
  /** The access path of subjects that hold this role themselves and always. */
  heldPath: AccessPath | null = null;
  /** The roles that it holds on resources, and nowhere else. */
  held: HeldRoles = null;
  readonly kind: PrincipalKind;
  /** The type of a subject, else empty. */
  readonly type: string;
  /** The id of a subject; `everyone` or `everyone/TYPE`; else the path. */
  readonly name: string;

  constructor(kind: PrincipalKind, type: string, name: string) {
    this.kind = kind;
    this.type = type;
    this.name = name;
  }

  get address(): string {
    if (this.kind === 'everyone') return this.name;
    return `${this.kind}/${this.kind === 'subject' ? path(this.type, this.name) : this.name}`;
  }
}
