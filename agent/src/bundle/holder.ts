import { createHmac } from 'node:crypto';
import type { Secret } from '@authz-service/core/secret';

/**
 * A mark of the API key by which a tenant's bundle came, kept beside it in the cache. It tells nothing of the key, and is
 * another one for each key and each tenant: an agent finds by it what somebody else left in its folder.
 */
export function holderOf(apiKey: Secret, tenantId: string): string {
  return createHmac('sha256', apiKey.reveal()).update(`bundle of tenant ${tenantId}`).digest('hex');
}
