import { ProblemError } from '@authz-service/core/problem';
import { referencesOf } from '@authz-service/core/records/registry';
import type { Staged } from '@authz-service/core/state/change';
import { type Credential, holds, scopeToWrite } from '../auth/credential.js';

/**
 * Refuses to rename what an access rule names, unless the credential may write rules: the rule follows, and would then leave
 * whatever takes the old name (docs/semantics.md 11.10). Throws `forbidden`.
 */
export function guardRules(credential: Credential, { put }: Pick<Staged, 'put'>): void {
  const { name, limits } = credential;
  if (holds(credential, scopeToWrite('access_rule')) && limits === undefined) return;
  for (const { record, previous, follows } of put) {
    if (record.kind !== 'access_rule' || previous === undefined || !follows) continue;
    const kept = new Set(referencesOf(record.kind, record.fields).map(({ target }) => target));
    const renamed = referencesOf(previous.kind, previous.fields).find(({ target }) => !kept.has(target))?.target;
    throw new ProblemError(
      'forbidden',
      `"${record.address}" names "${renamed}", so this rename changes the rule, and the credential "${name}" ` +
        `${limits === undefined ? 'lacks the scope "access-rules"' : 'is limited'}: ` +
        'keep the name, or use a credential without limits that has the scope "access-rules".',
    );
  }
}
