import { SCOPES } from '@authz-service/core/records/scopes';
import { string } from '@oclif/core/flags';

/** What a new credential may do; at least one. */
export const scopeFlag = string({
  description: `What it may do: ${SCOPES.join(', ')}; may be repeated.`,
  helpValue: 'SCOPE',
  options: SCOPES,
  multiple: true,
  multipleNonGreedy: true,
  required: true,
});
