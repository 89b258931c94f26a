import { refusedForms } from '@authz-service/core/state/refused-forms';
import type { Cloud } from './cloud.js';

/** Warns of each stored record that says what would be refused now: it keeps its meaning, so somebody must look at it. */
export async function nameRefusedForms({ tenants, log }: Pick<Cloud, 'tenants' | 'log'>): Promise<void> {
  for (const { id, name } of tenants.list()) {
    const { state } = await tenants.get(id);
    for (const { address, managed_by, detail } of refusedForms(state.records('policy')))
      log.warn({ tenant_name: name, address, managed_by }, `${address}: ${detail}`);
  }
}
