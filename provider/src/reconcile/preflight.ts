import { randomUUID } from 'node:crypto';
import type { Writer } from '@authz-service/core/limits/writer';
import { planChanges } from '@authz-service/core/plan/changes';
import type { Plan } from '@authz-service/core/plan/plan';
import { ProblemError, type ProblemItem } from '@authz-service/core/problem';
import type { Address } from '@authz-service/core/records/address';
import type { Staged } from '@authz-service/core/state/change';
import { revisionNumber } from '@authz-service/core/state/revision';
import { TenantState } from '@authz-service/core/state/tenant-state';
import type { TenantSnapshot } from '@authz-service/sdk/wire';

/**
 * Stages the plan on the state that it was made for, with the code that the cloud uses, so that what the cloud would
 * refuse is refused before anybody is shown the plan. Returns what the plan makes of the state. Throws `invalid_records`,
 * `conflict`, `not_owner`, `outside_limits`, and without `reportRules` `access_rule_violated`.
 */
export function preflight(
  plan: Plan,
  { external }: { external: Address[] },
  snapshot: TenantSnapshot,
  { writer, reportRules = false }: { writer?: Writer | undefined; reportRules?: boolean } = {},
): Staged {
  checkExternal(external, snapshot);
  if (plan.changes.length === 0) return { put: [], remove: [], created: [] };
  return new TenantState(snapshot.records).stage(planChanges(plan), {
    stack: plan.stack,
    takeOwnership: plan.changes.some((change) => 'taken_from' in change && change.taken_from !== undefined),
    exclusive: removesForeign(plan),
    ...(writer && { writer }),
    reportRules,
    now: new Date(),
    newId: randomUUID,
    revision: revisionNumber(plan.base_revision) + 1,
  });
}

/** Whether a plan removes links of other stacks. */
export function removesForeign({ changes }: Plan): boolean {
  return changes.some((change) => 'removed_from' in change && change.removed_from !== undefined);
}

function checkExternal(external: readonly Address[], { tenant, records }: TenantSnapshot): void {
  if (external.length === 0) return;
  const present = new Set(records.map((record) => record.address));
  const faults: ProblemItem[] = external
    .filter((address) => !present.has(address))
    .map((address) => ({
      pointer: '',
      address,
      detail: `"${address}" is declared as external, but the tenant "${tenant}" holds no such record: apply the stack that declares it first, or correct the name.`,
    }));
  const first = faults[0];
  if (first === undefined) return;
  const more = faults.length === 1 ? '' : ` And ${faults.length - 1} more.`;
  throw new ProblemError('invalid_records', `${first.detail}${more}`, faults);
}
