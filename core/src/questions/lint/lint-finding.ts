import type { Address } from '../../records/address.js';

/** The rules of `servicectl lint`: their names, each with a sentence. */
export const LINT_RULES = {
  'vacuous-policy': 'A policy can never apply, since its condition is never met or it covers nothing.',
  'redundant-policy': 'Another policy of the same effect and priority applies wherever the policy does.',
  'shadowed-policy': 'Another policy of the same effect and a higher priority decides wherever the policy applies.',
  'overridden-policy': 'A policy of the opposite effect decides wherever the policy applies.',
  'unassigned-policy': 'A policy is assigned to nobody.',
  'constant-condition': 'A condition, or a clause of one, is the same for every request.',
  'unused-role': 'A role has no policies, and no condition asks for it.',
  'holderless-role': 'A role is held by nobody.',
  'empty-group': 'A group has no subjects, directly or through other groups.',
  'expired-link': 'An assignment or membership has ended.',
  'misspelt-attribute': 'An attribute is read by a name that looks like a slip of another one.',
  'not-filterable': 'A filter of a type that is declared as filterable is refused, since columns cannot say a clause.',
  'deny-on-absence': 'A DENY reads an attribute without has(), so that it denies whenever that is absent.',
} as const;

export type LintRule = keyof typeof LINT_RULES;

export interface LintFinding {
  rule: LintRule;
  /** `proven` holds for every request; `suspected` may be meant. */
  certainty: 'proven' | 'suspected';
  address: Address;
  /** The field, and the character of its text. */
  pointer?: string;
  offset?: number;
  /** Names the value and the remedy. */
  detail: string;
}
