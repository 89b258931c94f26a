import type { Cloud } from '../cloud.js';
import type { ReadableTenant } from '../tenants/tenant.js';

/** How often it is looked again if commits came in between. */
const TRIES = 3;

/** Runs steps over a tenant's state, again if a commit came in between, and names the revision at which they began. */
export async function atOneRevision<T>(
  { slicing }: Pick<Cloud, 'slicing'>,
  tenant: ReadableTenant,
  steps: () => Generator<undefined, T>,
): Promise<{ revision: string; found: T }> {
  for (let tries = 1; ; tries++) {
    const { revision } = tenant;
    const found = await slicing.run(steps(), tenant.id);
    if (revision === tenant.revision || tries === TRIES) return { revision, found };
  }
}
