import type { Plan, PlannedChange } from '@authz-service/core/plan/plan';
import { ProblemError } from '@authz-service/core/problem';
import { isCredential } from '@authz-service/core/records/kinds';

/** If there are more than these, they are counted instead of listed: the plan lists them all. */
const NAMED_MAX = 5;

/** Refuses a plan that does what the user has not agreed to, before anything is sent. Throws `conflict`. */
export function checkConsent(
  plan: Plan,
  consent: { prune?: boolean; exclusive?: boolean; takeOwnership?: boolean; credentialsSink?: unknown },
): void {
  const removed = plan.changes.filter((change) => change.action === 'delete');
  if (removed.length > 0 && consent.prune !== true) {
    const made = new Set(plan.changes.flatMap(({ action, kind }) => (action === 'create' ? [kind] : [])));
    const renamed = removed.some(({ kind }) => made.has(kind)) ? ', or write renames under "moved"' : '';
    throw refusal(
      removed,
      'removes',
      `Nothing was changed. Agree to the removals with --prune, or declare them again${renamed}.`,
    );
  }
  const foreign = removed.filter((change) => change.removed_from !== undefined);
  if (foreign.length > 0 && consent.exclusive !== true)
    throw refusal(foreign, 'removes from other stacks', 'Nothing was changed. Agree to that with --exclusive.');
  const taken = plan.changes.filter((change) => 'taken_from' in change && change.taken_from !== undefined);
  if (taken.length > 0 && consent.takeOwnership !== true) {
    throw refusal(taken, 'takes over from other stacks', 'Nothing was changed. Agree to that with --take-ownership.');
  }
  const credentials = createdCredentials(plan);
  if (credentials.length > 0 && consent.credentialsSink === undefined) {
    throw refusal(
      credentials,
      'creates credentials, whose secrets are shown only once:',
      'Nothing was changed. Say where to keep the secrets with --credentials-out FILE.',
    );
  }
}

/** The credentials whose secrets an apply of this plan passes to its sink. */
export function createdCredentials(plan: Plan): PlannedChange[] {
  return plan.changes.filter((change) => change.action === 'create' && isCredential(change.kind));
}

function refusal(changes: readonly PlannedChange[], does: string, remedy: string): ProblemError {
  const named = changes.slice(0, NAMED_MAX).map((change) => change.address);
  const more = changes.length > NAMED_MAX ? ` and ${changes.length - NAMED_MAX} more` : '';
  return new ProblemError(
    'conflict',
    `The plan ${does} ${named.join(', ')}${more}. ${remedy}`,
    changes.slice(0, NAMED_MAX).map((change) => ({
      pointer: '',
      detail: `The plan ${does.replace(/:$/, '')} this.`,
      address: change.address,
    })),
  );
}
