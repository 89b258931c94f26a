import type { Scope } from '@authz-service/core/records/scopes';
import { SCOPES } from '@authz-service/core/records/scopes';
import { boolean, string } from '@oclif/core/flags';

/** The flags of every command that creates a credential. */
export const newCredentialFlags = {
  scope: string({
    description: `A scope: ${SCOPES.join(', ')}; may be repeated.`,
    helpValue: 'SCOPE',
    options: SCOPES,
    multiple: true,
    multipleNonGreedy: true,
    required: true,
  }),
  operator: boolean({
    description:
      'Make it an operator: it can create tenants and, with the scope bundle, fetch the bundle of all tenants.',
  }),
  description: string({ description: 'A note for readers.', helpValue: 'TEXT' }),
};

/** The fields of the credential `name` from these flags. */
export function newCredential(
  name: string,
  flags: { scope: string[]; operator: boolean; description?: string | undefined },
): { name: string; scopes: Scope[]; operator?: true; description?: string } {
  return {
    name,
    scopes: flags.scope as Scope[],
    ...(flags.operator && { operator: true }),
    ...(flags.description !== undefined && { description: flags.description }),
  };
}
