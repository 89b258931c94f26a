import { type Epoch, epochName } from '@authz-service/core/bundle/epoch';
import type { BundleState } from './bundle/bundle-state.js';
import { tenantRevision } from './bundle/served.js';

/** The body of `GET /v1/status`, for operators. Times are ISO 8601 in UTC; null means not known yet. */
export interface StatusReport {
  /** The source of bundles: the cloud, or files that a web server distributes. */
  source: { kind: 'cloud' | 'static'; url: string };
  /** The same value as in the health report. */
  status: string;
  tenant: { id: string; name: string } | null;
  /** The tenant's revision and the digest of the records that are held of it. */
  revision: string | null;
  digest: string | null;
  /** The applications whose records are held; null for all. */
  applications: readonly string[] | null;
  /** The revision of the whole bundle; the tenant's own if it holds only one. */
  bundle_revision: string | null;
  /** The epoch of the cloud in which it was made, and the key that signs epochs; null before the cloud has declared one. */
  epoch: { name: string; declared_at: string; signed_by: string } | null;
  /** When the cloud signed the bundle. */
  issued_at: string | null;
  /** Seconds since the cloud last confirmed that this revision is the newest. */
  age_seconds: number | null;
  /** The age in seconds past which nothing is decided; null if there is none. */
  max_age_seconds: number | null;
  /** How old the records may be that decide about some resource types, the shortest first; at most 100 of them. */
  budgets: {
    /** The address of the resource type. */
    of: string;
    max_age_seconds: number;
    /** Whether nothing is decided about the type, since that is less than two poll intervals. */
    refused: boolean;
  }[];
  last_request: string | null;
  last_success: string | null;
  last_activation: string | null;
  /** Whether what is served arrived as a whole bundle or as a delta. */
  activated_by: 'bundle' | 'delta' | null;
  last_error: { at: string; code: string; detail: string } | null;
  degraded: boolean;
  consecutive_failures: number;
  /** Whether the cloud holds requests until there is something newer; null until the first such request has ended. */
  long_poll: boolean | null;
  keys: {
    /** The key that signed what is served. */
    signed_by: string | null;
    /** The keys that are trusted. */
    trusted: string[];
    /** Whether they come from SERVICE_BUNDLE_JWKS; otherwise they come from the first contact with the cloud. */
    pinned: boolean;
  };
}

const BUDGETS_MAX = 100;

export function statusReport(state: BundleState): StatusReport {
  const { served, syncing } = state;
  const { trust } = syncing;
  const health = state.health();
  return {
    source: syncing.source,
    status: health.status,
    tenant: served?.tenant ?? null,
    revision: served === undefined ? null : tenantRevision(served),
    digest: served?.digest ?? null,
    applications: served?.slice?.applications ?? null,
    bundle_revision: served?.bundleRevision ?? null,
    epoch: epochReport(served?.epoch),
    issued_at: served?.issuedAt ?? null,
    age_seconds: state.syncAgeSeconds,
    max_age_seconds: state.maxAgeMs === undefined ? null : state.maxAgeMs / 1000,
    budgets: state.budgets.all.slice(0, BUDGETS_MAX).map((budget) => ({
      of: budget.of,
      max_age_seconds: budget.maxAgeMs / 1000,
      refused: state.budgets.isRefused(budget),
    })),
    last_request: iso(syncing.requestedAtMs),
    last_success: state.lastSync,
    last_activation: iso(syncing.activatedAtMs),
    activated_by: served?.activatedBy ?? null,
    last_error: syncing.lastError ?? null,
    degraded: health.degraded,
    consecutive_failures: health.consecutive_failures,
    long_poll: syncing.longPoll ?? null,
    keys: { signed_by: served?.signedBy ?? null, trusted: trust.set.keys.map(({ kid }) => kid), pinned: trust.pinned },
  };
}

function epochReport(epoch: Epoch | undefined): StatusReport['epoch'] {
  return epoch ? { name: epochName(epoch), declared_at: epoch.declaredAt, signed_by: epoch.key.kid } : null;
}

function iso(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
