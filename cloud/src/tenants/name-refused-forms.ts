import { refusedForms } from '@authz-service/core/state/refused-forms';
import type { Logger } from 'pino';
import type { Tenant } from './tenant.js';

/** Warns of each stored record that says what would be refused now: it keeps its meaning, so somebody must look at it. */
export function nameRefusedForms({ name, state }: Pick<Tenant, 'name' | 'state'>, log: Logger): void {
  for (const { address, managed_by, detail } of refusedForms(state.records('policy')))
    log.warn({ tenant_name: name, address, managed_by }, `${address}: ${detail}`);
}
