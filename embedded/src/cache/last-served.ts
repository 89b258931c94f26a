import type { Epoch } from '@authz-service/core/bundle/epoch';
import type { BundleSlice } from '@authz-service/core/bundle/types';
import { ProblemError } from '@authz-service/core/problem';
import { revisionNumber } from '@authz-service/core/state/revision';
import type { Secret } from '@authz-service/core/values/secret';
import { apiKeyHash } from './api-key-hash.js';

/** A tenant at a revision. */
export interface ServedRevision {
  tenant: { id: string; name: string };
  revision: string;
  /** The tenant's revision of which a slice is the part: by that it is older or newer. */
  slice?: Pick<BundleSlice, 'of'> | undefined;
  /** The epoch of the cloud that the revision is of; absent before it has declared one. */
  epoch?: Pick<Epoch, 'number' | 'id'> | undefined;
}

/**
 * The revision that was served last, and the hash of the API key that fetched it (`apiKeyHash`). The cache stores it beside
 * the bundle.
 */
export interface LastServed extends ServedRevision {
  keyHash: string;
}

/** Throws `invalid_bundle` if the text was not written by an agent. */
export function parseLastServed(text: string): LastServed {
  try {
    const { tenant, revision, keyHash, epoch } = JSON.parse(text);
    const { id, name } = tenant;
    if ([id, name, keyHash].every((field) => typeof field === 'string' && field !== '')) {
      revisionNumber(revision);
      if (epoch === undefined) return { tenant: { id, name }, revision, keyHash };
      const number = Number(epoch.number);
      if (Number.isSafeInteger(number))
        return { tenant: { id, name }, revision, keyHash, epoch: { number, id: String(epoch.id) } };
    }
  } catch {
    // The error below covers every cause.
  }
  throw invalid('Its note on the revision that was served last cannot be read.');
}

interface Wanted {
  apiKey: Secret;
  tenantId?: string | undefined;
  allowRollback: boolean;
}

/**
 * Throws `invalid_bundle` if the cached bundle must not be served before the cloud has answered: only the cloud knows
 * whether it belongs to the tenant of this API key, or it is older than what callers have seen.
 */
export function assertServable(next: ServedRevision, last: LastServed | undefined, wanted: Wanted): void {
  const { tenant, revision } = next;
  const named = `${tenant.name} (${tenant.id})`;
  if (last === undefined) {
    throw invalid(
      `The note on which revision of tenant ${named} was served last is missing, so it may be older: let the agent reach ` +
        'the cloud.',
    );
  }
  if (wanted.tenantId === undefined && last.keyHash !== apiKeyHash(wanted.apiKey, tenant.id)) {
    throw invalid(
      `It belongs to tenant ${named} and was fetched with another API key than SERVICE_API_KEY: set SERVICE_TENANT_ID to ` +
        `${tenant.id} if this agent serves that tenant, or else give it its own SERVICE_CACHE_DIR.`,
    );
  }
  if (!wanted.allowRollback && isBehind(next, last)) {
    throw invalid(
      `It holds revision ${revision} of tenant ${named}, but ${last.revision} was served: changes after the bundle ` +
        'are lost. Let the agent reach the cloud, or set SERVICE_ALLOW_ROLLBACK=true to serve what is left.',
    );
  }
}

/** Below zero if the first is of an earlier epoch than the second, above zero if it is of a later one. */
export function compareEpochs(
  { epoch: one }: Pick<ServedRevision, 'epoch'>,
  { epoch: other }: Pick<ServedRevision, 'epoch'>,
): number {
  return (one?.number ?? 0) - (other?.number ?? 0);
}

/**
 * Whether it is an older revision of the same tenant, or a different one with the same number. A later epoch may begin at an
 * older revision.
 */
export function isBehind(next: ServedRevision, last: ServedRevision): boolean {
  if (next.tenant.id !== last.tenant.id) return false;
  const epochs = compareEpochs(next, last);
  if (epochs !== 0) return epochs < 0;
  const [revision, known] = [next, last].map(({ revision, slice }) => slice?.of ?? revision) as [string, string];
  return revision !== known && revisionNumber(revision) <= revisionNumber(known);
}

function invalid(detail: string): ProblemError {
  return new ProblemError('invalid_bundle', detail);
}
