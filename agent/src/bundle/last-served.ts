import { ProblemError } from '@authz-service/core/problem';
import type { Secret } from '@authz-service/core/secret';
import { revisionNumber } from '@authz-service/core/state/revision';
import { apiKeyHash } from './api-key-hash.js';

/** A tenant at a revision. */
export interface Standing {
  tenant: { id: string; name: string };
  revision: string;
}

/** What was served last and by whose API key it came (`apiKeyHash`): the cache remembers it beside the bundle. */
export interface LastServed extends Standing {
  keyHash: string;
}

/** Throws `invalid_bundle` where the text is not one that an agent wrote. */
export function parseLastServed(text: string): LastServed {
  try {
    const { tenant, revision, keyHash } = JSON.parse(text);
    const { id, name } = tenant;
    if ([id, name, keyHash].every((field) => typeof field === 'string' && field !== '')) {
      revisionNumber(revision);
      return { tenant: { id, name }, revision, keyHash };
    }
  } catch {
    // Said below, whatever it is.
  }
  throw invalid('What it says about the revision that was served last cannot be read.');
}

interface Wanted {
  apiKey: Secret;
  tenantId?: string | undefined;
  allowRollback: boolean;
}

/**
 * Throws `invalid_bundle` where what the cache holds is not to be served before the cloud has answered: because only the
 * cloud knows whether it is of the tenant of this API key, or because it is older than what callers have seen.
 */
export function assertServable({ tenant, revision }: Standing, last: LastServed | undefined, wanted: Wanted): void {
  const named = `${tenant.name} (${tenant.id})`;
  if (last === undefined) {
    throw invalid(
      `Nothing beside it says which revision of tenant ${named} was served last, and it may be older: let the agent reach ` +
        'the cloud.',
    );
  }
  if (wanted.tenantId === undefined && last.keyHash !== apiKeyHash(wanted.apiKey, tenant.id)) {
    throw invalid(
      `It is of tenant ${named} and came by another API key than SERVICE_API_KEY: set SERVICE_TENANT_ID to ` +
        `${tenant.id} if this agent serves that tenant, else give it a SERVICE_CACHE_DIR of its own.`,
    );
  }
  if (!wanted.allowRollback && isBehind({ tenant, revision }, last)) {
    throw invalid(
      `It holds revision ${revision} of tenant ${named}, and ${last.revision} was served: changes after the bundle ` +
        'are lost. Let the agent reach the cloud, or set SERVICE_ALLOW_ROLLBACK=true to serve what is left.',
    );
  }
}

/** Whether it is an older revision of the same tenant, or another one of the same number. */
export function isBehind(standing: Standing, last: Standing): boolean {
  return (
    standing.tenant.id === last.tenant.id &&
    standing.revision !== last.revision &&
    revisionNumber(standing.revision) <= revisionNumber(last.revision)
  );
}

function invalid(detail: string): ProblemError {
  return new ProblemError('invalid_bundle', detail);
}
