import type { RecordChange } from '../../../access/api/engine.js';
import type { DeclaredRecord, Fields } from '../../../records/registry.js';
import type { TestRequest } from '../test-request.js';
import type { LinkDeclaration, TestedTenant } from '../tested-tenant.js';

/** The kinds of mutants: what somebody may change by mistake. */
export const OPERATORS = [
  'drop-assignment',
  'drop-deny',
  'drop-end',
  'drop-start',
  'flip-effect',
  'drop-clause',
  'drop-negation',
  'loosen-comparison',
  'widen-actions',
  'widen-resources',
  'widen-type',
  'widen-place',
  'drop-modifier',
  'drop-unless',
] as const;
export type Operator = (typeof OPERATORS)[number];

export type PolicyDeclaration = DeclaredRecord<'policy'>;

/** One record changed as somebody may change it by mistake. */
export interface Mutant {
  operator: Operator;
  record: PolicyDeclaration | LinkDeclaration;
  /** The fields of a policy in the mutant, if it is still given to anybody. */
  changed?: Fields<'policy'> | undefined;
  /** The change in words. */
  detail: string;
  /** The field that is changed, and the character of its text. */
  pointer?: string | undefined;
  offset?: number | undefined;
  /** Returns what it changes in a tenant. */
  changes(tenant: TestedTenant): RecordChange[];
  /** The questions whose answers it may change. */
  touches(tenant: TestedTenant): readonly TestRequest[];
}
