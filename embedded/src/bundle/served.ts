import type { CompiledEngine } from '@authz-service/core/access/engine/compiled-engine';
import type { TenantSearch } from '@authz-service/core/access/search/tenant-search';
import { type Epoch, epochName } from '@authz-service/core/bundle/epoch';
import type { NamedBundle } from '@authz-service/core/bundle/newest';
import type { BundleSlice } from '@authz-service/core/bundle/types';
import type { DigestSet } from '@authz-service/core/state/digest-set';
import { tokenOf } from '@authz-service/core/state/revision';

/** The revision that answers decisions, replaced by the next within one turn of the event loop. */
export interface Served {
  engine: CompiledEngine;
  search: TenantSearch;
  tenant: { id: string; name: string };
  /** The revision of the records, as the bundle states it: the tenant's, or that of the slice. */
  revision: string;
  /** The part of the tenant that it is, as of the newest revision that the cloud has signed; absent if it is all. */
  slice?: BundleSlice | undefined;
  /** SHA-256 of the tenant's records, in hex. */
  digest: string;
  /** The leaves of that digest. While a delta is being checked, they are ahead of the engine. */
  digests: DigestSet;
  /** Whether it arrived as a whole bundle or as a delta. */
  activatedBy: 'bundle' | 'delta';
  /** The revision of the whole bundle, which the cloud's ETag names. */
  bundleRevision: string;
  /** When the cloud signed it (RFC 3339), and with which key. */
  issuedAt: string;
  signedBy: string;
  /** The epoch that it stated; absent if the cloud had declared none. */
  epoch?: Epoch | undefined;
}

/** The name of the whole bundle, as the cloud's ETag has it. */
export function bundleName({ bundleRevision, epoch }: Served): string {
  return tokenOf(bundleRevision, epoch && epochName(epoch));
}

/** The name of the tenant's revision, as callers carry it. */
export function revisionToken(served: Served): string {
  return tokenOf(tenantRevision(served), served.epoch && epochName(served.epoch));
}

/** The tenant's revision; of a slice, that of which it is the part. */
export function tenantRevision({ revision, slice }: Pick<Served, 'revision' | 'slice'>): string {
  return slice?.of ?? revision;
}

/** The bundle that this came in, as the cloud names it; the tenant only if it holds no other. */
export function bundleOf(served: Served): NamedBundle {
  const { tenant, revision, bundleRevision } = served;
  return { tenant: bundleRevision === revision ? tenant.id : undefined, bundle: bundleName(served) };
}
