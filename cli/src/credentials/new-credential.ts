import type { Limits } from '@authz-service/core/records/limits';
import type { CredentialScope } from '@authz-service/core/records/scopes';
import { KEY_SCOPES, SCOPES } from '@authz-service/core/records/scopes';
import { boolean, integer, string } from '@oclif/core/flags';
import { stackFlag } from './stack-flag.js';

const scopeFlag = (scopes: readonly string[]) =>
  string({
    description: `A scope: ${scopes.join(', ')}; may be repeated.`,
    helpValue: 'SCOPE',
    options: scopes,
    multiple: true,
    multipleNonGreedy: true,
    required: true,
  });

/** The scope of an API key. */
export const keyScopeFlag = scopeFlag(KEY_SCOPES);

/** The flags of every command that creates a credential. */
export const newCredentialFlags = {
  scope: scopeFlag(SCOPES),
  operator: boolean({
    description:
      'Make it an operator: it can create tenants and, with the scope bundle, fetch the bundle of all tenants.',
  }),
  'limit-stack': string({
    description: 'Let it write for this stack alone; may be repeated.',
    helpValue: 'STACK',
    multiple: true,
    multipleNonGreedy: true,
  }),
  'limit-application': string({
    description: 'Let it write in this application alone, and use what is shared with it; may be repeated.',
    helpValue: 'APPLICATION',
    multiple: true,
    multipleNonGreedy: true,
  }),
  'limit-priority': integer({ description: 'The highest priority of the policies it writes.', helpValue: 'NUMBER' }),
  stack: stackFlag,
  description: string({ description: 'A note for readers.', helpValue: 'TEXT' }),
};

/** The fields of the credential `name` from these flags. */
export function newCredential<S extends CredentialScope = (typeof SCOPES)[number]>(
  name: string,
  flags: {
    scope: string[];
    operator: boolean;
    description?: string | undefined;
    'limit-stack'?: string[] | undefined;
    'limit-application'?: string[] | undefined;
    'limit-priority'?: number | undefined;
  },
): { name: string; scopes: S[]; operator?: true; description?: string; limits?: Limits } {
  const { 'limit-stack': stacks, 'limit-application': applications, 'limit-priority': most } = flags;
  const limits: Limits = {
    ...(stacks !== undefined && { stacks }),
    ...(applications !== undefined && { applications }),
    ...(most !== undefined && { priority_max: most }),
  };
  return {
    name,
    scopes: flags.scope as S[],
    ...(flags.operator && { operator: true }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(flags.description !== undefined && { description: flags.description }),
  };
}
