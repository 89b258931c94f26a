import { createHmac } from 'node:crypto';
import type { Secret } from '@authz-service/core/secret';

/**
 * A hash of the API key by which a tenant's bundle came, kept beside it in the cache: an agent finds by it what an agent
 * with another key left in its folder. It is keyed by the API key, which cannot be told from it, and differs by tenant.
 */
export function apiKeyHash(apiKey: Secret, tenantId: string): string {
  return createHmac('sha256', apiKey.reveal()).update(`bundle of tenant ${tenantId}`).digest('hex');
}
