import { ProblemError } from '@authz-service/core/problem';
import { CredentialIndex } from '../auth/credential-index.js';
import { Tokens } from '../auth/tokens.js';
import { BundleKeys } from '../bundles/bundle-keys.js';
import type { Cloud } from '../cloud.js';
import type { Store } from '../store/store.js';
import type { WorkSharing } from '../tenants/tenant.js';
import { Tenants } from '../tenants/tenants.js';

/**
 * Reads what the service works with into memory, all but the tenants' records, creating missing keys. Throws
 * `invalid_config` if a tenant is gone, or keys cannot be read.
 */
export async function readStore(
  store: Store,
  sharing: WorkSharing,
  now: () => number,
  clock?: () => number,
): Promise<Pick<Cloud, 'tenants' | 'credentials' | 'tokens' | 'bundleKeys'>> {
  const tenants = await Tenants.open(store, sharing, clock);
  const { revisions } = await store.position();
  const credentials = new CredentialIndex(await store.credentials(), revisions);
  // Missing keys must be made only once, by whoever starts first.
  return await store.alone(async () => ({
    tenants,
    credentials,
    tokens: await Tokens.open(store, now).catch(unreadableKeys('that sign access tokens')),
    bundleKeys: await BundleKeys.open(store, now).catch(unreadableKeys('that sign bundles')),
  }));
}

/** The cause is omitted, because it may contain keys. */
function unreadableKeys(which: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof ProblemError) throw error;
    throw new ProblemError(
      'invalid_config',
      `The database was changed from outside: the keys ${which} cannot be read. ` +
        'Undo that change, or restore a backup with "servicectl cloud restore".',
    );
  };
}
