import { createHmac } from 'node:crypto';
import type { Secret } from '@authz-service/core/values/secret';

/**
 * A hash of the API key that fetched a tenant's bundle, kept beside the bundle in the cache. It shows an agent whether
 * the folder was written by an agent with another key. It is keyed by the API key, which it does not reveal, and
 * differs by tenant.
 */
export function apiKeyHash(apiKey: Secret, tenantId: string): string {
  return createHmac('sha256', apiKey.reveal()).update(`bundle of tenant ${tenantId}`).digest('hex');
}
